"""Whether evaluators share a preference or fall into camps: what a win rate alone does not tell.

A win rate of 60 % is the same number where everybody prefers `a` in six of ten comparisons, and
where six of ten evaluators always choose it and the others never do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from scipy import stats

from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import Estimate, ends_of, estimated
from hype.statistics.proportions import (
    Dispersion,
    Heterogeneity,
    dispersion,
    even_chance_p,
    heterogeneity,
    holm,
    permuted_p,
    tarone_p,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

FEWEST_EVALUATORS: Final = 5
_MOST_NAMED: Final = 5
_SEEN: Final = 0.5
"""Standard deviation of log-odds: with a win rate of 60 %, from 36 % to 80 % for 95 % of people."""


def pair_in_words(pair: PairCamps) -> str:
    share = f"{pair.win_rate:.0%} of {pair.comparisons:,} choices are for {pair.a} over {pair.b}"
    return {
        "shared": _shared,
        "differ": _differ,
        "camps": _camps,
        "too-few": _too_few,
    }[pair.verdict](pair, share)


def _shared(pair: PairCamps, share: str) -> str:
    if pair.win_rate == 1:
        return f"All {pair.comparisons:,} choices are for {pair.a} over {pair.b}."
    differ = (
        f"{share}, and the {pair.evaluators:,} evaluators differ no more than chance makes them"
    )
    sd_high = ends_of(pair.sd_log_odds)[1]
    if sd_high is None or sd_high > _SEEN:
        return f"{differ}{_p(pair.p)}; smaller differences than camps are not ruled out."
    about = f"about {pair.win_rate:.0%} of the time"
    return f"{differ}{_p(pair.p)}: each of them prefers {pair.a} {about}."


def _differ(pair: PairCamps, share: str) -> str:
    return (
        f"{share}, but the {pair.evaluators:,} evaluators differ more than chance makes them"
        f"{_p(pair.p)}: {pair.for_a} clearly prefer {pair.a}, {pair.for_b} clearly {pair.b}; the "
        f"win rate is an average over unlike preferences."
    )


def _camps(pair: PairCamps, share: str) -> str:
    others = pair.evaluators - pair.always_a - pair.always_b
    describes = "describes none of them" if not others else f"describes {others} of them at most"
    return (
        f"{share}, but evaluators form camps{_p(pair.p)}: {pair.always_a} of {pair.evaluators:,} "
        f"nearly always chose {pair.a}, {pair.always_b} nearly always {pair.b}; a win rate of "
        f"{pair.win_rate:.0%} {describes}."
    )


def _too_few(pair: PairCamps, share: str) -> str:
    if pair.evaluators < FEWEST_EVALUATORS:
        few = f"{_few_evaluators(pair.evaluators)} to tell whether evaluators agree"
        return f"{share}: {few}."
    return (
        f"{share}: too few comparisons per evaluator to tell whether evaluators agree "
        f"({pair.comparisons:,} by {pair.evaluators})."
    )


def _few_evaluators(number: int) -> str:
    return f"too few evaluators ({number} of the {FEWEST_EVALUATORS} that are needed)"


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return " (p < 0.001)" if p < 0.001 else f" (p = {p:.3f})"


def pairs_in_words(
    verdict: Verdict, p: float | None, pairs: tuple[PairCamps, ...], *, tested: int
) -> str:
    if tested == 1:
        return pairs[0].said
    if verdict == "too-few":
        most = max((pair.evaluators for pair in pairs), default=FEWEST_EVALUATORS)
        few = "too few comparisons per evaluator and pair"
        few = _few_evaluators(most) if most < FEWEST_EVALUATORS else few
        return f"{few[0].upper()}{few[1:]} to tell whether evaluators agree."
    if verdict == "shared":
        return (
            f"In none of {tested} pairs do evaluators differ more than chance makes them"
            f"{_p(p)}: as far as can be told, win rates describe everybody."
        )
    named = [
        f"{word} in {_listed(alike)}"
        for word, kind in (("form camps", "camps"), ("differ more than chance", "differ"))
        if (alike := [pair for pair in pairs if pair.verdict == kind])
    ]
    if not named:
        return (
            f"Over all {tested} pairs together evaluators differ more than chance makes "
            f"them{_p(p)}, though no single pair shows it: win rates are averages over unlike "
            "preferences."
        )
    return f"Evaluators {', and '.join(named)}: win rates there do not describe everybody."


def _listed(pairs: list[PairCamps]) -> str:
    named = [f"{pair.a}/{pair.b}" for pair in pairs[:_MOST_NAMED]]
    more = [f"{len(pairs) - _MOST_NAMED} more"] if len(pairs) > _MOST_NAMED else []
    return ", ".join([*named, *more])


Verdict = Literal["shared", "differ", "camps", "too-few"]


@dataclass(frozen=True, kw_only=True)
class PairCamps:
    """How evaluators differ on one pair of conditions."""

    # a, b: the conditions; `a` is the one chosen more often
    a: str
    b: str
    # evaluators, comparisons: who chose between these at all, and how often; ties are no choice
    evaluators: int
    comparisons: int
    win_rate: float  # share of these choices that are for `a`
    # for_a, for_b: evaluators who chose `a`, or `b`, significantly more often than not (exact, each
    # at alpha)
    for_a: int
    for_b: int
    # always_a, always_b: evaluators who chose it in nine of ten comparisons or more, of five or
    # more
    always_a: int
    always_b: int
    telling: int  # evaluators with five choices or more
    # Tarone's test of differences beyond chance; None where there are too few choices
    p: float | None = None
    p_holm: float | None = None  # the same, by Holm's rule over all pairs
    # Intraclass: 0 where evaluators do not differ, 1 where everybody always chooses the same
    correlation: float | None = None
    # Standard deviation between evaluators of the log-odds of choosing `a`, by the beta-binomial
    # model, with its profile-likelihood interval; infinite where everybody always chooses the same,
    # None where there are too few choices
    sd_log_odds: Estimate | None = estimated("sd_log_odds", "sd_low", "sd_high")
    # "shared": no more difference than chance makes; "differ": more than that; "camps": at least
    # half choose one of the two with hardly an exception, some this and some that; "too-few"
    verdict: Verdict = "too-few"
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class Camps:
    """How evaluators differ, over all pairs."""

    p: float | None  # of the test over all pairs together; None where there are too few choices
    # "camps" where some pair has camps; else "differ" where some pair or all together show
    # differences; else "shared", or "too-few" where that holds for all pairs
    verdict: Verdict
    said: str
    tested: int  # how many pairs there are
    # Those with camps first, then those with differences, then by their names; of more than 300
    # only these two kinds
    pairs: tuple[PairCamps, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class PairChoices:
    """The choices between two conditions.

    ``a``, ``b``: the conditions; `a` is the one chosen more often. ``chosen``, ``choices``: how
    often each evaluator chose `a`, and chose at all; shape (evaluators,), for those who chose.
    """

    a: str
    b: str
    chosen: IntArray
    choices: IntArray

    @property
    def dispersion(self) -> Dispersion | None:
        """How much evaluators differ; None where everybody chose the same."""
        if self.chosen.sum() == self.choices.sum():
            return None
        return dispersion(self.chosen, self.choices)


def pair_choices(votes: pd.DataFrame) -> list[PairChoices]:
    """Count the choices of every two conditions of a checked table with evaluators."""
    answer = votes["answer"].cat.codes.to_numpy()
    rows = np.flatnonzero(answer <= 1)  # left is 0, right is 1
    left, right = (votes[s].cat.codes.to_numpy()[rows].astype(np.int64) for s in ("left", "right"))
    first, second = np.minimum(left, right), np.maximum(left, right)
    chosen = np.where(answer[rows] == 0, left, right) == first
    who = votes["evaluator"].cat.codes.to_numpy()[rows].astype(np.int64)
    names, people = votes["left"].cat.categories, len(votes["evaluator"].cat.categories)
    pair = first * len(names) + second
    cells, of_cell = np.unique(pair * people + who, return_inverse=True)
    choices = np.bincount(of_cell, minlength=len(cells))
    firsts = np.bincount(of_cell, weights=chosen, minlength=len(cells)).astype(np.int64)
    begins = np.flatnonzero(np.diff(cells // people, prepend=-1))
    ends = np.r_[begins[1:], len(cells)]
    return [
        _oriented(
            str(names[cells[i] // people // len(names)]),
            str(names[cells[i] // people % len(names)]),
            firsts[i:j],
            choices[i:j],
        )
        for i, j in zip(begins, ends, strict=True)
    ]


def _oriented(first: str, second: str, firsts: IntArray, choices: IntArray) -> PairChoices:
    if 2 * firsts.sum() < choices.sum():
        return PairChoices(a=second, b=first, chosen=choices - firsts, choices=choices)
    return PairChoices(a=first, b=second, chosen=firsts, choices=choices)


NEARLY_ALWAYS: Final = 0.9
TELLING: Final = 5
"""Choices that an evaluator must have made for "nearly always" to mean anything."""
SMALLEST_CAMP: Final = 0.1
"""Part of the evaluators that the smaller camp must have, and two at the least."""
CLEAR_Z: Final = 2.5
"""Camps without exception would be found with a power of 80 % at the one-sided level of 5 %."""
MOST_SHOWN: Final = 300
"""Pairs that are all in the result."""
DEALS: Final = 9_999
_MOST_DEALT: Final = 5e6
"""Evaluators times pairs times deals above which the normal distribution has to do."""


def camps(
    votes: pd.DataFrame,
    *,
    rng: np.random.Generator,
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> Camps | None:
    """Test whether evaluators differ, and say what follows for the win rates.

    ``votes``: as `check_comparisons` returns them: the rows that are scored. ``rng``: source of
    randomness of the test, which deals out the choices anew. ``alpha``: the level below which
    evaluators are said to differ. Gives None where evaluators are not known, or nothing was chosen.
    """
    if "evaluator" not in votes:
        return None
    if not votes["answer"].isin(["left", "right"]).any():
        return None
    every = pair_choices(votes)
    tests = _tests(every, rng)
    corrected = holm([np.nan if p is None else p for p in tests])
    # Of many pairs only those are looked at closely in which evaluators differ.
    shown = range(len(every)) if len(every) <= MOST_SHOWN else np.flatnonzero(corrected < alpha)
    pairs = tuple(
        _pair(every[i], tests[i], float(corrected[i]), alpha=alpha, confidence=confidence)
        for i in shown
    )
    together = _together(every, tests)
    verdict = _verdict_of_all(pairs, together, alpha)
    ranks = {"camps": 0, "differ": 1, "shared": 2, "too-few": 3}
    return Camps(
        p=together,
        verdict=verdict,
        said=pairs_in_words(verdict, together, pairs, tested=len(every)),
        tested=len(every),
        pairs=tuple(sorted(pairs, key=lambda pair: (ranks[pair.verdict], pair.a, pair.b))),
    )


def _tests(every: list[PairChoices], rng: np.random.Generator) -> list[float | None]:
    dealt = sum(len(pair.choices) for pair in every) * DEALS <= _MOST_DEALT
    return [_test(pair, rng if dealt else None) for pair in every]


def _test(pair: PairChoices, rng: np.random.Generator | None) -> float | None:
    pairs = pair.choices * (pair.choices - 1)
    if len(pair.choices) < FEWEST_EVALUATORS or np.sqrt(pairs.sum() / 2) < CLEAR_Z:
        return None
    dispersion = pair.dispersion
    if dispersion is None:
        return 1.0
    if rng is None:
        return tarone_p([dispersion])
    return permuted_p(pair.chosen, pair.choices, draws=DEALS, rng=rng)


def _together(every: list[PairChoices], tests: list[float | None]) -> float | None:
    dispersions = [pair.dispersion for pair in every]
    defined = [dispersion for dispersion in dispersions if dispersion is not None]
    people = max(len(pair.choices) for pair in every)
    if len(every) == 1:
        return tests[0]
    variance = sum(one.variance for one in defined)
    enough = people >= FEWEST_EVALUATORS and np.sqrt(variance) / 2 >= CLEAR_Z
    return tarone_p(defined) if enough else None


def _pair(
    one: PairChoices, p: float | None, p_holm: float, *, alpha: float, confidence: float
) -> PairCamps:
    share = one.chosen / one.choices
    telling = one.choices >= TELLING
    clear = even_chance_p(one.chosen, one.choices) < alpha
    pair = PairCamps(
        a=one.a,
        b=one.b,
        evaluators=len(one.choices),
        comparisons=int(one.choices.sum()),
        win_rate=float(one.chosen.sum() / one.choices.sum()),
        for_a=int((clear & (share > 0.5)).sum()),
        for_b=int((clear & (share < 0.5)).sum()),
        always_a=int((telling & (share >= NEARLY_ALWAYS)).sum()),
        always_b=int((telling & (share <= 1 - NEARLY_ALWAYS)).sum()),
        telling=int(telling.sum()),
        p=p,
        p_holm=None if p is None else p_holm,
    )
    estimate = None
    if p is not None and one.dispersion is not None:
        estimate = heterogeneity(one.chosen, one.choices, confidence=confidence)
    return _judged(pair, estimate, alpha)


def _judged(pair: PairCamps, tested: Heterogeneity | None, alpha: float) -> PairCamps:
    if tested is not None:
        sd = Estimate(value=tested.sd_log_odds, low=tested.sd_low, high=tested.sd_high)
        pair = replace(pair, correlation=tested.correlation, sd_log_odds=sd)
    judged = replace(pair, verdict=_verdict(pair, alpha))
    return replace(judged, said=pair_in_words(judged))


def _verdict(pair: PairCamps, alpha: float) -> Verdict:
    if pair.p_holm is None:
        return "too-few"
    if pair.p_holm >= alpha:
        return "shared"
    least = max(2.0, SMALLEST_CAMP * pair.telling)
    several = min(pair.always_a, pair.always_b) >= least
    most = 2 * (pair.always_a + pair.always_b) >= pair.telling
    return "camps" if several and most else "differ"


def _verdict_of_all(pairs: tuple[PairCamps, ...], p: float | None, alpha: float) -> Verdict:
    verdicts = Counter(pair.verdict for pair in pairs)
    if verdicts["camps"]:
        return "camps"
    if verdicts["differ"] or (p is not None and p < alpha):
        return "differ"
    return "shared" if p is not None or verdicts["shared"] else "too-few"


FEWEST: Final = 5
"""Evaluators with enough choices, before it is said how chance would scatter them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluatorRates:
    """The evaluators of one pair of conditions.

    ``chosen``, ``choices``: how often each evaluator chose `a`, and chose at all (ties are no
    choice); shape (evaluators,). ``by_chance``: between which shares 95 % of the evaluators with
    five choices or more would lie if all of them preferred `a` equally often; None where fewer than
    five have so many.
    """

    a: str
    b: str
    chosen: IntArray
    choices: IntArray
    by_chance: tuple[float, float] | None

    @property
    def shares(self) -> FloatArray:
        """Of the choices of each that are for `a`."""
        return self.chosen / self.choices

    @property
    def telling(self) -> BoolArray:
        return self.choices >= TELLING

    @property
    def share(self) -> float:
        return float(self.chosen.sum() / self.choices.sum())


