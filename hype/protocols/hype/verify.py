"""What verifying has to know of judgements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, ClassVar, Final

from sqlalchemy import Row

from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.rows import JUDGEMENTS
from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.trial import BlockPlan, JudgementTrial, SessionPlan
from hype.session.steps import Response
from hype.session.timing import Verdict
from hype.stimuli.manifest import Truth
from hype.verify.case import (
    AnswerChecks,
    Case,
    Files,
    Key,
    Places,
    RecordedStudy,
    key_of,
    listed,
    name_of,
)
from hype.verify.findings import Irregularity, shown, some

ANSWERS: Final = frozenset(truth.value for truth in Truth)
VERDICTS: Final = frozenset(verdict.value for verdict in Verdict)


class VerifiedJudgements(AnswerChecks):
    """Images judged real or fake."""

    noun = "judgement"
    storage = JUDGEMENTS
    planned: ClassVar = MappingProxyType(
        {
            "condition": "image-unlike-plan",
            "image": "image-unlike-plan",
            "image_sha256": "image-unlike-plan",
            "source": "image-unlike-plan",
            "truth": "image-unlike-plan",
            "repeats": "repeats-unlike-plan",
            "exposure_ms": "exposure-unlike-plan",
            "masks": "masks-unlike-plan",
            "mask_ms": "masks-unlike-plan",
        }
    )
    led = frozenset(("exposure_ms",))

    def places(self, plan: SessionPlan) -> Places:
        return listed(name for block in plan.blocks for name in names_of(block))

    def usual(self, trial: JudgementTrial) -> Response:
        return Response(trial.stimulus.truth.value)

    def possible(self, _trial: JudgementTrial, answer: object) -> bool:
        return answer in ANSWERS

    def spoiled(self, row: Row[Any], /) -> bool:
        return self.storage.answered(row).spoiled

    def check_row(self, row: Row[Any]) -> Iterator[Irregularity]:
        yield from check_answer(row)
        yield from check_verdict(row)

    def files_of_plan(self, plan: SessionPlan) -> Files:
        return Files(
            images={
                (planned.stimulus.path, planned.stimulus.sha256)
                for block in plan.blocks
                for planned in block.planned()
            },
            masks=plan.masks(),
        )

    def files_of_rows(self, rows: Iterable[Row[Any]]) -> Files:
        rows = list(rows)
        return Files(
            images={(row.image, row.image_sha256) for row in rows},
            masks={name for row in rows for name in str(row.masks or "").split()},
        )

    def check_assignment(self, case: Case, recorded: RecordedStudy) -> Iterator[Irregularity]:
        who, settings = case.who, recorded.study.settings
        if not isinstance(settings, StudyFile):
            return
        if who.methods not in settings.methods_of_one_evaluator():
            message = f"methods {shown(' '.join(who.methods))}, which the study gives nobody"
            yield Irregularity("evaluator-unlike-study", message)
        means = settings.keys.left_means
        allowed = ("real", "fake") if means == "counterbalanced" else (means,)
        if who.left_means not in allowed:
            message = f"the left key means {shown(who.left_means)}, and not {' or '.join(allowed)}"
            yield Irregularity("evaluator-unlike-study", message)
        if bool(who.share) != settings.within:
            message = f"the place {shown(who.share)} among those who serve several conditions"
            yield Irregularity("evaluator-unlike-study", message)
        if who.pairs or who.groups:
            message = "pairs or groups, and nothing is compared or ranked"
            yield Irregularity("evaluator-unlike-study", message)

    def check_rules(
        self, _plan: SessionPlan, _trial: JudgementTrial, _row: Row[Any], /
    ) -> tuple[()]:
        return ()

    def strange(self, case: Case, recorded: RecordedStudy, /) -> Iterator[str]:
        """Name masks that are gone, and fakes of another condition than the evaluator's."""
        course = recorded.course
        known = set(course.pools.masks) if isinstance(course, HypeCourse) else set()
        masks = set(self.files_of_rows(case.rows).masks)
        if gone := sorted(masks - known):
            yield f"the manifest of the masks lacks {some(gone)} that they saw"
        fakes = {row.source for row in case.rows if row.task in ("time", "infinity") and row.source}
        if case.who.condition and (strange := sorted(map(str, fakes - {case.who.condition}))):
            yield f"they judged fakes of {some(strange)}, and their row says {case.who.condition!r}"


def names_of(block: BlockPlan) -> Iterator[Key]:
    """Yield the names of a block's trials, and then of those that may be shown again."""
    for number, planned in enumerate(block.planned(), start=1):
        yield planned.task.value, planned.block, number
    repeats = len(block.stimuli) if block.repeat_spoiled else 0
    for number in range(block.size + 1, block.size + repeats + 1):
        yield block.task.value, block.number, number


def check_answer(row: Row[Any]) -> Iterator[Irregularity]:
    if row.answer not in ANSWERS:
        yield Irregularity("answer-impossible", f"{name_of(key_of(row))}: {shown(row.answer)}")
    if bool(row.correct) != (row.answer == row.truth):
        correctness = "correct" if row.correct else "wrong"
        message = f"{shown(row.answer)} for a {shown(row.truth)} image is called {correctness}"
        yield Irregularity("correct-unlike-answer", f"{name_of(key_of(row))}: {message}")


def check_verdict(row: Row[Any]) -> Iterator[Irregularity]:
    if row.verdict is None:
        return
    wrong = ""
    if row.verdict not in VERDICTS:
        wrong = f"there is no verdict {shown(row.verdict)}"
    elif row.exposure_ms is None:
        wrong = f"{row.verdict}, and nothing was flashed"
    elif bool(row.missed_frames) != (row.verdict == Verdict.DROPPED.value):
        wrong = f"{row.verdict}, and missed frames: {shown(row.missed_frames)}"
    if wrong:
        yield Irregularity("verdict-impossible", f"{name_of(key_of(row))}: {wrong}")


ANSWER_CHECKS: Final = VerifiedJudgements()
