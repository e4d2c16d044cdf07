"""Who is on top, as the head of the page names them: whoever may be the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.report.parts import Fact

NO_STRENGTH: Final = "cannot be said"
_MOST_NAMED: Final = 3


class Strong(Protocol):
    """A condition with its strength."""

    @property
    def condition(self) -> str:
        """Its name."""

    @property
    def strength(self) -> object | None:
        """Its strength; None without one."""

    @property
    def rank_low(self) -> int | None:
        """The best rank that is left open."""


def on_top(conditions: Sequence[Strong]) -> Fact:
    """Name whoever may be the first of conditions in their order, the strongest first."""
    found = firsts(conditions)
    if not found:
        return "On top", NO_STRENGTH
    every = all(row.strength is not None for row in conditions)
    return "On top" if every else "On top of those with a strength", few(found, "or")


def firsts(conditions: Sequence[Strong]) -> list[str]:
    """Name those: what resampling leaves open is not decided; nobody where none has a strength."""
    strong = [row for row in conditions if row.strength is not None]
    return [row.condition for row in strong if row.rank_low == 1] or [
        row.condition for row in strong[:1]
    ]


def few(names: Sequence[str], word: str = "and") -> str:
    """List the first of some names, and say how many more there are."""
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    return f" {word} ".join([*names[:_MOST_NAMED], *more])
