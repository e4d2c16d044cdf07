"""A session made anew: its plan from the record's copies, its answers through its script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Row

from hype.errors import InputError
from hype.session.course import Course
from hype.session.enrol import assignment_of
from hype.session.loop import Script, advance
from hype.session.steps import GO_ON, YES, AnyPlan, Ending, Outcome, Response, Screen, Step, Trial
from hype.verify.case import NOWHERE, AnswerChecks, Case, Key, Place, RecordedStudy, key_of, name_of
from hype.verify.findings import Irregularity, shown, some

BEFORE_ALL: Final[Place] = (-1, 0)


class Replay:
    """One pass through a plan. A trial that is not answered is taken for the usual answer.

    ``ahead``: the trial that comes after the last answer, or the ending that the answers lead to.
    """

    def __init__(
        self, kind: AnswerChecks, plan: Any, script: Script, rows: Sequence[Row[Any]]
    ) -> None:
        self._kind = kind
        self._plan = plan
        self._places = kind.places(plan)
        self._rows: dict[Key, Row[Any]] = {}
        for row in rows:
            self._rows.setdefault(key_of(row), row)
        self._last = max(map(self._place, self._rows), default=BEFORE_ALL)
        self._latest = 0  # number of the latest answer that was passed
        self._unsure: set[tuple[object, object]] = set()  # blocks of which an answer lacks
        self.faults: list[Irregularity] = []
        self.ahead = self._run(script)

    @property
    def certain(self) -> bool:
        """Whether every answer on the way was there; without one, where it led is a guess."""
        return not self._unsure

    def _run(self, script: Script) -> Trial | Ending:
        """Go through the plan as far as there are answers."""
        step = past_screens(script, advance(script, None))
        passed: set[Key] = set()
        while not isinstance(step, Ending):
            key: Key = step.name
            if self._place(key) > self._last:
                break
            passed.add(key)
            outcome = self._pass(step, key)
            step = past_screens(script, advance(script, outcome))
        self.faults += self._left_over(passed, step)
        return step

    def _place(self, key: Key) -> Place:
        """Where in the plan a trial stands, or before all if nowhere."""
        return self._places(key) or BEFORE_ALL

    def _pass(self, trial: Trial, key: Key) -> Outcome:
        """Compare what was recorded of a trial, and give what its script is told."""
        row = self._rows.get(key)
        if row is None:
            self.faults.append(Irregularity("trial-missing", f"{name_of(key)} is not answered"))
        else:
            self.faults += self._compared(trial, row, key)
        if row is None or not self._kind.possible(trial, row.answer):
            task, block, number = trial.name
            later = self._rows.get((task, block, number + 1))
            expected = self._kind.followed(trial, later) if later else None
            if expected is None:
                self._unsure.add(key[:2])
            return Outcome(expected or self._kind.usual(trial))
        return Outcome(self._kind.response(row), self._kind.spoiled(row))

    def _compared(self, trial: Trial, row: Row[Any], key: Key) -> Iterator[Irregularity]:
        """Compare an answer with its trial; what earlier answers lead to only where it is known."""
        if row.id < self._latest:
            yield Irregularity(
                "out-of-order", f"{name_of(key)} was recorded before an earlier trial"
            )
        self._latest = max(self._latest, row.id)
        wanted = self._kind.storage.row(trial, NOWHERE, Response(row.answer))
        for code, column in self._kind.differences(row, wanted):
            if column in self._kind.led and key[:2] in self._unsure:
                continue
            there = shown(getattr(row, column))
            message = f"{column} {there}, and the plan asks for {shown(wanted[column])}"
            yield Irregularity(code, f"{name_of(key)}: {message}")
        yield from self._kind.check_rules(self._plan, trial, row)

    def _left_over(self, passed: set[Key], ahead: Trial | Ending) -> Iterator[Irregularity]:
        """Say which trials were answered that the script did not come to."""
        for key, row in self._rows.items():
            if key in passed:
                continue
            if isinstance(ahead, Ending) and row.id > self._latest:
                where = f"{name_of(key)} is answered, and the session was {ahead.value} before"
                yield Irregularity("after-the-end", where)
            else:
                yield Irregularity(
                    "trial-unplanned", f"{name_of(key)} is answered, and is in no plan"
                )


def past_screens(script: Script, step: Step | Ending) -> Trial | Ending:
    """Pass over screens, as whoever answers a later trial has."""
    while isinstance(step, Screen):
        step = advance(script, Outcome(YES if step.choice else GO_ON))
    return step


UNKNOWN: Final = (
    "the plan made anew is another: the manifests list other images or masks, or in another order, "
    "or the evaluator's row was changed"
)


def remake_plan(
    case: Case, recorded: RecordedStudy | None
) -> tuple[AnyPlan | None, list[Irregularity]]:
    """Make an evaluator's plan anew; None where it is another now, and what is different."""
    if recorded is None:
        message = "the record has no copy that can be read of the study they began with"
        return None, [Irregularity("study-not-kept", message)]
    unlike = [*check_seed(case, recorded), *case.kind.check_assignment(case, recorded)]
    if recorded.course is None:
        return None, unlike
    reason = ""
    try:
        drawn = planned(case, recorded.course)
        if drawn.checksum() == case.who.plan:
            return drawn, unlike
    except InputError as error:
        reason = str(error)
    message = "; ".join(what_changed(case, recorded)) or reason or UNKNOWN
    return None, [*unlike, Irregularity("plan-changed", message)]


def planned(case: Case, course: Course[Any]) -> AnyPlan:
    """Draw the plan of an evaluator, as enrolling does.

    Raises InputError: their place in the design is gone, or there are too few images or masks.
    """
    assignment = assignment_of(case.who)
    course.require_place(assignment.cell)
    if assignment.cell not in (*course.cells, *course.other_cells):
        methods = shown(" ".join(case.who.methods))
        raise InputError(course.study.path, f"gives nobody such a place: the methods {methods}")
    drawn: AnyPlan = course.plan(assignment)
    return drawn


def check_seed(case: Case, recorded: RecordedStudy) -> Iterator[Irregularity]:
    seed = recorded.study.settings.study.seed
    if case.seed != str(seed):
        yield Irregularity(
            "evaluator-unlike-study", f"seed {shown(case.seed)}, and the study's is {seed}"
        )


def what_changed(case: Case, recorded: RecordedStudy) -> Iterator[str]:
    seen = dict(case.kind.files_of_rows(case.rows).images)
    if gone := sorted(str(path) for path in seen if path not in recorded.listed):
        yield f"the manifest of the images lacks {some(gone)} that they saw"
    other = sorted(
        path
        for path, sha256 in seen.items()
        if path in recorded.listed and recorded.listed[path].sha256 != sha256
    )
    if other:
        yield f"the manifest of the images has other checksums for {some(other)} that they saw"
    yield from case.kind.strange(case, recorded)
