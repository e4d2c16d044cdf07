"""What verifying has to know of picks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, ClassVar

from sqlalchemy import Row

from hype.protocols.prompted.checks import PromptedChecks, check_given
from hype.session.steps import Response
from hype.verify.case import Case, Files, Places, RecordedStudy, listed
from hype.verify.findings import Irregularity
from picking.record import PICKS, images_in
from picking.settings import PickingStudy
from picking.trial import MOST_IMAGES, PickingPlan, PickingTrial


class Picks(PromptedChecks):
    noun = "pick"
    storage = PICKS
    every = frozenset(map(str, range(1, MOST_IMAGES + 1)))
    planned: ClassVar = MappingProxyType(
        {"shown": "image-unlike-plan", "prompt": "prompt-unlike-plan"}
    )

    def places(self, plan: PickingPlan) -> Places:
        return listed(trial.name for trial in plan.trials)

    def usual(self, _trial: PickingTrial) -> Response:
        return Response("1")

    def possible(self, trial: PickingTrial, answer: object) -> bool:
        return answer in trial.answers

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        return Files(images={image[:2] for row in rows for image in images_in(row)})

    def check_assignment(self, case: Case, recorded: RecordedStudy) -> Iterator[Irregularity]:
        if isinstance(recorded.study, PickingStudy):
            yield from check_given(case.who, recorded.study, "share", "pairs", "groups")


ANSWER_CHECKS = Picks()
