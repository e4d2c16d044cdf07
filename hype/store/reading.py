"""Reading the record: tidy rows for export and scoring."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from sqlalchemy import Column, Engine, Integer, Select, and_, func, select

from hype.store.schema import Event, column, evaluators, events, judgements, sessions

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

EXPORTED: Final = (
    evaluators.c.evaluator,
    judgements.c.session_id.label("session"),
    evaluators.c.condition,
    evaluators.c.status,
    *(c for c in judgements.c if c.name not in ("id", "evaluator_id", "session_id")),
    func.coalesce(CUT.c.times, 0).label(INTERRUPTIONS.name),
)
"""The columns of an exported judgement, in order."""


def judgements_query(
    *, simulated: bool, columns: Collection[str] = ()
) -> Select[tuple[object, ...]]:
    """Select judgements as exported, in the order in which they were made.

    ``columns`` are those that are wanted; none stands for all.
    """
    wanted = [c for c in EXPORTED if not columns or c.name in columns]
    query = select(*wanted).join(evaluators, judgements.c.evaluator_id == evaluators.c.id)
    if any(one.name == INTERRUPTIONS.name for one in wanted):
        trial = ("evaluator_id", "task", "block", "trial")
        query = query.outerjoin(CUT, and_(*(CUT.c[name] == judgements.c[name] for name in trial)))
    return query.where(judgements.c.simulated == simulated).order_by(judgements.c.id)


def exported_columns() -> tuple[str, ...]:
    """Names of the exported columns."""
    return tuple(c.name for c in EXPORTED)


def exported_declarations() -> dict[str, Column[Any]]:
    """Give how each exported column is declared, by the name under which it goes out."""
    # What a renamed column wraps is the declared one.
    sources: dict[str, Any] = {c.name: getattr(c, "element", c) for c in EXPORTED}
    return {**sources, INTERRUPTIONS.name: INTERRUPTIONS}


def exported_meanings() -> dict[str, str]:
    """Say what each exported column holds."""
    return {name: str(source.comment) for name, source in exported_declarations().items()}


def read_judgements(
    engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the judgements of people, or those of simulated evaluators; never both."""
    with engine.connect() as connection:
        for row in connection.execute(judgements_query(simulated=simulated, columns=columns)):
            yield tuple(row)
