"""Reading the record: tidy rows for export and scoring."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Engine, Select, and_, func, select

from hype.store.schema import Event, evaluators, events, judgements, sessions

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

EXPORTED: Final = (
    evaluators.c.evaluator,
    judgements.c.session_id.label("session"),
    evaluators.c.condition,
    evaluators.c.status,
    *(c for c in judgements.c if c.name not in ("id", "evaluator_id", "session_id")),
    func.coalesce(CUT.c.times, 0).label("interruptions"),
)
"""The columns of an exported judgement, in order."""
COUNTED: Final = {
    "interruptions": "how often the trial was begun before and cut off, its image perhaps seen"
}
"""What the exported columns hold that no table has."""


def judgements_query(
    *, simulated: bool, columns: Collection[str] = ()
) -> Select[tuple[object, ...]]:
    """Select judgements as exported, in the order in which they were made.

    ``columns`` are those that are wanted; none stands for all.
    """
    wanted = [c for c in EXPORTED if not columns or c.name in columns]
    query = select(*wanted).join(evaluators, judgements.c.evaluator_id == evaluators.c.id)
    if any(column.name == "interruptions" for column in wanted):
        trial = ("evaluator_id", "task", "block", "trial")
        query = query.outerjoin(CUT, and_(*(CUT.c[name] == judgements.c[name] for name in trial)))
    return query.where(judgements.c.simulated == simulated).order_by(judgements.c.id)


def exported_columns() -> tuple[str, ...]:
    """Names of the exported columns."""
    return tuple(c.name for c in EXPORTED)


def exported_meanings() -> dict[str, str]:
    """Say what each exported column holds."""
    sources = {c.name: getattr(c, "element", c) for c in EXPORTED}  # what a renamed column wraps
    return {name: COUNTED.get(name) or str(source.comment) for name, source in sources.items()}


def read_judgements(
    engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the judgements of people, or those of simulated evaluators; never both."""
    with engine.connect() as connection:
        for row in connection.execute(judgements_query(simulated=simulated, columns=columns)):
            yield tuple(row)
