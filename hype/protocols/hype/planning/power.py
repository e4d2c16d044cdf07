"""How likely a planned study is to tell two conditions apart: power by simulation.

Studies are drawn from evaluators that were simulated before, and each is put to the test that
scoring makes of a real one: the difference of two scores over its error, which allows for other
people and for other images (`hype.statistics.crossed`), by Student's t where there are two
conditions, by the studentised range of all where there are more. Evaluators who serve both
conditions are compared with themselves.

Evaluators are drawn with replacement. Drawn without, studies from a finite population would be more
alike than studies from all people there are: their means vary less by the factor 1 - N/M, for N of
M, and power would come out too high. With replacement N may be any number, and what is left
is how well the M stand for everybody, which is the same for all N: for its share in the standard
error of the power see `people_error`. Images are those of the study for everybody who was
simulated; what other ones would add to a difference is estimated from them as scoring does, and
drawn from a normal distribution, and so is its estimate from a chi-squared one.

Simulation (`power`) gives the power of a number of evaluators that is asked about; the closed form
says about how many are needed, and how much a power depends on who was simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

from hype.errors import InputError
from hype.protocols.hype.condition_scores import ALPHA, CONFIDENCE
from hype.statistics.anova import ROUNDING
from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.pairs import CLUSTERED_RANGE, CLUSTERED_T, critical

_PARTS: Final = 20
"""Of the people simulated, each left out in turn."""
_FREEDOMS: Final = 1 / np.linspace(1, 1 / 2000, 60)
"""Degrees of freedom for which critical values are worked out; between them they are read off."""
ENOUGH: Final = 0.8
"""The power that is usually asked for: Cohen (1988)."""
MOST_EVALUATORS: Final = 1_000_000
"""No more than these are said to be needed."""
_CELLS: Final = 2**18
"""Evaluators times studies held in memory at once."""


@dataclass(frozen=True, kw_only=True)
class OfImages:
    """What images do to an estimate, by the simulated evaluators.

    ``added`` is the variance that they add to it, however many people judge them; ``apart`` that of
    single judgements, times the evaluators; ``freedom`` the degrees of freedom of its estimate.
    """

    added: float = 0.0
    apart: float = 0.0
    freedom: float = 1.0

    def summed(self, evaluators: int) -> float:
        """Give the sum over images that scoring finds; what is ``apart`` is taken off again."""
        return self.added + self.apart / evaluators


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedPair:
    """Scores of simulated people in the two conditions, shape (people,) each.

    Where an evaluator serves ``each`` of the ``conditions`` of the study, more than one, both are
    of the same people.
    """

    baseline: FloatArray
    rival: FloatArray
    conditions: int = 2
    each: int = 1
    images: OfImages = OfImages()  # in the difference
    images_of_baseline: OfImages = OfImages()
    judged: int = 0  # judgements of an evaluator, where scores are error rates in percent; else 0

    def least(self, scores: FloatArray) -> FloatArray:
        """Give the variance that an error rate has at least, by the rule of scoring.

        Of studies' ``scores``, shape (studies, evaluators): that of independent answers.
        """
        answers = max(1, scores.shape[1] * self.judged)
        share = (scores.mean(axis=1) / 100 * answers + 2) / (answers + 4)
        return np.asarray(share * (1 - share) / answers * 1e4 * (self.judged > 0))

    @property
    def difference(self) -> float:
        return float(self.rival.mean() - self.baseline.mean())

    def in_both(self, evaluators: int) -> int:
        """Give how many of so many evaluators per condition serve both of these."""
        return round(evaluators * (self.each - 1) / (self.conditions - 1))

    def differing_by(self, difference: float) -> SimulatedPair:
        return replace(self, rival=self.rival + (difference - self.difference))

    def without(self, part: int, parts: int) -> SimulatedPair:
        kept = (scores[_rest(len(scores), part, parts)] for scores in (self.baseline, self.rival))
        baseline, rival = kept
        return replace(self, baseline=baseline, rival=rival)


def _rest(people: int, part: int, parts: int) -> BoolArray:
    return np.asarray(np.arange(people) % parts != part)


@dataclass(frozen=True, kw_only=True)
class Power:
    """What so many evaluators per condition can show."""

    evaluators: int  # per condition
    power: float  # share of drawn studies, 0 to 1, in which the pair is separable
    # Its standard error, by the number of studies and by that of simulated evaluators
    power_se: float
    false_alarms: float  # the same share where the pair does not differ
    false_alarms_se: float  # its standard error by the number of studies
    # Width of the interval of the first condition's score: the median over drawn studies
    interval_width: float


def power(
    pair: SimulatedPair, evaluators: int, *, studies: int, seed: int, alpha: float = ALPHA
) -> Power:
    """Draw studies of so many evaluators per condition, 2 or more, and see what they show.

    Of a pair with 3 people or more. The same seed gives the same figures, whichever other numbers
    of evaluators are asked about. A pair counts as separable below `alpha`, 1e-12 to below 1.
    """
    check(pair, evaluators, studies)
    streams = np.random.SeedSequence(seed, spawn_key=(evaluators,)).spawn(3)
    rngs = [np.random.default_rng(stream) for stream in streams]
    alike = pair.differing_by(0.0)
    share = separable_share(pair, evaluators, studies=studies, rng=rngs[0], alpha=alpha)
    false = separable_share(alike, evaluators, studies=studies, rng=rngs[1], alpha=alpha)
    drawn = binomial_error(share, studies)
    return Power(
        evaluators=evaluators,
        power=share,
        power_se=float(np.hypot(drawn, people_error(pair, evaluators, alpha=alpha))),
        false_alarms=false,
        false_alarms_se=binomial_error(false, studies),
        interval_width=interval_width(pair, evaluators, studies=studies, rng=rngs[2]),
    )


def check(pair: SimulatedPair, evaluators: int, studies: int) -> None:
    for name, number, least in (
        ("conditions", pair.conditions, 2),
        ("people", min(len(pair.baseline), len(pair.rival)), 3),
        ("evaluators", evaluators, 2),
        ("studies", studies, 1),
    ):
        if number < least:
            raise InputError(name, str(number), f"allowed is a whole number, {least} or more")


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnEstimates:
    """Estimates of drawn studies and their errors, shape (studies,) each."""

    estimate: FloatArray
    variance: FloatArray
    freedom: FloatArray


def separable_share(
    pair: SimulatedPair,
    evaluators: int,
    *,
    studies: int,
    rng: np.random.Generator,
    alpha: float = ALPHA,
) -> float:
    step = max(1, _CELLS // evaluators)
    detected = 0
    for start in range(0, studies, step):
        drawn = differences(pair, evaluators, studies=min(step, studies - start), rng=rng)
        detected += int(separable(drawn, pair.conditions, alpha=alpha).sum())
    return detected / studies


def separable(drawn: DrawnEstimates, conditions: int, *, alpha: float = ALPHA) -> BoolArray:
    """Test the pair in each study; where nobody varies there is no test, and it is not."""
    limit = critical_t(conditions, drawn.freedom, alpha) * np.sqrt(drawn.variance)
    return np.asarray((drawn.variance > 0) & (np.abs(drawn.estimate) > limit))


def critical_t(conditions: int, freedom: npt.ArrayLike, alpha: float = ALPHA) -> FloatArray:
    """Give how many errors a difference must be, by interpolation in 1 / freedom."""
    return np.interp(1 / np.asarray(freedom), 1 / _FREEDOMS[::-1], _critical(conditions, alpha))


def planned_test(conditions: int) -> str:
    return CLUSTERED_T if conditions == 2 else CLUSTERED_RANGE


@lru_cache(maxsize=64)
def _critical(conditions: int, alpha: float) -> FloatArray:
    return exact_critical(conditions, _FREEDOMS[::-1], alpha)


def exact_critical(conditions: int, freedom: FloatArray | float, alpha: float) -> FloatArray:
    freedoms = np.asarray(freedom, dtype=np.float64)
    if conditions == 2:
        return np.asarray(-special.stdtrit(freedoms, alpha / 2), dtype=np.float64)
    return np.asarray(critical(alpha, conditions, freedoms) / np.sqrt(2), dtype=np.float64)


def differences(
    pair: SimulatedPair, evaluators: int, *, studies: int, rng: np.random.Generator
) -> DrawnEstimates:
    """Draw studies, and give the difference of the pair in each as scoring does."""
    both = pair.in_both(evaluators)
    baseline, rival = (_drawn(s, (studies, evaluators), rng) for s in (pair.baseline, pair.rival))
    if both:
        who = rng.integers(len(pair.baseline), size=(studies, both))
        baseline[:, :both], rival[:, :both] = pair.baseline[who], pair.rival[who]
    of_baseline, of_rival = (_away(scores) for scores in (baseline, rival))
    parts = (
        of_rival[:, :both] - of_baseline[:, :both],
        of_baseline[:, both:],
        of_rival[:, both:],
    )
    estimate = rival.mean(axis=1) - baseline.mean(axis=1)
    rounding = ROUNDING * max(float(np.abs(s).max()) for s in (pair.baseline, pair.rival))
    drawn = _with_images(
        estimate, parts, pair.images, rng, evaluators=evaluators, rounding=rounding
    )
    of_images = pair.images_of_baseline.added
    spare = sum(
        np.maximum(0.0, pair.least(scores) - np.square(away).sum(axis=1) - of_images)
        for scores, away in ((baseline, of_baseline), (rival, of_rival))
    )
    return replace(drawn, variance=drawn.variance + spare)


def _drawn(scores: FloatArray, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    return scores[rng.integers(len(scores), size=shape)]


def _away(scores: FloatArray) -> FloatArray:
    """Give what each evaluator adds to a mean, as far as the others leave it free."""
    evaluators = scores.shape[1]
    away = (scores - scores.mean(axis=1, keepdims=True)) / evaluators
    return np.asarray(away * np.sqrt(evaluators / (evaluators - 1)))


def _with_images(
    estimate: FloatArray,
    parts: tuple[FloatArray, ...],
    images: OfImages,
    rng: np.random.Generator,
    *,
    evaluators: int,
    rounding: float,
) -> DrawnEstimates:
    """Let estimates vary with images too, and errors by what is found of that.

    ``parts`` are what evaluators add who serve the same, shape (studies, evaluators) each.
    """
    studies = len(estimate)
    variance, doubt = np.zeros(studies), np.zeros(studies)
    for part in parts:
        if part.shape[1]:
            squares = np.square(part).sum(axis=1)
            squares[squares < rounding**2] = 0.0
            variance += squares
            doubt += squares**2 / max(1, part.shape[1] - 1)
    if images.summed(evaluators):
        estimate = estimate + np.sqrt(images.added) * rng.standard_normal(studies)
        summed = images.summed(evaluators) * rng.chisquare(images.freedom, studies) / images.freedom
        added = np.maximum(0.0, summed - images.apart / evaluators)
        variance += added
        doubt += np.where(added > 0, summed**2 / images.freedom, 0.0)
    freedom = np.divide(variance**2, doubt, out=np.ones(studies), where=doubt > 0)
    return DrawnEstimates(estimate=estimate, variance=variance, freedom=np.maximum(1.0, freedom))


def binomial_error(share: float, studies: int) -> float:
    """Give the standard error of a share of studies; not 0 where all or none are counted."""
    kept = (share * studies + 1) / (studies + 2)
    return float(np.sqrt(kept * (1 - kept) / studies))


def interval_width(
    pair: SimulatedPair, evaluators: int, *, studies: int, rng: np.random.Generator
) -> float:
    """Give the width of the interval of the first condition's score, the median over studies."""
    scores = _drawn(pair.baseline, (min(studies, _CELLS // evaluators + 1), evaluators), rng)
    drawn = _with_images(
        scores.mean(axis=1),
        (_away(scores),),
        pair.images_of_baseline,
        rng,
        evaluators=evaluators,
        rounding=ROUNDING * float(np.abs(pair.baseline).max()),
    )
    variance = np.maximum(drawn.variance, pair.least(scores))
    reach = special.stdtrit(drawn.freedom, (1 + CONFIDENCE) / 2) * np.sqrt(variance)
    return float(np.median(2 * reach))


def normal_power(
    difference: float,
    variance: float,
    freedom: float,
    conditions: int = 2,
    *,
    alpha: float = ALPHA,
) -> float:
    """Give the power of the test of a difference whose error has such a variance, not 0.

    The difference over its estimated error is then noncentral t (Cohen 1988, chapter 2); exact for
    normal scores that vary alike.
    """
    error = np.sqrt(variance)
    limit = float(exact_critical(conditions, freedom, alpha)) * error
    s, weight = _estimated_deviation(freedom)
    beyond = special.ndtr((difference - limit * s) / error)
    beyond += special.ndtr((-difference - limit * s) / error)
    return float(min(1.0, weight @ beyond))


@lru_cache(maxsize=256)
def _estimated_deviation(df: float) -> tuple[FloatArray, FloatArray]:
    """Give values of an estimated standard deviation of 1, and their weights, which sum to 1.

    s is the root of a chi-squared variate on df degrees of freedom, divided by df; outside of the
    values lies less than 1e-12. Integrating over it is slower than the noncentral t distribution
    of SciPy, but has a value for all arguments.
    """
    low, high = np.sqrt(special.chdtri(df, [1 - 1e-13, 1e-13]) / df)
    nodes, weights = _legendre()
    s = low + (high - low) * (nodes + 1) / 2
    log_density = df * (np.log(s) - s * s / 2)
    density = weights * s**-1.0 * np.exp(log_density - log_density.max())
    return s, np.asarray(density / density.sum())


@lru_cache(maxsize=1)
def _legendre() -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(128)


def people_power(
    pair: SimulatedPair, difference: float, evaluators: int, *, alpha: float = ALPHA
) -> float:
    """Give the power for normal scores that vary as the simulated ones do."""
    both = pair.in_both(evaluators)
    alone = evaluators - both
    variances = [(pair.baseline.var(ddof=1), alone), (pair.rival.var(ddof=1), alone)]
    if both:
        variances.append((np.var(pair.rival - pair.baseline, ddof=1), both))
    parts = [(own * of / evaluators**2, max(1, of - 1)) for own, of in variances if of]
    variance = sum(part for part, _ in parts) + pair.images.added
    if not variance:
        return 0.0
    doubt = sum(part**2 / freedom for part, freedom in parts)
    if pair.images.added:
        doubt += pair.images.summed(evaluators) ** 2 / pair.images.freedom
    freedom = max(1.0, variance**2 / doubt)
    return normal_power(difference, variance, freedom, pair.conditions, alpha=alpha)


def people_error(pair: SimulatedPair, evaluators: int, *, alpha: float = ALPHA) -> float:
    """Give the standard error of a power by who was simulated, for a fixed difference.

    By a jackknife: one part of the people after the other is left out. The difference is fixed
    since it was made to be what it is.
    """
    parts = min(_PARTS, len(pair.baseline), len(pair.rival))
    without = [
        people_power(pair.without(part, parts), pair.difference, evaluators, alpha=alpha)
        for part in range(parts)
    ]
    return float(np.sqrt((parts - 1) * np.var(without)))


def evaluators_for(
    pair: SimulatedPair, *, wanted: float = ENOUGH, alpha: float = ALPHA
) -> int | None:
    """Say about how many evaluators per condition have the power wanted, for normal scores.

    The smallest number by `people_power`; None where it is above `MOST_EVALUATORS`. `wanted` is
    above alpha and below 1.
    """
    check(pair, 2, 1)

    def enough(evaluators: int) -> bool:
        return people_power(pair, pair.difference, evaluators, alpha=alpha) >= wanted

    low, high = 1, 2
    while not enough(high):
        low, high = high, high * 2
        if low >= MOST_EVALUATORS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
