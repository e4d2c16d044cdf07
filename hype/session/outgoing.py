"""Answers for scoring and export: columns from the record, and columns from the study file.

Answers of all protocols are read in the same way; each protocol's `Row` declares the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    Select,
    String,
    Table,
    and_,
    func,
    select,
    update,
)

from hype.errors import InputError
from hype.session.steps import CARELESS, LEFT_OUT, Ending
from hype.session.versions import (
    Version,
    evaluators_by_version,
    find_version,
    several,
    study_in,
    versions_of,
)
from hype.store.columns import RecordedAnswers, column, column_of
from hype.store.copying import ROWS_AT_ONCE, copy_to_memory
from hype.store.record import record_of
from hype.store.schema import Event, evaluators, events, sessions
from hype.store.sqlite_files import require_possible
from hype.study.exclusion import find_broken_rules
from hype.study.studies import AnyStudy

CUT = (
    select(
        sessions.c.evaluator_id,
        events.c.task,
        events.c.block,
        events.c.trial,
        func.count().label("times"),
    )
    .join(sessions, events.c.session_id == sessions.c.id)
    .where(events.c.event == Event.INTERRUPTED.value)
    .group_by(sessions.c.evaluator_id, events.c.task, events.c.block, events.c.trial)
    .subquery()
)
"""Each trial that was interrupted, and how many times."""
INTERRUPTIONS: Final = column(
    "interruptions",
    Integer,
    "how often the trial was shown before without an answer",
)
"""An exported column that no table of the record has."""
OF_EVALUATOR: Final = ("evaluator", "condition", "status")
"""Exported columns about the evaluator."""


def declare_exports(kind: RecordedAnswers) -> dict[str, Column[Any]]:
    """Return the declaration of each exported column, by its name in the export."""
    declared = dict(kind.table.c.items()) | {name: evaluators.c[name] for name in OF_EVALUATOR}
    declared |= {"session": kind.table.c.session_id, INTERRUPTIONS.name: INTERRUPTIONS}
    if kind.gathered is None:
        names = (*(one.name for one in kind.declared.exported), INTERRUPTIONS.name)
        return {name: declared[name] for name in names}
    recorded = {one.name: column_of(one) for one in kind.gathered.recorded}
    return {one.name: (declared | recorded)[one.name] for one in kind.gathered.exported}


def answers_query(
    kind: RecordedAnswers, *, simulated: bool, columns: Collection[str] = ()
) -> Select[tuple[object, ...]]:
    """Select answers for export, in the order in which they were given.

    ``columns``: which columns to select; if empty, all. If an answer has no condition, it gets its
    evaluator's condition.
    """
    table, columns = kind.table, () if kind.gathered else columns
    sources: dict[str, ColumnElement[Any]] = {
        "session": table.c.session_id.label("session"),
        **{name: evaluators.c[name] for name in OF_EVALUATOR},
    }
    for name, own in table.c.items():
        other = sources.get(name)
        sources[name] = own if other is None else func.coalesce(own, other).label(name)
    names = [one.name for one in kind.declared.exported]
    wanted = [sources[name] for name in names if not columns or name in columns]
    counts_interruptions = not columns or INTERRUPTIONS.name in columns
    if counts_interruptions:
        wanted.append(func.coalesce(CUT.c.times, 0).label(INTERRUPTIONS.name))
    query = select(*wanted).join(evaluators, table.c.evaluator_id == evaluators.c.id)
    if counts_interruptions:
        trial = ("evaluator_id", "task", "block", "trial")
        query = query.outerjoin(CUT, and_(*(CUT.c[name] == table.c[name] for name in trial)))
    order = (table.c.evaluator_id, table.c.id) if kind.gathered else (table.c.id,)
    return query.where(table.c.simulated == simulated).order_by(*order)


def read_answers(
    kind: RecordedAnswers, engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the answers of people, or those of simulated evaluators; never both."""
    with engine.connect() as connection:
        rows = connection.execute(answers_query(kind, simulated=simulated, columns=columns))
        if kind.gather is None:
            yield from map(tuple, rows)
            return
        names = enumerate(declare_exports(kind))
        places = [at for at, name in names if not columns or name in columns]
        for row in kind.gather(rows):
            yield tuple(row[at] for at in places)


