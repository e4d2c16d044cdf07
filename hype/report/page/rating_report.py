"""The report on ratings: from a score to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report.figures.rating_catalogue import rating_drawings
from hype.report.figures.rating_correlations import NAME as HEAT_MAP
from hype.report.page.methods import methods_of
from hype.report.page.page import Page, excluded_by_reason, write_page
from hype.report.page.page_figures import page_figure
from hype.report.page.rating_facts import rating_facts
from hype.report.page.rating_parts import rating_section
from hype.report.page.ratings_said import ratings_said
from hype.report.tables import rating_axes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hype.analysis.ratings.scores import RatingScore
    from hype.report.page.asked_axes import AskedAxes
    from hype.report.page.background import Background

EYEBROW: Final = "Ratings: how good, axis by axis"
STYLES: Final = ("comparison.css", "rating.css", "judges.css")
NOTHING_EXCLUDED: Final = "Nothing was excluded: all ratings were scored."


def write_rating_report(
    score: RatingScore,
    out: Path,
    *,
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    asked: AskedAxes | None = None,
    registered: Sequence[str] = (),
    leaderboard: Mapping[str, float] | None = None,
) -> Path:
    """Write the report on ratings.

    Parameters
    ----------
    score
        As `hype.analysis.ratings.scoring.score_ratings` returns it, with judges or without.
    out
        The HTML file to write. It appears whole or not at all.
    title
        Heading of the page.
    provenance
        What the figures come from (study, seed, versions, software), shown in this order.
    background
        What was run, and on whom; None for tables from elsewhere.
    asked
        What the evaluators were asked; None where that is not known.
    registered
        Sentences on what was fixed before anybody came.
    leaderboard
        The scores that conditions have elsewhere, if the score stands beside them.

    Returns
    -------
    Path
        `out`. The same input gives the same bytes.

    Raises
    ------
    InputError
        `out` cannot be written.
    """
    drawings = rating_drawings(score, leaderboard or {})
    section = rating_section(
        score,
        [page_figure(drawing) for drawing in drawings if drawing.name != HEAT_MAP],
        asked=asked,
        registered=registered,
    )
    page = Page(
        title=title,
        eyebrow=EYEBROW,
        simulated=score.simulated,
        facts=rating_facts(score, background),
        background=background,
        sections=(section,),
        excluded=excluded_by_reason(rating_axes.left_out(score), NOTHING_EXCLUDED),
        methods=methods_of(
            ratings_said(score),
            background=background,
            programs=provenance,
        ),
        provenance=dict(provenance),
        styles=STYLES,
    )
    return write_page(page, out)
