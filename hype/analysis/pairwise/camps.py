"""Whether evaluators share a preference or fall into camps: what a win rate alone does not tell.

A win rate of 60 % is the same number where everybody prefers `a` in six of ten comparisons, and
where six of ten evaluators always choose it and the others never do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.analysis.pairwise.beta_binomial import Heterogeneity, heterogeneity
from hype.analysis.pairwise.camps_found import Camps, PairCamps, Verdict
from hype.analysis.pairwise.camps_said import said_of_all, said_of_pair
from hype.analysis.pairwise.overdispersion import permuted_p, tarone_p
from hype.analysis.pairwise.pair_choices import PairChoices, pair_choices
from hype.analysis.pairwise.proportions import even_chance_p, holm

if TYPE_CHECKING:
    import pandas as pd

NEARLY_ALWAYS: Final = 0.9
TELLING: Final = 5
"""Choices that an evaluator must have made for "nearly always" to mean anything."""
SMALLEST_CAMP: Final = 0.1
"""Part of the evaluators that the smaller camp must have, and two at the least."""
FEWEST_EVALUATORS: Final = 5
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

    Parameters
    ----------
    votes
        As `check_comparisons` returns them: the rows that are scored.
    rng
        Source of randomness of the test, which deals out the choices anew.
    alpha
        The level below which evaluators are said to differ.
    confidence
        Coverage of the interval, as a proportion.

    Returns
    -------
    Camps or None
        None where evaluators are not known, or nothing was chosen.
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
        said=said_of_all(verdict, together, pairs, tested=len(every)),
        tested=len(every),
        pairs=tuple(sorted(pairs, key=lambda pair: (ranks[pair.verdict], pair.a, pair.b))),
    )


def _tests(every: list[PairChoices], rng: np.random.Generator) -> list[float | None]:
    """Test each pair; None where camps would hardly be found."""
    dealt = sum(len(one.choices) for one in every) * DEALS <= _MOST_DEALT
    return [_test(one, rng if dealt else None) for one in every]


def _test(one: PairChoices, rng: np.random.Generator | None) -> float | None:
    pairs = one.choices * (one.choices - 1)
    if len(one.choices) < FEWEST_EVALUATORS or np.sqrt(pairs.sum() / 2) < CLEAR_Z:
        return None
    found = one.dispersion
    if found is None:
        return 1.0
    if rng is None:
        return tarone_p([found])
    return permuted_p(one.chosen, one.choices, draws=DEALS, rng=rng)


def _together(every: list[PairChoices], tests: list[float | None]) -> float | None:
    found = [one.dispersion for one in every]
    known = [one for one in found if one is not None]
    people = max(len(one.choices) for one in every)
    if len(every) == 1:
        return tests[0]
    variance = sum(one.variance for one in known)
    enough = people >= FEWEST_EVALUATORS and np.sqrt(variance) / 2 >= CLEAR_Z
    return tarone_p(known) if enough else None


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
    found = None
    if p is not None and one.dispersion is not None:
        found = heterogeneity(one.chosen, one.choices, confidence=confidence)
    return _judged(pair, found, alpha)


def _judged(pair: PairCamps, found: Heterogeneity | None, alpha: float) -> PairCamps:
    if found is not None:
        pair = replace(
            pair,
            correlation=found.correlation,
            sd_log_odds=found.sd_log_odds,
            sd_low=found.sd_low,
            sd_high=found.sd_high,
        )
    judged = replace(pair, verdict=_verdict(pair, alpha))
    return replace(judged, said=said_of_pair(judged))


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
    found = Counter(pair.verdict for pair in pairs)
    if found["camps"]:
        return "camps"
    if found["differ"] or (p is not None and p < alpha):
        return "differ"
    return "shared" if p is not None or found["shared"] else "too-few"
