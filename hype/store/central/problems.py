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
