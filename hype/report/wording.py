"""How figures are put into words, the same in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hype.analysis import Pair, Score

SIMULATED = "SIMULATED EVALUATORS: nobody real was asked"

NOT_KNOWN = "\N{EN DASH}"
"""What stands where a number cannot be computed."""

_TO = "\N{EN DASH}"
_ALPHA = "\N{GREEK SMALL LETTER ALPHA}"

_NAMES = {"time": "HYPE_time", "infinity": "HYPE_∞"}

_MEANINGS = {
    "time": "exposure at which people begin to tell fake from real; higher is more convincing",
    "infinity": "images judged wrongly without a time limit; 50% is chance",
}


def protocol_name(score: Score) -> str:
    """Name the protocol as the paper does."""
    return _NAMES[score.protocol]


def protocol_meaning(score: Score) -> str:
    """Say in half a sentence what the protocol's score is."""
    return _MEANINGS[score.protocol]


def number(value: float | None, decimals: int = 1) -> str:
    """Write a number with a true minus sign, or a dash where there is none."""
    if value is None:
        return NOT_KNOWN
    return f"{value:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def interval(low: float | None, high: float | None) -> str:
    """Write an interval the way the paper's tables do."""
    if low is None or high is None:
        return NOT_KNOWN
    return f"{number(low)} {_TO} {number(high)}"


def probability(p: float | None) -> str:
    """Write a p-value to three decimals, and only as a bound where those would be 0 or 1."""
    if p is None:
        return "p not computed"
    if p < 0.001:
        return "p < 0.001"
    return "p > 0.999" if p > 0.999 else f"p = {p:.3f}"


def anova_sentence(score: Score) -> str:
    """State the analysis of variance."""
    anova = score.anova
    if anova is None:
        return "One condition only: there is nothing to compare it with."
    f = f"F({anova.df_between}, {anova.df_within})"
    if anova.f is None:
        return f"One-way ANOVA over evaluators: {f} cannot be computed."
    return f"One-way ANOVA over evaluators: {f} = {number(anova.f)}, {probability(anova.p)}."


def pairs_sentence(score: Score) -> str:
    """Say how many pairs of conditions are separable; empty where no pair could be tested."""
    from hype.analysis.separability import STUDENT

    tested = [pair for pair in score.pairwise if pair.p is not None]
    if not tested:
        return ""
    if score.pairwise_method == STUDENT:
        return _students_sentence(score, tested[0])
    alike = len(not_separable(score))
    method = f"Tukey's HSD at {_ALPHA} = {score.alpha:g}"
    if not alike:
        return f"{method}: all {len(tested)} pairs are separable."
    return f"{method}: {alike} of {len(tested)} pairs are not separable."


def not_separable(score: Score) -> list[str]:
    """Name the pairs that were tested and found not separable, with their p."""
    return [
        f"{pair.a} and {pair.b}: {probability(pair.p)}"
        for pair in score.pairwise
        if pair.separable is False
    ]


def _students_sentence(score: Score, pair: Pair) -> str:
    verdict = "separable" if pair.separable else "not separable"
    df = score.anova.df_within if score.anova else 0
    return (
        f"Student's t-test: t({df}) = {number(pair.statistic, 2)}, {probability(pair.p)}; "
        f"{pair.a} and {pair.b} are {verdict} at {_ALPHA} = {score.alpha:g}."
    )


def bootstrap_sentence(score: Score) -> str:
    """State the settings of the bootstrap."""
    return (
        f"Std. and {score.confidence:.0%} CI: bootstrap over evaluators, {score.draws:,} draws, "
        f"seed {score.seed}."
    )
