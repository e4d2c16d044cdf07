"""The building blocks of a page: sections, parts, square tables of shares, and typesetting."""

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
_OPTION: Final = re.compile(r"(?<!\S)--[a-z-]+")
_ONE_LINE: Final = 20
"""On a phone, a name of at most this many letters fits next to numbers."""
_OPEN_BELOW: Final = "-Infinity"
_OPEN_ABOVE: Final = "Infinity"


@dataclass(frozen=True, kw_only=True)
class Work:
    """A work that a report can cite."""

    key: str  # The name of the work in templates.
    authors: str  # The authors as in a list of references.
    short: str  # The authors as in the text, without the year.
    year: int
    title: str
    venue: str  # The journal or the publisher.
    place: str = ""  # Volume and pages.
    doi: str = ""

    @property
    def cited(self) -> str:
        """The citation in the text: "Efron, 1979"."""
        return f"{self.short}, {self.year}"


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """Sentences on one topic, and the works that they cite, in order."""

    topic: str
    text: str
    works: tuple[Work, ...] = ()


def typeset(text: str) -> Markup:
    """Escape a text; set subscripts in HYPE_time and HYPE_∞; keep each option on one line."""
    parts = _PROTOCOL.split(text)  # every second part is a subscript
    named = (_NAME.format(part) if i % 2 else escape(part) for i, part in enumerate(parts))
    return Markup(_OPTION.sub(r'<span class="option">\g<0></span>', "".join(named)))  # noqa: S704


def heading(text: str) -> Markup:
    return typeset(text.replace("-\n", "").replace("\n", " "))


def is_long(name: str) -> bool:
    return letters_in(name) > _ONE_LINE


def sort_key(column: Column, value: Value) -> str | None:
    """Return the sort key of a cell: a number, "" if the value is missing, None for words."""
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
    "The evaluators were simulated; no people took part. The text describes the design of the "
    "simulated sessions."
)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block of a part; its `template` refers to it as ``shown``."""

    template: ClassVar[str]


@dataclass(frozen=True, kw_only=True)
class Findings(Block):
    """The results of the tests, with their notes."""

    template: ClassVar[str] = "findings.html"

    sentences: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Folded(Block):
    """A table that the page shows only when the reader opens its summary."""

    template: ClassVar[str] = "folded.html"

    summary: str
    table: Table


def fold_table(table: Table) -> tuple[Table, Folded]:
    """Return a table's leading columns, and a folded block with the whole table."""
    lead, whole = table.leading, replace(table.short, name=f"{table.name}-in-full")
    whole = replace(whole, note="") if lead.note == whole.note else whole
    return lead, Folded(summary="Every column", table=whole)


@dataclass(frozen=True, kw_only=True)
class Tabled(Block):
    """Another table, with its title."""

    template: ClassVar[str] = "tabled.html"

    table: Table


class Place(Enum):
    """The chapters of the page in order, with their headings."""

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

    key: str  # A unique name on the page.
    title: Markup
    place: Place = Place.RESULT  # The chapter of the page.
    sentences: tuple[str, ...] = ()  # Sentences at the beginning.
    # The figure and the table, if any.
    figure: PageFigure | None = None
    table: Table | None = None
    blocks: tuple[Block, ...] = ()  # Further content below the table, in order.


@dataclass(frozen=True, kw_only=True)
class Section:
    """One protocol."""

    key: str  # A unique name on the page.
    # The protocol's name, and the meaning of its score.
    title: Markup
    meaning: str
    parts: tuple[Part, ...]  # The parts in order.


Fact = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Background:
    """A description of a study in words."""

    # Paragraphs about the design, for the page and for the methods section of a paper.
    design: tuple[str, ...]
    people: tuple[str, ...]  # Sentences on who took part.
    # The number of people by status; one row for each place of the design.
    flow: tuple[tuple[str | int, ...], ...]
    flow_columns: tuple[str, ...]  # The headings of the columns of ``flow``.
    works: tuple[Work, ...]  # The cited works.
    facts: tuple[tuple[str, str], ...]  # Short facts for the head of the page, each with its name.
    # Demographics: each question, how many people did and did not answer it, and the answers.
    about: tuple[tuple[str | int, ...], ...] = ()
    # The share of correct answers at which the study's staircase settles, from 0 to 1.
    settles_at: float | None = None


Pictured = Callable[[str], tuple[str, int, int] | None]
"""Returns an image's address (a data URI), width and height in px; None if it has no picture."""


def no_picture(_: str) -> None:
    """Return no picture for any image."""


SEPARABLE: Final = ", separable"
"""The end of a cell's description if its two conditions are separable."""

SHADES: Final = 5
"""Steps of colour on each side of 50%."""

MOST_IN_SQUARE: Final = 40
"""A square can show at most this many conditions."""

MOST_ROOMY: Final = 12
"""A square of at most this many conditions has room for names above it and for counts in cells."""

MOST_SQUARE: Final = MOST_IN_SQUARE * (MOST_IN_SQUARE - 1) // 2
"""The number of pairs of `MOST_IN_SQUARE` conditions."""

IN_ORDER: Final = "Rows and columns are numbered in the order of the ranking."
"""The note on a square that has no room for names above its columns."""


def shade_class(at: int) -> str:
    """Return the CSS class of a colour; ``at``: its step, from minus `SHADES` to `SHADES`."""
    if not at:
        return "even"
    return f"{'over' if at > 0 else 'under'}-{abs(at)}"


@dataclass(frozen=True, kw_only=True)
class ShareCell:
    """A cell for a pair of conditions: a share and the number of answers, as they are shown."""

    share: str
    number: str
    css_class: str
    bold: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class ShareSquare(Block):
    """A square table with a share for each pair of conditions.

    ``explained``: the meaning of a cell, in one or two sentences. ``ends``: the meanings of the two
    outermost colours. ``unmet``: the text for a pair that was never compared. ``names``: all
    conditions in the order of the ranking, for rows and columns. ``rows``: each condition with one
    cell per column; None on the diagonal and for pairs that were never compared.
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
        """The CSS classes of the legend, from one end to the other."""
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
    """Arrange cells in a square; None if there are no cells, or too many conditions."""
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
    """Make a cell, which is bold if its two conditions are separable."""
    written = wording.number(100 * share, 0)
    return ShareCell(
        share=written,
        number=f"{number:,}",
        css_class=shade_class(round((share - 0.5) * 2 * SHADES)),
        bold=verdict == SEPARABLE,
        said=f"{sentence}: {written}% of {number:,}{verdict}",
    )
