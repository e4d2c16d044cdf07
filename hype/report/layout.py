"""Where the parts of a score stand: a protocol says it as data, for the page and the terminal."""

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
from hype.report.terminal import beneath_scores, grid, lay_titled, texts
from hype.study.phrases import spell_count

if TYPE_CHECKING:
    from hype.report.page import PageFigure


class Terminal(Enum):
    """Which rows of a table a terminal shows, and when."""

    MAIN = "every row, without a title: what the score is"
    WHOLE = "every row"
    NOTES = "with --notes alone; of a long table the first rows and the last"


@dataclass(frozen=True)
class Slot:
    """One part of a score: what has its name, and where that stands."""

    # Of the part, its table and its figure, without that of the protocol
    name: str
    place: Place | None = None  # its chapter on the page; None: the page does without it
    title: str = ""  # its heading on the page; that of its table or figure where it has none
    table: str | None = ""  # the name of its table, if another; None: it has none
    figure: str = ""  # that of its figure, if another
    leads: bool = False  # whether only the columns on which is better are open
    terminal: Terminal | None = None
    hint: str = ""  # how the terminal names what ``--notes`` would show


Layout = Sequence[Slot]
"""Of a terminal in this order; of each chapter of the page as well."""

MOST_OPEN: Final = 60
"""Rows of a table that is not folded; a table of images always is."""


def lay_out_parts(
    protocol: str,
    layout: Layout,
    *,
    tables: Iterable[Table],
    figures: Iterable[PageFigure],
    sentences: Mapping[str, Sequence[str]],
    blocks: Mapping[str, Sequence[Block]],
) -> tuple[Part, ...]:
    """Make the parts of the page; a slot that nothing fills has none.

    ``sentences`` come first in a part, ``blocks`` last; both are by the names of the slots. Figures
    without a slot stand at the end of the details.
    """
    filled = {table.name: table for table in tables if table.says_something}
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
"""The most important notes, where not all are asked for."""


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
    """Lay scores out for a terminal at least 80 columns wide.

    ``sentences`` stand beneath the tables, by the names of the slots. ``asked``: what evaluators
    were asked. ``background``: where the answers come from. ``intervals``: what they allow for.
    ``whole``: every table and note, else the most important.
    """
    filled = {table.name: table for table in scores.tables if table.says_something}
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
            shown += lay_titled(table) if slot.terminal is Terminal.WHOLE else beneath_scores(table)
        shown += texts(*sentences.get(slot.name, ()))
    notes = scores.notes if whole else scores.notes[:NOTES_SHOWN]
    shown += [*judges, *texts(*background), *texts(intervals, style="dim")]
    shown += texts(*(f"Note: {note}" for note in notes), style="yellow")
    if hidden := len(scores.notes) - len(notes):
        more.insert(0, spell_count(hidden, "note"))
    if more:
        shown.append(Text(f"More with --notes: {', '.join(more)}.", style="dim"))
    return Group(*shown, Text())
