"""A study's answers in its record: all of them, or those of one version."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Engine, Select, Table, insert, select, update

from hype.session.steps import LEFT_OUT
from hype.session.versions import numbered, several, study_in, versions_of
from hype.store.columns import metadata
from hype.store.record import RECORD_FILE, reading_record
from hype.store.schema import evaluators, sessions, tables
from hype.store.sqlite_files import connected, engine_over, in_memory
from hype.study.studies import AnyStudy
from hype.verify.database import require_moments, require_possible

ROWS_AT_ONCE = 5000


@contextmanager
def excerpt(engine: Engine, given: Collection[str]) -> Iterator[Engine]:
    """Copy into memory what there is of the evaluators who were given some studies.

    ``given``: checksums of the studies.
    """
    with closing(connected(":memory:")) as memory:
        copy = engine_over(memory)
        with engine.connect() as source, copy.begin() as target:
            metadata.create_all(target, tables=tables())
            for table in tables():
                fill(target, table, source, theirs(table, given))
        yield copy


def theirs(table: Table, given: Collection[str]) -> Select[tuple[object, ...]]:
    """Select the rows of a table that are of those evaluators, or of nobody."""
    who = select(evaluators.c.id).where(evaluators.c.study.in_(given))
    if table is evaluators:
        return select(table).where(table.c.id.in_(who))
    if "evaluator_id" in table.c:
        return select(table).where(table.c.evaluator_id.in_(who))
    if "session_id" in table.c:
        held = select(sessions.c.id).where(sessions.c.evaluator_id.in_(who))
        return select(table).where(table.c.session_id.in_(held))
    return select(table)


def fill(
    target: Connection, table: Table, source: Connection, query: Select[tuple[object, ...]]
) -> None:
    for rows in source.execute(query).mappings().partitions(ROWS_AT_ONCE):
        target.execute(insert(table), [dict(row) for row in rows])


WRONG_VALUES: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a program may meet that takes a cell for what its column should hold."""


@contextmanager
def reading(study: AnyStudy) -> Iterator[Engine]:
    """Open a study's answers for reading: all, or those of the version that was chosen.

    Whom the study file leaves out has the status `LEFT_OUT` there.

    Raises InputError, SessionProblem: as `reading_all`.
    """
    codes = study.settings.study.left_out
    with reading_all(study) as engine, of_version_alone(engine, study) as answers:
        if not codes:
            yield answers
            return
        with answers.connect() as source:
            record: Any = source.connection.driver_connection
            memory = in_memory(record)
        with closing(memory):
            marked = engine_over(memory)
            with marked.begin() as copy:
                who = evaluators.c.evaluator.in_(codes)
                copy.execute(update(evaluators).where(who).values(status=LEFT_OUT))
            yield marked


@contextmanager
def of_version_alone(engine: Engine, study: AnyStudy) -> Iterator[Engine]:
    """Leave out of all answers what is not of the version that was chosen, if one was."""
    if study.version is None:
        yield engine
        return
    with excerpt(engine, study.version.checksums) as some:
        yield some


@contextmanager
def reading_all(study: AnyStudy) -> Iterator[Engine]:
    """Open a study's answers for reading.

    Raises InputError, SessionProblem: a cell holds what its column cannot; or as from
    `hype.store.record.reading_record`.
    """
    path = study.folder / RECORD_FILE
    with reading_record(path) as engine:
        with engine.connect() as connection:
            require_moments(connection, path)
        try:
            yield engine
        except WRONG_VALUES:
            with engine.connect() as connection:
                require_possible(connection, path)
            raise  # it was not the record


def of_version(
    study: AnyStudy, number: int | None, *, simulated: bool, every: bool = False
) -> AnyStudy:
    """Give the study whose answers are to be read: of several versions the one that was chosen.

    Where ``every`` one will do, none need be chosen.

    Raises InputError, SessionProblem: as `reading_all` and `hype.session.versions.numbered`.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=simulated)
    if number is None and len(versions) > 1:
        if every:
            return study
        raise several(versions, study.folder / RECORD_FILE, simulated=simulated)
    chosen = numbered(versions, number)
    return study_in(versions, chosen, study, simulated=simulated) if chosen else study
