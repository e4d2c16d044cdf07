"""The report as one HTML page for desktop, phone and paper; it needs no network.

This module depends on no protocol: each protocol supplies sections (see `hype.report.parts`).
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hype.errors import is_installed
from hype.files import write_bytes
from hype.report import tabular as flow
from hype.report import terminal as timing
from hype.report import wording
from hype.report.figures.drawing import Drawing
from hype.report.methods import Methods, reference
from hype.report.parts import Background, Fact, Place, Section, heading, is_long, sort_key, typeset
from hype.report.tabular import ColumnKind, Row, Table
from hype.session.timing import TimingTable

_CONDITION_KEYS: Final = frozenset({"condition", "a", "b"})


def heads(table: Table) -> list[Row]:
    """Return the heading, the unit and the kind of each column."""
    return [
        {"words": heading(column.heading), "unit": column.unit, "kind": column.kind.name.lower()}
        for column in table.short.columns
    ]


def cells(table: Table) -> list[list[Row]]:
    """Return the cells of each row; a cell's ``sort`` is None if its text is the sort key."""
    table = table.short
    rows = []
    for values in table.rows:
        row = []
        for column, value in zip(table.columns, values, strict=True):
            shown, key = column.cell(value), sort_key(column, value)
            kind = column.kind.name.lower()
            row.append({"words": shown, "kind": kind, "sort": None if key == shown else key})
        rows.append(row)
    return rows


def names_conditions(table: Table) -> bool:
    """Return whether the rows of a table are conditions or pairs of conditions."""
    keys = {column.key for column in table.columns if column.kind is ColumnKind.NAME}
    return bool(keys & _CONDITION_KEYS)


HYPE: Final = "Human eye perceptual evaluation"


@dataclass(frozen=True, kw_only=True)
class ReportPage:
    """The content of the page, before it becomes HTML."""

    # The page's heading, and a small text above it.
    title: str
    eyebrow: str = HYPE
    simulated: bool  # Whether any evaluator is simulated.
    facts: tuple[Fact, ...]  # Facts at the head of the page, each with its name.
    background: Background | None  # The design and the participants, if known.
    sections: tuple[Section, ...]  # One section for each protocol.
    # Durations on the screen, and their figures; None and empty if nothing was measured.
    timing: TimingTable | None = None
    timing_figures: tuple[PageFigure, ...] = ()
    excluded: Table | str  # Excluded answers: a table by reason, or a sentence.
    methods: Methods  # The text for a paper.
    provenance: Mapping[str, str]  # Versions, study and seed, in the order shown.
    # Additional style sheets that the sections need.
    styles: tuple[str, ...] = ()

    @property
    def chapters(self) -> Iterator[dict[str, Any]]:
        """Yield the chapters of the page, each with the sections that have parts in it."""
        for place in Place:
            at_place = (
                replace(section, parts=tuple(part for part in section.parts if part.place is place))
                for section in self.sections
            )
            sections = tuple(section for section in at_place if section.parts)
            more = self.others_in(place) or (place is Place.ASKED and self.background)
            if sections or more:
                yield {"place": place, "sections": sections}

    def others_in(self, place: Place) -> tuple[tuple[str, str], ...]:
        """Return the keys and headings of a chapter's sections that belong to no protocol."""
        if place is Place.PEOPLE:
            return (("exclusions", "Exclusions and why"),)
        if place is not Place.DETAILS:
            return ()
        timing = (("timing", "Timing"),) if self.timing else ()
        return (*timing, ("methods", "Methods in words"), ("provenance", "Versions and seed"))


def show_excluded(table: Table | None, nothing: str) -> Table | str:
    """Return the table of answers that were not scored, or ``nothing`` if it is empty."""
    return table if table and table.rows else nothing


def write_page(page: ReportPage, out: Path) -> Path:
    """Write the page as an HTML file, completely or not at all.

    Raises InputError: the file cannot be written.
    """
    write_bytes(out, render(page).encode())
    return out


def render(page: ReportPage) -> str:
    environment = page_environment()
    script = environment.get_template("page.js").render()
    return environment.get_template("page.html").render(
        page=page,
        script_hash=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        wording=wording,
        timing_words=timing,
        flow=flow,
    )


@cache
def page_environment() -> Environment:
    """Compile each template once for all pages."""
    environment = Environment(
        loader=PackageLoader("hype.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        typeset=typeset,
        heading=heading,
        heads=heads,
        cells=cells,
        names_conditions=names_conditions,
        reference=reference,
    )
    environment.tests["long"] = is_long
    return environment


@dataclass(frozen=True, kw_only=True)
class PageFigure:
    """A figure whose panels are drawn; the other fields are those of `Drawing`.

    Each panel is a pair: its condition or axis (empty for a single panel), and its SVG element.
    """

    name: str
    title: str
    caption: str
    alt: str
    width_in: float
    panels: tuple[tuple[str, Markup], ...]
    by_condition: bool = True


def page_figure(drawing: Drawing) -> PageFigure:
    """Draw a figure for the page; without matplotlib it has no panels."""
    panels: tuple[tuple[str, Markup], ...] = ()
    if is_installed("matplotlib"):
        from hype.report.figures.files import panel_svg

        panels = tuple((panel.title, panel_svg(drawing, panel)) for panel in drawing.panels)
    return PageFigure(
        name=drawing.name,
        title=drawing.title,
        caption=drawing.caption,
        alt=drawing.alt,
        width_in=drawing.width_in,
        panels=panels,
        by_condition=drawing.by_condition,
    )
