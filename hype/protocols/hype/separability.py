"""Can the conditions be told apart: all together, then in pairs.

Each question is asked twice. Under the assumption that scores vary alike in all conditions: the
analysis of variance (`anova`), then Tukey's test, or Student's for two conditions (`pairs`).
Without it: Welch's analysis of variance, then Games and Howell's test, or Welch's for two. Levene's
test (`variances`) says whether the second is the one to read. All of them assume that an evaluator
serves one condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.errors import InputError
from hype.statistics.anova import (
    Anova,
    Levene,
    WelchAnova,
    as_arrays,
    levene,
    moments,
    one_way,
    rounding,
    welch,
)
from hype.statistics.pairs import (
    GAMES_HOWELL,
    STUDENT,
    TUKEY,
    WELCH,
    Pair,
    compact_letters,
    pooled_pairs,
    unpooled_pairs,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from hype.statistics.anova import FloatArray, GroupMoments

__all__ = [
    "GAMES_HOWELL",
    "STUDENT",
    "TUKEY",
    "WELCH",
    "Anova",
    "Levene",
    "Pair",
    "Separability",
    "WelchAnova",
    "compare_conditions",
]

SMALLEST_ALPHA = 1e-12


@dataclass(frozen=True, kw_only=True)
class Separability:
    """The outcome of `compare_conditions`, with its settings.

    Parameters
    ----------
    anova, levene, welch
        None where there is only one condition.
    pairwise
        Every pair once, in the order of the conditions given; variances pooled over all.
    method
        "tukey-hsd", "student-t", or None where there is only one condition.
    unequal
        The same pairs, each condition with its own variance.
    unequal_method
        "games-howell", "welch-t", or None where there is only one condition.
    variances_differ
        Whether Levene's p is below alpha, so that `welch` and `unequal` are to be read; None
        where the test is not defined.
    letters, letters_unequal
        Condition to its letters, from `pairwise` and from `unequal`: two that share a letter are
        not separable. A pair without a test counts as not separable; None where no pair has one.
    alpha
        The level below which a pair counts as separable; intervals have confidence 1 - alpha.
    problem
        A sentence on why there are no statistics; empty where there are.
    """

    anova: Anova | None
    levene: Levene | None = None
    welch: WelchAnova | None = None
    pairwise: tuple[Pair, ...]
    method: str | None
    unequal: tuple[Pair, ...] = ()
    unequal_method: str | None = None
    variances_differ: bool | None = None
    letters: dict[str, str] | None = None
    letters_unequal: dict[str, str] | None = None
    alpha: float
    problem: str


def compare_conditions(scores: Mapping[str, npt.ArrayLike], *, alpha: float = 0.05) -> Separability:
    """Test whether conditions differ, all together and in pairs.

    Parameters
    ----------
    scores
        Condition to its evaluators' scores, shape (evaluators,), at least one each. Letters and
        pairs follow the order of the conditions: give the best first.
    alpha
        The level below which a pair counts as separable; from 1e-12 to below 1.

    Raises
    ------
    InputError
        No condition; a condition without scores; a score that is missing or infinite; an alpha
        that is no probability.

    Notes
    -----
    Where no score varies within its condition, or every condition has a single evaluator, there
    is nothing to measure differences against: degrees of freedom and differences are still
    given, statistics are None, and `problem` says so. What only some of the tests lack is None
    there, and their own `problem` says why. Scores that differ by less than a 10^-12 part of the
    largest count as the same.
    """
    if not SMALLEST_ALPHA <= alpha < 1:
        allowed = f"allowed is a number from {SMALLEST_ALPHA:g} to below 1"
        raise InputError("alpha", str(alpha), allowed)
    groups = as_arrays(scores)
    if len(groups) == 1:
        return Separability(anova=None, pairwise=(), method=None, alpha=alpha, problem="")
    return _compare(groups, alpha)


def _compare(groups: Mapping[str, FloatArray], alpha: float) -> Separability:
    summary = moments(groups, rounding=rounding(groups))
    spread, problem = levene(groups), _problem(summary)
    pairwise = pooled_pairs(summary, alpha=alpha, problem=problem)
    unequal = unpooled_pairs(summary, alpha=alpha)
    return Separability(
        anova=one_way(summary),
        levene=spread,
        welch=welch(summary),
        pairwise=pairwise,
        method=STUDENT if len(groups) == 2 else TUKEY,
        unequal=unequal,
        unequal_method=WELCH if len(groups) == 2 else GAMES_HOWELL,
        variances_differ=None if spread.p is None else spread.p < alpha,
        letters=_letters(summary.names, pairwise),
        letters_unequal=_letters(summary.names, unequal),
        alpha=alpha,
        problem=problem,
    )


def _letters(names: Sequence[str], pairs: Sequence[Pair]) -> dict[str, str] | None:
    if all(pair.separable is None for pair in pairs):
        return None
    return compact_letters(names, [(pair.a, pair.b) for pair in pairs if pair.separable])


def _problem(groups: GroupMoments) -> str:
    if groups.varies:
        return ""
    if groups.df_within == 0:
        return (
            "Every condition has a single evaluator, so nothing shows how much evaluators vary: "
            "no F and no p can be computed."
        )
    return (
        "Within every condition all evaluators have the same score, so the variance that "
        "differences are measured against is zero: no F and no p can be computed."
    )
