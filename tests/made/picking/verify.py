"""What verifying has to know of picks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, ClassVar

from sqlalchemy import Row

from hype.protocols.prompted.checks import check_given
from hype.session.steps import Response
from hype.verify.case import (
    AnswerChecks,
    Case,
    Files,
    Places,
    RecordedStudy,
    key_of,
    listed,
    name_of,
)
from hype.verify.findings import Irregularity, shown
from picking.record import PICKS, images_in
from picking.settings import PickingStudy
from picking.trial import PickingPlan, PickingTrial


class Picks(AnswerChecks):
    noun = "pick"
    storage = PICKS
    planned: ClassVar = MappingProxyType(
        {"shown": "image-unlike-plan", "prompt": "prompt-unlike-plan"}
    )

    def places(self, plan: PickingPlan) -> Places:
        return listed(trial.name for trial in plan.trials)

    def usual(self, _trial: PickingTrial) -> Response:
        return Response("1")

    def possible(self, trial: PickingTrial, answer: object) -> bool:
        return answer in trial.answers

    def check_row(self, row: Row[Any]) -> Iterator[Irregularity]:
        if row.answer not in map(str, range(1, len(images_in(row)) + 1)):
            yield Irregularity("answer-impossible", f"{name_of(key_of(row))}: {shown(row.answer)}")

    def check_rules(self, _plan: Any, _trial: Any, _row: Row[Any], /) -> tuple[()]:
        return ()

    def strange(self, _case: Case, _recorded: RecordedStudy, /) -> tuple[()]:
        return ()

    def files_of_plan(self, plan: PickingPlan) -> Files:
        return Files(images={(image.path, image.sha256) for image in plan.images()})

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        return Files(images={image[:2] for row in rows for image in images_in(row)})

    def check_assignment(self, case: Case, recorded: RecordedStudy) -> Iterator[Irregularity]:
        if isinstance(recorded.study, PickingStudy):
            yield from check_given(case.who, recorded.study, "share", "pairs", "groups")


ANSWER_CHECKS = Picks()
