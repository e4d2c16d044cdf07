"""How scores of ratings are laid out: the order of tables and figures, and their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from hype.judges.tables import lay_out_in_terminal, second_sentence
from hype.judges.tables import main_axis as main_axis_of_judges
from hype.protocols.prompted.wording import intervals, read_facts
from hype.protocols.prompted.wording import ranks as open_ranks
from hype.report.layout import Layout, Slot, Terminal, lay_out_terminal
from hype.report.methods import notes_of, render_block
from hype.report.parts import Place
from hype.report.scores import Scores
from hype.report.tabular import Row, Table
from hype.report.terminal import lay_shortened

LAYOUT: Final[Layout] = (
    Slot("asked", Place.ASKED, title="What was asked"),
    Slot("conditions", terminal=Terminal.MAIN),
    Slot("main", Place.RESULT),
    Slot("strengths-by-axis", Place.RESULT, title="Axis by axis"),
    Slot("means-by-axis", Place.RESULT, title="Axis by axis"),
    Slot("strengths", Place.RESULT),
    Slot("means", Place.RESULT),
    Slot("yes", Place.RESULT),
    Slot(
        "axes",
        Place.PEOPLE,
        title="Do people agree?",
        terminal=Terminal.NOTES,
        hint="agreement on each axis",
    ),
    Slot("judges", Place.PEOPLE, title="Judges compared with people"),
    Slot("why", Place.PEOPLE),
    Slot("registered", Place.DETAILS, title="What was fixed in advance"),
    Slot("correlations", Place.DETAILS, title="Correlations between axes"),
    Slot("answers", Place.DETAILS, title="How people answered"),
    Slot(
        "truth",
        Place.DETAILS,
        title="Compared with the right answers",
        terminal=Terminal.NOTES,
        hint="people compared with the right answers",
    ),
    Slot("leaderboard", Place.DETAILS, terminal=Terminal.WHOLE),
    Slot("judge-agreement", Place.DETAILS),
    Slot("judge-axes", Place.DETAILS, title="Judges, axis by axis"),
    Slot(
        "judge-truth",
        Place.DETAILS,
        title="Judges and people compared with the right answers",
    ),
    Slot("judge-position", Place.DETAILS, title="How often judges prefer the image shown first"),
    Slot("exclusions", terminal=Terminal.NOTES, hint="what was not scored"),
)
TITLES: Final = {
    "pairs": "Ratings of pairs: how much better one of two images is, axis by axis",
    "images": "Ratings of single images, axis by axis",
}
MOST_ROWS: Final = 20
"""With more rows (conditions times axes), a terminal shows the intervals of only one axis."""
WIDTH: Final = 79
"""Widths of a terminal and of a column of numbers, in characters."""
COLUMN: Final = 10
FEWEST_COLUMNS: Final = 3
"""Minimum number of axes side by side in a table, even if names of conditions are long."""

say: Final = partial(render_block, Path(__file__).parent)
"""Writes a block of notes.txt."""
lines: Final = partial(notes_of, Path(__file__).parent)
"""Writes a block of notes.txt as a list of sentences."""


def main_axis(scores: Scores) -> Row:
    axes, overall = scores.rows("axes"), scores.facts["overall"]
    first: Row = next((axis for axis in axes if axis["axis"] == overall), axes[0])
    return first


def axis_table(scores: Scores) -> Table:
    return next(table for table in scores.tables if table.name.endswith("-by-axis"))


def keep_main_axis(scores: Scores) -> Table:
    (table,) = (table for table in scores.tables if table.name == "rating-conditions")
    axis = main_axis(scores)["axis"]
    rows = zip(table.records, table.rows, strict=True)
    kept = [(record, row) for record, row in rows if record["axis"] == axis]
    records, cells = zip(*kept, strict=True) if kept else ((), ())
    return replace(table, records=records, rows=cells)


def sentences_of(scores: Scores) -> dict[str, tuple[str, ...]]:
    """Write the sentences for each topic; the topic of sentences on a table is the table's name."""
    score, axis = read_facts(scores), main_axis(scores)
    names = [axis["axis"] for axis in score["axes"]]
    is_open = open_ranks(axis["conditions"], axis["pairs"]) if score["what"] == "pairs" else ""
    number = len(axis_table(scores).rows)
    written = {
        "asked": lines("asked", score=score, axes=names, conditions=number),
        "asked_beside": lines("asked", score=score, axes=(), conditions=number),
        "problems": lines("problems", score=score),
        "ranks": (say("ranks", score=score, axis=axis, open=is_open),),
        "correlations": (say("correlation", score=score),),
        "leaderboard": lines("leaderboard", board=score["leaderboard"]),
    }
    return {name: tuple(filter(None, own)) for name, own in written.items()}


def lay_out(scores: Scores, background: Sequence[str], *, whole: bool) -> RenderableType:
    """Arrange scores for a terminal; ``background``: the source of the answers.

    If there are judges or many axes, the table of conditions shows only the main axis.
    """
    of, axes, tables = sentences_of(scores), scores.rows("axes"), list(scores.tables)
    several = len(axes) > 1 and sum(len(axis["conditions"]) for axis in axes) > MOST_ROWS
    if several or scores.judges:
        main = keep_main_axis(scores)
        tables = [main if table.name == main.name else table for table in tables]
    return lay_out_terminal(
        replace(scores, tables=tuple(tables)),
        LAYOUT,
        title=TITLES[scores.facts["what"]],
        sentences={"conditions": (*of["problems"], *of["ranks"]), "leaderboard": of["leaderboard"]},
        asked=of["asked"],
        judges=chain(
            lay_out_axes(scores) if several and not scores.judges else (),
            lay_out_judges(scores) if scores.judges else (),
        ),
        background=background,
        intervals=intervals(scores),
        whole=whole,
    )


def lay_out_axes(scores: Scores) -> Iterator[RenderableType]:
    """Lay out a table with one column per axis, split into tables of about equal width."""
    table = axis_table(scores)
    number = len(table.columns) - 1
    longest = max(len(record["condition"]) for record in table.records)
    tables = -(-number // max(FEWEST_COLUMNS, (WIDTH - longest) // COLUMN))
    size = -(-number // tables)
    for at in range(1, number + 1, size):
        yield from lay_shortened(table.keep([0, *range(at, min(at + size, number + 1))]))
    yield Text("All axes with intervals: hype report, or --json.", style="dim")


def lay_out_judges(scores: Scores) -> Iterator[RenderableType]:
    yield from lay_out_in_terminal(scores.judges)
    if second := second_sentence(scores.judges, main_axis_of_judges(scores.judges)):
        yield Text(second)
