"""What the page says of preference models, and of benchmarks by their scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hype.report.page.judges_found import OPEN, judges_found
from hype.report.page.parts import Block, Findings, Folded
from hype.report.page.ranking_squares import model_square
from hype.report.tables import preference_tables
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from hype.analysis.judges.preference_scores import RankingJudgesScore
    from hype.analysis.rankings.scores import RankingScore

MOST_BENCHMARKS: Final = 12
MOST_ROWS: Final = 2000
"""Rows of a folded table of models and pairs."""

Told = tuple[str, tuple[str, ...], Table | None, tuple[Block, ...]]


def model_parts(score: RankingScore, models: RankingJudgesScore) -> Iterator[Told]:
    """Give name, sentences, table and blocks of each part."""
    many = [preference_tables.tally(models.judges)] if len(models.judges) > OPEN else []
    yield "models", tuple(many), preference_tables.summary(models), tuple(_blocks(score, models))
    if models.benchmarks:
        yield _benchmark(models)


def _blocks(score: RankingScore, models: RankingJudgesScore) -> Iterator[Block]:
    yield judges_found(models.judges)
    yield Findings(sentences=(), notes=models.notes)
    every = preference_tables.every_figure(models)
    yield Folded(summary="Every figure with its interval", table=every)
    square = model_square(score, models.judges[0]) if models.judges else None
    if square is not None:
        yield square
    pairs = preference_tables.pairs(models)
    if pairs.rows and len(pairs.rows) <= MOST_ROWS:
        yield Folded(summary="Every model and pair in a table", table=pairs)


def _benchmark(models: RankingJudgesScore) -> Told:
    first, *others = preference_tables.benchmarks(models)
    shown = others[: MOST_BENCHMARKS - 1]
    more = len(others) - len(shown)
    rest = [f"{more:,} more benchmarks: hype report --tables writes them."] if more else []
    return (
        "benchmark",
        (f"{first.title}.", *rest),
        first,
        tuple(Folded(summary=one.title, table=one) for one in shown),
    )
