"""The words of HYPE: what was run and computed, for a paper, and what the scores say.

The former are templates, in design.txt and statistics.txt; the latter are the same in the terminal
and on the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.staircase import PRESETS, QuestPlus, Staircase
from hype.report.parts import Paragraph
from hype.report.wording import interval, number, probability
from hype.statistics.estimate import FEWEST_SHOWN
from hype.study.phrases import counted, listed
from hype.study.texts import pack_of

if TYPE_CHECKING:
    from hype.protocols.hype.results import Score
    from hype.statistics.anova import Anova
    from hype.statistics.pairs import Pair


FOLDER: Final = Path(__file__).parent


def statistics_in_words(scores: Sequence[Score], *, curves: bool) -> tuple[Paragraph, ...]:
    """Write what was computed for all protocols of a report."""
    from hype.report.methods import paragraphs_of

    rows = [row for score in scores for row in score.conditions]
    untimed = [row for score in scores if score.protocol != "time" for row in score.conditions]
    timed = [row for score in scores if score.protocol == "time" for row in score.conditions]
    tested = [score for score in scores if score.anova and score.anova.f is not None]
    return paragraphs_of(
        FOLDER / "statistics.txt",
        scores=scores,
        judges=next((score.judges for score in scores if score.judges), None),
        curves=curves,
        protocols={score.protocol for score in scores},
        signal_detection=any(row.signal_detection for row in untimed),
        agreement=any(row.agreement and row.agreement.alpha is not None for row in untimed),
        bootstrap=any(row.bootstrap for row in rows),
        precision=any(row.precision for row in rows),
        two_way={s.protocol for s in scores if any(row.two_way for row in s.conditions)},
        tested=tested,
        papers_methods={score.tests.method for score in tested},
        repeated=any(score.anova.epsilon is not None for score in tested if score.anova),
        compared=[score for score in scores if score.letters],
        images={score.images for score in scores},
        margins=[score for score in scores if score.margin],
        within=any(map(_is_within, scores)),
        hyper_realistic=any(row.hyper_realistic for row in rows),
        unequal_numbers=any(
            len({row.evaluators for row in score.conditions}) > 1 for score in tested
        ),
        trend=any(score.trend for score in scores),
        posteriors=[row.posteriors for row in timed if row.posteriors],
        settle_points=[row.settle_point for row in rows if row.settle_point],
        thresholds=[row.thresholds for row in rows if row.thresholds],
        convincing=any(row.convincing and row.convincing.most for row in rows),
        fewest_shown=FEWEST_SHOWN,
        metrics=[metric for score in scores for metric in score.metrics if metric.method],
    )


def _is_within(score: Score) -> bool:
    """Whether an evaluator served more than one condition."""
    served = [e.evaluator for row in score.conditions for e in row.evaluator_scores]
    return len(set(served)) < len(served)


def design_in_words(
    settings: StudyFile, conditions: Sequence[str], *, masks_made: Sequence[str] = ()
) -> tuple[Paragraph, ...]:
    """Describe a study; ``conditions`` are empty where they are not known.

    ``masks_made`` are the methods by which its masks were made, as their manifest names them.
    """
    from hype.report.methods import paragraphs_of

    methods, tested = settings.study.methods, is_tested(settings, conditions)
    untimed = tested or "infinity" in methods
    return paragraphs_of(
        FOLDER / "design.txt",
        settings=settings,
        conditions=conditions,
        alone=len(conditions) == 1,
        methods=[METHOD_NAMES.get(method, method) for method in methods],
        places=places(settings, conditions),
        tested=tested,
        earlier=[PurePosixPath(name).name for name in settings.qualification.valid_from],
        practised=[*(["untimed"] if untimed else []), *(["timed"] if "time" in methods else [])],
        told_timed=is_told_of_halves(settings, "instructions_timed"),
        told_untimed=is_told_of_halves(settings, "instructions_untimed"),
        mask_method=masks_made[0] if len(masks_made) == 1 else "",
        rule=settings.rule,
        quest_plus=settings.time.staircase.is_quest_plus,
        printed_steps=has_printed_steps(settings.rule),
    )


def methods_in_words(methods: Sequence[str]) -> str:
    return listed([METHOD_NAMES.get(method, method) for method in methods])


def places(settings: StudyFile, conditions: Sequence[str]) -> str:
    """Say of what there were several that evaluators were assigned to; empty if of nothing."""
    several = {
        "condition": settings.within or len(settings.evaluated(conditions)) != 1,
        "method": len(settings.methods_of_one_evaluator()) > 1,
    }
    return " and ".join(name for name, are in several.items() if are)


def is_tested(settings: StudyFile, conditions: Sequence[str]) -> bool:
    """Whether a qualification is held: not on what all judge, unless that is asked for."""
    test = settings.qualification
    others = not conditions or len(conditions) > settings.study.conditions_each
    others = others or settings.only_qualifies
    return test.enabled and bool(others or test.stimuli or test.on_own_condition)


def is_told_of_halves(settings: StudyFile, page: str) -> bool:
    """Whether the words on the screen are those that state the ratio."""
    usual = pack_of(settings.study.language).texts["hype"]
    return bool(getattr(settings.texts, page) == usual[page])


def has_printed_steps(rule: Staircase | QuestPlus) -> bool:
    """Whether a rule's steps are those that the paper prints."""
    if not isinstance(rule, Staircase):
        return False
    printed = PRESETS["hype"]
    steps = rule.down_ms, rule.up_ms, rule.correct_to_descend
    return steps == (printed.down_ms, printed.up_ms, printed.correct_to_descend)


_ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
_PAIRS_NAMED = 6
METHOD_NAMES: Final = {"time": "HYPE_time", "infinity": "HYPE_∞"}

_MEANINGS = {
    "time": "modal exposure, ms (the score of Zhou et al.); higher is more convincing",
    "infinity": "images judged wrongly without a time limit; 50% is chance",
}


_OTHERS: Final = {
    "sample": "other evaluators and other images",
    "fixed": "other evaluators, and these images",
    None: "other evaluators",
}
"""Of what a score is said to hold, by whether images are a sample, fixed, or not named."""


def protocol_name(score: Score) -> str:
    return METHOD_NAMES[score.protocol]


def protocol_meaning(score: Score) -> str:
    return _MEANINGS[score.protocol]


def anova_name(anova: Anova) -> str:
    return "One-way ANOVA" if anova.epsilon is None else "Repeated-measures ANOVA"


def anova_sentence(score: Score) -> str:
    if len(score.conditions) == 1:
        return "One condition only: there is nothing to compare it with."
    anova = score.anova
    if anova is None:
        return ""
    f = f"F({anova.df_between}, {anova.df_within})"
    name = anova_name(anova)
    alone = [row.condition for row in score.conditions if row.evaluators < 2]
    if alone and anova.f is not None:
        return f"{name} is left out: a single evaluator for {listed(alone)} shows no variance."
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
        return f"Not compared: {score.pairwise[0].problem}" if score.pairwise else ""
    if len(score.conditions) == 2:
        return _one_pair(score, tested[0])
    counts: dict[str | None, list[str]] = {verdict: [] for verdict in VERDICTS}
    for pair in tested:
        counts[pair.verdict].append(f"{pair.a} and {pair.b}")
    sentences = [
        f"{len(pairs)} {'is' if len(pairs) == 1 else 'are'} {VERDICTS[verdict]}"
        f"{_margin(score) if verdict == 'equivalent' else ''}"
        for verdict, pairs in counts.items()
        if pairs
    ]
    named = "; ".join(counts["not known"][:_PAIRS_NAMED])
    more = len(counts["not known"]) - _PAIRS_NAMED
    unknown = f" ({named}{f'; and {more} more' if more > 0 else ''})" if named else ""
    pairs = "1 pair" if len(tested) == 1 else f"{len(tested)} pairs"
    untested = len(score.pairwise) - len(tested)
    others = counted(untested, "other pair").capitalize()
    rest = f" {others} cannot be tested." if untested else ""
    return f"Of {pairs}, {listed(sentences)}{unknown}. {_allowing_for(score)}{rest}"


