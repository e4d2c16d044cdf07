"""Squares of conditions: shares of each two, in colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from hype.report import wording
from hype.report.parts import Block

SEPARABLE: Final = ", separable"
"""How a cell is said to be so."""


SHADES: Final = 5
"""Steps of colour on either side of one half."""


MOST: Final = 40
"""Conditions; of more a square is neither read nor small."""


MOST_ROOMY: Final = 12
"""With more conditions than these a cell has room for a number only."""


MOST_SQUARE: Final = MOST * (MOST - 1) // 2
"""Pairs of so many conditions."""


IN_ORDER: Final = (
    "Rows and columns are in the order of the ranking; a column has the number of\nits row."
)
"""What is said of a square whose cells have no room for names."""


def shade(share: float) -> str:
    """Give the class of a share, from 0 to 1."""
    return shade_class(round((share - 0.5) * 2 * SHADES))


def shade_class(at: int) -> str:
    """Give the class of a step, from minus `SHADES` to `SHADES`."""
    if not at:
        return "even"
    return f"{'over' if at > 0 else 'under'}-{abs(at)}"


def scale() -> tuple[str, ...]:
    """Give the classes of a legend, from the one end to the other."""
    return tuple(shade_class(at) for at in range(-SHADES, SHADES + 1))


@dataclass(frozen=True, kw_only=True)
class ShareCell:
    """A share of two conditions: in words, and of how many."""

    share: str
    number: str
    css_class: str
    bold: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class ShareSquare(Block):
    """Shares by the two conditions.

    ``explained``: what a cell says, in a sentence or two. ``ends``: what the two ends of the
    colours are. ``unmet``: what there is to say of two that never met. ``names``: all conditions in
    the order of the ranking: of the rows and of the columns. ``rows``: each condition with one cell
    for each column: None on the diagonal, and where two never met.
    """

    template: ClassVar[str] = "share_square.html"

    key: str
    label: str
    explained: str
    ends: tuple[str, str]
    unmet: str
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
    unmet: str = "not known",
    in_order: str = IN_ORDER,
) -> ShareSquare | None:
    """Arrange cells by row and column; None where there are none, or too many conditions."""
    if not cells or len(names) > MOST:
        return None
    return ShareSquare(
        key=key,
        label=label,
        explained=explained if len(names) <= MOST_ROOMY else f"{explained} {in_order}",
        ends=ends,
        unmet=unmet,
        names=tuple(names),
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
    )


def no_square(conditions: int) -> str:
    """Say why there is none, where conditions are too many."""
    return (
        f"A square of {conditions:,} conditions would not be read; hype report --tables writes "
        "every pair."
    )


def share_cell(share: float, number: int, sentence: str, *, verdict: str = "") -> ShareCell:
    """Make a cell; what is separable is bold."""
    written = wording.number(100 * share, 0)
    return ShareCell(
        share=written,
        number=f"{number:,}",
        css_class=shade(share),
        bold=verdict == SEPARABLE,
        said=f"{sentence}: {written}% of {number:,}{verdict}",
    )
