"""Reading the record: tidy rows for export and scoring."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Engine, Select, select

from hype.store.schema import evaluators, judgements

EXPORTED: Final = (
    evaluators.c.evaluator,
    judgements.c.session_id.label("session"),
    evaluators.c.condition,
    evaluators.c.status,
    *(c for c in judgements.c if c.name not in ("id", "evaluator_id", "session_id")),
)
"""The columns of an exported judgement, in order."""


def judgements_query(
    *, simulated: bool, columns: Collection[str] = ()
) -> Select[tuple[object, ...]]:
    """Select judgements as exported, in the order in which they were made.

    ``columns`` are those that are wanted; none stands for all.
    """
    wanted = [c for c in EXPORTED if not columns or c.name in columns]
    return (
        select(*wanted)
        .join(evaluators, judgements.c.evaluator_id == evaluators.c.id)
        .where(judgements.c.simulated == simulated)
        .order_by(judgements.c.id)
    )


def exported_columns() -> tuple[str, ...]:
    """Names of the exported columns."""
    return tuple(c.name for c in EXPORTED)


def read_judgements(
    engine: Engine, *, simulated: bool, columns: Collection[str] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the judgements of people, or those of simulated evaluators; never both."""
    with engine.connect() as connection:
        for row in connection.execute(judgements_query(simulated=simulated, columns=columns)):
            yield tuple(row)