VERDICTS: Final[dict[str | None, str]] = {
    "separable": "separable",
    "equivalent": "equivalent",
    "not known": "not known to differ",
}


def _margin(score: Score) -> str:
    return f" within {score.margin:g} {_unit(score)}" if score.margin else ""


def _unit(score: Score) -> str:
    """Give the unit of a difference."""
    return "percentage points" if score.unit == "%" else score.unit


def _allowing_for(score: Score) -> str:
    """Say what pairs were tested against."""
    together = "" if len(score.conditions) == 2 else "All pairs together at "
    return f"{together}{_ALPHA} = {score.alpha:g}, with {_OTHERS[score.images]}."


def papers_sentence(score: Score) -> str:
    """Say how the paper's test of pairs and our verdicts differ, and why."""
    ours = {(pair.a, pair.b): pair for pair in score.pairwise}
    theirs = [pair for pair in score.tests.pairwise if pair.separable is not None]
    unlike = [pair for pair in theirs if pair.separable != ours[pair.a, pair.b].separable]
    if not unlike:
        return "The verdicts above are the same." if theirs else ""
    which = ", ".join(f"{pair.a} and {pair.b}" for pair in unlike[:_PAIRS_NAMED])
    unlikes = "conditions that vary unlike each other"
    others = "other images" if score.images == "sample" else unlikes
    ends = " and for scores at the shortest or longest exposure" if score.protocol == "time" else ""
    return (
        f"The verdicts above differ for {len(unlike)} of {len(theirs)} pairs ({which}), since they "
        f"allow for {others}{ends}; the paper's test takes evaluators alone."
    )


def further_sentences(score: Score) -> tuple[str, ...]:
    sentences = (
        threshold_sentence(score),
        hyper_realism_sentence(score),
        *trend_sentences(score),
    )
    return tuple(filter(None, sentences))


def settles_at(score: Score) -> float | None:
    """Give the accuracy at which the staircases settle; None where it is not known."""
    known = (row.settle_point.at for row in score.conditions if row.settle_point)
    return next(known, None)


def threshold_sentence(score: Score) -> str:
    at = settles_at(score)
    if at is None:
        return ""
    return (
        f"Threshold: the exposure at which the median evaluator is right in {at:.0%} of trials, "
        "where the staircase settles. The modal exposure tends to be longer."
    )


def hyper_realism_sentence(score: Score) -> str:
    names = [row.condition for row in score.conditions if row.hyper_realistic]
    if not names:
        return ""
    return f"Hyper-realistic, the error being shown to be above 50%: {', '.join(names)}."


def trend_sentences(score: Score) -> tuple[str, ...]:
    trend = score.trend
    if trend is None:
        return ()
    along = f"Along {' → '.join(trend.order)}"
    rank, line = trend.rank, trend.linear
    ranks = (
        f"{along}: Kendall's τ-b = {number(rank.tau, 2)} (Jonckheere; over evaluators alone, "
        f"{probability(rank.p)})."
        if rank
        else ""
    )
    slope = (
        f"Linear contrast: {number(line.slope)} {_unit(score)} a step "
        f"({interval(line.ci_low, line.ci_high)}), t({number(line.df)}) = {number(line.t, 2)}, "
        f"{probability(line.p)}, with {_OTHERS[score.images]}."
        if line
        else ""
    )
    return tuple(filter(None, [ranks, slope, trend.problem]))


def _one_pair(score: Score, pair: Pair) -> str:
    verdict = f"{VERDICTS[pair.verdict]}{_margin(score) if pair.verdict == 'equivalent' else ''}"
    return (
        f"{pair.a} and {pair.b} are {verdict}: {number(pair.difference)} {_unit(score)} apart, "
        f"{interval(pair.ci_low, pair.ci_high)}, t({number(pair.df)}) = "
        f"{number(pair.statistic, 2)}, {probability(pair.p)}. {_allowing_for(score)}"
    )


def bootstrap_sentence(score: Score) -> str:
    return (
        f"CI: with {_OTHERS[score.images]}. Std. and bootstrap CI: over evaluators alone, "
        f"{score.draws:,} draws, seed {score.seed}."
    )
