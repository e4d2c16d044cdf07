"""A table of values as the terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from hype.report.tables.tabular import Kind

if TYPE_CHECKING:
    from hype.report.tables.tabular import Table


def grid(table: Table) -> Grid:
    """Lay out a table without its title and note."""
    drawn = Grid(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for column in table.columns:
        # Text, not str: a condition called [b] must not switch on bold.
        heading = Text(f"{column.heading}\n({column.unit})" if column.unit else column.heading)
        if column.kind is Kind.NAME:
            drawn.add_column(heading, overflow="fold", min_width=9)
        elif column.kind is Kind.WORDS:
            drawn.add_column(heading, overflow="fold")
        else:
            drawn.add_column(heading, justify="right", no_wrap=True)
    for row in table.shown:
        drawn.add_row(*map(Text, row))
    return drawn
