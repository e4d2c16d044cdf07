"""Tests of differences between conditions: all together, in pairs, and along an order.

The tests of evaluators' scores are the paper's: the analysis of variance (`anova`), then Tukey's
test, or Student's for two conditions. The tests assume equal variances, and that each evaluator
judged one condition; Welch's analysis of variance does not assume equal variances. The verdicts on
separable conditions come from `hype.protocols.hype.inference`, which also generalises to images.

Along an order, the linear contrast (Fisher 1935; Maxwell & Delaney 2004, chapter 6) measures how
fast scores rise, as a slope per step. The slope's interval generalises to other people and images.

Zhou et al. (2019, section 4.5) print 29.5, 45.9 and 50.3 % at 4k, 9k and 25k epochs and F(2, 29),
but three conditions of 30 evaluators each have F(2, 87).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy

from hype.errors import InputError
from hype.statistics.anova import (
    Anova,
    WelchAnova,
    compare_repeated,
    make_arrays,
    moments,
    one_way,
    rounding,
    welch,
)
from hype.statistics.crossed import Error
from hype.statistics.pairs import STUDENT, TUKEY, Pair, compact_letters, pool_pairs

Contrast = Callable[[Mapping[str, float]], tuple[float, Error | str]]


@dataclass(frozen=True, kw_only=True)
class Separability:
    """The outcome of `compare_conditions`."""

    anova: Anova | None  # None if there is only one condition
    welch: WelchAnova | None = None
    pairwise: tuple[Pair, ...]  # every pair once; variances are pooled over all conditions
    method: str | None  # "tukey-hsd", "student-t"; None if there is only one condition
    problem: str  # why there are no statistics, as a sentence; empty if there are


def compare_conditions(scores: Mapping[str, npt.ArrayLike], *, alpha: float = 0.05) -> Separability:
    """Test whether conditions differ, all together and in pairs.

    ``scores``: for each condition, its evaluators' scores, shape (evaluators,). Pairs follow the
    order of the conditions, so put the best first.

    InputError: there is no condition; a condition has no scores; a score is missing or infinite.

    If scores do not vary within conditions, or every condition has a single evaluator, there is no
    variance to test against. Then the results have degrees of freedom and differences, but
    statistics are None, and `problem` says why. If only one test fails, its own `problem` says why.
    Scores that differ by less than 10^-12 of the largest count as equal.
    """
    groups = make_arrays(scores)
    if len(groups) == 1:
        return Separability(anova=None, pairwise=(), method=None, problem="")
    summary = moments(groups, rounding=rounding(groups))
    problem = ""
    if not summary.varies and summary.df_within == 0:
        problem = (
            "Every condition has a single evaluator, so it is unknown how much evaluators vary: "
            "the paper's F and p cannot be computed."
        )
    elif not summary.varies:
        problem = (
            "Within every condition all evaluators have the same score, so the variance within "
            "conditions is zero: the paper's F and p cannot be computed."
        )
    return Separability(
        anova=one_way(summary),
        welch=welch(summary),
        pairwise=pool_pairs(summary, alpha=alpha, problem=problem),
        method=STUDENT if len(groups) == 2 else TUKEY,
        problem=problem,
    )


def papers_tests(people: Mapping[str, Mapping[str, float]], *, alpha: float) -> Separability:
    """Compute the paper's tests. ``people``: each evaluator's score, by condition, the best first.

    If people judged several conditions, there is a test only if everyone judged all of them.
    """
    everybody = set().union(*people.values())
    if sum(map(len, people.values())) == len(everybody):
        return compare_conditions({n: list(own.values()) for n, own in people.items()}, alpha=alpha)
    same = all(own.keys() == everybody for own in people.values())
    table = [[own[name] for own in people.values()] for name in sorted(everybody)] if same else []
    return Separability(
        anova=compare_repeated(np.array(table)) if same else None,
        pairwise=(),
        method=None,
        problem="",
    )


def letters_of(names: Sequence[str], pairs: Sequence[Pair]) -> dict[str, str] | None:
    """Give each condition letters; separable conditions share none. None if no pair was tested."""
    if all(pair.separable is None for pair in pairs):
        return None
    return compact_letters(names, [(pair.a, pair.b) for pair in pairs if pair.separable])


FEWEST: Final = 3
"""An order needs at least this many conditions; two conditions are compared by a t-test."""


def trend(
    names: Collection[str], order: Sequence[str], contrast: Contrast, *, confidence: float = 0.95
) -> dict[str, Any]:
    """Measure whether scores rise or fall along an order of at least `FEWEST` conditions.

    ``names``: all conditions that have scores. ``contrast``: `Inference.contrast`.

    Returns the ``slope`` per step, with equal weights for conditions, its ``low`` and ``high``, and
    Student's ``t``, ``df`` and two-sided ``p``. If there is no variance to test against, all but
    the slope are None, and ``problem`` says why.

    InputError: the order has a condition without scores, has one twice, or is too short.
    """
    for place, name in enumerate(order):
        if name not in names:
            allowed = f"conditions are {', '.join(sorted(names))}"
            raise InputError("order", f"there is no condition {name!r}", allowed)
        if name in order[:place]:
            raise InputError("order", f"names {name!r} twice", "each condition once")
    if len(order) < FEWEST:
        allowed = f"a trend needs at least {FEWEST}"
        raise InputError("order", f"names {len(order)} conditions", allowed)
    steps = np.arange(len(order)) - (len(order) - 1) / 2
    slope, error = contrast(dict(zip(order, steps / (steps**2).sum(), strict=True)))
    found: dict[str, Any] = dict.fromkeys(("low", "high", "t", "df", "p"))
    if not isinstance(error, str):
        t, reach = slope / error.standard, error.reach(confidence)
        found = {
            "low": slope - reach,
            "high": slope + reach,
            "t": t,
            "df": error.freedom,
            "p": float(2 * scipy.stats.t.sf(abs(t), error.freedom)),
        }
    problem = f"The slope cannot be tested. {error}" if isinstance(error, str) else ""
    return {"order": tuple(order), "slope": slope, **found, "problem": problem}
