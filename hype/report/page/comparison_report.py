"""The report on comparisons: from a score and its votes to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.analysis.pairwise.scored_rows import scored_rows
from hype.report.figures.comparison_catalogue import comparison_drawings
from hype.report.page.asked import Asked
from hype.report.page.comparison_facts import comparison_facts
from hype.report.page.comparison_parts import comparison_section
from hype.report.page.comparisons_said import comparisons_said
from hype.report.page.gallery import no_picture
from hype.report.page.methods import methods_of
from hype.report.page.page import Page, excluded_by_reason, write_page
from hype.report.page.page_figures import page_figure
from hype.report.page.preferred import extreme_images, preferred
from hype.report.tables import comparison_people

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from hype.analysis.pairwise.scores import PairwiseScore
    from hype.report.page.background import Background
    from hype.report.page.gallery import Pictured
    from hype.report.page.parts import Section

EYEBROW: Final = "Comparisons: which of two"
STYLES: Final = ("comparison.css",)
NOTHING_EXCLUDED: Final = "Nothing was excluded: all comparisons were scored."


def write_comparison_report(
    score: PairwiseScore,
    out: Path,
    *,
    votes: pd.DataFrame,
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    asked: Asked | None = None,
    registered: Sequence[str] = (),
    pictured: Pictured | None = None,
) -> Path:
    """Write the report on comparisons.

    Parameters
    ----------
    score
        As `hype.analysis.pairwise.scoring.score_comparisons` returns it for `votes`.
    out
        The HTML file to write. It appears whole or not at all.
    votes
        The comparisons that were scored, and those that were not.
    title
        Heading of the page.
    provenance
        What the figures come from (study, seed, versions, software), shown in this order.
    background
        What was run, and on whom; None for tables from elsewhere.
    asked
        What the evaluators were asked; None where that is not known but for the score's criterion.
    registered
        Sentences on what was fixed before anybody came.
    pictured
        Gives an image, by its name, as a ``data:`` address with its width and height in px; None
        where it has none. Without it images are named.

    Returns
    -------
    Path
        `out`. The same input gives the same bytes.

    Raises
    ------
    InputError
        `out` cannot be written.
    """
    rows = scored_rows(votes, score)
    section = _section(score, rows, asked, registered, pictured or no_picture)
    page = Page(
        title=title,
        eyebrow=EYEBROW,
        simulated=score.simulated,
        facts=comparison_facts(score, background),
        background=background,
        sections=(section,),
        excluded=excluded_by_reason(comparison_people.left_out(score), NOTHING_EXCLUDED),
        methods=methods_of(
            comparisons_said(score, drawn=_drawn(section)),
            background=background,
            programs=provenance,
        ),
        provenance=dict(provenance),
        styles=STYLES,
    )
    return write_page(page, out)


def _section(
    score: PairwiseScore,
    rows: pd.DataFrame,
    asked: Asked | None,
    registered: Sequence[str],
    pictured: Pictured,
) -> Section:
    if asked is None and score.criterion:
        asked = Asked(question=score.criterion)
    ends = extreme_images(rows, confidence=score.confidence)
    return comparison_section(
        score,
        map(page_figure, comparison_drawings(score, rows)),
        asked=asked,
        registered=registered,
        ends=ends,
        shown=preferred(ends, pictured),
    )


def _drawn(section: Section) -> frozenset[str]:
    return frozenset(part.key for part in section.parts)
