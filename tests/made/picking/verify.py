"""What verifying has to know of picks."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, ClassVar

from sqlalchemy import Row

from hype.protocols.prompted.checks import PromptedChecks
from hype.session.steps import Response
from hype.verify.case import Files
from picking.rows import PICKS, images_in
from picking.settings import PickingStudy
from picking.trial import MOST_IMAGES, PickingTrial


class Picks(PromptedChecks):
    noun = "pick"
    storage = PICKS
    every = frozenset(map(str, range(1, MOST_IMAGES + 1)))
    study = PickingStudy
    given = ()
    planned: ClassVar = MappingProxyType(
        {"shown": "image-unlike-plan", "prompt": "prompt-unlike-plan"}
    )

    def usual(self, _trial: PickingTrial) -> Response:
        return Response("1")

    def possible(self, trial: PickingTrial, answer: object) -> bool:
        return answer in trial.answers

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        return Files(images={image[:2] for row in rows for image in images_in(row)})


ANSWER_CHECKS = Picks()
