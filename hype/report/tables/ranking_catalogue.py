"""Which tables rankings have, in order: in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.analysis.judges.preference_scores import RankingJudgesScore
from hype.report.tables import preference_tables, ranking_tables
from hype.report.tables.comparison_catalogue import that_say_something
from hype.report.tables.neighbours import all_or_neighbours
from hype.report.tables.ranking_screening import screening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.analysis.rankings.scores import RankedPair, RankingScore
    from hype.report.tables.tabular import Table

MOST_PAIRS: Final = 780
"""Pairs that the page lists, those of forty conditions; of more, each condition and the next."""


def models_of(score: RankingScore) -> RankingJudgesScore | None:
    """Give the preference models that were held against rankings; None where there are none."""
    found = score.judges
    return found if isinstance(found, RankingJudgesScore) else None


def shown_pairs(score: RankingScore) -> Sequence[RankedPair]:
    """Give all pairs, or, where there are too many to read, those of neighbours in the ranking."""
    return all_or_neighbours(score.pairs, score.conditions, most=MOST_PAIRS)


def ranking_file_tables(score: RankingScore) -> tuple[Table, ...]:
    """List all tables, to be written to files."""
    return that_say_something(
        (
            ranking_tables.ranking(score),
            ranking_tables.strengths(score),
            ranking_tables.places(score),
            ranking_tables.pairs(score),
            ranking_tables.sizes(score),
            ranking_tables.agreement(score),
            ranking_tables.pair_agreement(score),
            screening(score),
            ranking_tables.left_out(score),
            *_of_models(models_of(score)),
        )
    )


def _of_models(found: RankingJudgesScore | None) -> tuple[Table, ...]:
    if found is None:
        return ()
    return (
        preference_tables.summary(found),
        preference_tables.every_figure(found),
        preference_tables.sentences(found),
        preference_tables.pairs(found),
        *preference_tables.benchmarks(found),
    )