EVALUATOR: Final = "evaluator"
Cells = tuple[object, ...]
StudyT = TypeVar("StudyT", bound=AnyStudy)
Adding = Callable[..., Cells]
"""A function that computes the added cells of a row from the row's needed cells.

The last added cell is the reason why the row is not scored.
"""
STUDY: Final = column("study_name", String, "the name of the study, from its study file")
STUDY_VERSION: Final = column(
    "study_version",
    Integer,
    "number of the version of the study that the evaluator was given, from 1 (the oldest); "
    "versions measure different things and are not scored together",
)
"""The last column of every exported answer; the column before it is the study's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Answers of people, or of simulated evaluators: columns, and rows that can be read once."""

    columns: tuple[str, ...]
    rows: Iterator[Cells]


def study_as_given(version: Version, today: StudyT, simulated: bool) -> StudyT:
    """Return the study that the evaluators of a version were given.

    The current study is returned if it measures the same as theirs, or if theirs is unknown.
    """
    study = version.study
    if version.is_that_of(today, simulated=simulated) or type(study) is not type(today):
        return today
    return study


def find_careless(
    connection: Connection, study: AnyStudy, answers: RecordedAnswers, *, simulated: bool
) -> Mapping[object, Mapping[str, str]]:
    """Return the rules of exclusion that each evaluator broke, each with a description.

    Unfinished evaluators never count as careless, since they may have given too few answers.
    """
    rules, table = study.settings.exclusion, answers.table
    if not rules.in_words:
        return {}
    query = (
        select(evaluators.c.evaluator, table)
        .join(evaluators, table.c.evaluator_id == evaluators.c.id)
        .where(table.c.simulated == simulated, evaluators.c.status == Ending.COMPLETE.value)
        .order_by(table.c.evaluator_id, table.c.id)
    )
    rows = (
        row
        for row in connection.execute(query)
        # Damaged answers are left out; `hype verify` reports them.
        if isinstance(row.trial, int) and isinstance(row.rt_ms, int | float)
    )
    broken = {
        code: find_broken_rules(answers.given(own, study), rules)
        for code, own in groupby(rows, key=lambda row: row.evaluator)
    }
    return {code: each for code, each in broken.items() if each}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing(Generic[StudyT]):
    """How answers of one kind are read for scores and exports."""

    answers: RecordedAnswers  # The answers' columns in the record.
    needed: tuple[str, ...]  # The two or more columns from which the added cells are computed.
    # Returns the function that adds cells to each row. Arguments: the record, the study, and
    # whether evaluators are simulated
    adding: Callable[[Engine, StudyT, bool], Adding]

    @property
    def name(self) -> str:
        return self.answers.name

    @property
    def added(self) -> tuple[Column[Any], ...]:
        """The columns that come from the study file."""
        return tuple(map(column_of, self.answers.exported.added))

    def declare_columns(self) -> dict[str, Column[Any]]:
        added = {one.name: one for one in (*self.added, STUDY, STUDY_VERSION)}
        return declare_exports(self.answers) | added

    def read(
        self, engine: Engine, study: StudyT, *, simulated: bool, columns: Collection[str] = ()
    ) -> Exported:
        """Read answers with the wanted ``columns`` of the record, or with all if none are named.

        Columns from the study file use the version of the study that the evaluator was given.
        """
        wanted = {*columns, *self.needed, EVALUATOR}
        exported = declare_exports(self.answers)
        names = tuple(name for name in exported if not columns or name in wanted)
        rows = read_answers(self.answers, engine, simulated=simulated, columns=names)
        add = self._adding(engine, study, simulated)
        who, needed = names.index(EVALUATOR), itemgetter(*map(names.index, self.needed))
        return Exported(
            columns=(*names, *(a.name for a in (*self.added, STUDY, STUDY_VERSION))),
            rows=((*row, *add(row[who], needed(row))) for row in rows),
        )

    def _adding(
        self, engine: Engine, study: StudyT, simulated: bool
    ) -> Callable[[object, Cells], Cells]:
        """Return a function that computes the added cells of a row (see `Adding`)."""
        with engine.connect() as connection:
            versions = versions_of(connection, study, simulated=simulated)
            version_of_evaluator = evaluators_by_version(connection, versions, simulated=simulated)
            given = {v.number: study_as_given(v, study, simulated) for v in versions}
            careless = {
                n: find_careless(connection, theirs, self.answers, simulated=simulated)
                for n, theirs in given.items()
            }
        adding = {n: self.adding(engine, theirs, simulated) for n, theirs in given.items()}
        chosen, name = study.version, study.settings.study.name

        def added(evaluator: object, cells: Cells) -> Cells:
            number = version_of_evaluator[evaluator]
            *own, reason = adding[number](*cells)
            broken = careless[number].get(evaluator, {})
            if broken and given[number].settings.exclusion.leave_out:
                reason = CARELESS
            of_study = (name, chosen.number if chosen else number)
            return (*own, reason, " ".join(broken), *of_study)

        return added

    def require(self, engine: Engine, study: StudyT, *, simulated: bool) -> None:
        """Refuse a record without answers.

        Raises InputError: there are no answers (see `none_of`).
        """
        rows = read_answers(self.answers, engine, simulated=simulated, columns=("evaluator",))
        if next(rows, None) is None:
            raise self.none_of(study, simulated=simulated)

    def none_of(self, study: StudyT, *, simulated: bool) -> InputError:
        """Report that a record has no answers of the requested kind, and how to get some."""
        who, other = ("simulated evaluators", "") if simulated else ("people", "--simulated")
        hint = f"{other} reads the simulated evaluators" if other else "hype simulate makes some"
        return InputError(record_of(study).where, f"contains no {self.name} by {who}", hint)


