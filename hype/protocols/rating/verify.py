"""What verifying has to know of ratings."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, ClassVar, Final

from sqlalchemy import Row

from hype.protocols.prompted.checks import PromptedChecks
from hype.protocols.rating.rows import RATINGS
from hype.protocols.rating.settings import MOST_STEPS, RatingStudy
from hype.protocols.rating.trial import NOT_RELEVANT, YES_NO, RatingTrial
from hype.session.steps import Response
from hype.verify.case import Files
from hype.verify.findings import shown

ANSWERS: Final = frozenset((*YES_NO, NOT_RELEVANT, *map(str, range(MOST_STEPS + 1))))
"""Everything that is an answer on some axis of some study."""
IMAGES: Final = ("first", "second")


class Ratings(PromptedChecks):
    """Pairs of images, or single ones, on one axis each."""

    noun = "rating"
    storage = RATINGS
    every = ANSWERS
    study = RatingStudy
    given = ("share",)
    planned: ClassVar = MappingProxyType(
        dict.fromkeys(
            (name for which in IMAGES for name in (which, f"{which}_image", f"{which}_sha256")),
            "image-unlike-plan",
        )
        | {
            "item": "item-unlike-plan",
            "prompt": "prompt-unlike-plan",
            "axis": "axis-unlike-plan",
            "first_side": "sides-unlike-plan",
            "truth": "image-unlike-plan",
        }
    )

    def usual(self, trial: RatingTrial) -> Response:
        """Take an answer that lacks for the middle level; nothing depends on it."""
        levels = trial.axis.levels
        return Response(levels[len(levels) // 2])

    def possible(self, trial: RatingTrial, answer: object) -> bool:
        return answer in trial.axis.answers

    def why_impossible(self, trial: RatingTrial, answer: str, /) -> str:
        allowed = ", ".join(trial.axis.answers)
        return f"{shown(answer)}, and {trial.axis.name} is answered with {allowed}"

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        seen = (
            (getattr(row, f"{which}_image"), getattr(row, f"{which}_sha256"))
            for row in rows
            for which in IMAGES
        )
        return Files(images={(path, sha256) for path, sha256 in seen if path is not None})


ANSWER_CHECKS: Final = Ratings()
