"""What a witness says of exposures, in words and as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hype.report import wording
from hype.report.timing import signed
from hype.witness.comparison import row_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hype.witness.comparison import Witnessed, WitnessedRow

PLAIN: Final = ""
BAD: Final = "bold red"
MANY: Final = 12
"""More rows than this are summed up as one for each kind of picture."""
HEADINGS: Final = (*("Picture", "Requested\n(ms)", "n", "Bias\n(ms)", "SD\n(ms)", "Worst\n(ms)"),)


def witness_lines(found: Witnessed) -> RenderableType:
    """Lay out what was witnessed for a terminal at least 80 columns wide."""
    title = Text("By the witness: how much longer than its frames each was seen", style="bold")
    sentences = (Text(sentence, style=style) for sentence, style in sentences_of(found))
    return Group(title, *([grid(found)] if found.rows else []), *sentences)


def sentences_of(found: Witnessed) -> Iterator[tuple[str, str]]:
    """Yield what there is to say of the trials, each with its style."""
    as_played = found.seen_once == len(found.trials) and not found.unplayed
    yield seen_sentence(found), PLAIN if as_played else BAD
    if not any(trial.times_seen for trial in found.trials):
        yield "Is it aimed at the middle of the patch?", BAD
        return
    if found.disagreement_ms is not None:
        agreed = "images and masks" if found.masks_compared else "images (it saw no masks)"
        largest = wording.number(found.disagreement_ms, 2)
        yield f"Its durations of {agreed} differ from the flips' by at most {largest} ms.", PLAIN
    yield off_sentence(found), BAD if found.falsely_ok else PLAIN
    if found.clock_offset_s:
        yield "It has a clock of its own; the images were used to align it.", "dim"


def seen_sentence(found: Witnessed) -> str:
    """Say how often the images were seen."""
    others = "".join(
        f"; {number:,} {what}"
        for number, what in (
            (found.unseen, "not at all"),
            (found.seen_again, "more than once"),
            (found.unplayed, "more that nobody played"),
        )
        if number
    )
    total = len(found.trials)
    return f"The witness saw {found.seen_once:,} of {total:,} images exactly once{others}."


def off_sentence(found: Witnessed) -> str:
    """Say how many trials were off, and whether our own verdict said so."""
    if not found.off:
        return "No trial was more than a frame off."
    flagged = found.off - found.falsely_ok
    trials = "1 trial was" if found.off == 1 else f"{found.off:,} trials were"
    return (
        f"{trials} more than a frame off: {flagged:,} flagged by the verdict, "
        f"{found.falsely_ok:,} called ok."
    )


def grid(found: Witnessed) -> Table:
    """Lay out how much longer than their frames pictures were seen."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for place, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    for row, requested in few_rows(found):
        deviations = (signed(row.mean_ms), wording.number(row.sd_ms, 2), signed(row.worst_ms))
        table.add_row(row.kind, requested, str(row.n), *deviations)
    return table


def few_rows(found: Witnessed) -> Iterator[tuple[WitnessedRow, str]]:
    """Yield the rows, each with its duration; where they are many, one for each kind instead."""
    rows = found.rows
    if len(rows) <= MANY:
        yield from ((row, f"{row.requested_ms:g}") for row in rows)
        return
    for kind in dict.fromkeys(row.kind for row in rows):
        durations_ms = [row.requested_ms for row in rows if row.kind == kind]
        alike = row_of([picture for picture in found.pictures if picture.kind == kind])
        low, high = min(durations_ms), max(durations_ms)
        yield alike, f"{low:g}" if low == high else f"{low:g} – {high:g}"