def cells_by_column(answers: Exported) -> dict[str, list[object]]:
    """Read answers into one list for each column; equal texts share memory."""
    columns: list[list[object]] = [[] for _ in answers.columns]
    known: dict[object, object] = {}
    while rows := list(islice(answers.rows, ROWS_AT_ONCE)):
        for read, cells in zip(columns, zip(*rows, strict=True), strict=True):
            is_text = isinstance(cells[0], str)
            read.extend(map(known.setdefault, cells, cells) if is_text else cells)
    return dict(zip(answers.columns, columns, strict=True))


def theirs(given: Collection[str], table: Table) -> Select[tuple[object, ...]]:
    """Select the rows of evaluators of ``given`` studies; all rows, if rows have no evaluator."""
    who = select(evaluators.c.id).where(evaluators.c.study.in_(given))
    if table is evaluators:
        return select(table).where(table.c.id.in_(who))
    if "evaluator_id" in table.c:
        return select(table).where(table.c.evaluator_id.in_(who))
    if "session_id" in table.c:
        held = select(sessions.c.id).where(sessions.c.evaluator_id.in_(who))
        return select(table).where(table.c.session_id.in_(held))
    return select(table)


WRONG_VALUES: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions that a cell of the wrong type may cause."""


@contextmanager
def reading(study: AnyStudy) -> Iterator[Engine]:
    """Open a study's answers for reading: all, or those of the version that was chosen.

    Evaluators that the study file leaves out have the status `LEFT_OUT`.

    Raises InputError, SessionProblem: as in `reading_all`.
    """
    codes = study.settings.study.left_out
    with reading_all(study) as engine, keep_version(engine, study) as answers:
        if not codes:
            yield answers
            return
        with answers.connect() as source, copy_to_memory(source) as marked:
            with marked.begin() as copy:
                who = evaluators.c.evaluator.in_(codes)
                copy.execute(update(evaluators).where(who).values(status=LEFT_OUT))
            yield marked


@contextmanager
def keep_version(engine: Engine, study: AnyStudy) -> Iterator[Engine]:
    """Keep only the answers of the chosen version, if one was chosen."""
    if study.version is None:
        yield engine
        return
    of_version = partial(theirs, study.version.checksums)
    with engine.connect() as source, copy_to_memory(source, of_version) as some:
        yield some


@contextmanager
def reading_all(study: AnyStudy) -> Iterator[Engine]:
    """Open a study's answers for reading.

    Raises InputError, SessionProblem: a cell does not fit its column; or the record cannot be read.
    """
    record = record_of(study)
    with record.reading() as engine:
        try:
            yield engine
        except WRONG_VALUES:
            with engine.connect() as connection:
                require_possible(connection, record.where)
            raise  # the record is valid, so the error comes from elsewhere


def choose_version(
    study: AnyStudy, number: int | None, *, simulated: bool, every: bool = False
) -> AnyStudy:
    """Return the chosen version of a study, to read its answers.

    With ``every``, answers of all versions are read if none is chosen.

    Raises InputError, SessionProblem: as in `reading_all` and `hype.session.versions.find_version`.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=simulated)
    if number is None and len(versions) > 1:
        if every:
            return study
        raise several(versions, record_of(study).where, simulated=simulated)
    chosen = find_version(versions, number)
    return study_in(versions, chosen, study, simulated=simulated) if chosen else study
