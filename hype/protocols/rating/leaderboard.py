"""The conditions beside an external leaderboard: whether people elsewhere say the same.

Pearson's correlation and Spearman's, with the intervals of `fisher_interval`. The units are the
conditions, so that a handful of these leaves either wide, however many ratings there are.
Parthasarathy, Collins & Stephenson (2025) find .87 over 14 models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import scipy

from hype.protocols.rating.results import AxisScore
from hype.report.tabular import Row
from hype.statistics.arrays import FloatArray
from hype.statistics.correlation import fisher_interval
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import known
from hype.tables.answers import read_named_numbers
from hype.tables.table_files import TableSource

FEWEST: Final = 3
"""Conditions below which a correlation says nothing."""


def read_leaderboard(path: TableSource) -> dict[str, float]:
    """Read an external leaderboard.

    ``path``: comma-separated text with the columns ``condition`` and ``score``, one row per
    condition, higher is better; other columns are passed over. Gives condition to score, in the
    order of the file.

    Raises InputError: the file is no such table, or lists nothing; a condition is empty or stands
    there twice; a score is missing or no number.
    """
    return read_named_numbers(path, "condition", "score")


def correlate_with_leaderboard(
    axes: Sequence[AxisScore],
    scores: Mapping[str, float],
    overall: str | None,
    *,
    confidence: float,
) -> Row:
    """Correlate the strengths of each axis, or the means of single images, with a leaderboard.

    ``scores``: condition to score elsewhere, higher is better. ``overall``: the axis that comes
    first, if there is one. Gives a row for each of ``axes``; ``missing``: conditions of the study
    that the leaderboard does not have; ``unrated``: those of the leaderboard that the study does
    not have.
    """
    ordered = sorted(axes, key=lambda axis: axis.axis != overall)
    rated = sorted({row.condition for axis in axes for row in axis.means})
    return {
        "axes": tuple(_on_axis(axis, scores, confidence) for axis in ordered),
        "missing": tuple(name for name in rated if name not in scores),
        "unrated": tuple(name for name in scores if name not in rated),
    }


def _on_axis(axis: AxisScore, scores: Mapping[str, float], confidence: float) -> Row:
    """Correlate an axis, by `what`: Bradley and Terry's "strength", or the "mean".

    `conditions`: how many have both figures. `pearson` has Fisher's interval over conditions, and
    `spearman`, of ranks, Bonett and Wright's, without ends with fewer than four conditions; both
    are None where there is a `problem`, a sentence.
    """
    what = "strength" if axis.kind == "levels" else "mean"
    own = _own(axis)
    shared = [name for name in own if name in scores]
    x, y = (np.array([of[name] for name in shared]) for of in (own, scores))
    problem = _problem(x, y, what)
    row: Row = {"axis": axis.axis, "what": what, "conditions": len(shared), "problem": problem}
    if problem:
        return row | {"pearson": None, "spearman": None}
    pearson = float(np.corrcoef(x, y)[0, 1])
    spearman = float(np.corrcoef(scipy.stats.rankdata(x), scipy.stats.rankdata(y))[0, 1])
    low, high = fisher_interval(pearson, len(shared), confidence=confidence)
    below, above = fisher_interval(spearman, len(shared), confidence=confidence, of_ranks=True)
    return row | {
        "pearson": Estimate(value=pearson, low=known(low), high=known(high)),
        "spearman": Estimate(value=spearman, low=known(below), high=known(above)),
    }


def _own(axis: AxisScore) -> dict[str, float]:
    """Give the strengths of an axis, or the means of one that has no strengths by its kind."""
    if axis.kind == "levels":
        return {row.condition: row.strength.value for row in axis.strengths if row.strength}
    return {row.condition: row.mean.value for row in axis.means}


def _problem(own: FloatArray, scores: FloatArray, what: str) -> str:
    if len(own) < FEWEST:
        return f"Fewer than {FEWEST} conditions have both a {what} and a place on the leaderboard."
    if np.ptp(own) == 0:
        return f"All conditions have the same {what}."
    if np.ptp(scores) == 0:
        return "All conditions have the same score on the leaderboard."
    return ""
