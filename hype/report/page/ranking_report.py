"""The report on rankings: from a score and its rows to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report.figures.ranking_catalogue import ranking_drawings
from hype.report.page.gallery import no_picture
from hype.report.page.methods import methods_of
from hype.report.page.page import Page, excluded_by_reason, write_page
from hype.report.page.page_figures import page_figure
from hype.report.page.ranked_images import ranked_images
from hype.report.page.ranking_facts import ranking_facts
from hype.report.page.ranking_parts import ranking_section
from hype.report.page.rankings_said import rankings_said
from hype.report.tables import ranking_tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hype.analysis.rankings.image_places import ImageEnds
    from hype.analysis.rankings.scores import RankingScore
    from hype.report.page.asked import Asked
    from hype.report.page.background import Background
    from hype.report.page.gallery import Pictured

EYEBROW: Final = "Rankings: images in order"
STYLES: Final = ("comparison.css", "judges.css")
NOTHING_EXCLUDED: Final = "Nothing was excluded: all rankings were scored."


def write_ranking_report(
    score: RankingScore,
    out: Path,
    *,
    ends: Sequence[ImageEnds] = (),
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    asked: Asked | None = None,
    registered: Sequence[str] = (),
    pictured: Pictured | None = None,
) -> Path:
    """Write the report on rankings.

    Parameters
    ----------
    score
        As `hype.analysis.rankings.scoring.score_rankings` returns it, with or without preference
        models.
    out
        The HTML file to write. It appears whole or not at all.
    ends
        The images that were most often first and last, of some prompts.
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
    section = ranking_section(
        score,
        map(page_figure, ranking_drawings(score)),
        asked=asked,
        registered=registered,
        ends=ends,
        shown=ranked_images(ends, pictured or no_picture),
    )
    page = Page(
        title=title,
        eyebrow=EYEBROW,
        simulated=score.simulated,
        facts=ranking_facts(score, background),
        background=background,
        sections=(section,),
        excluded=excluded_by_reason(ranking_tables.left_out(score), NOTHING_EXCLUDED),
        methods=methods_of(
            rankings_said(score, drawn=frozenset(part.key for part in section.parts)),
            background=background,
            programs=provenance,
        ),
        provenance=dict(provenance),
        styles=STYLES,
    )
    return write_page(page, out)
