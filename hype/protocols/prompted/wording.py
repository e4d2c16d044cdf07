"""Which ranks resampling leaves open, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAMED: Final = 10


class Ranked(Protocol):
    """A condition with its rank."""

    @property
    def condition(self) -> str:
        """Its name."""

    @property
    def rank(self) -> int | None:
        """Its rank; None without one."""

    @property
    def rank_low(self) -> int | None:
        """The best rank that is left open."""

    @property
    def rank_high(self) -> int | None:
        """The worst one."""


def open_ranks(rows: Sequence[Ranked], *, resampled: bool) -> Iterator[str]:
    """Say which ranks the bootstrap leaves open; nothing where there was none."""
    ranges = [
        f"{row.condition} {row.rank_low} to {row.rank_high}"
        for row in rows
        if row.rank_low is not None and row.rank_high is not None and row.rank_low < row.rank_high
    ]
    if ranges:
        yield f"Ranks that resampling leaves open: {listed(ranges)}."
    elif any(row.rank for row in rows) and resampled:
        yield "Resampling leaves no rank open."


def listed(names: list[str] | tuple[str, ...]) -> str:
    """List the first of some names, and say how many more there are."""
    more = [f"and {len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])
