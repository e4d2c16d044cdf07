"""What can be wrong with a central store. It is known without loading what connects to one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hype.errors import InputError, SessionProblem
from hype.store.contradictions import Contradiction
from hype.store.schema import ANSWER_TABLES


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
    """What a push added to the store.

    Attributes
    ----------
    rows
        By the name of a table, how many rows were new.
    pending
        How many evaluators there was something to push of.
    contradictions
        Rows of the record's table of contradictions, as the store has them of this station.
    contradicted
        By the code of an evaluator, how many answers the store has not taken, since it has others,
        and nobody has settled.
    removed_elsewhere
        How many were removed from this record who came to another station, by what the store knows:
        of these it takes no removal.
    """

    rows: Mapping[str, int]
    pending: int
    contradictions: Sequence[Contradiction] = ()
    contradicted: Mapping[str, int]
    removed_elsewhere: int = 0

    @property
    def trials(self) -> int:
        """How many answers to trials were new, of whatever kind."""
        return sum(self.rows.get(table.name, 0) for table in ANSWER_TABLES)


def tell_nobody(_done: int, _of: int) -> None:
    """Tell nobody how far a push is."""
