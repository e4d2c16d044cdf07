"""Check a whole record against the plans of its evaluators and the files that they saw.

The sessions of each evaluator must agree with each other and with the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, func, select, text
from sqlalchemy.exc import DatabaseError

from hype.errors import InputError
from hype.session.course import Course
from hype.session.steps import Ending, Page
from hype.store.columns import RecordedAnswers
from hype.store.copying import as_sqlite
from hype.store.people import BROKE_OFF, PARTS_END, Evaluator, evaluator_of
from hype.store.record import Record, record_of
from hype.store.schema import (
    ENDINGS,
    MODES,
    Event,
    demographics,
    evaluators,
    events,
    sessions,
    studies,
)
from hype.store.sqlite_files import (
    WRONG_STUDY,
    has_impossible,
    impossible_cells,
    tables_with_numbers,
)
from hype.study.studies import AnyStudy
from hype.verify.replay import Problem, key_of, name_of, plan_again, quote, read_courses, replay

NOTES: Final = frozenset(
    (
        *("session-broke-off", "trial-interrupted"),
        *("machine-suspended", "program-stopped", "clock-set", "let-in-again"),
        "left-out",
    )
)
"""Codes of notes; all other codes are faults. docs/record.md explains each code."""


@dataclass(frozen=True, slots=True)
class Irregularity:
    """A problem, and the evaluator that it concerns.

    ``evaluator`` is None if the problem concerns several evaluators or none. ``simulated`` is None
    if the problem concerns the file and not evaluators.
    """

    code: str
    message: str
    evaluator: str | None = None
    simulated: bool | None = None


@dataclass(slots=True)
class Verified:
    """The numbers of checked rows, and the findings."""

    people: int = 0
    simulated: int = 0
    answers: int = 0
    faults: list[Irregularity] = field(default_factory=list)
    notes: list[Irregularity] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.faults

    def add(self, problems: Iterable[Problem], who: Evaluator | None = None) -> None:
        whose = (who.evaluator, who.simulated) if who else ()
        for code, message in problems:
            findings = self.notes if code in NOTES else self.faults
            findings.append(Irregularity(code, message, *whose))


def verify_record(
    study: AnyStudy,
    answers: RecordedAnswers,
    course_of: Callable[[AnyStudy], Course[Any]],
    record: Record | None = None,
) -> Verified:
    """Check a study's own record, or another ``record`` of the study, without writing anything.

    ``answers``: how the record stores the answers. Raises InputError: no record can be read.
    """
    verified = Verified()
    with as_sqlite((record or record_of(study)).reading()) as engine:
        try:
            with engine.connect() as connection:
                # This transaction sees one state of the record, even while stations write to it.
                connection.exec_driver_sql("BEGIN")
                bad: set[tuple[str, int]] = set()
                verified.add(check_file(connection, bad))
                count = select(func.count()).select_from(answers.table)
                verified.answers = connection.execute(count).scalar_one()
                courses, wrong_copies = read_courses(connection, study, course_of)
                verified.add(wrong_copies)
                for case in read_cases(connection, answers.table, bad):
                    verified.people += not case.who.simulated
                    verified.simulated += case.who.simulated
                    problems = (
                        *check_sessions(case, courses),
                        *check_order(case),
                        *check_answers(case, answers, courses.get(case.who.study)),
                        *check_statements(case, courses),
                        *find_notes(case, study.settings.study.left_out),
                    )
                    verified.add(problems, case.who)
        except DatabaseError as error:
            message = f"a part of the record cannot be read ({quote(error.orig)}); the rest"
            verified.add([("file-damaged", f"{message} was not checked")])
    return verified


def read_cases(connection: Connection, answers: Table, bad: Set[tuple[str, int]]) -> Iterator[Case]:
    """Read all evaluators in the order of their arrival, except those with a bad row.

    ``bad``: the rows with impossible cells, as (table, number of the row).
    """
    for row in connection.execute(select(evaluators).order_by(evaluators.c.id)).all():
        theirs: dict[str, Sequence[Row[Any]]] = {}
        for table in (answers, sessions, events, demographics):
            owner = sessions if table is events else table
            query = select(table).where(owner.c.evaluator_id == row.id).order_by(table.c.id)
            query = query.join(sessions) if table is events else query
            theirs[table.name] = connection.execute(query).all()
        numbers = {(name, each.id) for name, rows in theirs.items() for each in rows}
        if bad.isdisjoint({(evaluators.name, row.id), *numbers}):
            yield Case(evaluator_of(row), *theirs.values())


def check_file(connection: Connection, bad: set[tuple[str, int]]) -> Iterator[Problem]:
    """Let the database check itself; find impossible cells, and add their rows to ``bad``.

    The database is SQLite, because a record in PostgreSQL is copied into SQLite first.
    """
    statements = connection.execute(text("PRAGMA integrity_check")).scalars().all()
    if statements != ["ok"]:
        yield "file-damaged", f"the database's check fails: {quote(statements[0])}"
    try:
        for table, row, parent, _ in connection.execute(text("PRAGMA foreign_key_check")):
            yield "reference-broken", f"row {row} of {table} refers to a missing row of {parent}"
    except DatabaseError as error:  # a table lost its keys
        yield "file-damaged", f"references between tables cannot be checked: {error.orig}"
    for table in tables_with_numbers():
        for number, column in impossible_cells(connection, table):
            yield "cell-impossible", f"{table.name} {quote(number)}: {column}"
            bad.add((table.name, number))
    if has_impossible(connection, studies):
        yield "cell-impossible", WRONG_STUDY


@dataclass(frozen=True, slots=True)
class Case:
    """One evaluator, and all their rows in the record, in order."""

    who: Evaluator
    answers: Sequence[Row[Any]]
    sessions: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    statements: Sequence[Row[Any]]  # their answers about themselves

    def events_of(self, session: int) -> list[Row[Any]]:
        return [event for event in self.events if event.session_id == session]


def check_sessions(case: Case, courses: Container[str]) -> Iterator[Problem]:
    """Check the sessions' modes and studies, and that answers are in their evaluator's sessions.

    ``courses``: the checksums of the studies that have a readable copy in the record.
    """
    for checksum in dict.fromkeys((case.who.study, *(each.study for each in case.sessions))):
        if checksum not in courses:
            message = f"the record has no readable copy of the study {quote(checksum)}"
            yield "study-not-kept", message
    theirs = {session.id for session in case.sessions}
    for row in case.answers:
        if row.session_id not in theirs:
            where = name_of(key_of(row))
            message = f"{where} is in another evaluator's session {quote(row.session_id)}"
            yield "session-of-another", message
    for session in case.sessions:
        simulated = str(session.mode).startswith("simulated")
        if session.mode not in MODES or simulated != case.who.simulated:
            who = "a simulated evaluator" if case.who.simulated else "a person"
            message = f"session {session.id} of {who} has the mode {quote(session.mode)}"
            yield "mode-unlike-evaluator", message


def check_answers(
    case: Case, answers: RecordedAnswers, course: Course[Any] | None
) -> Iterator[Problem]:
    """Replay an evaluator's answers if their plan can be made again; then check their status.

    The status must agree with the endings of the sessions, and with the step after the last answer.
    """
    plan = (yield from plan_again(case.who, course)) if course else None
    ahead = None
    if course and plan:
        script, simulated = course.script(plan), case.who.simulated
        ahead = yield from replay(answers, script, case.answers, simulated=simulated)
        if not simulated:  # simulated evaluators saw no files
            try:
                masks = course.check_files(plan)
                if case.who.mask_files and masks != case.who.mask_files:
                    yield "masks-changed", "the plan's masks differ from those of the first session"
            except InputError as error:
                yield "image-changed", f"{error.where} {error.problem}"
    went_on = {e.session_id for e in case.events if e.event == Event.LET_IN_AGAIN.value}
    ends = [None if session.id in went_on else session.ended for session in case.sessions]
    status, last = case.who.status, ends[-1] if ends else None
    if (last, status) == (Ending.WAITING.value, Ending.UNQUALIFIED.value):
        status = Ending.WAITING.value  # the experimenter refused them
    is_possible = {*ends} <= {None, *ENDINGS} and not {*ends[:-1]} & {*PARTS_END}
    if not is_possible or status != (last if last in PARTS_END else "active"):
        message = f"status {quote(status)}, but the sessions ended {', '.join(map(quote, ends))}"
        yield "ending-unlike-status", message
    if status == "active" or ahead is None:
        return
    if isinstance(ahead, Ending):
        allowed, comes = {ahead.value}, f"the ending {ahead.value!r}"
    else:
        before = (Ending.DECLINED, Ending.FULL, Ending.MISUNDERSTOOD)
        allowed = set() if case.answers else {ending.value for ending in before}
        comes = f"{name_of(ahead.name)}, which is not answered"
    if status not in allowed:
        message = f"status {quote(status)}, but the step after the answers is {comes}"
        yield "status-unlike-trials", message


def check_statements(case: Case, courses: Mapping[str, Course[Any] | None]) -> Iterator[Problem]:
    """Check consent, and that people's answers about themselves fit the study's questions."""
    if case.answers and not case.who.simulated:
        number = case.answers[0].session_id
        began = [courses.get(s.study) for s in case.sessions if s.id == number]
        is_asked = any(course and course.study.settings.study.consent for course in began)
        pages = Page.CONSENT.value, Page.CONSENT_AGAIN.value
        events = {event.answer for event in case.events_of(number) if event.event in pages}
        if is_asked and "yes" not in events:
            yield "consent-missing", f"session {number} has answers, but no consent"
    if (theirs := courses.get(case.who.study)) is None:
        return  # the study's questions are unknown
    questions = theirs.study.demographics
    said = {row.question: row.answer for row in case.statements}
    for name, answer in said.items():
        if name not in questions or (answer and questions[name].accept(answer) != answer):
            message = f"{quote(name)} has the answer {quote(answer)}, which the study refuses"
            yield "demographics-unlike-study", message
    for name in questions:
        if case.answers and name not in said:
            yield "demographics-unlike-study", f"{name} is not answered, but trials are"


def check_order(case: Case) -> Iterator[Problem]:
    """Check that sessions follow each other, and that answers of a session are in order of time."""
    for before, row in pairwise(case.answers):
        where = name_of(key_of(row))
        passed_s = row.onset_monotonic_s - before.onset_monotonic_s
        if row.session_id < before.session_id:
            message = f"is of session {row.session_id}, but follows an answer of a later session"
            yield "out-of-order", f"{where} {message}"
        elif row.session_id == before.session_id and passed_s < 0:
            yield "onsets-descend", f"{where} appeared {-passed_s:.3f} s before the previous answer"


EVENTS: Final = {
    Event.INTERRUPTED.value: ("trial-interrupted", "a trial was interrupted"),
    Event.SUSPENDED.value: ("machine-suspended", "the machine slept for {:,.1f} s"),
    Event.STOPPED.value: ("program-stopped", "the program stopped for {:,.1f} s"),
    Event.CLOCK_SET.value: ("clock-set", "the wall clock was changed by {:+,.1f} s"),
    Event.LET_IN_AGAIN.value: ("let-in-again", "was let in again"),
}
"""Events of a session that are reported as notes, with the note's code and text."""


def find_notes(case: Case, left_out: Mapping[str, str]) -> Iterator[Problem]:
    """Yield notes on interrupted sessions, on events in them, and on people who are left out."""
    if reason := left_out.get(case.who.evaluator):
        yield "left-out", f"is left out: {reason}"
    for session in case.sessions:
        if session.ended in (None, BROKE_OFF):
            how = "broke off" if session.ended else "is still running, or broke off"
            showing = f" while {quote(session.showing)} was shown" if session.showing else ""
            yield "session-broke-off", f"session {session.id} {how}{showing}"
        for event in case.events_of(session.id):
            if event.event in EVENTS:
                code, words = EVENTS[event.event]
                trial = f"{name_of(key_of(event))} of " if event.task is not None else ""
                message = words.format(event.seconds or 0.0)
                yield code, f"{message} at {trial}session {session.id}"
