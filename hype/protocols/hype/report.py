"""The report on HYPE's protocols: from scores and judgements to a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.protocols.hype import further_tables as excluded
from hype.protocols.hype import tables as score_tables
from hype.protocols.hype.figures import drawings, timing_drawings
from hype.protocols.hype.further_tables import answer_times, page_tables
from hype.protocols.hype.gallery import gallery
from hype.protocols.hype.methods import methods
from hype.protocols.hype.tables import pair_matrix
from hype.protocols.hype.wording import (
    anova_sentence,
    further_sentences,
    pairs_sentence,
    protocol_meaning,
    protocol_name,
)
from hype.report import tabular
from hype.report.page import Excluded, Page, page_figure, write_page
from hype.report.parts import Block, Findings, Part, Section, gathered, heading, no_picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from markupsafe import Markup

    from hype.protocols.hype.answers import JudgementAnswers, ProtocolAnswers
    from hype.protocols.hype.exclusion import Exclusion
    from hype.protocols.hype.gallery import Ends
    from hype.protocols.hype.results import Score
    from hype.protocols.hype.tables import PairMatrix
    from hype.report.methods import Methods
    from hype.report.page import PageFigure
    from hype.report.parts import Background, Pictured
    from hype.report.tabular import Table

_ORDER: Final = (
    "scores",
    "intervals",
    "errors",
    "answers",
    "qualification",
    "uncertainty",
    "staircases",
    "psychometric",
    "thresholds",
    "precision",
    "separability",
    "images",
    "response-times",
)
"""Parts that have a place; the others follow."""
_TITLES: Final = {"scores": "Table of scores", "intervals": "Scores with their intervals"}
"""Headings of the page where those of a table or a figure would not tell them apart."""
NO_STAIRCASES: Final = (
    "The course of the staircases cannot be drawn: the judgements do not say which trial of its "
    "block each one was."
)


@dataclass(frozen=True, kw_only=True)
class PairsBlock(Block):
    """Every pair of conditions, as a square and as a table."""

    template: ClassVar[str] = "matrix.html"

    matrix: PairMatrix
    table: Table
    unit: str
    alpha: float


@dataclass(frozen=True, kw_only=True)
class Gallery(Block):
    """The images at either end."""

    template: ClassVar[str] = "gallery.html"

    ends: tuple[Ends, ...]


def protocol_section(
    score: Score, figures: Iterable[PageFigure], ends: Sequence[Ends], *tables: Table
) -> Section:
    """Put together what there is to say of a protocol; ``tables`` are those no score has."""
    meaning = protocol_meaning(score)
    drawn = tuple(figures)
    parts = (
        _scores(score),
        *(_figure_part(score, figure) for figure in drawn),
        *(_table_part(score, table) for table in page_tables(score)),
        *(_table_part(score, table) for table in tables if table.says_something),
        *_not_drawn(score, drawn),
        *_separability(score),
        *_images(score, ends),
    )
    return Section(
        key=score.protocol,
        title=heading(protocol_name(score)),
        meaning=f"{meaning[0].upper()}{meaning[1:]}.",
        parts=gathered(parts, score.protocol, _ORDER),
    )


def findings(score: Score) -> tuple[str, ...]:
    tests = " ".join(filter(None, [anova_sentence(score), pairs_sentence(score)]))
    return (tests, *further_sentences(score))


def _scores(score: Score) -> Part:
    table = score_tables.scores(score)
    said = Findings(sentences=findings(score), notes=score.notes)
    return Part(
        key=table.name, title=_title(score, table.name, table.title), table=table, blocks=(said,)
    )


def _table_part(score: Score, table: Table) -> Part:
    return Part(key=table.name, title=_title(score, table.name, table.title), table=table)


def _title(score: Score, key: str, title: str) -> Markup:
    own = {tabular.slug(score.protocol, name): words for name, words in _TITLES.items()}
    return heading(own.get(key, title))


def _figure_part(score: Score, figure: PageFigure) -> Part:
    return Part(key=figure.name, title=_title(score, figure.name, figure.title), figure=figure)


def _not_drawn(score: Score, figures: Sequence[PageFigure]) -> Iterator[Part]:
    key = tabular.slug(score.protocol, "staircases")
    if score.protocol == "time" and key not in {figure.name for figure in figures}:
        yield Part(key=key, title=heading("Staircases"), sentences=(NO_STAIRCASES,))


def _separability(score: Score) -> Iterator[Part]:
    matrix = pair_matrix(score)
    if matrix:
        key = tabular.slug(score.protocol, "separability")
        pairs = PairsBlock(
            matrix=matrix, table=score_tables.pairs(score), unit=score.unit, alpha=score.alpha
        )
        yield Part(key=key, title=heading("Pairs of conditions"), blocks=(pairs,))


def _images(score: Score, ends: Sequence[Ends]) -> Iterator[Part]:
    """Show the images at either end; without any picture a table of names says it shorter."""
    key = tabular.slug(score.protocol, "images")
    title = heading("Images taken for real most, and least")
    if any(end.pictured for end in ends):
        yield Part(key=key, title=title, blocks=(Gallery(ends=tuple(ends)),))
        return
    named = score_tables.convincing(score)
    if named.says_something:
        yield Part(key=key, title=title, sentences=_by_chance(ends), table=named)


def _by_chance(ends: Sequence[Ends]) -> tuple[str, ...]:
    """Say of which conditions chance alone may have chosen the images."""
    names = [end.condition for end in ends if end.note]
    if not names:
        return ()
    which = "any condition" if len(names) == len(ends) > 1 else ", ".join(names)
    return (
        f"The fakes of {which} do not differ by more than chance makes: other judgements would put "
        "other images here.",
    )


def write_report(
    scores: Sequence[Score],
    out: Path,
    *,
    answers: JudgementAnswers,
    title: str,
    provenance: Mapping[str, str],
    background: Background | None = None,
    pictured: Pictured | None = None,
) -> Path:
    """Write the report on a study.

    Parameters
    ----------
    scores
        As `hype.analysis.score` returns them.
    out
        The HTML file to write. It appears whole or not at all.
    answers
        What is shown of the answers behind the scores.
    title
        Heading of the page.
    provenance
        What the figures come from (study, seed, versions, software), shown in this order.
    background
        What was run, and on whom; None for tables from elsewhere.
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
    settles_at = background.settles_at if background else None
    sections = tuple(
        _section(score, answers.of_protocols[score.protocol], pictured or no_picture, settles_at)
        for score in scores
    )
    timing = answers.measured.timing
    page = Page(
        title=title,
        simulated=any(score.simulated for score in scores),
        facts=background.facts if background else answers.facts,
        background=background,
        sections=sections,
        timing=timing if timing.trials else None,
        timing_figures=tuple(map(page_figure, timing_drawings(answers.measured))),
        excluded=_excluded(answers.exclusions),
        methods=_methods(scores, sections, background, provenance),
        provenance=dict(provenance),
    )
    return write_page(page, out)


def _section(
    score: Score, answers: ProtocolAnswers, pictured: Pictured, settles_at: float | None
) -> Section:
    figures = map(page_figure, drawings(score, answers, settles_at=settles_at))
    ends = gallery(score, pictured, answers.differences)
    return protocol_section(score, figures, ends, answer_times(score, answers.response_times))


def _excluded(exclusions: Sequence[Exclusion]) -> Excluded:
    if not exclusions:
        return Excluded(sentences=(excluded.NOTHING_EXCLUDED,))
    return Excluded(
        table=excluded.by_reason(exclusions),
        details=excluded.by_condition(exclusions),
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
