"""Answers of a record to which a central store has others, until somebody settles it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from hype.store.people import Evaluator
from hype.store.schema import contradictions, evaluators

TRIAL: Final = ("evaluator_id", "task", "block", "trial", "onset_unix_s")
"""What names an answer: whose it is, to which trial, and when that was shown."""
ANSWER: Final = ("station", *TRIAL)
"""The same among the answers of several stations."""
Contradiction = Mapping[str, Any]
"""A row of the table: the cells of `ANSWER`, and whether it is settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradicted:
    """Somebody of whose answers some were not taken by the central store."""

    evaluator: str
    simulated: bool  # whether nobody real was asked
    station: str  # the station whose record has these answers
    answers: int


def list_contradicted(connection: Connection) -> list[Contradicted]:
    """List of whom answers are contradicted, in the order of their arrival."""
    names = select(evaluators.c.id, evaluators.c.evaluator, evaluators.c.simulated)
    stand = Counter(
        (row["evaluator_id"], row["station"]) for row in unsettled(contradictions_in(connection))
    )
    if not stand:
        return []
    return [
        Contradicted(evaluator=who.evaluator, simulated=who.simulated, station=station, answers=n)
        for who in connection.execute(names.order_by(evaluators.c.id))
        for (number, station), n in sorted(stand.items())
        if number == who.id
    ]


def contradictions_in(connection: Connection) -> list[Contradiction]:
    columns = (contradictions.c[name] for name in (*ANSWER, "settled"))
    return [dict(row._mapping) for row in connection.execute(select(*columns))]


def unsettled(rows: Iterable[Contradiction]) -> Iterator[Contradiction]:
    contradictions_left = list(rows)
    settled = {answer_in(row) for row in contradictions_left if row["settled"]}
    yield from (row for row in contradictions_left if answer_in(row) not in settled)


def answer_in(row: Contradiction) -> tuple[object, ...]:
    return tuple(row[name] for name in ANSWER)


def keep(connection: Connection, rows: Iterable[Contradiction]) -> None:
    """Keep what the record does not know yet of contradictions."""
    noted = {(*answer_in(row), row["settled"]) for row in contradictions_in(connection)}
    new = [dict(row) for row in rows if (*answer_in(row), row["settled"]) not in noted]
    if new:
        connection.execute(insert(contradictions), new)


def settle(connection: Connection, who: Evaluator) -> None:
    stand = [
        row for row in unsettled(contradictions_in(connection)) if row["evaluator_id"] == who.id
    ]
    keep(connection, ({**row, "settled": True} for row in stand))
