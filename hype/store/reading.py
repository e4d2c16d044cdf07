"""Reading the record: tidy rows for export and scoring, of whatever kind of answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Engine,
    Float,
    Integer,
    Label,
    Row,
    Select,
    String,
    Table,
    Text,
    and_,
    func,
    select,
)

from hype.protocols.ranking.trial import LETTERS, Act, PartialRanking
from hype.store.answer_tables import comparisons, judgements, placements, ratings
from hype.store.columns import column
from hype.store.schema import Event, evaluators, events, sessions

RANKED_COLUMNS: Final = (
    evaluators.c.evaluator,
    column("session", Integer, "number of the session in this record in which it ended"),
    evaluators.c.status,
    column("simulated", Boolean, "whether nobody real was asked"),
    placements.c.task,
    placements.c.block,
    column("trial", Integer, "group within the block, from 1"),
    placements.c.group,
    placements.c.prompt,
    column("condition", String(64), "condition that made the image"),
    column("image", Text, "path of the image within the stimulus set"),
    column("image_sha256", String(64), "SHA-256 of the image file"),
    column(
        "rank",
        Integer,
        "place of the image, 1 is the best, equals share one and the next waits; empty where the "
        "ranking was not accepted",
        null=True,
    ),
    column("position", Integer, "where the image stood: its letter on the screen, A is 1"),
    column("acts", Integer, "acts of which the ranking was made"),
    column("undone", Integer, "how many of them took something back"),
    column("rt_ms", Float, "how long all of them took together"),
    column("onset_unix_s", Float, "when the first could be made, by the wall clock"),
    column("onset_monotonic_s", Float, "when the first could be made, by the monotonic clock"),
    column("interruptions", Integer, "how often an act of it was cut off and came again"),
)
"""A row for each image that was given a place."""

Acts = Sequence[Row[Any]]


def ranked_rows(acts: Iterable[Row[Any]]) -> Iterator[tuple[object, ...]]:
    """Make rows of `RANKED_COLUMNS` of acts, which come evaluator by evaluator in their order."""
    for _, in_block in groupby(acts, key=lambda act: (act.evaluator, act.task, act.block)):
        rankings = groupby(in_block, key=lambda act: act.group)
        for trial, (_, own) in enumerate(rankings, start=1):
            yield from rows_of(trial, list(own))


def rows_of(trial: int, acts: Acts) -> Iterator[tuple[object, ...]]:
    """Make the rows of one ranking."""
    first, last = acts[0], acts[-1]
    standing = standing_after(last)
    ranks = standing.ranks() if last.answer == Act.ACCEPT.value else {}
    placed = {act.answer: act for act in acts if act.image is not None}
    for letter in standing.placed:
        if letter not in placed:
            continue  # of a damaged record; `hype verify` says so
        yield (
            *(last.evaluator, last.session, last.status, last.simulated, last.task, last.block),
            *(trial, last.group, last.prompt),
            *(placed[letter].condition, placed[letter].image, placed[letter].image_sha256),
            *(ranks.get(letter), LETTERS.index(letter) + 1, len(acts)),
            sum(act.answer == Act.UNDO.value for act in acts),
            sum(act.rt_ms for act in acts),
            *(first.onset_unix_s, first.onset_monotonic_s),
            sum(act.interruptions for act in acts),
        )


def standing_after(act: Row[Any]) -> PartialRanking:
    """Give what stood after an act, by the record."""
    standing = PartialRanking.read(act.standing)
    if act.answer == Act.ACCEPT.value:
        return standing
    if act.answer == Act.UNDO.value:
        return standing.undo() if standing.tiers else standing
    if act.answer == Act.TIE.value:
        return PartialRanking(standing.tiers, tying=True)
    return standing.place(act.answer) if act.answer in tuple(LETTERS) else standing


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
    "how often the trial was begun before and cut off, its image perhaps seen",
)
"""What the exported columns hold that no table has."""
INTERRUPTED: Final = func.coalesce(CUT.c.times, 0).label(INTERRUPTIONS.name)
NOT_EXPORTED: Final = ("id", "evaluator_id", "session_id")

COMPARED: Final = (
    *("simulated", "task", "block", "trial", "prompt", "left", "right", "left_image"),
    *("right_image", "left_sha256", "right_sha256", "obvious", "answer", "correct", "hasty"),
    *("rt_ms", "key", "onset_unix_s", "onset_monotonic_s"),
)
"""The columns of a comparison in the order in which they go out: what met before the files."""
RATED: Final = (
    *("simulated", "task", "block", "trial", "item", "prompt", "axis", "first", "second"),
    *("first_image", "second_image", "first_sha256", "second_sha256", "first_side", "answer"),
    *("truth", "rt_ms", "key", "onset_unix_s", "onset_monotonic_s"),
)
"""The same of a rating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """How exported rows are made of several rows of the record.

    Attributes
    ----------
    declared
        The columns of an exported row, in order.
    rows
        Makes them.
    """

    declared: tuple[Column[Any], ...]
    rows: Callable[[Iterable[Row[Any]]], Iterator[tuple[object, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswers:
    """The answers of one kind, as they are exported.

    Attributes
    ----------
    name
        What they are called.
    table
        Where the record has them.
    columns
        The columns that are read, in order.
    gathered
        Where an exported row is made of several of the record: how its columns are declared, and
        what makes exported rows of those of the record, which come evaluator by evaluator. Without
        it the columns that are read go out as they are.
    """

    name: str
    table: Table
    columns: tuple[ColumnElement[Any], ...]
    gathered: Gathered | None = None


JUDGEMENTS: Final = RecordedAnswers(
    name="judgements",
    table=judgements,
    columns=(
        evaluators.c.evaluator,
        judgements.c.session_id.label("session"),
        evaluators.c.condition,
        evaluators.c.status,
        *(c for c in judgements.c if c.name not in NOT_EXPORTED),
        INTERRUPTED,
    ),
)

COMPARISONS: Final = RecordedAnswers(
    name="comparisons",
    table=comparisons,
    columns=(
        evaluators.c.evaluator,
        comparisons.c.session_id.label("session"),
        evaluators.c.status,
        *(comparisons.c[name] for name in COMPARED),
        INTERRUPTED,
    ),
)

RATINGS: Final = RecordedAnswers(
    name="ratings",
    table=ratings,
    columns=(
        evaluators.c.evaluator,
        ratings.c.session_id.label("session"),
        evaluators.c.status,
        *(ratings.c[name] for name in RATED),
        INTERRUPTED,
    ),
)

RANKINGS: Final = RecordedAnswers(
    name="rankings",
    table=placements,
    columns=(
        evaluators.c.evaluator,
        placements.c.session_id.label("session"),
        evaluators.c.status,
        *(c for c in placements.c if c.name not in NOT_EXPORTED),
        INTERRUPTED,
    ),
    gathered=Gathered(declared=RANKED_COLUMNS, rows=ranked_rows),
)


def answers_query(
    kind: RecordedAnswers, *, simulated: bool, columns: Collection[str] = ()
) -> Select[tuple[object, ...]]:
    """Select answers as exported, in the order in which they were made.

    ``columns`` are those that are wanted; none stands for all.
    """
    table, columns = kind.table, () if kind.gathered else columns
    wanted = [c for c in kind.columns if not columns or name_of(c) in columns]
    query = select(*wanted).join(evaluators, table.c.evaluator_id == evaluators.c.id)
    if any(one is INTERRUPTED for one in wanted):
        trial = ("evaluator_id", "task", "block", "trial")
        query = query.outerjoin(CUT, and_(*(CUT.c[name] == table.c[name] for name in trial)))
    order = (table.c.evaluator_id, table.c.id) if kind.gathered else (table.c.id,)
    return query.where(table.c.simulated == simulated).order_by(*order)


def name_of(exported: ColumnElement[Any]) -> str:
    return str(exported.key)


def exported_columns(kind: RecordedAnswers = JUDGEMENTS) -> tuple[str, ...]:
    if kind.gathered:
        return tuple(declared.name for declared in kind.gathered.declared)
    return tuple(map(name_of, kind.columns))


def exported_declarations(kind: RecordedAnswers = JUDGEMENTS) -> dict[str, Column[Any]]:
    """Give how each exported column is declared, by the name under which it goes out."""
    if kind.gathered:
        return {declared.name: declared for declared in kind.gathered.declared}
    # What a renamed column wraps is the declared one.
    sources: dict[str, Any] = {
        name_of(c): c.element if isinstance(c, Label) else c for c in kind.columns
    }
    return {**sources, INTERRUPTIONS.name: INTERRUPTIONS}


def exported_meanings(kind: RecordedAnswers = JUDGEMENTS) -> dict[str, str]:
    return {name: str(source.comment) for name, source in exported_declarations(kind).items()}


def read_answers(
    kind: RecordedAnswers, engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the answers of people, or those of simulated evaluators; never both."""
    with engine.connect() as connection:
        rows = connection.execute(answers_query(kind, simulated=simulated, columns=columns))
        if kind.gathered is None:
            yield from map(tuple, rows)
            return
        names = exported_columns(kind)
        places = [at for at, name in enumerate(names) if not columns or name in columns]
        for row in kind.gathered.rows(rows):
            yield tuple(row[at] for at in places)


def read_judgements(
    engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the judgements of people, or those of simulated evaluators."""
    return read_answers(JUDGEMENTS, engine, simulated=simulated, columns=columns)
