"""Of too many pairs to read, those of conditions that stand next to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Named(Protocol):
    """A condition."""

    @property
    def condition(self) -> str:
        """Its name."""


class Paired(Protocol):
    """Two conditions."""

    @property
    def a(self) -> str:
        """The one."""

    @property
    def b(self) -> str:
        """The other."""


PairT = TypeVar("PairT", bound=Paired)


def all_or_neighbours(
    pairs: Sequence[PairT], conditions: Iterable[Named], *, most: int
) -> Sequence[PairT]:
    """Give all pairs, or, of more than `most`, those of neighbours in the order of conditions."""
    if len(pairs) <= most:
        return pairs
    place = {row.condition: at for at, row in enumerate(conditions)}
    return [pair for pair in pairs if abs(place[pair.a] - place[pair.b]) == 1]
