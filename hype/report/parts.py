"""What a page consists of: sections of parts, squares of shares, headings, and matters of type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Final

from markupsafe import Markup, escape

from hype.report import wording
from hype.report.tabular import Column, ColumnKind, Table, Value, is_missing
from hype.report.wording import letters_in

if TYPE_CHECKING:
    from hype.report.page import PageFigure

_PROTOCOL: Final = re.compile(r"\bHYPE_(time\b|∞)")
_NAME: Final = Markup("HYPE<sub>{}</sub>")
_ONE_LINE: Final = 20
"""Letters that a phone has room for next to some numbers."""
_OPEN_BELOW: Final = "-Infinity"
_OPEN_ABOVE: Final = "Infinity"


@dataclass(frozen=True, kw_only=True)
class Work:
    """One work."""

    key: str  # what sentences cite it by
    authors: str  # as they stand in a list of references
    short: str  # as the text names them, without the year
    year: int
    title: str
    venue: str  # the journal or the publisher
    place: str = ""  # volume and pages
    doi: str = ""

    @property
    def cited(self) -> str:
        """Its name in the text: "Efron, 1979"."""
        return f"{self.short}, {self.year}"


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """Some sentences on one topic, and the works that they cite, in order of their mention."""

    topic: str
    text: str
    works: tuple[Work, ...] = ()


def typeset(text: str) -> Markup:
    """Write the protocols' names with the paper's subscripts; everything else is escaped."""
    parts = _PROTOCOL.split(text)  # every other one is a subscript
    return Markup("").join(
        _NAME.format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def heading(text: str) -> Markup:
    return typeset(text.replace("-\n", "").replace("\n", " "))


def is_long(name: str) -> bool:
    return letters_in(name) > _ONE_LINE


def sort_key(column: Column, value: Value) -> str | None:
    """Return what a cell is sorted by.

    Returns a number as JavaScript reads it; empty for what is missing; None for words, which are
    sorted as they stand.
    """
    if is_missing(value):
        return ""
    if column.kind is ColumnKind.INTERVAL and isinstance(value, tuple):
        low, _ = value
        return _OPEN_BELOW if low is None else f"{low:.10g}"
    if column.kind is not ColumnKind.NUMBER:
        return None
    if isinstance(value, int | float):
        return f"{value:.10g}"
    beyond = {
        wording.describe_beyond("below"): _OPEN_BELOW,
        wording.describe_beyond("above"): _OPEN_ABOVE,
    }
    return beyond.get(str(value), "")


SIMULATED: Final = (
    "The evaluators were simulated, and nobody real was asked. What follows is the design that "
    "they went through."
)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Something that a part shows; `template` lays it out, where it is called ``shown``."""

    template: ClassVar[str]


@dataclass(frozen=True, kw_only=True)
class Findings(Block):
    """What the tests say, and what has to be read with it."""

    template: ClassVar[str] = "findings.html"

    sentences: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Folded(Block):
    """A long table behind its summary."""

    template: ClassVar[str] = "folded.html"

    summary: str
    table: Table


def fold_table(table: Table) -> tuple[Table, Folded]:
    """Return a table's leading columns, and the whole table to be folded beneath."""
    whole = replace(table.short, name=f"{table.name}-in-full", note="")
    return table.leading, Folded(summary="Every column", table=whole)


@dataclass(frozen=True, kw_only=True)
class Tabled(Block):
    """A further table under its title."""

    template: ClassVar[str] = "tabled.html"

    table: Table


