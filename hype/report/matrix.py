"""The pairs of conditions as a triangular table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hype.analysis import Pair, Score


@dataclass(frozen=True, kw_only=True)
class PairMatrix:
    """Pairs by their two conditions.

    Parameters
    ----------
    columns
        All conditions but the best.
    rows
        All conditions but the worst, each with one cell per column: the pair, or None on and
        below the diagonal, where it would repeat another.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Pair | None, ...]], ...]


def pair_matrix(score: Score) -> PairMatrix:
    """Arrange a score's pairs; without pairs there are neither rows nor columns."""
    pairs = {(pair.a, pair.b): pair for pair in score.pairwise}
    names = tuple(row.condition for row in score.conditions)
    columns = names[1:]
    rows = tuple((a, tuple(pairs.get((a, b)) for b in columns)) for a in names[:-1])
    return PairMatrix(columns=columns, rows=rows)
