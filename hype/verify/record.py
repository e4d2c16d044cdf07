"""A whole record, checked against the plans of everybody in it and the files that they saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Table, func, select, text
from sqlalchemy.exc import DatabaseError

from hype.session.course import Course
from hype.store.columns import RecordedAnswers
from hype.store.people import Evaluator, evaluator_of
from hype.store.record import Record, record_of
from hype.store.schema import demographics, evaluators, events, sessions, studies
from hype.store.sqlite_files import (
    WRONG_STUDY,
    has_impossible,
    impossible_cells,
    tables_with_numbers,
)
from hype.study.studies import AnyStudy
from hype.verify.findings import NOTES, Irregularity, Problem, quote
from hype.verify.replay import check_files, plan_again, read_courses, replay
from hype.verify.sessions import (
    Case,
    check_order,
    check_sessions,
    check_statements,
    check_status,
    find_notes,
)


@dataclass(slots=True)
class Verified:
    """What was looked at, and what was found."""

    people: int = 0
    simulated: int = 0
    answers: int = 0
    findings: list[Irregularity] = field(default_factory=list)

    @property
    def faults(self) -> list[Irregularity]:
        return [finding for finding in self.findings if finding.code not in NOTES]

    @property
    def notes(self) -> list[Irregularity]:
        return [finding for finding in self.findings if finding.code in NOTES]

    @property
    def sound(self) -> bool:
        return not self.faults

    def add(self, problems: Iterable[Problem], who: Evaluator | None = None) -> None:
        whose = (who.evaluator, who.simulated) if who else ()
        self.findings += [Irregularity(*problem, *whose) for problem in problems]


def verify_record(
    study: AnyStudy,
    answers: RecordedAnswers,
    course_of: Callable[[AnyStudy], Course[Any]],
    record: Record | None = None,
) -> Verified:
    """Check the record of a study, or another one of its, whose evaluators give ``answers``.

    Nothing is written. Raises InputError: there is no record, or it is none that this program
    reads.
    """
    verified = Verified()
    with (record or record_of(study)).reading() as engine:
        try:
            with engine.connect() as connection:
                # One view of the record, whatever stations write meanwhile.
                connection.exec_driver_sql("BEGIN")
                verify(connection, study, answers, course_of, verified)
        except DatabaseError as error:
            message = f"a part of the record cannot be read ({quote(error.orig)}); what comes after"
            verified.add([("file-damaged", f"{message} was not checked")])
    return verified


def verify(
    connection: Connection,
    study: AnyStudy,
    answers: RecordedAnswers,
    course_of: Callable[[AnyStudy], Course[Any]],
    verified: Verified,
) -> None:
    """Check the file, then its evaluators one after the other."""
    verified.add(check_file(connection))
    bad: set[tuple[str, int]] = set()
    for table in tables_with_numbers():
        for number, column in impossible_cells(connection, table):
            verified.add([("cell-impossible", f"{table.name} {quote(number)}: {column}")])
            bad.add((table.name, number))
    if has_impossible(connection, studies):
        verified.add([("cell-impossible", WRONG_STUDY)])
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


def check_answers(
    case: Case, answers: RecordedAnswers, course: Course[Any] | None
) -> Iterator[Problem]:
    """Replay an evaluator's answers, if their plan can be made again."""
    plan = (yield from plan_again(case.who, course)) if course else None
    ahead = None
    if course and plan:
        script, simulated = course.script(plan), case.who.simulated
        ahead = yield from replay(answers, script, case.answers, simulated=simulated)
        if not simulated:  # who is simulated saw nothing
            yield from check_files(case.who, course, plan)
    yield from check_status(case, ahead)


def read_cases(connection: Connection, answers: Table, bad: Set[tuple[str, int]]) -> Iterator[Case]:
    """Read all evaluators in the order of their arrival; who has a bad row is left out.

    ``bad``: rows with impossible cells, by their tables and numbers.
    """
    for row in connection.execute(select(evaluators).order_by(evaluators.c.id)).all():
        theirs: dict[str, Sequence[Row[Any]]] = {evaluators.name: [row]}
        for table in (answers, sessions, events, demographics):
            owner = sessions if table is events else table
            query = select(table).where(owner.c.evaluator_id == row.id).order_by(table.c.id)
            query = query.join(sessions) if table is events else query
            theirs[table.name] = connection.execute(query).all()
        if bad.isdisjoint((name, each.id) for name, rows in theirs.items() for each in rows):
            yield Case(
                who=evaluator_of(row),
                answers=theirs[answers.name],
                sessions=theirs[sessions.name],
                events=theirs[events.name],
                statements=theirs[demographics.name],
            )


def check_file(connection: Connection) -> Iterator[Problem]:
    """Let the database check itself; a record of a server is copied into one of SQLite's."""
    statements = connection.execute(text("PRAGMA integrity_check")).scalars().all()
    if statements != ["ok"]:
        yield "file-damaged", f"the database's check fails: {quote(statements[0])}"
    try:
        for table, row, parent, _ in connection.execute(text("PRAGMA foreign_key_check")):
            yield "reference-broken", f"{table} {row} belongs to none of the {parent}"
    except DatabaseError as error:  # a table lost its keys
        yield "file-damaged", f"what belongs to what cannot be checked: {error.orig}"
