"""How scores are laid out on the page and in the terminal: each protocol lists its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.text import Text

from hype.report import wording
from hype.report.parts import Block, Folded, Part, Place, fold_table, heading
from hype.report.scores import Scores
from hype.report.tabular import Table, slug
from hype.report.terminal import grid, lay_shortened, lay_titled, texts
from hype.study.phrases import spell_count

if TYPE_CHECKING:
    from hype.report.page import PageFigure


class Terminal(Enum):
    """The rows of a table that the terminal shows, and the option that this needs."""

    MAIN = "every row, without a title: the score itself"
    WHOLE = "every row"
    NOTES = "only with --notes; the first and last rows of a long table"


@dataclass(frozen=True)
class Slot:
    """One part of a score: its table, its figure, and its place on the page and in the terminal."""

    # Name of the part, and of its table and figure, without the protocol.
    name: str
    place: Place | None = None  # The chapter on the page; None: not on the page.
    title: str = ""  # The heading on the page; by default the table's or figure's.
    table: str | None = ""  # The table's name, if different; None: no table.
    figure: str = ""  # The figure's name, if different.
    leads: bool = False  # Whether the page shows `Table.leading` and folds the rest.
    terminal: Terminal | None = None
    hint: str = ""  # The content that ``--notes`` adds, for the last line.


Layout = Sequence[Slot]
"""The slots, in their order in the terminal and in each chapter of the page."""

MOST_OPEN: Final = 60
"""A table with more rows is folded; a table of images is always folded."""


def lay_out_parts(
    protocol: str,
    layout: Layout,
    *,
    tables: Iterable[Table],
    figures: Iterable[PageFigure],
    sentences: Mapping[str, Sequence[str]],
    blocks: Mapping[str, Sequence[Block]],
) -> tuple[Part, ...]:
    """Make the parts of the page; slots without content are skipped.

    ``sentences`` come first in a part, ``blocks`` last; their keys are the names of slots.
    Figures without a slot come at the end of the details.
    """
    filled = {table.name: table for table in tables if table.has_values}
    drawn = {figure.name: figure for figure in figures}
    parts = []
    for slot in layout:
        if slot.place is None:
            continue
        table = filled.get(_name_table(protocol, slot))
        figure = drawn.pop(slug(protocol, slot.figure or slot.name), None)
        own, beneath = tuple(sentences.get(slot.name, ())), tuple(blocks.get(slot.name, ()))
        if not (table or figure or own or beneath):
            continue
        title = slot.title or (table.title if table else figure.title if figure else "")
        if table and slot.leads:
            table, folded = fold_table(table)
            beneath = (folded, *beneath)
        elif table and (slot.place is Place.IMAGES or len(table.rows) > MOST_OPEN):
            folded = Folded(summary=f"Table of {len(table.rows):,} rows", table=table)
            table, beneath = None, (folded, *beneath)
        parts.append(
            Part(
                key=slug(protocol, slot.name),
                title=heading(title),
                place=slot.place,
                sentences=own,
                figure=figure,
                table=table,
                blocks=beneath,
            )
        )
    others = (
        Part(key=name, title=heading(figure.title), place=Place.DETAILS, figure=figure)
        for name, figure in drawn.items()
    )
    return (*parts, *others)


def _name_table(protocol: str, slot: Slot) -> str:
    return "" if slot.table is None else slug(protocol, slot.table or slot.name)


NOTES_SHOWN: Final = 3
"""Number of notes shown by default; these are the most important ones."""


def lay_out_terminal(
    scores: Scores,
    layout: Layout,
    *,
    title: str,
    sentences: Mapping[str, Sequence[str]],
    asked: Sequence[str] = (),
    judges: Iterable[RenderableType] = (),
    background: Sequence[str] = (),
    intervals: str,
    whole: bool,
) -> Group:
    """Arrange scores for a terminal of at least 80 columns.

    ``sentences``: by slot name, shown below the slot's table. ``asked``: the question.
    ``background``: the source of the answers. ``intervals``: what the intervals generalise to.
    ``whole``: whether to show every table and note, not only the most important ones.
    """
    filled = {table.name: table for table in scores.tables if table.has_values}
    shown: list[RenderableType] = []
    if scores.simulated:
        shown.append(Text(f" {wording.SIMULATED} ", style="bold reverse"))
    shown += [Text(title, style="bold"), *map(Text, asked)]
    more = []
    for slot in layout:
        table = filled.get(_name_table(scores.protocol, slot)) if slot.terminal else None
        if slot.terminal is Terminal.NOTES and not whole:
            more += [slot.hint] if table else []
            continue
        if table and slot.terminal is Terminal.MAIN:
            shown += [grid(table), *texts(table.note, style="dim")]
        elif table:
            shown += lay_titled(table) if slot.terminal is Terminal.WHOLE else lay_shortened(table)
        shown += texts(*sentences.get(slot.name, ()))
    notes = scores.notes if whole else scores.notes[:NOTES_SHOWN]
    shown += [*judges, *texts(*background), *texts(intervals, style="dim")]
    shown += texts(*(f"Note: {note}" for note in notes), style="yellow")
    if hidden := len(scores.notes) - len(notes):
        more.insert(0, spell_count(hidden, "note"))
    if more:
        shown.append(Text(f"More with --notes: {', '.join(more)}.", style="dim"))
    return Group(*shown, Text())
