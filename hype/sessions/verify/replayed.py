"""The recorded answers, sent through the session's script as resuming does, trial by trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Row

from hype.protocol.loop import Presentation, Script, advance
from hype.protocol.plan import SessionPlan
from hype.protocol.script import hype_session
from hype.protocol.steps import (
    GO_ON,
    YES,
    Ending,
    JudgementTrial,
    Outcome,
    Response,
    Screen,
    Step,
)
from hype.protocol.timing import Verdict
from hype.sessions.verify.case import Key, key_of, name_of
from hype.sessions.verify.found import Found, shown
from hype.sessions.verify.judged import ANSWERS
from hype.store.answers import judgement_row

NOWHERE: Final = Presentation(0.0, 0.0)
PLANNED: Final = MappingProxyType(
    {
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
"""The cells of a judgement that its plan decides, and the fault where one is another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What came of it.

    Attributes
    ----------
    ahead
        The trial that comes after the last answer, or the ending that the answers lead to.
    certain
        Whether every answer on the way was there; without one, where it led is a guess.
    """

    faults: Sequence[Found]
    ahead: JudgementTrial | Ending
    certain: bool


def replay_rows(plan: SessionPlan, rows: Sequence[Row[Any]]) -> Replayed:
    """Compare an evaluator's judgements, in the order of their numbers, with their plan."""
    return _Replay(plan, rows).run()


class _Replay:
    """One pass through a plan. A trial that is not answered is taken for a correct one."""

    def __init__(self, plan: SessionPlan, rows: Sequence[Row[Any]]) -> None:
        self._script: Script = hype_session(plan)
        self._blocks: dict[tuple[object, object], int] = {
            (b.task.value, b.number): at for at, b in enumerate(plan.blocks)
        }
        self._lengths = [len(b.stimuli) * (1 + b.repeat_spoiled) for b in plan.blocks]
        self._rows: dict[Key, Row[Any]] = {}
        for row in rows:
            self._rows.setdefault(key_of(row), row)
        self._last = max(map(self._place, self._rows), default=(-1, 0))
        self._latest = 0  # number of the latest judgement that was passed
        self._unsure: set[tuple[object, object]] = set()  # blocks of which an answer lacks
        self._faults: list[Found] = []

    def run(self) -> Replayed:
        """Go through the plan as far as there are answers."""
        step = past_screens(self._script, advance(self._script, None))
        passed: set[Key] = set()
        while not isinstance(step, Ending):
            key = key_of_trial(step)
            if self._place(key) > self._last:
                break
            passed.add(key)
            outcome = self._pass(step, key)
            step = past_screens(self._script, advance(self._script, outcome))
        self._faults += self._left_over(passed, step)
        return Replayed(faults=self._faults, ahead=step, certain=not self._unsure)

    def _place(self, key: Key) -> tuple[int, int]:
        """Where in the plan a trial stands: its block and number, or before all if nowhere."""
        task, block, trial = key
        at = self._blocks.get((task, block), -1)
        if at < 0 or not isinstance(trial, int) or not 1 <= trial <= self._lengths[at]:
            return (-1, 0)
        return (at, trial)

    def _pass(self, trial: JudgementTrial, key: Key) -> Outcome:
        """Compare what was recorded of a trial, and give what its script is told."""
        row = self._rows.get(key)
        if row is None:
            self._faults.append(Found("trial-missing", f"{name_of(key)} is not answered"))
        else:
            self._faults += self._compared(trial, row, key)
        if row is None or row.answer not in ANSWERS:
            self._unsure.add(key[:2])
            return Outcome(Response(trial.stimulus.truth.value))
        return Outcome(Response(row.answer), row.verdict not in (None, Verdict.OK.value))

    def _compared(self, trial: JudgementTrial, row: Row[Any], key: Key) -> Iterator[Found]:
        """Compare a judgement with its trial; the exposure only where it is known."""
        if row.id < self._latest:
            yield Found("out-of-order", f"{name_of(key)} was recorded before an earlier trial")
        self._latest = max(self._latest, row.id)
        wanted: Mapping[str, object] = judgement_row(trial, NOWHERE, Response(row.answer))
        for column, code in PLANNED.items():
            guess = column == "exposure_ms" and key[:2] in self._unsure
            found = getattr(row, column)
            if found != wanted[column] and not guess:
                message = f"{column} {shown(found)}, and the plan asks for {shown(wanted[column])}"
                yield Found(code, f"{name_of(key)}: {message}")

    def _left_over(self, passed: set[Key], ahead: JudgementTrial | Ending) -> Iterator[Found]:
        """Say which trials were answered that the script did not come to."""
        for key, row in self._rows.items():
            if key in passed:
                continue
            if isinstance(ahead, Ending) and row.id > self._latest:
                where = f"{name_of(key)} is answered, and the session was {ahead.value} before"
                yield Found("after-the-end", where)
            else:
                yield Found("trial-unplanned", f"{name_of(key)} is answered, and is in no plan")


def past_screens(script: Script, step: Step | Ending) -> JudgementTrial | Ending:
    """Pass over screens, as whoever answers a later trial has."""
    while isinstance(step, Screen):
        step = advance(script, Outcome(YES if step.choice else GO_ON))
    return step


def key_of_trial(trial: JudgementTrial) -> Key:
    """Give the trial as the record identifies it."""
    return (trial.task.value, trial.block, trial.number)