def evaluator_rates(
    votes: pd.DataFrame, pairs: Sequence[tuple[str, str]], *, coverage: float = 0.95
) -> tuple[EvaluatorRates, ...]:
    """Count the choices of each evaluator between some pairs of conditions.

    ``votes``: the scored rows. ``pairs``: each with the condition first whose share is wanted.
    ``coverage``: of the range that chance alone would make, as a proportion. Gives them in the
    order of the pairs, without those between which nobody chose; none where evaluators are not
    known.
    """
    if "evaluator" not in votes:
        return ()
    left, right = (votes[side].astype(object) for side in ("left", "right"))
    rates = []
    for a, b in pairs:
        own = (left.eq(a) & right.eq(b)) | (left.eq(b) & right.eq(a))
        own &= votes["answer"].isin(["left", "right"])
        if own.any():
            (choices,) = pair_choices(votes[own.to_numpy()])
            rates.append(_rates(a, b, choices, coverage))
    return tuple(rates)


def _rates(a: str, b: str, choices: PairChoices, coverage: float) -> EvaluatorRates:
    chosen = choices.chosen if choices.a == a else choices.choices - choices.chosen
    telling = choices.choices[choices.choices >= TELLING]
    share = float(chosen.sum() / choices.choices.sum())
    return EvaluatorRates(
        a=a,
        b=b,
        chosen=chosen,
        choices=choices.choices,
        by_chance=_by_chance(share, telling, coverage) if len(telling) >= FEWEST else None,
    )


def _by_chance(share: float, choices: IntArray, coverage: float) -> tuple[float, float]:
    """Give the quantiles of binomial shares, over evaluators with so many choices each."""
    numbers, people = np.unique(choices, return_counts=True)
    parts = [np.arange(number + 1) for number in numbers]
    shares = np.concatenate([part / number for part, number in zip(parts, numbers, strict=True)])
    weights = np.concatenate(
        [
            stats.binom.pmf(part, number, share) * who
            for part, number, who in zip(parts, numbers, people, strict=True)
        ]
    )
    order = np.argsort(shares, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    tail = (1 - coverage) / 2
    low, high = np.searchsorted(below, [tail, 1 - tail])
    return float(shares[order][low]), float(shares[order][min(high, len(shares) - 1)])
