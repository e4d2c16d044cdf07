"""The tables of `hype status`: what those of every kind of study have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

Cell = str | Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A column of a `Listing`.

    Attributes
    ----------
    name
        What stands above it.
    number
        Whether it stands on the right.
    least
        How narrow it may become where the terminal is narrow, its cells being folded; never
        narrower than its cells where this is 0.
    """

    name: str
    number: bool = False
    least: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A long table, of which a part can be shown."""

    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def table(self, rows: Sequence[int] | None = None) -> Table:
        """Make a table of some rows, in this order; of all without any.

        Columns are as wide whichever rows are shown.
        """
        table = new_table()
        for place, heading in enumerate(self.headings):
            table.add_column(
                heading.name,
                justify="right" if heading.number else "left",
                overflow="fold" if heading.least else "ellipsis",
                no_wrap=not heading.least,
                min_width=heading.least or self._width(place),
            )
        for row in range(len(self.rows)) if rows is None else rows:
            table.add_row(*self.rows[row])
        return table

    def _width(self, place: int) -> int | None:
        """Give the width of the widest cell of a column."""
        return max((cell_len(str(row[place])) for row in self.rows), default=None)


def new_table() -> Table:
    """Make an empty table."""
    return Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)


def counts(numbers: Iterable[int]) -> tuple[str, ...]:
    """Write numbers; a dot where there is none, so that what there is stands out."""
    return tuple(f"{number:,}" if number else "·" for number in numbers)
