"""Which conditions differ: a test, an interval and an effect size for each pair.

If variances are assumed to be equal, the test is that of Tukey (1953), "The problem of multiple
comparisons", with Kramer's (1956) correction for unequal numbers of evaluators; for two conditions
it is Student's (1908) unpaired t-test. If each pair has its own error (`hype.statistics.crossed`)
and degrees of freedom, the test is that of Games & Howell (1976), "Pairwise multiple comparison
procedures with unequal n's and/or variances", Journal of Educational Statistics 1; for two
conditions it is Student's t-test. The p-values and the intervals hold for all pairs together: with
probability 1 - alpha, every interval contains its difference.

A difference of two strengths is divided by its crossed standard error and tested with Student's t
(`hype.statistics.crossed`). The corrected p is the probability that any pair has a p this small
if all conditions are equal. This probability depends on the estimated correlation of the contrasts
(Hothorn, Bretz and Westfall 2008, "Simultaneous inference in general parametric models",
Biometrical Journal 50). Each pair has its own error and degrees of freedom, so each t is replaced
by the normal variable with the same p (Conneely and Boehnke 2007, "So many correlated tests, so
little time!", American Journal of Human Genetics 81). The correction steps down: pairs already
shown to differ do not weaken the tests of the others (Westfall and Young 1993, "Resampling-based
multiple testing", algorithm 2.8; Romano and Wolf 2005). So it finds at least as many differences as
Holm's rule. The normal variables are drawn at random, with a fixed seed. With few people or items
the correlations are too uncertain, and p is corrected by Holm's rule (1979, "A simple sequentially
rejective multiple test procedure", Scandinavian Journal of Statistics 6). "Few" means below
`FEWEST_PEOPLE` people, below `FEWEST_ITEMS` sampled items, or below twice the number of conditions.
Two conditions are equivalent if two one-sided tests show that they differ by less than a margin
(Schuirmann 1987); Holm's rule corrects their p.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from string import ascii_lowercase
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from hype.statistics.anova import GroupMoments, hedges_g
from hype.statistics.arrays import FloatArray
from hype.statistics.crossed import Error
from hype.statistics.proportions import holm


def compact_letters(names: Sequence[str], separable: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give letters to conditions: two share a letter if and only if they are not separable.

    `names`: in the order in which they get letters; `separable`: pairs in any order. The first name
    has an "a". After "z" come "a'" to "z'", then "a''" and so on; primes are part of the letter.
    """
    place = {name: index for index, name in enumerate(names)}
    columns = [(1 << len(place)) - 1]
    for one, other in separable:
        # A column is a letter; its bits are conditions. A column that has both names is split.
        a, b = 1 << place[one], 1 << place[other]
        joining = [column for column in columns if column & a and column & b]
        columns = [column for column in columns if not (column & a and column & b)]
        halves = [column & ~side for column in joining for side in (a, b)]
        # Larger halves are added first, so no kept column is a subset of a later one. No unsplit
        # column is a subset of a half, since it would also be a subset of the split column.
        for half in sorted(halves, key=int.bit_count, reverse=True):
            if not any(half & column == half for column in columns):
                columns.append(half)
    groups = sorted(
        tuple(i for i in range(column.bit_length()) if column >> i & 1) for column in columns
    )
    letters = [ascii_lowercase[n % 26] + "'" * (n // 26) for n in range(len(groups))]
    return {
        name: "".join(letter for letter, group in zip(letters, groups, strict=True) if i in group)
        for name, i in place.items()
    }


_WIDEST = 52.0
"""A range above this many standard deviations has a probability below 1e-260, which counts as 0."""

_KNOTS = 400

_RANGE_NODES = np.linspace(-8.5, 8.5, 96)
"""The integral uses these values of z - w/2; less than 1e-15 of it lies outside."""

_SCALE_NODES = np.linspace(0, 1, 96)

_NEGLIGIBLE = 30.0
"""The integral over s ends where the integrand has fallen to e^-30 of its peak."""

_INFINITE_DF = 1e7
"""Degrees of freedom above this count as infinite; this changes probabilities by less than 3e-7."""


def survival(q: npt.ArrayLike, conditions: int, df: npt.ArrayLike) -> FloatArray:
    """Return the probability that the studentised range of means is above q; q is 0 or more.

    Degrees of freedom are at least 1, may be fractional or infinite, and are broadcast against q.
    `scipy.stats.studentized_range` gives the same values to within 1e-10, but is slow. For the 465
    pairs of 31 conditions, this function takes 0.02 s (two cores, 2026). A grid of 252 of scipy's
    values takes 2.7 s, and a p interpolated from the grid is wrong by up to 6e-4.
    """
    q, df = np.broadcast_arrays(np.asarray(q, dtype=float), np.asarray(df, dtype=float))
    probabilities = np.exp(_log_range_survival(q, conditions))
    estimated = _integrate_scale(q[..., None], conditions, np.minimum(df, _INFINITE_DF)[..., None])
    return np.clip(np.where(df < _INFINITE_DF, estimated, probabilities), 0, 1)


def critical(alpha: float, conditions: int, df: npt.ArrayLike) -> FloatArray:
    """Return the studentised range that is exceeded with probability alpha (from 1e-12 to below 1).

    The result has the shape of df; equal values of df are computed once. The range lies between two
    quantiles of Student's t, multiplied by √2. One quantile is for a single pair at alpha, the
    other (Bonferroni's) for alpha divided by the number of pairs.
    """
    from scipy.optimize import elementwise  # slow to import, and not every command needs it

    distinct, place = np.unique(np.asarray(df, dtype=float), return_inverse=True)
    pairs = conditions * (conditions - 1) / 2
    # The bounds coincide for two conditions, so they are moved apart slightly.
    low = -np.sqrt(2) * special.stdtrit(distinct, alpha / 2) * (1 - 1e-6)
    high = -np.sqrt(2) * special.stdtrit(distinct, alpha / 2 / pairs) * (1 + 1e-6)
    # The logarithm of the survival is nearly linear between the bounds, so few steps are needed.
    smallest = np.finfo(float).smallest_subnormal

    def excess(q: FloatArray, df: FloatArray) -> FloatArray:
        log_p = np.log(np.maximum(survival(q, conditions, df), smallest))
        return np.asarray(log_p - np.log(alpha), dtype=float)

    root = elementwise.find_root(excess, (low, high), args=(distinct,), tolerances={"xrtol": 1e-9})
    return np.asarray(root.x, dtype=float)[place].reshape(np.shape(df))


def _integrate_scale(q: FloatArray, conditions: int, df: FloatArray) -> FloatArray:
    """Integrate over the estimated SD s, along the last axis, where q and df have size 1.

    The integral is taken over t, where log s = peak + 1 + t - e^-t. The density of log s is
    proportional to s^df·exp(-df·s²/2); if df is small, the e^-t shortens its long left tail
    (Takahasi & Mori 1974). "peak" is where the integrand would be largest if S(w), the probability
    of a range above w, were exactly exp(-w²/4); in the tail it nearly is.
    """
    peak = -np.log1p(q * q / (2 * df)) / 2
    c = _NEGLIGIBLE / df
    a = (c + np.sqrt(c * c + 4 * c)) / 2
    b = np.log1p(2 * c + 2 * np.sqrt(c)) / 2
    # Where log s is above log(widest / q), S(q·s) is 0.
    highest = np.minimum(b, np.log(_WIDEST / np.maximum(q, 1)))
    # 1 + t - e^-t = y has the solution t = -log(wrightomega(1 - y)).
    low = -np.log(special.wrightomega(1 + a))
    high = -np.log(special.wrightomega(1 - (highest - peak)))
    t = low + (high - low) * _SCALE_NODES
    log_s = peak + 1 + t - np.exp(-t)
    s = np.exp(log_s)
    norm = np.log(2) + df / 2 * np.log(df / 2) - special.gammaln(df / 2)
    log_density = norm + df * (log_s - s * s / 2)
    integrand = np.exp(log_density + _log_range_survival(q * s, conditions))
    step = (high - low)[..., 0] * _SCALE_NODES[1]
    return np.asarray(step * (integrand * (1 + np.exp(-t))).sum(axis=-1))


def _log_range_survival(w: FloatArray, conditions: int) -> FloatArray:
    log_survival = _range_table(conditions)(np.minimum(w, _WIDEST))
    return np.where(w < _WIDEST, log_survival, -np.inf)


@lru_cache(maxsize=64)
def _range_table(conditions: int) -> scipy.interpolate.PPoly:
    """Tabulate log S(w) for one number of conditions, more densely where it bends."""
    w = _WIDEST * np.linspace(0, 1, _KNOTS) ** 2
    spline = scipy.interpolate.make_interp_spline(
        w, np.append(0.0, _integrate_range(w[1:], conditions)), k=5
    )
    # This form of the polynomials is the fastest to evaluate.
    return scipy.interpolate.PPoly.from_spline(spline.tck)


def _integrate_range(w: FloatArray, conditions: int) -> FloatArray:
    z = w[:, None] / 2 + _RANGE_NODES
    log_below = special.log_ndtr(z)
    ratio = np.exp(special.log_ndtr(z - w[:, None]) - log_below)
    # Equals 1 - (1 - ratio)^(k-1), but without cancellation if the ratio is tiny or nearly 1.
    with np.errstate(divide="ignore"):
        spread = -np.expm1((conditions - 1) * np.log1p(-np.minimum(ratio, 1)))
    tail = -w * w / 4
    log_weight = (conditions - 1) * log_below - z * z / 2 - tail[:, None]
    step = _RANGE_NODES[1] - _RANGE_NODES[0]
    area = (np.exp(log_weight) * spread).sum(axis=1) * step
    log_survival = np.log(conditions * area / np.sqrt(2 * np.pi)) + tail
    return np.asarray(np.minimum(log_survival, 0.0), dtype=float)


TUKEY = "tukey-hsd"

STUDENT = "student-t"

CLUSTERED_RANGE = "clustered-range"
"""The test with the studentised range if each pair has its own clustered error."""

CLUSTERED_T = "clustered-t"

Verdict = Literal["separable", "equivalent", "not known"]
"""The verdict on two conditions; without a margin, it is "separable" or "not known"."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two conditions compared."""

    a: str
    b: str
    # The score of ``a`` minus the score of ``b``, in the score's unit; errors on fakes and on reals
    # have equal weights
    difference: float
    # ci_low, ci_high: interval of the difference at confidence 1 - alpha, for all pairs together
    ci_low: float | None = None
    ci_high: float | None = None
    # The studentised range q (without sign) of the pair, or t (with the sign of the difference) if
    # there are only two conditions
    statistic: float | None
    # Degrees of freedom of the error; can be a fraction if variances are not pooled
    df: float | None = None
    p: float | None  # the two-sided p, corrected for the number of pairs
    separable: bool | None  # whether p is below the level alpha
    verdict: Verdict | None = None  # None without a test, and for the tests of the paper
    # p of the two one-sided tests against the study's margin; None without a margin
    p_equivalent: float | None = None
    # Hedges' g: difference / pooled standard deviation of the two, corrected for small samples;
    # None if no score varies in either condition, or both together have fewer than four evaluators
    hedges_g: float | None = None
    # Why there is no test, as a sentence (ci_low to separable are then None); otherwise empty
    problem: str = ""


def pool_pairs(groups: GroupMoments, *, alpha: float, problem: str = "") -> tuple[Pair, ...]:
    """Compare every pair with Tukey's test, or with Student's if there are two conditions.

    ``problem``: why no pair can be tested (scores vary in no condition); otherwise empty.
    """
    a, b = np.triu_indices(len(groups.names), k=1)
    variance = 0.0 if problem else float(groups.squares.sum() / groups.df_within)
    standard = np.sqrt(variance * (1 / groups.sizes[a] + 1 / groups.sizes[b]))
    df = np.full(len(a), float(groups.df_within))
    differences = groups.means[a] - groups.means[b]
    return _test(
        groups.names,
        differences,
        standard,
        df,
        [problem] * len(a),
        effects=effects(groups, differences),
        alpha=alpha,
    )


def effects(groups: GroupMoments, differences: FloatArray) -> list[float | None]:
    """Return Hedges' g of every pair; ``differences`` are in the unit of the groups."""
    a, b = np.triu_indices(len(groups.names), k=1)
    return hedges_g(
        differences, groups.squares[a] + groups.squares[b], groups.sizes[a] + groups.sizes[b] - 2
    )


def _test(
    names: Sequence[str],
    differences: FloatArray,
    standard: FloatArray,
    df: FloatArray,
    problems: Sequence[str],
    *,
    effects: Sequence[float | None],
    alpha: float,
) -> tuple[Pair, ...]:
    """Test all pairs together, except those that have a problem.

    ``standard``, ``df``: the standard errors of the differences, and their degrees of freedom;
    shape (pairs,).
    """
    tested = np.array([not problem for problem in problems])
    t = differences[tested] / standard[tested]
    if len(names) == 2:
        statistic, p = t, 2 * special.stdtr(df[tested], -np.abs(t))
        quantile = -special.stdtrit(df[tested], alpha / 2)
    else:
        statistic = np.sqrt(2) * np.abs(t)
        p = survival(statistic, len(names), df[tested])
        quantile = critical(alpha, len(names), df[tested]) / np.sqrt(2)
    columns = (statistic, df[tested], p, quantile * standard[tested])
    tests = iter(zip(*(column.tolist() for column in columns), strict=True))
    pairs = []
    each = zip(combinations(names, 2), differences.tolist(), effects, problems, strict=True)
    for (a, b), difference, effect, problem in each:
        pair = Pair(
            a=a,
            b=b,
            difference=difference,
            statistic=None,
            p=None,
            separable=None,
            hedges_g=effect,
            problem=problem,
        )
        if not problem:
            own, freedom, p_of_pair, reach = next(tests)
            pair = replace(
                pair,
                ci_low=difference - reach,
                ci_high=difference + reach,
                statistic=own,
                df=freedom,
                p=p_of_pair,
                separable=p_of_pair < alpha,
            )
        pairs.append(pair)
    return tuple(pairs)


def compare_clustered(
    names: Sequence[str],
    differences: FloatArray,
    errors: Sequence[Error | str],
    *,
    alpha: float,
    effects: Sequence[float | None],
    margin: float | None = None,
) -> tuple[Pair, ...]:
    """Test every pair with the pair's own error, or explain why it cannot be tested.

    ``differences``, ``errors`` and ``effects`` are for all pairs, in the order of
    `itertools.combinations`. If a pair has no error, a sentence in its place explains why.
    Two conditions are equivalent if two one-sided tests show that they differ by less than
    ``margin`` (Schuirmann 1987); Holm's rule (1979) corrects their p for the number of pairs.
    """
    problems = [error if isinstance(error, str) else "" for error in errors]
    known = [None if isinstance(error, str) else error for error in errors]
    standard = np.array([error.standard if error else np.nan for error in known])
    df = np.array([error.freedom if error else 1.0 for error in known])
    pairs = _test(names, differences, standard, df, problems, effects=effects, alpha=alpha)
    if margin is None:
        return tuple(replace(pair, verdict=verdict_of(pair.separable)) for pair in pairs)
    closest = (margin - np.abs(differences)) / standard
    p = holm(special.stdtr(df, -closest))
    return tuple(
        replace(
            pair,
            p_equivalent=None if np.isnan(own) else float(own),
            verdict=verdict_of(pair.separable, is_equivalent=bool(own < alpha)),
        )
        for pair, own in zip(pairs, p.tolist(), strict=True)
    )


def verdict_of(separable: bool | None, *, is_equivalent: bool = False) -> Verdict | None:
    if separable is None:
        return None
    if separable:
        return "separable"
    return "equivalent" if is_equivalent else "not known"


FEWEST_PEOPLE: Final = 10
FEWEST_ITEMS: Final = 20
DRAWS: Final = 8_000
SEED: Final = 2008
_AT_ONCE: Final = 2**22

Rule = Literal["max-t", "holm"]


def rule_of(people: int, items: int | None, conditions: int) -> Rule:
    """Choose the rule for testing all pairs from the numbers of people and sampled items."""
    few = people < max(FEWEST_PEOPLE, 2 * conditions)
    return "holm" if few or (items or np.inf) < max(FEWEST_ITEMS, 2 * conditions) else "max-t"


def step_down(p: FloatArray, covariance: FloatArray) -> FloatArray:
    """Correct the p of each pair, since all pairs are tested.

    ``covariance``: the covariance matrix of the estimates, which sum to 0. A normal vector is a
    random direction times a distance; the square of the distance has a χ² distribution that does
    not depend on the direction. Directions are centred, so that they sum to 0 like the estimates.
    The symmetric root is used, since other roots differ between machines if variances are equal.
    """
    first, second = (each[np.argsort(p)] for each in np.triu_indices(len(covariance), 1))
    variances, axes = np.linalg.eigh(covariance)
    root = axes * np.sqrt(np.maximum(variances, 0.0)) @ axes.T
    spread = np.sqrt(np.square(root[first] - root[second]).sum(axis=1))
    reached = -special.ndtri(np.sort(p) / 2)
    rng, as_great = np.random.default_rng(SEED), np.zeros(len(p))
    size = max(1, min(DRAWS, _AT_ONCE // len(first)))
    for number in np.diff([*range(0, DRAWS, size), DRAWS]):
        drawn = rng.standard_normal((number, len(root)))
        drawn -= drawn.mean(axis=1, keepdims=True)
        drawn = drawn / np.linalg.norm(drawn, axis=1, keepdims=True) @ root
        sizes = np.abs(drawn[:, first] - drawn[:, second])
        sizes = np.divide(sizes, spread, out=np.zeros_like(sizes), where=spread > 0)
        greatest = np.maximum.accumulate(sizes[:, ::-1], axis=1)[:, ::-1]
        distance = np.divide(reached, greatest, out=np.full_like(sizes, np.inf), where=greatest > 0)
        as_great += special.chdtrc(len(root) - 1, np.square(distance)).sum(axis=0)
    adjusted = np.empty(len(p))
    adjusted[np.argsort(p)] = np.maximum.accumulate(as_great / DRAWS)
    return adjusted
