"""The statistics of a report in words for a paper: what was computed, each with its source."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from hype.report.bibliography import Said, said
from hype.report.methods import Methods, methods_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hype.protocols.hype.results import ConditionScore, Score
    from hype.report.parts import Background

Paragraph = tuple[Said, ...]


def statistics_said(scores: Sequence[Score], *, curves: bool) -> tuple[Paragraph, ...]:
    """Write the paragraphs on scores, intervals, tests and on what else was computed.

    Parameters
    ----------
    scores
        All protocols of a report.
    curves
        Whether it shows psychometric curves.
    """
    paragraphs = (
        tuple(chain.from_iterable(_score(score) for score in scores)),
        tuple(_uncertainty(scores)),
        tuple(_tests(scores)),
        tuple(_functions(scores, curves=curves)),
        tuple(chain(_images(scores), _further(scores))),
    )
    return tuple(paragraph for paragraph in paragraphs if paragraph)


def _rows(scores: Sequence[Score]) -> list[ConditionScore]:
    return [row for score in scores for row in score.conditions]


def _score(score: Score) -> Iterator[Said]:
    yield from _timed(score) if score.protocol == "time" else _untimed(score)
    trials = score.spoiled_trials
    if trials and trials.spoiled:
        yield said(
            "Of {measured:,} flashed trials whose timing was measured, those that were not shown "
            "once and as requested ({spoiled:,}) were {treated}.",
            measured=trials.measured,
            spoiled=trials.spoiled,
            treated="left out" if trials.left_out else "scored like the others",
        )


def _timed(score: Score) -> Iterator[Said]:
    yield said(
        "HYPE_time ({Zhou2019}, section 2.1): the score of a block is its most frequent requested "
        "exposure, and the mean of these where several are equally frequent; the score of an "
        "evaluator is the mean over blocks, and that of a condition the mean over its evaluators, "
        "in ms."
    )
    turns = [row.reversals for row in score.conditions if row.reversals]
    if any(turn.reversals_ms is not None for turn in turns):
        yield said(
            "The mean of the last {last} reversals of a block ({Levitt1971}) is given as well.",
            last=max(found.last for found in turns),
        )


def _untimed(score: Score) -> Iterator[Said]:
    yield said(
        "HYPE_∞ ({Zhou2019}, section 2.2): the score of a condition is the percentage of its "
        "judgements that are wrong; the errors on fakes and on reals are the same for the fake and "
        "for the real images alone. 50% is chance."
    )
    if any(row.signal_detection for row in score.conditions):
        yield said(
            "Sensitivity d′ and criterion c were computed for each evaluator, with the log-linear "
            "correction ({Hautus1995}), and averaged ({MacmillanKaplan1985}); their interval is "
            "Student's."
        )
    if any(row.agreement for row in score.conditions):
        yield said(
            "Agreement among evaluators is Krippendorff's α for nominal data ({Krippendorff2004}), "
            "with images as units, which its bootstrap resamples ({Zapf2016})."
        )


def _uncertainty(scores: Sequence[Score]) -> Iterator[Said]:
    rows, first = _rows(scores), scores[0]
    if any(row.bootstrap for row in rows):
        yield said(
            "Std. and the {confidence:.0%} interval are the standard deviation and the percentiles "
            "of {draws:,} bootstrap draws of as many evaluators as there are ({Efron1979}; "
            "{Zhou2019}, section 3); the BCa interval corrects it for bias and skew ({Efron1987}).",
            confidence=first.confidence,
            draws=first.draws,
        )
    if any(row.precision for row in rows):
        yield said(
            "The width of the interval for other numbers of evaluators comes from draws of as many."
        )
    yield from _over_images(scores)


def _over_images(scores: Sequence[Score]) -> Iterator[Said]:
    reweighed = {s.protocol for s in scores if any(row.two_way for row in s.conditions)}
    if reweighed:
        yield said(
            "For the intervals over evaluators and images both were reweighed together "
            "({OwenEckles2012})."
        )
    if "time" in reweighed:
        yield said(
            "The course of a staircase cannot be reweighed: there, images enter by what they do to "
            "accuracy, which moves a staircase the further the less accuracy rises with exposure."
        )


def _tests(scores: Sequence[Score]) -> Iterator[Said]:
    tested = [score for score in scores if score.anova and score.anova.f is not None]
    if not tested:
        return
    yield said(
        "Whether conditions differ was tested by a one-way analysis of variance over the "
        "evaluators' scores ({Fisher1925})."
    )
    yield from _pairs(tested)
    yield from _variances(tested)
    if any(score.trend for score in scores):
        yield said(
            "A trend along the given order was tested by Jonckheere's test ({Jonckheere1954}), "
            "with Kendall's τ ({Kendall1938}), and by a linear contrast."
        )


def _pairs(tested: Sequence[Score]) -> Iterator[Said]:
    methods = {score.pairwise_method for score in tested}
    if "tukey-hsd" in methods:
        yield _tukey(tested)
    if "student-t" in methods:
        yield said(
            "Two conditions alone were compared by Student's unpaired t-test ({Student1908}) at "
            "α = {alpha:g}, with Hedges' g ({Hedges1981}) as effect size.",
            alpha=tested[0].alpha,
        )
    if any(score.tests.letters for score in tested):
        yield said("Conditions that share a letter are not separable ({Piepho2004}).")


def _tukey(tested: Sequence[Score]) -> Said:
    unequal = any(len({row.evaluators for row in score.conditions}) > 1 for score in tested)
    kramer = "; {Kramer1956} for unequal numbers of evaluators" if unequal else ""
    return said(
        "Pairs were compared by Tukey's honestly significant difference ({Tukey1953}"
        + kramer
        + ") "
        "at α = {alpha:g}, which holds the chance of any false alarm among all pairs, with Hedges' "
        "g ({Hedges1981}) as effect size.",
        alpha=tested[0].alpha,
    )


def _variances(tested: Sequence[Score]) -> Iterator[Said]:
    differing = [score.tests for score in tested if score.tests.variances_differ]
    if not differing:
        if any(score.tests.variances_differ is False for score in tested):
            yield said(
                "Levene's test about the median ({BrownForsythe1974}) did not find that scores "
                "vary unlike."
            )
        return
    pairs = {
        "games-howell": "the pairs of Games and Howell ({GamesHowell1976})",
        "welch-t": "Welch's t-test ({Welch1947})",
    }
    used = [words for name, words in pairs.items() if name in {t.unequal_method for t in differing}]
    yield said(
        "Where Levene's test about the median ({BrownForsythe1974}) found that scores do not vary "
        "alike, Welch's analysis of variance ({Welch1951}) and "
        + " or ".join(used)
        + " were computed too."
    )


def _functions(scores: Sequence[Score], *, curves: bool) -> Iterator[Said]:
    fitted = [row.thresholds for row in _rows(scores) if row.thresholds]
    if not fitted and not curves:
        return
    yield said(
        "Psychometric functions are Weibull functions of exposure with free lapses, chance being "
        "one half, under psignifit's beta-binomial model ({Schutt2016})."
    )
    if curves:
        yield said(
            "Each curve drawn is the maximum of the posterior for all answers of a condition; its "
            "points join neighbouring exposures and have Wilson's 95% intervals ({Wilson1927})."
        )
    if fitted:
        yield said(
            "The threshold is the exposure at which {at:.0%} of the answers are correct, lapses "
            "and lucky guesses included.",
            at=fitted[0].pooled.at,
        )


def _images(scores: Sequence[Score]) -> Iterator[Said]:
    if any(row.convincing for row in _rows(scores)):
        yield said(
            "The fakes taken for real most are those with the lowest upper bound of Wilson's "
            "interval ({Wilson1927}) of being called fake; those taken for real least have the "
            "highest lower bound."
        )


def _further(scores: Sequence[Score]) -> Iterator[Said]:
    if any(score.mixed_model for score in scores):
        yield said(
            "Errors were also fitted by a logistic model with one intercept for each condition and "
            "crossed normal effects of evaluators and images, by a Gaussian variational "
            "approximation ({OrmerodWand2012})."
        )
    metrics = [metric for score in scores for metric in score.metrics if metric.method]
    if metrics:
        yield said(
            "Scores were compared with automated metrics by Spearman's ρ ({Spearman1904}) and "
            "Kendall's τ ({Kendall1938}); p-values are by {method}.",
            method=metrics[0].method,
        )
    columns = dict.fromkeys(score.facets.column for score in scores if score.facets)
    for column in columns:
        yield said("Scores were computed again within each value of “{column}”.", column=column)
    if any(row.bootstrap for row in _rows(scores)):
        yield said(
            "Everything random in the analysis follows from seed {seed}.", seed=scores[0].seed
        )


def methods(
    scores: Sequence[Score],
    *,
    background: Background | None = None,
    curves: bool = False,
    programs: Mapping[str, str] | None = None,
) -> Methods:
    """Write the methods of a report.

    Parameters
    ----------
    scores
        All protocols of the report; at least one.
    background
        The study in words, where it is known.
    curves
        Whether psychometric curves are shown.
    programs
        Versions of programs; those that a paper names are named.
    """
    said = statistics_said(scores, curves=curves)
    return methods_of(said, background=background, programs=programs)
