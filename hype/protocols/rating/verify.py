"""What verifying has to know of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, ClassVar, Final

from sqlalchemy import Row

from hype.protocols.prompted.checks import UNLIKE, PromptedChecks, check_given, wrong_share
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.record import RATINGS
from hype.protocols.rating.settings import MOST_STEPS, RatingStudy
from hype.protocols.rating.trial import NOT_RELEVANT, YES_NO, RatingPlan, RatingTrial
from hype.session.steps import Response
from hype.verify.case import Case, Files, Places, RecordedStudy, listed
from hype.verify.findings import Irregularity, shown

ANSWERS: Final = frozenset((*YES_NO, NOT_RELEVANT, *map(str, range(MOST_STEPS + 1))))
"""Everything that is an answer on some axis of some study."""
IMAGES: Final = ("first", "second")


class Ratings(PromptedChecks):
    """Pairs of images, or single ones, on one axis each."""

    noun = "rating"
    storage = RATINGS
    every = ANSWERS
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

    def places(self, plan: RatingPlan) -> Places:
        return listed(trial.name for block in plan.blocks for trial in plan.trials(block))

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

    def check_assignment(self, case: Case, recorded: RecordedStudy) -> Iterator[Irregularity]:
        """Compare the share with the study's design; there is nothing else to be given."""
        if not isinstance(recorded.study, RatingStudy):
            return
        yield from check_given(case.who, recorded.study, "pairs", "groups")
        if isinstance(recorded.course, RatingCourse):
            wrong = wrong_share(case.who, len(recorded.course.pools.shares))
            if wrong:
                yield Irregularity(UNLIKE, wrong)


ANSWER_CHECKS: Final = Ratings()
