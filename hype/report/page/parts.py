"""What the page says of one protocol, in order: parts with a heading and what there is for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from hype.report import wording
from hype.report.page.matrix import pair_matrix
from hype.report.page.typeset import heading
from hype.report.tables import beside, score_tables, tabular
from hype.report.tables.catalogue import page_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
class Part:
    """One part of what is said of a protocol.

    Parameters
    ----------
    key
        Distinguishes it from the others of the page.
    title
        Its heading.
    sentences
        What comes first.
    figure, table, matrix, pairs, ends
        What it shows, where it has that: a figure, a table, every pair of conditions as a square
        and as a table, the images at either end.
    """

    key: str
    title: Markup
    sentences: tuple[str, ...] = ()
    figure: PageFigure | None = None
    table: Table | None = None
    matrix: PairMatrix | None = None
    pairs: Table | None = None
    ends: tuple[Ends, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ProtocolSection:
    """One protocol.

    Parameters
    ----------
    key
        Distinguishes it from the others of the page.
    title, meaning
        Its name, and what its score is.
    score
        What was found.
    findings
        What the tests say.
    parts
        The rest, in order; the first is the table of scores.
    """

    key: str
    title: Markup
    meaning: str
    score: Score
    findings: tuple[str, ...]
    parts: tuple[Part, ...]


def protocol_section(
    score: Score, figures: Iterable[PageFigure], ends: Sequence[Ends], *tables: Table
) -> ProtocolSection:
    """Put together what there is to say of a protocol; ``tables`` are those no score has."""
    meaning = wording.protocol_meaning(score)
    return ProtocolSection(
        key=score.protocol,
        title=heading(wording.protocol_name(score)),
        meaning=f"{meaning[0].upper()}{meaning[1:]}.",
        score=score,
        findings=findings(score),
        parts=_parts(score, figures, ends, tables),
    )


def findings(score: Score) -> tuple[str, ...]:
    """State what the tests say."""
    tests = " ".join(filter(None, [wording.anova_sentence(score), wording.pairs_sentence(score)]))
    return (tests, *wording.further_sentences(score))


def _parts(
    score: Score, figures: Iterable[PageFigure], ends: Sequence[Ends], tables: Iterable[Table]
) -> tuple[Part, ...]:
    parts: dict[str, Part] = {}
    for part in (
        _table_part(score, score_tables.scores(score)),
        *(_figure_part(score, figure) for figure in figures),
        *(_table_part(score, table) for table in page_tables(score)),
        *(_table_part(score, table) for table in tables if table.says_something),
        *_separability(score),
        *_images(score, ends),
    ):
        parts[part.key] = _joined(parts[part.key], part) if part.key in parts else part
    _say_what_is_not_drawn(score, parts)
    places = [tabular.slug(score.protocol, name) for name in _ORDER]
    return tuple(
        sorted(parts.values(), key=lambda p: places.index(p.key) if p.key in places else 99)
    )


def _table_part(score: Score, table: Table) -> Part:
    return Part(key=table.name, title=_title(score, table.name, table.title), table=table)


def _title(score: Score, key: str, title: str) -> Markup:
    own = {tabular.slug(score.protocol, name): words for name, words in _TITLES.items()}
    return heading(own.get(key, title))


def _figure_part(score: Score, figure: PageFigure) -> Part:
    return Part(key=figure.name, title=_title(score, figure.name, figure.title), figure=figure)


def _joined(part: Part, other: Part) -> Part:
    """Put a figure and a table of the same name under one heading."""
    return replace(part, figure=part.figure or other.figure, table=part.table or other.table)


def _separability(score: Score) -> Iterable[Part]:
    matrix = pair_matrix(score)
    if matrix:
        key = tabular.slug(score.protocol, "separability")
        pairs = score_tables.pairs(score)
        yield Part(key=key, title=heading("Pairs of conditions"), matrix=matrix, pairs=pairs)


def _images(score: Score, ends: Sequence[Ends]) -> Iterable[Part]:
    """Show the images at either end; without any picture a table of names says it shorter."""
    key = tabular.slug(score.protocol, "images")
    title = heading("Images taken for real most, and least")
    if any(end.pictured for end in ends):
        yield Part(key=key, title=title, ends=tuple(ends))
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


def _say_what_is_not_drawn(score: Score, parts: dict[str, Part]) -> None:
    key = tabular.slug(score.protocol, "staircases")
    if score.protocol != "time" or (key in parts and parts[key].figure):
        return
    part = parts.get(key) or Part(key=key, title=heading("Staircases"))
    parts[key] = replace(part, sentences=(NO_STAIRCASES,))
