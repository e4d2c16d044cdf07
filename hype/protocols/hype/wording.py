"""What the scores say, in sentences: the same in the terminal and on the page."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from hype.report.wording import interval, number, probability

if TYPE_CHECKING:
    from hype.protocols.hype.results import Score
    from hype.statistics.pairs import Pair

_ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
_EVALUATORS_NAMED = (10, 20, 30, 60, 120)
_PAIRS_NAMED = 6
_NAMES = {"time": "HYPE_time", "infinity": "HYPE_∞"}

_MEANINGS = {
    "time": "exposure at which people begin to tell fake from real; higher is more convincing",
    "infinity": "images judged wrongly without a time limit; 50% is chance",
}


def protocol_name(score: Score) -> str:
    return _NAMES[score.protocol]


def protocol_meaning(score: Score) -> str:
    return _MEANINGS[score.protocol]


def anova_sentence(score: Score) -> str:
    anova = score.anova
    if anova is None:
        return "One condition only: there is nothing to compare it with."
    f = f"F({anova.df_between}, {anova.df_within})"
    if anova.f is None:
        return f"One-way ANOVA over evaluators: {f} cannot be computed."
    return (
        f"One-way ANOVA over evaluators: {f} = {number(anova.f)}, {probability(anova.p)}, "
        f"η² = {number(anova.eta_squared, 2)}."
    )


def pairs_sentence(score: Score) -> str:
    from hype.statistics.pairs import STUDENT

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


def further_sentences(score: Score) -> tuple[str, ...]:
    sentences = (
        overshoot_sentence(score),
        variances_sentence(score),
        hyper_realism_sentence(score),
        *trend_sentences(score),
        precision_sentence(score),
    )
    return tuple(filter(None, sentences))


def settles_at(score: Score) -> float | None:
    """Give the accuracy at which the staircases settle; None where it is not known."""
    known = (row.settle_point.at for row in score.conditions if row.settle_point)
    return next(known, None)


def overshoot_sentence(score: Score) -> str:
    at = settles_at(score)
    if at is None:
        return ""
    return (
        f"The mode tends to overshoot where the staircase settles ({at:.0%} correct); "
        f"“At {at:.0%}” is that exposure, the median over evaluators of each one's own."
    )


def variances_sentence(score: Score) -> str:
    tests = score.tests
    if not tests.variances_differ or tests.levene is None or tests.levene.f is None:
        return ""
    levene = tests.levene
    differ = (
        f"Scores do not vary alike (Levene F({levene.df_between}, {levene.df_within}) = "
        f"{number(levene.f)}, {probability(levene.p)}), so read the tests that allow for it."
    )
    return " ".join(filter(None, [differ, _welch_sentence(score), _unequal_sentence(score)]))


def _welch_sentence(score: Score) -> str:
    welch = score.tests.welch
    if welch is None or welch.f is None:
        return welch.problem if welch else ""
    df = f"{welch.df_between}, {number(welch.df_within)}"
    return f"Welch's ANOVA: F({df}) = {number(welch.f)}, {probability(welch.p)}."


def _unequal_sentence(score: Score) -> str:
    from hype.statistics.pairs import GAMES_HOWELL

    tested = [pair for pair in score.tests.unequal if pair.p is not None]
    alike = [f"{pair.a} and {pair.b}" for pair in tested if not pair.separable]
    name = "Games–Howell" if score.tests.unequal_method == GAMES_HOWELL else "Welch's t-test"
    if not tested:
        return ""
    if not alike:
        return f"{name}: all {len(tested)} pairs that can be tested are separable."
    named = "; ".join(alike[:_PAIRS_NAMED])
    if len(alike) > _PAIRS_NAMED:
        named += f"; and {len(alike) - _PAIRS_NAMED} more"
    return f"{name}: {len(alike)} of {len(tested)} pairs are not separable ({named})."


def hyper_realism_sentence(score: Score) -> str:
    names = [row.condition for row in score.conditions if row.hyper_realistic]
    if not names:
        return ""
    return f"Hyper-realistic, its interval being above 50%: {', '.join(names)}."


def precision_sentence(score: Score) -> str:
    curves = [row.precision for row in score.conditions if row.precision]
    if not curves:
        return ""
    widths: dict[int, list[float]] = {}
    for point in (point for curve in curves for point in curve):
        widths.setdefault(point.evaluators, []).append(point.width)
    said = ", ".join(
        f"{number(median(widths[n]))} with {n}" for n in _EVALUATORS_NAMED if n in widths
    )
    return f"Width of the {score.confidence:.0%} CI, median over conditions: {said} evaluators."


def trend_sentences(score: Score) -> tuple[str, ...]:
    found = score.trend
    if found is None:
        return ()
    along = f"Along {' → '.join(found.order)}"
    rank, line = found.rank, found.linear
    ranks = (
        f"{along}: Kendall's τ-b = {number(rank.tau, 2)} (Jonckheere), {probability(rank.p)}."
        if rank
        else ""
    )
    slope = (
        f"Linear contrast: {number(line.slope)} {score.unit} a step "
        f"({interval(line.ci_low, line.ci_high)}), t({line.df}) = {number(line.t, 2)}, "
        f"{probability(line.p)}."
        if line
        else ""
    )
    return tuple(filter(None, [ranks, slope, found.problem]))


def not_separable(score: Score) -> list[str]:
    return [
        f"{pair.a} and {pair.b}: {probability(pair.p)}"
        for pair in score.pairwise
        if pair.separable is False
    ]


def _students_sentence(score: Score, pair: Pair) -> str:
    verdict = "separable" if pair.separable else "not separable"
    df = score.anova.df_within if score.anova else 0
    return (
        f"Student's t-test: t({df}) = {number(pair.statistic, 2)}, {probability(pair.p)}, "
        f"Hedges' g = {number(pair.hedges_g, 2)}; "
        f"{pair.a} and {pair.b} are {verdict} at {_ALPHA} = {score.alpha:g}."
    )


def bootstrap_sentence(score: Score) -> str:
    return (
        f"Std. and {score.confidence:.0%} CI: bootstrap over evaluators, {score.draws:,} draws, "
        f"seed {score.seed}."
    )
