"""What can be wrong with a central store; answers to which it has others, until that is settled.

It is known without loading what connects to one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from hype.errors import InputError, SessionProblem
from hype.store.people import Evaluator
from hype.store.schema import ANSWER_TABLES, contradictions, evaluators


class CentralAway(SessionProblem):
    """The central store cannot be reached, or went away."""


class CentralRefused(InputError):
    """The central store is there, and does not take what is asked of it."""


class CentralUntrusted(CentralRefused):
    """A study file names a server that this user does not trust; nothing was sent to it."""


Progress = Callable[[int, int], None]
"""Called with the number of answers pushed so far, and of all that are to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What a push added to the store."""

    rows: Mapping[str, int]  # by the name of a table, how many rows were new
    pending: int  # how many evaluators there was something to push of
    # Rows of the record's table of contradictions, as the store has them of this station
    contradictions: Sequence[Contradiction] = ()
    # By the code of an evaluator, how many answers the store has not taken, since it has others,
    # and nobody has settled
    contradicted: Mapping[str, int]
    # How many were removed from this record who came to another station, by what the store knows:
    # of these it takes no removal
    removed_elsewhere: int = 0

    @property
    def trials(self) -> int:
        """How many answers to trials were new, of whatever kind."""
        return sum(self.rows.get(table.name, 0) for table in ANSWER_TABLES)


def tell_nobody(_done: int, _of: int) -> None:
    """Tell nobody how far a push is."""


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
