"""What the page says of one of HYPE's protocols, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.report import wording
from hype.report.page.matrix import pair_matrix
from hype.report.page.parts import Block, Findings, Part, Section, gathered
from hype.report.page.typeset import heading
from hype.report.tables import beside, score_tables, tabular
from hype.report.tables.catalogue import page_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from hype.analysis import Score
    from hype.report.page.gallery import Ends
    from hype.report.page.matrix import PairMatrix
    from hype.report.page.page_figures import PageFigure
    from hype.report.tables.tabular import Table

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
class Pairs(Block):
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
    meaning = wording.protocol_meaning(score)
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
        title=heading(wording.protocol_name(score)),
        meaning=f"{meaning[0].upper()}{meaning[1:]}.",
        parts=gathered(parts, score.protocol, _ORDER),
    )


def findings(score: Score) -> tuple[str, ...]:
    """State what the tests say."""
    tests = " ".join(filter(None, [wording.anova_sentence(score), wording.pairs_sentence(score)]))
    return (tests, *wording.further_sentences(score))


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
        pairs = Pairs(
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
    named = beside.convincing(score)
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
