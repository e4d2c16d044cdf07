"""Tables in the terminal, and durations on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from hype.report import tabular, wording
from hype.report.tabular import ColumnKind, Table
from hype.session.timing import TimingTable

Limits = tuple[int, int]
"""Numbers of rows of a long table that are shown: at its top and at its end."""


def grid(table: Table, most: Limits | None = None) -> Grid:
    """Lay out a table without its title and note.

    ``most``: how many rows of a longer table to show at its top and its end; a row between them
    states how many are left out. None for all rows.
    """
    table = table.short
    drawn = Grid(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for column in table.columns:
        # Text, not str: rich would read a condition's name such as [b] as markup.
        heading = Text(f"{column.heading}\n({column.unit})" if column.unit else column.heading)
        if column.kind is ColumnKind.NAME:
            drawn.add_column(heading, overflow="fold", min_width=9)
        elif column.kind is ColumnKind.WORDS:
            drawn.add_column(heading, overflow="fold")
        else:
            drawn.add_column(heading, justify="right", no_wrap=True)
    top, end = most or (len(table.rows), 0)
    left_out = len(table.rows) - top - end
    for place, row in enumerate(table.shown):
        if left_out <= 0 or not top <= place < top + left_out:
            drawn.add_row(*map(Text, row))
        elif place == top:
            cells = [""] * len(table.columns)
            names_at = next(at for at, c in enumerate(table.columns) if c.kind is ColumnKind.NAME)
            cells[names_at] = f"… {left_out:,} more"
            drawn.add_row(*map(Text, cells), style="dim")
    return drawn


def texts(*sentences: str, style: str = "") -> Iterator[Text]:
    """Lay out sentences, and skip empty ones."""
    return (Text(sentence, style=style) for sentence in filter(None, sentences))


def lay_titled(table: Table, most: Limits | None = None) -> Iterator[RenderableType]:
    yield Text()
    yield Text(table.title, style="bold")
    yield grid(table, most)
    yield from texts(table.short.note, style="dim")


MOST_WHOLE: Final = 15
"""A table below the scores is shortened if it has more rows than this."""
_ENDS: Final[Limits] = (8, 4)


def lay_shortened(table: Table) -> Iterator[RenderableType]:
    """Lay out a table below the scores, shortened if it is long."""
    is_long = len(table.rows) > MOST_WHOLE
    yield from lay_titled(table, _ENDS if is_long else None)
    if is_long:
        yield Text("All rows: hype report, or --json.", style="dim")


def timing_lines(table: TimingTable) -> RenderableType:
    """Lay out a timing table for a terminal of at least 80 columns; the verdicts come last."""
    sentence = Text(verdicts_sentence(table))
    return Group(grid(durations(table)), sentence) if table.rows else sentence


def verdicts_sentence(table: TimingTable) -> str:
    """State how many trials were shown as requested, and the verdicts on the others."""
    if not table.trials:
        return "No exposure was measured: no image was flashed in a window."
    ok, *bad = ((verdict.value, number) for verdict, number in table.verdicts.items())
    others = "".join(f", {number:,} {verdict}" for verdict, number in bad if number)
    return f"{ok[1]:,} of {table.trials:,} exposures {ok[0]}{others}."


def durations(table: TimingTable) -> Table:
    """Lay out the durations of pictures, one row for each requested duration."""
    return tabular.tabulate(
        table.rows,
        name="timing",
        title="How long pictures were shown",
        columns=(
            tabular.name("Picture", "picture", of="kind"),
            tabular.Column(heading="Requested", key="requested_ms", unit="ms", show="{:g}".format),
            tabular.whole("Frames", "frames"),
            tabular.number("Nominal", "nominal", unit="ms", of="nominal_ms"),
            tabular.whole("n", "n"),
            tabular.number("Mean", "mean", 2, unit="ms", of="mean_ms"),
            tabular.number("SD", "sd", 2, unit="ms", of="sd_ms"),
            tabular.Column(
                heading="Worst",
                key="worst_deviation_ms",
                unit="ms",
                show=write_signed,
                of="worst_ms",
            ),
            tabular.Column(heading="Off by\nframes", key="off_share", show=share),
        ),
    )


def write_signed(value: float) -> str:
    """Write a deviation with two decimals and its sign ("+" or a true minus)."""
    return wording.number(value, 2) if round(value, 2) < 0 else f"+{abs(value):.2f}"


def share(value: float) -> str:
    """Write a share in percent; a very small share is not rounded to 0."""
    return "<0.1%" if 0 < value < 0.001 else f"{100 * value:.3g}%"
