"""Shares of each two conditions as a square: the same from both sides, or one for each order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.report import wording
from hype.report.parts import Block

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHADES: Final = 5

"""Steps of colour on either side of one half."""


def shade(share: float) -> str:
    """Give the class of a share, from 0 to 1."""
    return shade_class(round((share - 0.5) * 2 * SHADES))


def shade_class(at: int) -> str:
    """Give the class of a step, from minus `SHADES` to `SHADES`."""
    if not at:
        return "even"
    return f"{'over' if at > 0 else 'under'}-{abs(at)}"


def scale() -> tuple[str, ...]:
    return tuple(shade_class(at) for at in range(-SHADES, SHADES + 1))


MOST: Final = 40

"""Conditions; of more a square is neither read nor small."""

MOST_ROOMY: Final = 12

"""With more conditions than these a cell has room for a number only."""

MOST_SQUARE: Final = MOST * (MOST - 1) // 2

"""Pairs of so many conditions."""


@dataclass(frozen=True, kw_only=True)
class ShareCell:
    """A share of two conditions.

    Parameters
    ----------
    share, number
        In words, and of how many.
    css_class
        Which colour, and how much of it.
    bold
        Whether it stands out.
    said
        All of it in one sentence.
    """

    share: str
    number: str
    css_class: str
    bold: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class ShareSquare(Block):
    """Shares by the two conditions.

    Parameters
    ----------
    key
        Distinguishes it from the others of the page.
    label
        What it is called by who does not see it.
    explained
        What a cell says, in a sentence or two.
    ends
        What the two ends of the colours are.
    names
        All conditions in the order of the ranking: of the rows and of the columns.
    rows
        Each condition with one cell for each column: None on the diagonal, and where two never met.
    """

    template: ClassVar[str] = "share_square.html"

    key: str
    label: str
    explained: str
    ends: tuple[str, str]
    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ShareCell | None, ...]], ...]

    @property
    def roomy(self) -> bool:
        return len(self.names) <= MOST_ROOMY

    @property
    def scale(self) -> tuple[str, ...]:
        return scale()


def share_square(
    names: Sequence[str],
    cells: Mapping[tuple[str, str], ShareCell],
    *,
    key: str,
    label: str,
    explained: str,
    ends: tuple[str, str],
) -> ShareSquare | None:
    """Arrange cells by row and column; None where there are none, or too many conditions."""
    if not cells or len(names) > MOST:
        return None
    return ShareSquare(
        key=key,
        label=label,
        explained=explained,
        ends=ends,
        names=tuple(names),
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
    )


def no_square(conditions: int) -> str:
    """Say why there is none, where conditions are too many."""
    return (
        f"A square of {conditions:,} conditions would not be read; hype report --tables writes "
        "every pair."
    )


def share_cell(share: float, number: int, said: str, *, bold: bool = False) -> ShareCell:
    """Make a cell; `said` is a sentence in which ``{}`` stands for the share."""
    written = wording.number(100 * share, 0)
    return ShareCell(
        share=written,
        number=f"{number:,}",
        css_class=shade(share),
        bold=bold,
        said=f"{said}: {written}% of {number:,}" + (", separable" if bold else ""),
    )
