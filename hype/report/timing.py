"""How long things were on the screen: words, cells, and the table for the terminal.

Used right after a session, so it loads neither pandas nor matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from hype.report import tabular, wording
from hype.report.tabular import Table
from hype.report.terminal import grid

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.session.timing_table import TimingTable


def timing_lines(table: TimingTable) -> RenderableType:
    """Lay out a timing table for a terminal at least 80 columns wide, verdicts last."""
    sentence = Text(verdicts_sentence(table))
    return Group(grid(durations(table)), sentence) if table.rows else sentence


def verdicts_sentence(table: TimingTable) -> str:
    """Say how many trials were shown as requested, and what became of the others."""
    if not table.trials:
        return "No exposure was measured: nothing was flashed on a window."
    ok, *bad = ((verdict.value, number) for verdict, number in table.verdicts.items())
    others = "".join(f", {number:,} {verdict}" for verdict, number in bad if number)
    return f"{ok[1]:,} of {table.trials:,} exposures {ok[0]}{others}."


def durations(table: TimingTable) -> Table:
    """Lay out how long pictures were on the screen, one row for each requested duration."""
    return Table(
        name="timing",
        title="How long pictures were shown",
        columns=(
            tabular.name("Picture", "picture"),
            tabular.Column(heading="Requested", key="requested_ms", unit="ms", show="{:g}".format),
            tabular.whole("Frames", "frames"),
            tabular.number("Nominal", "nominal_ms", unit="ms"),
            tabular.whole("n", "n"),
            tabular.number("Mean", "mean_ms", 2, unit="ms"),
            tabular.number("SD", "sd_ms", 2, unit="ms"),
            tabular.Column(heading="Worst", key="worst_deviation_ms", unit="ms", show=signed),
            tabular.Column(heading="Off by\nframes", key="off_share", show=share),
        ),
        rows=tuple(
            (
                row.kind,
                row.requested_ms,
                row.frames,
                row.nominal_ms,
                row.n,
                row.mean_ms,
                row.sd_ms,
                row.worst_ms,
                row.off_share,
            )
            for row in table.rows
        ),
    )


def signed(value: float) -> str:
    """Write a deviation to two decimals with its sign, and a true minus."""
    return wording.number(value, 2) if round(value, 2) < 0 else f"+{abs(value):.2f}"


def share(value: float) -> str:
    """Write a share in percent, so that one that is not 0 does not read as 0."""
    return "<0.1%" if 0 < value < 0.001 else f"{100 * value:.3g}%"
