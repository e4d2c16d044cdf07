"""One evaluator's answers, replayed: the same plan made again, and each row written again.

The script of the plan is sent each recorded answer, as when a session is resumed. For each trial
that it then asks, the function that wrote the row of the answer writes it again, and the two rows
must agree. Where that cannot be done, each answer is checked by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, pairwise
from typing import Any, Final

from sqlalchemy import Row

from hype.errors import InputError
from hype.session.course import Course
from hype.session.enrol import assignment_of
from hype.session.loop import Presentation, Script, advance
from hype.session.steps import GO_ON, YES, AnyPlan, Ending, Outcome, Response, Screen, Trial
from hype.session.timing import Verdict
from hype.store.columns import RecordedAnswers
from hype.study.assignment import Assignment
from hype.verify.case import Case, Key, RecordedStudy, images_of, key_of, name_of
from hype.verify.findings import Problem, name_first, shown

WHOSE: Final = frozenset(("id", "evaluator_id", "session_id"))
"""Numbers of rows in the record."""
VERDICTS: Final = frozenset(verdict.value for verdict in Verdict)
UNKNOWN: Final = (
    "the plan made again is another: the manifests list other images or masks or another order, or "
    "the evaluator's row was changed"
)


def plan_again(case: Case, recorded: RecordedStudy) -> tuple[AnyPlan | None, list[Problem]]:
    """Make an evaluator's plan again; None if it cannot be made, or now differs."""
    course, unlike, plan, reason = recorded.course, list[str](), None, UNKNOWN
    if case.seed != (seed := str(recorded.study.settings.study.seed)):
        unlike.append(f"seed {shown(case.seed)}, and the study's is {seed}")
    try:
        given = assignment_of(case.who)
        if course and given.cell in (*course.cells, *course.other_cells):
            plan = course.plan(given)
            unlike += check_use(given, course, plan)
        elif course:
            unlike.append(
                f"the study gives nobody the methods {shown(' '.join(case.who.methods))}, the "
                f"condition {shown(case.who.condition)} and the share {case.who.share} together"
            )
            reason = ""
    except InputError as error:
        reason = str(error)
    problems = [("evaluator-unlike-study", message) for message in unlike]
    if plan and plan.checksum() == case.who.plan:
        return plan, problems
    if course and (message := "; ".join(name_changed_images(case, recorded)) or reason):
        problems.append(("plan-changed", message))
    return None, problems


def check_use(given: Assignment, course: Course[Any], plan: AnyPlan) -> Iterator[str]:
    """Say what an evaluator was given without which their plan would be the same."""
    if given.left_means not in course.left_means:
        yield f"the left key means {shown(given.left_means)}, which it does for nobody"
    changes: list[dict[str, Any]] = [{"pairs": ()}, {"groups": ()}, {"qualified_in": ""}]
    for change in changes:
        without = replace(given, **change)
        try:
            if without != given and course.plan(without).checksum() == plan.checksum():
                yield f"{', '.join(change)}, which their plan does not use"
        except InputError:
            continue  # it is used: without it there is no plan at all


def name_changed_images(case: Case, recorded: RecordedStudy) -> Iterator[str]:
    """Name images that an evaluator saw and that the manifest has not, or has another one for."""
    seen = {path: sha256 for row in case.readable for path, sha256 in images_of(case.answers, row)}
    if gone := sorted(path for path in seen if path not in recorded.listed):
        yield f"the manifest lacks {name_first(gone)} that they saw"
    if other := sorted(
        path
        for path, sha256 in seen.items()
        if path in recorded.listed and recorded.listed[path].sha256 != sha256
    ):
        yield f"the manifest has other checksums for {name_first(other)} that they saw"


MOST_TRIED: Final = 200
"""Ways through lost answers that are tried before their block is given up."""


def replay_session(
    case: Case, course: Course[Any], plan: AnyPlan
) -> tuple[list[Problem], Trial | Ending | None]:
    """Send the recorded answers through the script of a plan, and compare each row on the way.

    A lost or impossible answer is replaced by one that leads to the next recorded trial. If there
    is none, the rows of that block are checked one by one.

    Returns the problems, and the trial that comes after the last answer, or the ending that the
    answers lead to; None if a lost answer leaves that open.
    """
    answers, problems = case.answers, list[Problem]()
    rows: dict[Key, Row[Any]] = {}  # that the script has not come to
    for each in case.rows:
        rows.setdefault(key_of(each), each)
    outcomes: list[Outcome] = []
    guessed: list[str] = []  # answers that stand for the next lost ones
    passed_over: list[Trial] = []  # since the last answer
    lost_blocks = set()
    latest = 0

    def is_recorded(trial: Trial) -> bool | None:
        """Whether the row of a trial is as the replay gives it; None if no row can be read."""
        row = rows.get(trial.name)
        if row is None or row.id in case.unreadable:
            return None
        return not any(differences(answers, trial, row, case.who.simulated))

    script = course.script(plan)
    step = next_trial(script, None)
    while rows and not isinstance(step, Ending):
        row, block = rows.pop(step.name, None), step.name[:2]
        if row is None:
            passed_over.append(step)
        else:
            lost = (
                t.name for t in passed_over if t.name[:2] == block or t.name[:2] not in lost_blocks
            )
            problems += [("trial-missing", f"{name_of(name)} is not answered") for name in lost]
            passed_over = []
            if row.id < latest:
                message = f"{name_of(step.name)} was recorded before an earlier trial"
                problems.append(("out-of-order", message))
            latest = max(latest, row.id)
            if block not in lost_blocks and row.id not in case.unreadable:
                problems += compare(answers, step, row, case.who.simulated)
        if row is not None and row.answer in step.answers:
            guessed = []
            outcomes.append(Outcome(Response(row.answer), answers.spoiled(row)))
        else:
            if not guessed and block not in lost_blocks:
                guessed = guess_answers(partial(course.script, plan), outcomes, step, is_recorded)
            if not guessed:
                lost_blocks.add(block)
            outcomes.append(Outcome(Response(guessed.pop(0) if guessed else step.answers[0])))
        step = next_trial(script, outcomes[-1])
    problems += [
        ("trial-unplanned", f"{name_of(key)} is answered, and the replayed session never asks it")
        for key in rows
        if key[:2] not in lost_blocks
    ]
    of_lost = [row for row in case.readable if block_of(row) in lost_blocks]
    problems += check_rows(answers, of_lost)
    ahead = passed_over[0] if passed_over else step
    return problems, None if lost_blocks else ahead


