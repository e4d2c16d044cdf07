"""Which tables comparisons have, in order: in the terminal and in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report.tables import comparison_people, comparison_tables
from hype.report.tables.neighbours import all_or_neighbours

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hype.analysis.pairwise.scores import PairResult, PairwiseScore
    from hype.report.tables.tabular import Table

MOST_PAIRS: Final = 45
"""Pairs that a terminal shows, those of ten conditions; of more, each condition and the next."""


def beneath(score: PairwiseScore) -> tuple[Table, ...]:
    """List the tables that stand beneath the ranking in the terminal."""
    shown = shown_pairs(score)
    return that_say_something(
        (comparison_tables.pairs(score, shown), comparison_people.demographics(score))
    )


def shown_pairs(score: PairwiseScore) -> Sequence[PairResult]:
    """Give all pairs, or, where there are too many to read, those of neighbours in the ranking."""
    return all_or_neighbours(score.pairs, score.conditions, most=MOST_PAIRS)


def comparison_file_tables(score: PairwiseScore) -> tuple[Table, ...]:
    """List all tables, to be written to files."""
    return that_say_something(
        (
            comparison_tables.ranking(score),
            comparison_tables.strengths(score),
            comparison_tables.pairs(score),
            comparison_tables.every_test(score),
            comparison_people.camps(score),
            comparison_people.left_out(score),
            comparison_people.validation(score),
            comparison_people.sides(score),
            comparison_people.demographics(score),
        )
    )


def that_say_something(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Leave out tables without anything in them."""
    return tuple(table for table in tables if table.says_something)