class Place(Enum):
    """Where a part stands on the page: a chapter by its heading, in their order."""

    ASKED = "What was asked"
    RESULT = "Result"
    PAPER = "As in Zhou et al. (2019)"
    PEOPLE = "People"
    IMAGES = "Images"
    DETAILS = "Details"

    @property
    def key(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a protocol's section."""

    key: str  # distinguishes it from the others of the page
    title: Markup  # its heading
    place: Place = Place.RESULT  # its chapter
    sentences: tuple[str, ...] = ()  # what comes first
    # figure, table: what it shows; None if it has none
    figure: PageFigure | None = None
    table: Table | None = None
    blocks: tuple[Block, ...] = ()  # what it shows beneath these, in order


@dataclass(frozen=True, kw_only=True)
class Section:
    """One protocol."""

    key: str  # distinguishes it from the others of the page
    # title, meaning: its name, and what its score is
    title: Markup
    meaning: str
    parts: tuple[Part, ...]  # all there is to say, in order


Fact = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Background:
    """A study in words."""

    # Paragraphs on what was run, for the page and for the methods section of a paper
    design: tuple[str, ...]
    people: tuple[str, ...]  # sentences on who took part
    # Participation rows, one for each place of the design
    flow: tuple[tuple[str | int, ...], ...]
    flow_columns: tuple[str, ...]  # what these rows hold
    works: tuple[Work, ...]  # those that are cited in the words
    facts: tuple[tuple[str, str], ...]  # short facts for the head of the page, each with its name
    # What they said of themselves: question, how many answered and withheld, and the answers
    about: tuple[tuple[str | int, ...], ...] = ()
    # The share of correct answers at which the study's staircase settles, 0 to 1
    settles_at: float | None = None


Pictured = Callable[[str], tuple[str, int, int] | None]
"""Gives the address (a data URI), width and height in px of an image; None if it has none."""


def no_picture(_: str) -> None:
    """Have a picture of no image."""


SEPARABLE: Final = ", separable"
"""How a cell is said to be so."""

SHADES: Final = 5
"""Steps of colour on either side of one half."""

MOST_IN_SQUARE: Final = 40
"""Conditions; of more a square is neither read nor small."""

MOST_ROOMY: Final = 12
"""With more conditions than these a cell has room for a number only."""

MOST_SQUARE: Final = MOST_IN_SQUARE * (MOST_IN_SQUARE - 1) // 2
"""The number of pairs of `MOST_IN_SQUARE` conditions."""

IN_ORDER: Final = (
    "Rows and columns are in the order of the ranking; a column has the number of\nits row."
)
"""What is said of a square whose cells have no room for names."""


def shade_class(at: int) -> str:
    """Return the class of a step, from minus `SHADES` to `SHADES`."""
    if not at:
        return "even"
    return f"{'over' if at > 0 else 'under'}-{abs(at)}"


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
    colours are. ``unmet``: the text for two that never met. ``names``: all conditions in
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
        """The classes of the legend, from the one end to the other."""
        return tuple(shade_class(at) for at in range(-SHADES, SHADES + 1))


def share_square(
    names: Sequence[str],
    cells: Mapping[tuple[str, str], ShareCell],
    *,
    key: str,
    label: str,
    explained: str,
    ends: tuple[str, str],
    unmet: str = "not known",
) -> ShareSquare | None:
    """Arrange cells by row and column; None if there are none, or too many conditions."""
    if not cells or len(names) > MOST_IN_SQUARE:
        return None
    return ShareSquare(
        key=key,
        label=label,
        explained=explained if len(names) <= MOST_ROOMY else f"{explained} {IN_ORDER}",
        ends=ends,
        unmet=unmet,
        names=tuple(names),
        rows=tuple((a, tuple(cells.get((a, b)) for b in names)) for a in names),
    )


def share_cell(share: float, number: int, sentence: str, *, verdict: str = "") -> ShareCell:
    """Make a cell; what is separable is bold."""
    written = wording.number(100 * share, 0)
    return ShareCell(
        share=written,
        number=f"{number:,}",
        css_class=shade_class(round((share - 0.5) * 2 * SHADES)),
        bold=verdict == SEPARABLE,
        said=f"{sentence}: {written}% of {number:,}{verdict}",
    )
