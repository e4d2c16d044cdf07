"""Replay one evaluator's answers: make the same plan again, and write each row again.

The script of the plan receives each recorded answer, as when a session is resumed. For each answer,
the function that wrote its row during the session writes the row again, and the two rows must
agree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from hype.errors import InputError
from hype.files import shorten
from hype.session.course import Course
from hype.session.enrol import assignment_of
from hype.session.loop import Presentation, Script, advance
from hype.session.plans import AnyPlan
from hype.session.steps import Ending, Outcome, Question, Response, Screen, Trial
from hype.store.columns import RecordedAnswers
from hype.store.people import Evaluator
from hype.store.schema import studies
from hype.study.differences import rebuild_recorded
from hype.study.studies import AnyStudy

Problem = tuple[str, str]
"""The code of a problem, and the message about it."""
Key = tuple[object, object, object]
"""Identifies a trial of an evaluator: task, block and number, as in the record."""


def read_courses(
    connection: Connection, today: AnyStudy, course_of: Callable[[AnyStudy], Course[Any]]
) -> tuple[dict[str, Course[Any] | None], list[Problem]]:
    """Read the course of each study that has a copy in the record, and report problems.

    Returns the course of each readable copy, by checksum; None if its manifest is unreadable.
    """
    courses: dict[str, Course[Any] | None] = {}
    problems: list[Problem] = []
    for checksum, resolved in connection.execute(select(studies.c.checksum, studies.c.resolved)):
        if not isinstance(resolved, str):
            continue  # `check_file` reports it.
        copy = f"the copy {str(checksum)[:8]!r}"  # Eight digits are enough to identify a copy.
        if hashlib.sha256(resolved.encode()).hexdigest() != checksum:
            problems.append(("study-copy-changed", f"{copy} was changed after it was saved"))
        try:
            study = rebuild_recorded(today, resolved)
        except InputError as error:
            problems.append(("study-copy-unreadable", f"{copy}: {error.problem}"))
            continue
        courses[checksum] = None
        try:
            courses[checksum] = course_of(study)
        except InputError as error:
            problems.append(("manifest-unreadable", str(error)))
    return courses, list(dict.fromkeys(problems))  # copies may have the same manifest


def quote(value: object) -> str:
    """Write a cell of the record for a message: only printable characters, and not too many."""
    text = "nothing" if value is None else str(value)
    return text if text.isprintable() and 0 < len(text) <= 100 else shorten(text)


def key_of(row: Row[Any]) -> Key:
    return (row.task, row.block, row.trial)


def name_of(key: Key) -> str:
    task, block, trial = key
    return f"{quote(task)} block {quote(block)} trial {quote(trial)}"


def plan_again(who: Evaluator, course: Course[Any]) -> Generator[Problem, None, AnyPlan | None]:
    """Make an evaluator's plan again; return None if this fails or gives a different plan."""
    seed = str(course.study.settings.study.seed)
    if who.seed != seed:
        yield "evaluator-unlike-study", f"has the seed {quote(who.seed)}, but the study has {seed}"
    try:
        assignment = assignment_of(who)
        if assignment.cell not in (*course.cells, *course.other_cells):
            place = quote(" ".join(who.methods)), quote(who.condition), who.share
            message = "the study has no place with methods {}, condition {} and share {}"
            yield "evaluator-unlike-study", message.format(*place)
            return None
        plan: AnyPlan = course.plan(assignment)
    except InputError as error:
        yield "plan-changed", str(error)
        return None
    if who.left_means not in course.left_means:
        message = f"the left key means {quote(who.left_means)}, which is not possible"
        yield "evaluator-unlike-study", message
    if plan.checksum() == who.plan:
        return plan
    yield (
        "plan-changed",
        "the plan differs when it is made again: images, masks or their order changed in a "
        "manifest, or the evaluator's row was changed",
    )
    return None


def replay(
    answers: RecordedAnswers, script: Script, rows: Sequence[Row[Any]], *, simulated: bool
) -> Generator[Problem, None, Trial | Ending | None]:
    """Send the recorded answers through a script, and compare each row on the way.

    The replay ends at the first missing or impossible answer, since the steps after it are
    unknown.

    Returns the trial after the last answer, or the ending that follows it; None if the replay ended
    earlier.
    """
    left: dict[Key, Row[Any]] = {}  # answers that the script has not reached yet
    for row in rows:
        if key_of(row) in left:
            yield "trial-twice", f"{name_of(key_of(row))} is answered more than once"
        left.setdefault(key_of(row), row)
    latest = 0
    step, _ = next_trial(script, None)
    while left and not isinstance(step, Ending):
        where = name_of(step.name)
        if step.name not in left:
            yield "trial-missing", f"{where} is not answered, but later trials are"
            return None
        row = left.pop(step.name)
        if row.answer not in step.answers:
            can = f"but the possible answers are {', '.join(step.answers)}"
            yield "answer-impossible", f"{where}: {quote(row.answer)}, {can}"
            return None
        if row.id < latest:
            yield "out-of-order", f"{where} was recorded before an earlier trial"
        latest = max(latest, row.id)
        shown_then = Presentation(row.onset_unix_s, row.onset_monotonic_s)
        written = answers.row(step, shown_then, answers.read_answer(row).response)
        written = {"simulated": simulated, **written}
        if not step.shown_ms:  # only flashed trials have measured times
            written = {**dict.fromkeys(each.name for each in answers.declared.recorded), **written}
        step, asked = next_trial(script, Outcome(Response(row.answer), answers.spoiled(row)))
        for question in asked:
            cell = getattr(row, question.name)
            written[question.name] = cell
            if not question.allows(cell) and (left or cell is not None):
                message = f"{question.name} is {quote(cell)}, which is not a possible answer"
                yield "answer-impossible", f"{where}: {message}"
        yield from compare(answers, row, written)
    for key in left:
        message = f"{name_of(key)} is answered, but the replayed session never asks it"
        yield "trial-unplanned", message
    return step


def next_trial(
    script: Script, outcome: Outcome | None
) -> tuple[Trial | Ending, Sequence[Question]]:
    """Send a script an outcome, and skip the screens before the next trial or the ending.

    Also returns the skipped questions about the last answer.
    """
    step, asked = advance(script, outcome), []
    while isinstance(step, Screen):
        if isinstance(step, Question) and step.about:
            asked.append(step)
        step = advance(script, Outcome(step.passing))
    return step, asked


def compare(
    answers: RecordedAnswers, row: Row[Any], replayed: Mapping[str, object]
) -> Iterator[Problem]:
    """Compare a row with the replayed row, and each cell with the allowed values of its column."""
    for name, cell in replayed.items():
        if getattr(row, name) != cell:
            message = f"{name} is {quote(getattr(row, name))}, but the replayed session gives"
            yield "unlike-replay", f"{name_of(key_of(row))}: {message} {quote(cell)}"
    for column in answers.declared.recorded:
        cell = getattr(row, column.name)
        if not column.allows(cell) and replayed.get(column.name, cell) == cell:
            message = f"{column.name} is {quote(cell)}; it must be {column.allowed}"
            yield "cell-impossible", f"{name_of(key_of(row))}: {message}"