def guess_answers(
    begin: Callable[[], Script],
    outcomes: Sequence[Outcome],
    lost: Trial,
    is_recorded: Callable[[Trial], bool | None],
) -> list[str]:
    """Find answers to a lost trial, and to those lost after it, that lead to a recorded trial.

    ``begin``: begins the script; ``outcomes``: what it was sent before the lost trial. Returns
    an empty list if there are no such answers.
    """
    ways = [[answer] for answer in reversed(lost.answers)]
    for _ in range(MOST_TRIED):
        if not ways:
            break
        way, script = ways.pop(), begin()
        step = next_trial(script, None)
        for outcome in (*outcomes, *(Outcome(Response(answer)) for answer in way)):
            step = next_trial(script, outcome)
        if isinstance(step, Ending):
            continue
        is_there = is_recorded(step)
        if is_there:
            return way
        if is_there is None:
            ways += [[*way, answer] for answer in reversed(step.answers)]
    return []


def check_rows(answers: RecordedAnswers, rows: Sequence[Row[Any]]) -> Iterator[Problem]:
    """Check answers that no replay can be compared with: what each says by itself, and their order.

    ``rows``: of one evaluator, as they were recorded.
    """
    for row in rows:
        for column in answers.declared.recorded:
            # A response time has a code of its own
            if column.name != "rt_ms" and not column.allows(getattr(row, column.name)):
                held = f"{column.name} is {shown(getattr(row, column.name))}"
                message = f"{name_of(key_of(row))}: {held}; allowed is {column.allowed}"
                yield "cell-impossible", message
    for _, block in groupby(sorted(rows, key=block_of), key=block_of):  # sorting keeps their order
        for before, row in pairwise(block):
            if row.trial < before.trial:
                message = f"{name_of(key_of(row))} was recorded after a later trial"
                yield "out-of-order", message


def block_of(row: Row[Any]) -> tuple[str, int]:
    return row.task, row.block


def next_trial(script: Script, outcome: Outcome | None) -> Trial | Ending:
    """Send a script an outcome, and pass over screens, as the evaluator has."""
    step = advance(script, outcome)
    while isinstance(step, Screen):
        step = advance(script, Outcome(YES if step.choice else GO_ON))
    return step


def compare(
    answers: RecordedAnswers, trial: Trial, row: Row[Any], simulated: bool
) -> Iterator[Problem]:
    """Compare a row with that of the replayed trial, column by column."""
    where = name_of(key_of(row))
    if row.answer not in trial.answers:
        message = f"{shown(row.answer)}, where one can answer {', '.join(trial.answers)}"
        yield "answer-impossible", f"{where}: {message}"
    for name, stored, replayed in differences(answers, trial, row, simulated):
        message = f"{name} is {shown(stored)}, the replayed session gives {shown(replayed)}"
        yield "unlike-replay", f"{where}: {message}"
    if answers.is_timed and trial.shown_ms and row.verdict is not None:
        if row.verdict not in VERDICTS:
            yield "verdict-impossible", f"{where}: there is no verdict {shown(row.verdict)}"
        elif bool(row.missed_frames) != (row.verdict == Verdict.DROPPED.value):
            message = f"{row.verdict}, and missed frames: {shown(row.missed_frames)}"
            yield "verdict-impossible", f"{where}: {message}"


def differences(
    answers: RecordedAnswers, trial: Trial, row: Row[Any], simulated: bool
) -> Iterator[tuple[str, object, object]]:
    """Yield the columns in which rows differ, each with the stored and the replayed cell.

    What the screen measured of a flashed trial is not known again. All other trials leave these
    cells empty.
    """
    shown_then = Presentation(row.onset_unix_s, row.onset_monotonic_s)
    replayed = answers.row(trial, shown_then, answers.answered(row).response)
    if not trial.shown_ms:
        columns = (column.name for column in answers.table.c if column.name not in WHOSE)
        replayed = dict.fromkeys(columns) | replayed
    for name, cell in (replayed | {"simulated": bool(simulated)}).items():
        if getattr(row, name) != cell:
            yield name, getattr(row, name), cell
