"""One self-contained HTML page: readable on a desk, on a phone and on paper, without a network."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from hype.analysis import (
    check_judgements,
    finished,
    image_differences,
    measured_timing,
    response_times,
)
from hype.analysis.exclusions import exclusions
from hype.analysis.spoiled import without_spoiled
from hype.files import write_bytes
from hype.report import timing, wording
from hype.report.figures import drawings, timing_drawings
from hype.report.page import cells, works
from hype.report.page.gallery import gallery
from hype.report.page.key_facts import key_facts
from hype.report.page.methods import methods
from hype.report.page.page_figures import page_figure
from hype.report.page.parts import protocol_section
from hype.report.page.typeset import heading, is_long, typeset
from hype.report.tables import excluded, flow
from hype.report.tables.answer_times import answer_times

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from hype.analysis import Score, TimingTable, Treatment
    from hype.analysis.exclusions import Exclusion
    from hype.report.page.background import Background
    from hype.report.page.gallery import Pictured
    from hype.report.page.key_facts import Fact
    from hype.report.page.methods import Methods
    from hype.report.page.page_figures import PageFigure
    from hype.report.page.parts import ProtocolSection


@dataclass(frozen=True, kw_only=True)
class Page:
    """Everything that the page says, before it is HTML.

    Parameters
    ----------
    title
        Its heading.
    simulated
        Whether any evaluator is a simulated one.
    facts
        Names and values at its head.
    background
        What was run, and on whom, where that is known.
    protocols
        One section each.
    timing, timing_figures
        How long things were on the screen; None and empty where nothing was measured.
    excluded
        What was not scored.
    methods
        In words for a paper.
    provenance
        What the figures come from, in this order.
    """

    title: str
    simulated: bool
    facts: tuple[Fact, ...]
    background: Background | None
    protocols: tuple[ProtocolSection, ...]
    timing: TimingTable | None
    timing_figures: tuple[PageFigure, ...]
    excluded: tuple[Exclusion, ...]
    methods: Methods
    provenance: Mapping[str, str]


def write_report(
    scores: Sequence[Score],
    out: Path,
    *,
    frame: pd.DataFrame,
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    pictured: Pictured | None = None,
    spoiled: Treatment = "keep",
) -> Path:
    """Write the report on a study.

    Parameters
    ----------
    scores
        As `hype.analysis.score` returns them for `frame`.
    out
        The HTML file to write. It appears whole or not at all.
    frame
        The judgements that were scored, and those that were not.
    title
        Heading of the page.
    provenance
        What the figures come from (study, seed, versions, software), shown in this order.
    background
        What was run, and on whom; None for tables from elsewhere.
    pictured
        Gives an image, by its name, as a ``data:`` address with its width and height in px; None
        where it has none. Without it images are named.
    spoiled
        What became of trials that the screen spoiled, as it was told to `score`.

    Returns
    -------
    Path
        `out`. The same input gives the same bytes.

    Raises
    ------
    InputError
        The judgements are not well formed, or `out` cannot be written.
    """
    checked = check_judgements(frame)
    judgements = checked[finished(checked)]
    measured = measured_timing(judgements)
    settles_at = background.settles_at if background else None
    protocols = tuple(
        _section(score, judgements, pictured or _no_picture, spoiled, settles_at)
        for score in scores
    )
    page = Page(
        title=title,
        simulated=any(score.simulated for score in scores),
        facts=background.facts if background else key_facts(scores, judgements),
        background=background,
        protocols=protocols,
        timing=measured if measured.trials else None,
        timing_figures=tuple(map(page_figure, timing_drawings(judgements))),
        excluded=exclusions(checked, spoiled),
        methods=_methods(scores, protocols, background, provenance),
        provenance=dict(provenance),
    )
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
        excluded_words=excluded,
        flow=flow,
    )


def _section(
    score: Score,
    judgements: pd.DataFrame,
    pictured: Pictured,
    spoiled: Treatment,
    settles_at: float | None,
) -> ProtocolSection:
    own = judgements[judgements["task"].eq(score.protocol)]
    scored = without_spoiled(own) if spoiled == "leave-out" else own
    figures = map(page_figure, drawings(score, judgements, settles_at=settles_at))
    ends = gallery(score, pictured, image_differences(scored))
    return protocol_section(score, figures, ends, answer_times(score, response_times(own)))


def _methods(
    scores: Sequence[Score],
    protocols: Sequence[ProtocolSection],
    background: Background | None,
    provenance: Mapping[str, str],
) -> Methods:
    drawn = {part.key for section in protocols for part in section.parts if part.figure}
    return methods(
        scores,
        design=background.design if background else (),
        design_works=background.works if background else (),
        curves="time-psychometric" in drawn,
        programs=provenance,
    )


def _no_picture(_: str) -> None:
    return None


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
