"""The report on HYPE's protocols: from scores and judgements to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.analysis import (
    check_judgements,
    counted,
    image_differences,
    measured_timing,
    response_times,
)
from hype.analysis.exclusions import exclusions
from hype.analysis.spoiled import without_spoiled
from hype.report.figures import drawings, timing_drawings
from hype.report.page.gallery import gallery, no_picture
from hype.report.page.judgement_parts import protocol_section
from hype.report.page.key_facts import key_facts
from hype.report.page.methods import methods
from hype.report.page.page import Excluded, Page, write_page
from hype.report.page.page_figures import page_figure
from hype.report.tables import excluded
from hype.report.tables.answer_times import answer_times

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from hype.analysis import Score, Treatment
    from hype.analysis.exclusions import Exclusion
    from hype.report.page.background import Background
    from hype.report.page.gallery import Pictured
    from hype.report.page.methods import Methods
    from hype.report.page.parts import Section


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
    judgements = checked[counted(checked)]
    measured = measured_timing(judgements)
    settles_at = background.settles_at if background else None
    sections = tuple(
        _section(score, judgements, pictured or no_picture, spoiled, settles_at) for score in scores
    )
    page = Page(
        title=title,
        simulated=any(score.simulated for score in scores),
        facts=background.facts if background else key_facts(scores, judgements),
        background=background,
        sections=sections,
        timing=measured if measured.trials else None,
        timing_figures=tuple(map(page_figure, timing_drawings(judgements))),
        excluded=_excluded(exclusions(checked, spoiled)),
        methods=_methods(scores, sections, background, provenance),
        provenance=dict(provenance),
    )
    return write_page(page, out)


def _section(
    score: Score,
    judgements: pd.DataFrame,
    pictured: Pictured,
    spoiled: Treatment,
    settles_at: float | None,
) -> Section:
    own = judgements[judgements["task"].eq(score.protocol)]
    scored = without_spoiled(own) if spoiled == "leave-out" else own
    figures = map(page_figure, drawings(score, judgements, settles_at=settles_at))
    ends = gallery(score, pictured, image_differences(scored))
    return protocol_section(score, figures, ends, answer_times(score, response_times(own)))


def _excluded(found: Sequence[Exclusion]) -> Excluded:
    if not found:
        return Excluded(sentences=(excluded.NOTHING_EXCLUDED,))
    return Excluded(
        table=excluded.by_reason(found),
        details=excluded.by_condition(found),
        summary="By condition",
    )


def _methods(
    scores: Sequence[Score],
    sections: Sequence[Section],
    background: Background | None,
    provenance: Mapping[str, str],
) -> Methods:
    drawn = {part.key for section in sections for part in section.parts if part.figure}
    return methods(
        scores,
        background=background,
        curves="time-psychometric" in drawn,
        programs=provenance,
    )
