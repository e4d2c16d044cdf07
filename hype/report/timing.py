"""How long things were on the screen: words, cells, and the table for the terminal.

Used right after a session, so it loads neither pandas nor matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hype.report import wording

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.analysis import TimingRow, TimingTable

HEADINGS: Final = (
    ("Picture", ""),
    ("Requested", "ms"),
    ("Frames", ""),
    ("Nominal", "ms"),
    ("n", ""),
    ("Mean", "ms"),
    ("SD", "ms"),
    ("Worst", "ms"),
    ("Off by\nframes", ""),
)
"""Headings and units of the timing table; what stands beneath them is `cells_of`."""


def timing_lines(table: TimingTable) -> RenderableType:
    """Lay out a timing table for a terminal at least 80 columns wide, verdicts last."""
    sentence = Text(verdicts_sentence(table))
    return Group(_grid(table), sentence) if table.rows else sentence


def verdicts_sentence(table: TimingTable) -> str:
    """Say how many trials were shown as requested, and what became of the others."""
    if not table.trials:
        return "No exposure was measured: nothing was flashed on a window."
    ok, *bad = ((verdict.value, number) for verdict, number in table.verdicts.items())
    others = "".join(f", {number:,} {verdict}" for verdict, number in bad if number)
    return f"{ok[1]:,} of {table.trials:,} exposures {ok[0]}{others}."


def cells_of(row: TimingRow) -> tuple[str, ...]:
    """Write one row of a timing table."""
    return (
        row.kind,
        f"{row.requested_ms:g}",
        str(row.frames),
        wording.number(row.nominal_ms),
        str(row.n),
        wording.number(row.mean_ms, 2),
        wording.number(row.sd_ms, 2),
        signed(row.worst_ms),
        share(row.off_share),
    )


def signed(value: float) -> str:
    """Write a deviation to two decimals with its sign, and a true minus."""
    return wording.number(value, 2) if round(value, 2) < 0 else f"+{abs(value):.2f}"


def share(value: float) -> str:
    """Write a share in percent, so that one that is not 0 does not read as 0."""
    return "<0.1%" if 0 < value < 0.001 else f"{100 * value:.3g}%"


def _grid(table: TimingTable) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for name, unit in HEADINGS:
        heading = Text(f"{name}\n({unit})" if unit else name)
        grid.add_column(heading, justify="right" if grid.columns else "left", no_wrap=True)
    for row in table.rows:
        grid.add_row(*cells_of(row))
    return grid
