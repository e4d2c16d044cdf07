"""Reading the record: tidy rows for export and scoring, of whatever kind of answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Engine,
    Integer,
    Label,
    Select,
    Table,
    and_,
    func,
    select,
)

from hype.store.answer_tables import comparisons, judgements
from hype.store.columns import column
from hype.store.schema import Event, evaluators, events, sessions

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers of one kind, as they are exported.

    Attributes
    ----------
    name
        What they are called.
    table
        Where the record has them.
    columns
        The columns of an exported row, in order.
    """

    name: str
    table: Table
    columns: tuple[ColumnElement[Any], ...]


JUDGEMENTS: Final = Answers(
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
COMPARISONS: Final = Answers(
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


def answers_query(
    kind: Answers, *, simulated: bool, columns: Collection[str] = ()
) -> Select[tuple[object, ...]]:
    """Select answers as exported, in the order in which they were made.

    ``columns`` are those that are wanted; none stands for all.
    """
    table = kind.table
    wanted = [c for c in kind.columns if not columns or name_of(c) in columns]
    query = select(*wanted).join(evaluators, table.c.evaluator_id == evaluators.c.id)
    if any(one is INTERRUPTED for one in wanted):
        trial = ("evaluator_id", "task", "block", "trial")
        query = query.outerjoin(CUT, and_(*(CUT.c[name] == table.c[name] for name in trial)))
    return query.where(table.c.simulated == simulated).order_by(table.c.id)


def name_of(exported: ColumnElement[Any]) -> str:
    """Give the name under which a column goes out."""
    return str(exported.key)


def exported_columns(kind: Answers = JUDGEMENTS) -> tuple[str, ...]:
    """Names of the exported columns."""
    return tuple(map(name_of, kind.columns))


def exported_declarations(kind: Answers = JUDGEMENTS) -> dict[str, Column[Any]]:
    """Give how each exported column is declared, by the name under which it goes out."""
    # What a renamed column wraps is the declared one.
    sources: dict[str, Any] = {
        name_of(c): c.element if isinstance(c, Label) else c for c in kind.columns
    }
    return {**sources, INTERRUPTIONS.name: INTERRUPTIONS}


def exported_meanings(kind: Answers = JUDGEMENTS) -> dict[str, str]:
    """Say what each exported column holds."""
    return {name: str(source.comment) for name, source in exported_declarations(kind).items()}


def read_answers(
    kind: Answers, engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the answers of people, or those of simulated evaluators; never both."""
    with engine.connect() as connection:
        for row in connection.execute(answers_query(kind, simulated=simulated, columns=columns)):
            yield tuple(row)


def read_judgements(
    engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the judgements of people, or those of simulated evaluators."""
    return read_answers(JUDGEMENTS, engine, simulated=simulated, columns=columns)
