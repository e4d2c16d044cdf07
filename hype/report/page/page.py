"""One self-contained HTML page: readable on a desk, on a phone and on paper, without a network.

It knows no protocol: what is said of each comes as sections, see `hype.report.page.parts`.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from hype.files import write_bytes
from hype.report import timing, wording
from hype.report.page import cells, works
from hype.report.page.typeset import heading, is_long, typeset
from hype.report.tables import flow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hype.analysis import TimingTable
    from hype.report.page.background import Background
    from hype.report.page.key_facts import Fact
    from hype.report.page.methods import Methods
    from hype.report.page.page_figures import PageFigure
    from hype.report.page.parts import Section
    from hype.report.tables.tabular import Table

HYPE: Final = "Human eye perceptual evaluation"


@dataclass(frozen=True, kw_only=True)
class Excluded:
    """What was not scored, and why.

    Parameters
    ----------
    table, details
        By reason, and more closely; None where there is nothing of the kind.
    summary
        What the closer table is called.
    sentences
        What comes first, or stands alone.
    """

    table: Table | None = None
    details: Table | None = None
    summary: str = ""
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Page:
    """Everything that the page says, before it is HTML.

    Parameters
    ----------
    title, eyebrow
        Its heading, and what stands small above it.
    simulated
        Whether any evaluator is a simulated one.
    facts
        Names and values at its head.
    background
        What was run, and on whom, where that is known.
    sections
        One for each protocol.
    timing, timing_figures
        How long things were on the screen; None and empty where nothing was measured.
    excluded
        What was not scored.
    methods
        In words for a paper.
    provenance
        What the figures come from, in this order.
    styles
        Templates of style rules that its sections need beside those of every page.
    """

    title: str
    eyebrow: str = HYPE
    simulated: bool
    facts: tuple[Fact, ...]
    background: Background | None
    sections: tuple[Section, ...]
    timing: TimingTable | None = None
    timing_figures: tuple[PageFigure, ...] = ()
    excluded: Excluded
    methods: Methods
    provenance: Mapping[str, str]
    styles: tuple[str, ...] = ()


def excluded_by_reason(table: Table, nothing: str) -> Excluded:
    """Show what was not scored, or say that there is nothing of the kind."""
    return Excluded(table=table) if table.rows else Excluded(sentences=(nothing,))


def write_page(page: Page, out: Path) -> Path:
    """Write the page as an HTML file, which appears whole or not at all.

    Raises
    ------
    InputError
        It cannot be written.
    """
    write_bytes(out, render(page).encode())
    return out


def render(page: Page) -> str:
    """Write the page as HTML."""
    environment = _environment()
    return environment.get_template("page.html").render(
        page=page,
        script_hash=_sha256(environment.get_template("page.js").render()),
        wording=wording,
        timing_words=timing,
        flow=flow,
    )


def _environment() -> Environment:
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
        heads=cells.heads,
        cells=cells.cells,
        names_conditions=cells.names_conditions,
        reference=works.reference,
    )
    environment.tests["long"] = is_long
    return environment


def _sha256(script: str) -> str:
    """Hash a script as a content security policy wants it."""
    return b64encode(hashlib.sha256(script.encode()).digest()).decode()
