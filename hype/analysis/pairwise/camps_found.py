"""What was found of evaluators' differences, on each pair of conditions and over all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["shared", "differ", "camps", "too-few"]


@dataclass(frozen=True, kw_only=True)
class PairCamps:
    """How evaluators differ on one pair of conditions.

    Parameters
    ----------
    a, b
        The conditions; `a` is the one chosen more often.
    evaluators, comparisons
        Who chose between these at all, and how often; ties are no choice.
    win_rate
        Share of these choices that are for `a`.
    for_a, for_b
        Evaluators who chose `a`, or `b`, significantly more often than not (exact, each at alpha).
    always_a, always_b
        Evaluators who chose it in nine of ten comparisons or more, of five or more.
    telling
        Evaluators with five choices or more.
    p
        Tarone's test of differences beyond chance; None where there are too few choices.
    p_holm
        The same, by Holm's rule over all pairs.
    correlation
        Intraclass: 0 where evaluators do not differ, 1 where everybody always chooses the same.
    sd_log_odds, sd_low, sd_high
        Standard deviation between evaluators of the log-odds of choosing `a`, by the beta-binomial
        model, with its profile-likelihood interval; infinite where everybody always chooses the
        same, None where there are too few choices.
    verdict
        "shared": no more difference than chance makes; "differ": more than that; "camps": at
        least half choose one of the two with hardly an exception, some this and some that;
        "too-few".
    said
        The same in a sentence or two.
    """

    a: str
    b: str
    evaluators: int
    comparisons: int
    win_rate: float
    for_a: int
    for_b: int
    always_a: int
    always_b: int
    telling: int
    p: float | None = None
    p_holm: float | None = None
    correlation: float | None = None
    sd_log_odds: float | None = None
    sd_low: float | None = None
    sd_high: float | None = None
    verdict: Verdict = "too-few"
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class Camps:
    """How evaluators differ, over all pairs.

    Parameters
    ----------
    p
        Of the test over all pairs together; None where there are too few choices.
    verdict
        "camps" where some pair has camps; else "differ" where some pair or all together show
        differences; else "shared", or "too-few" where that holds for all pairs.
    said
        The finding in a sentence or two.
    tested
        How many pairs there are.
    pairs
        Those with camps first, then those with differences, then by their names; of more than 300
        only these two kinds.
    """

    p: float | None
    verdict: Verdict
    said: str
    tested: int
    pairs: tuple[PairCamps, ...]
