"""What the scores say, in sentences: the same in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report.wording import interval, number, probability

if TYPE_CHECKING:
    from hype.protocols.hype.results import Score
    from hype.statistics.pairs import Pair

_ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
_PAIRS_NAMED = 6
_NAMES = {"time": "HYPE_time", "infinity": "HYPE_∞"}

_MEANINGS = {
    "time": "exposure at which people begin to tell fake from real; higher is more convincing",
    "infinity": "images judged wrongly without a time limit; 50% is chance",
}


_OTHERS: Final = {
    "sample": "other evaluators and other images",
    "fixed": "other evaluators, and these images",
    None: "other evaluators",
}
"""Of what a score is said to hold, by whether images are a sample, fixed, or not named."""


def protocol_name(score: Score) -> str:
    return _NAMES[score.protocol]


def protocol_meaning(score: Score) -> str:
    return _MEANINGS[score.protocol]


def anova_sentence(score: Score) -> str:
    if len(score.conditions) == 1:
        return "One condition only: there is nothing to compare it with."
    anova = score.anova
    if anova is None:
        return ""
    f = f"F({anova.df_between}, {anova.df_within})"
    papers = "The paper's one-way ANOVA over evaluators"
    name = papers if anova.epsilon is None else "Repeated-measures ANOVA"
    if anova.f is None:
        return f"{name}: {f} cannot be computed."
    sphericity = "" if anova.epsilon is None else f" (Greenhouse–Geisser ε {anova.epsilon:.2f})"
    return (
        f"{name}: {f} = {number(anova.f)}, {probability(anova.p)}{sphericity}, "
        f"η² = {number(anova.eta_squared, 2)}."
    )


def pairs_sentence(score: Score) -> str:
    tested = [pair for pair in score.pairwise if pair.p is not None]
    if not tested:
        return ""
    if len(score.conditions) == 2:
        return _one_pair(score, tested[0])
    counts: dict[str | None, list[str]] = {verdict: [] for verdict in VERDICTS}
    for pair in tested:
        counts[pair.verdict].append(f"{pair.a} and {pair.b}")
    said = [
        f"{len(pairs)} {VERDICTS[verdict]}{_margin(score) if verdict == 'equivalent' else ''}"
        for verdict, pairs in counts.items()
        if pairs
    ]
    named = "; ".join(counts["not known"][:_PAIRS_NAMED])
    more = len(counts["not known"]) - _PAIRS_NAMED
    unknown = f" ({named}{f'; and {more} more' if more > 0 else ''})" if named else ""
    return f"Of {len(tested)} pairs {', '.join(said)}{unknown}. {_allowing_for(score)}"


VERDICTS: Final[dict[str | None, str]] = {
    "separable": "separable",
    "equivalent": "equivalent",
    "not known": "not known to differ",
}


def _margin(score: Score) -> str:
    return f" within {score.margin:g} {score.unit}" if score.margin else ""


def _allowing_for(score: Score) -> str:
    """Say what pairs were tested against."""
    together = "" if len(score.conditions) == 2 else "All pairs together at "
    return f"{together}{_ALPHA} = {score.alpha:g}, with {_OTHERS[score.images]}."


def further_sentences(score: Score) -> tuple[str, ...]:
    sentences = (
        overshoot_sentence(score),
        hyper_realism_sentence(score),
        *trend_sentences(score),
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
    beyond = any(row.settle_point and row.settle_point.median_beyond for row in score.conditions)
    return (
        f"The mode tends to overshoot where the staircase settles ({at:.0%} correct); "
        f"“At {at:.0%}” is that exposure, the median over evaluators of each one's own"
        f"{'; low, or high: beyond all that was shown.' if beyond else '.'}"
    )


def welch_sentence(score: Score) -> str:
    welch = score.tests.welch
    if welch is None or welch.f is None:
        return welch.problem if welch else ""
    df = f"{welch.df_between}, {number(welch.df_within)}"
    return f"Welch's ANOVA: F({df}) = {number(welch.f)}, {probability(welch.p)}."


def hyper_realism_sentence(score: Score) -> str:
    names = [row.condition for row in score.conditions if row.hyper_realistic]
    if not names:
        return ""
    return f"Hyper-realistic, the error being shown to be above 50%: {', '.join(names)}."


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


def _one_pair(score: Score, pair: Pair) -> str:
    verdict = f"{VERDICTS[pair.verdict]}{_margin(score) if pair.verdict == 'equivalent' else ''}"
    return (
        f"{pair.a} and {pair.b} are {verdict}: {number(pair.difference)} {score.unit} apart, "
        f"{interval(pair.ci_low, pair.ci_high)}, t({number(pair.df)}) = "
        f"{number(pair.statistic, 2)}, {probability(pair.p)}, Hedges' g = "
        f"{number(pair.hedges_g, 2)}. {_allowing_for(score)}"
    )


def bootstrap_sentence(score: Score) -> str:
    return (
        f"CI: with {_OTHERS[score.images]}. Std.: the paper's, over evaluators alone, "
        f"{score.draws:,} bootstrap draws, seed {score.seed}."
    )
