"""How scores vary with other people and other images, and which conditions differ.

Error rates and exposures are sums over judgements; each judgement has one evaluator and one image
(`hype.statistics.crossed`). The mean error of a condition varies with its people and its images.
The numbers of fakes and reals are fixed, so each kind varies about its own mean. A real
image that several conditions share is one image, and conditions that one evaluator judges are
compared within that evaluator.

A staircase depends on all its images together. An image that changes accuracy moves the staircase,
and moves it farther if accuracy rises slowly with exposure. So answers are regressed within
evaluators on the logarithm of the exposure, with slope β. If one of the T judgements has the
residual r, it moves the score by −ρ·m·r/(β·T), where m is the part of the score (in ms) from blocks
not at the floor or the ceiling. Modes move only roughly as predicted: ρ, near 1, is the observed
difference between blocks of one evaluator, divided by the difference that their residuals predict.

d′ and the criterion c are means over evaluators. Answers about an image move them: one more wrong
answer of n moves z((errors + ½)/(n + 1)) by 1/((n + 1)·φ(z)), with the normal density φ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special
from scipy.sparse import csr_array

from hype.protocols.hype.block_scores import number_blocks
from hype.statistics.anova import moments, rounding
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.crossed import Crossed, Error
from hype.statistics.estimate import Estimate, Images
from hype.statistics.pairs import CLUSTERED_RANGE, CLUSTERED_T, Pair, compare_clustered, effects
from hype.statistics.proportions import CONFIDENCE, CrossedShare, holm, make_share, share_error
from hype.statistics.resampling import Parts, jackknife_shares

HALF: Final = 0.02
"""A share of fakes within this distance of one half counts as one half."""
OWNER: Final = "made_by"
"""The column with a fake's condition, if conditions were split into parts."""
EVERY: Final = (0.0, math.inf)
"""The range of exposures in ms if they have no floor or ceiling."""
LARGEST: Final = 100.0
"""This change of log odds puts any score at its bound; larger changes could overflow exp()."""
SURE: Final = 2.0
"""Accuracy counts as rising with exposure if β is this many standard errors above 0."""
RESPONSE_SPREAD: Final = 0.5
"""The standard deviation of ρ's prior, which has the mean 1 and covers all rules and exposures."""

FEWEST_IMAGES: Final = 10
"""If a condition has fewer real or fake images, nothing is known about other images."""
_ALL_ALIKE: Final = "All evaluators of each condition have the same score."


@dataclass(frozen=True, kw_only=True)
class Inference:
    """Scores, with errors that generalise to other people and images, in order of `conditions`."""

    conditions: tuple[str, ...]
    evaluators: tuple[int, ...]
    score: FloatArray  # the scores in their unit, shape (K,)
    # The compared values: the scores or, unless `same_mix`, the means of both error rates
    tested: FloatArray
    scores: Crossed
    contrasts: Crossed  # like `scores`, but for the compared values
    images: Images | None  # None if judgements do not name their images
    judgements: IntArray | None  # how many each condition has, shape (K,); None for exposures
    answers: Answers
    # For exposures: the shortest and the longest possible score, and the variance of each score if
    # all blocks were independent, shape (K,)
    possible_ms: tuple[float, float] = EVERY
    of_blocks: FloatArray | None = None

    def error(self, condition: str) -> Error | None:
        place = self.conditions.index(condition)
        return self.scores.error(place) if self.evaluators[place] > 1 else None

    def interval(self, condition: str, *, confidence: float) -> Estimate | None:
        """Return the interval; None for one person, equal exposures, or exposures at a bound."""
        place = self.conditions.index(condition)
        value, error = float(self.score[place]), self.error(condition)
        if error is None:
            return None
        if self.judgements is not None:
            return self._share(place, value, error).estimate(confidence).scale(100)
        least = 0.0 if self.of_blocks is None else float(self.of_blocks[place])
        reach = replace(error, least=least).reach(confidence)
        shortest_ms, longest_ms = self.possible_ms
        if not (reach and shortest_ms < value < longest_ms):
            return None
        # The ends are computed on the log odds of the score between the bounds, or on its logarithm
        # if there is no upper bound. A small interval extends by about `reach` to both sides.
        up = value - shortest_ms
        share = up / (longest_ms - shortest_ms)

        def end(off: float) -> float:
            odds = math.exp(min(off / (up * (1 - share)), LARGEST))
            return shortest_ms + up * odds / (1 - share + share * odds)

        return Estimate(value=value, low=end(-reach), high=end(reach))

    def pairs(
        self, people: Mapping[str, FloatArray], *, alpha: float, margin: float | None
    ) -> tuple[Pair, ...]:
        """Compare every pair of conditions, best first; ``people``: evaluators' tested values."""
        names = tuple(people)
        if len(names) < 2:
            return ()
        groups = moments(people, rounding=rounding(people))
        each = list(combinations([self.conditions.index(name) for name in names], 2))
        differences = np.array([self.tested[a] - self.tested[b] for a, b in each])
        pairs = compare_clustered(
            names,
            differences,
            [self._error_or_problem(a, b) for a, b in each],
            alpha=alpha,
            effects=effects(groups, differences),
            margin=margin,
        )
        if self.judgements is None:
            return pairs
        return tuple(  # error rates differ by at most 100 %
            pair
            if pair.ci_low is None or pair.ci_high is None
            else replace(pair, ci_low=max(-100.0, pair.ci_low), ci_high=min(100.0, pair.ci_high))
            for pair in pairs
        )

    def contrast(self, weights: Mapping[str, float]) -> tuple[float, Error | str]:
        """Return a weighted sum of the compared values, and its standard error or why it has none.

        The weights sum to 0, so the sum is a multiple of the difference of two averages.
        """
        places = [self.conditions.index(name) for name in weights]
        signed = np.array(list(weights.values()))
        value = float(signed @ self.tested[places])
        if problem := self._problem(places):
            return value, problem
        half = float(signed[signed > 0].sum())
        shares = np.zeros((len(self.conditions), 2))
        shares[places] = np.column_stack([np.maximum(signed, 0), np.maximum(-signed, 0)]) / half
        error = self.contrasts.average(shares).error_of_difference(0, 1)
        spare = signed**2 @ [self._spare(place) for place in places]
        variance = half**2 * error.variance + float(spare)
        return value, replace(error, variance=variance) if variance > 0 else _ALL_ALIKE

    def _problem(self, places: Iterable[int]) -> str:
        for place in places:
            if self.evaluators[place] < 2:
                return f"{self.conditions[place]} has one evaluator, so the variance is unknown."
            if np.isnan(self.tested[place]):
                return f"{self.conditions[place]} has only fakes or only real images."
        return ""

    def _error_or_problem(self, a: int, b: int) -> Error | str:
        if problem := self._problem((a, b)):
            return problem
        error = self.contrasts.error_of_difference(a, b)
        spare = self._spare(a) + self._spare(b)
        if error.variance + spare == 0:
            both = (self.conditions[a], self.conditions[b])
            return f"All evaluators of {both[0]} have the same score, and so do all of {both[1]}."
        return replace(error, variance=error.variance + spare)

    def _share(self, place: int, percent: float, error: Error) -> CrossedShare:
        judged = float(self.judgements[place]) if self.judgements is not None else 0.0
        people = self.evaluators[place]
        return make_share(percent / 100, judged, _scale(error, 1e-4), people=people)

    def _spare(self, place: int) -> float:
        """Return how far the variance is below that of independent answers; 0 for exposures."""
        error = self.contrasts.error(place)
        if self.judgements is None:
            return 0.0
        judged = float(self.judgements[place])
        least = share_error(float(self.tested[place]) / 100 * judged, judged, _scale(error, 1e-4))
        return least.variance * 1e4 - error.variance

    def hyper_realistic(self, *, alpha: float) -> frozenset[str]:
        """Name the conditions whose error is above chance; all tests together have level α/2.

        Chance is a mean error of 50 % over both kinds, so the mean error is tested. If a
        condition has too few images, none is named.
        """
        if self.judgements is None or self.answers.few_images:
            return frozenset()
        p = np.full(len(self.conditions), np.nan)
        for place, value in enumerate(self.tested.tolist()):
            if self.evaluators[place] > 1 and not np.isnan(value):
                share = self._share(place, value, self.contrasts.error(place))
                p[place] = share.p_above(CHANCE_PERCENT / 100)
        significant = holm(p) < alpha / 2
        return frozenset(
            name for name, above in zip(self.conditions, significant, strict=True) if above
        )

    @property
    def same_mix(self) -> bool:
        """Whether fakes and reals are equally frequent, so that scores can be compared."""
        return self.contrasts is self.scores

    @property
    def method(self) -> str | None:
        count = len(self.conditions)
        return None if count < 2 else CLUSTERED_T if count == 2 else CLUSTERED_RANGE


def _scale(error: Error, factor: float) -> Error:
    return replace(error, variance=error.variance * factor, of_items=error.of_items * factor)


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """The judgements of a protocol as arrays of numbers, shape (judgements,) each."""

    names: tuple[str, ...]  # names of the conditions
    condition: IntArray
    evaluator: IntArray
    fake: IntArray
    wrong: IntArray
    log_ms: FloatArray  # logarithm of the exposure; 0 without an exposure
    block: IntArray  # the block's number from `number_blocks`; 0 without exposures
    image: IntArray | None
    images: Images | None  # None if judgements do not name their images
    few_images: int = 0  # fewest images of a condition and kind; 0 if all have enough

    def only(self, place: int) -> Answers:
        start, end = np.searchsorted(self.condition, (place, place + 1))
        return replace(
            self,
            names=(self.names[place],),
            condition=np.zeros(end - start, dtype=np.int64),
            evaluator=pd.factorize(self.evaluator[start:end], sort=True)[0].astype(np.int64),
            fake=self.fake[start:end],
            wrong=self.wrong[start:end],
            log_ms=self.log_ms[start:end],
            block=self.block[start:end],
            image=None if self.image is None else self.image[start:end],
        )

    def crossed(self, terms: FloatArray, weights: FloatArray) -> Crossed:
        """Compute each judgement's contribution to the estimate of its condition."""
        place = (np.arange(len(terms)), self.condition)
        shape = (len(terms), len(self.names))
        spread, shares = (csr_array((each, place), shape=shape) for each in (terms, weights))
        return Crossed(spread, shares, self.evaluator, self.image)

    def inference(self, values: FloatArray, scores: Crossed, **known: Any) -> Inference:
        """Compute the `Inference` about scores; ``known``: fields that replace computed ones."""
        size = len(self.names)
        people = np.unique(self.evaluator * size + self.condition) % size
        facts: dict[str, Any] = {"tested": values, "contrasts": scores, "judgements": None}
        return Inference(
            conditions=self.names,
            evaluators=tuple(np.bincount(people, minlength=size).tolist()),
            score=values,
            scores=scores,
            images=self.images,
            answers=self,
            **facts | known,
        )


def encode_answers(
    judgements: pd.DataFrame, images: Images, block: IntArray | None = None
) -> Answers:
    """Encode judgements as numbers; ``block``: the block of each judgement, if trials are timed."""
    condition, names = pd.factorize(judgements["condition"], sort=True)
    evaluator, _ = pd.factorize(judgements["evaluator"], sort=True)
    fake = judgements["truth"].eq("fake").to_numpy().astype(np.int64)
    wrong = (judgements["answer"].eq("fake").to_numpy() != fake).astype(np.int64)
    named = "image" in judgements and not judgements["image"].isin(["", None]).any()
    image: IntArray | None = None
    few = 0
    if named and images == "sample":
        # A real image is the same image in all conditions; a fake belongs to one condition.
        owner = pd.factorize(judgements[OWNER])[0] if OWNER in judgements else condition
        maker = np.where(fake, owner + 1, 0)
        name, _ = pd.factorize(judgements["image"], sort=True)
        image = pd.factorize(name * (int(maker.max(initial=0)) + 1) + maker, sort=True)[0]
        of_kind = pd.Series(image).groupby([condition, fake]).nunique()
        if (fewest := int(of_kind.min())) < FEWEST_IMAGES:
            few, image, images = fewest, None, "fixed"
    log_ms = np.zeros(len(fake))
    if block is None:
        block = np.zeros_like(fake)
    else:
        log_ms = np.log(judgements["exposure_ms"].to_numpy(dtype=float))
    # Sort, so that the order of the rows does not change the last digit of a sum.
    keys = (block, log_ms, wrong, fake if image is None else image, evaluator, condition)
    order = np.lexsort(keys)
    return Answers(
        names=tuple(map(str, names)),
        condition=condition[order].astype(np.int64),
        evaluator=evaluator[order].astype(np.int64),
        fake=fake[order],
        wrong=wrong[order],
        log_ms=log_ms[order],
        block=block[order],
        image=None if image is None else image[order],
        images=images if named else None,
        few_images=few,
    )


def inference_of_errors(judgements: pd.DataFrame, images: Images) -> Inference:
    """Compute the `Inference` about the error rates of HYPE_∞, in percent."""
    codes = encode_answers(judgements, images)
    size = len(codes.names)
    kind = 2 * codes.condition + codes.fake
    number = np.bincount(kind, minlength=2 * size)
    mean = np.bincount(kind, codes.wrong, minlength=2 * size) / np.maximum(number, 1)
    whole = number.reshape(-1, 2).sum(axis=1)
    left = 100 * (codes.wrong - mean[kind])
    scores = codes.crossed(left / whole[codes.condition], 1 / whole[codes.condition])
    values = 100 * np.bincount(codes.condition, codes.wrong, minlength=size) / whole
    tested, contrasts = values, scores
    if (np.abs(number[1::2] / whole - 0.5) > HALF).any():
        alike = 1 / (2 * number[kind])
        contrasts = codes.crossed(left * alike, alike)
        tested = 100 * mean.reshape(-1, 2).mean(axis=1)
        tested[(number.reshape(-1, 2) == 0).any(axis=1)] = np.nan
    return codes.inference(values, scores, judgements=whole, tested=tested, contrasts=contrasts)


def inference_of_exposures(
    judgements: pd.DataFrame,
    modes_ms: FloatArray,
    images: Images,
    *,
    bounds_ms: tuple[float, float],
    possible_ms: tuple[float, float] = EVERY,
) -> Inference:
    """Compute the `Inference` about the scores of HYPE_time, in ms.

    ``modes_ms``: the score of each block, in the order of `number_blocks`; ``bounds_ms``: floor and
    ceiling of the exposures; ``possible_ms``: range of possible scores.
    """
    block, _ = number_blocks(judgements)
    codes = encode_answers(judgements, images, block)
    values, of_blocks = np.zeros((2, len(codes.names)))
    share, terms = np.zeros((2, len(codes.condition)))
    for place in range(len(codes.names)):
        own = np.flatnonzero(codes.condition == place)
        number, evaluators = pd.factorize(codes.evaluator[own])
        blocks, played = np.unique(codes.block[own], return_inverse=True)
        own_ms, whose = modes_ms[blocks], np.zeros(len(blocks), dtype=np.int64)
        whose[played] = number
        each = np.bincount(whose)  # number of blocks of each evaluator
        scores_ms = np.bincount(whose, own_ms) / each
        values[place] = scores_ms.mean()
        share[own] = 1 / (len(evaluators) * np.bincount(number)[number])
        terms[own] = (scores_ms - values[place])[number] * share[own]
        # Answers move only the part of a score from blocks that are off the floor and the ceiling.
        free_ms = np.bincount(whose, np.where(np.isin(own_ms, bounds_ms), 0.0, own_ms)) / each
        left, slope = _residuals(1 - codes.wrong[own], codes.log_ms[own], number, codes.fake[own])
        if slope is not None and codes.image is not None:
            moved_ms = -free_ms.mean() * left / slope
            terms[own] += _response(moved_ms, played, own_ms, whose) * moved_ms / len(own)
        several = each > 1
        if several.any():  # the variance of a mean score if only blocks differed, not people
            squares = np.bincount(whose, np.square(own_ms - scores_ms[whose]))
            within = (squares[several] / (each[several] - 1)).mean()
            of_blocks[place] = within * (1 / each).mean() / len(evaluators)
    found = codes.crossed(terms, share)
    return codes.inference(values, found, possible_ms=possible_ms, of_blocks=of_blocks)


def _response(
    moved_ms: FloatArray, block: IntArray, modes_ms: FloatArray, whose: IntArray
) -> float:
    """Return ρ, shrunk towards 1: how much a person's blocks differ per ms of expected difference.

    ``moved_ms``: how far a block would move if all its answers were like this one; ``block``: the
    index of each answer's block in ``modes_ms`` and in ``whose``, the evaluators.
    """
    expected_ms = _centre(np.bincount(block, moved_ms) / np.bincount(block), whose)
    found_ms = _centre(modes_ms, whose)
    squares, freedom = float(expected_ms @ expected_ms), len(whose) - int(whose.max()) - 2
    if squares == 0 or freedom < 1:
        return 1.0
    slope = float(expected_ms @ found_ms) / squares
    error = float(np.square(found_ms - slope * expected_ms).sum()) / freedom / squares
    return 1 + (slope - 1) * RESPONSE_SPREAD**2 / (RESPONSE_SPREAD**2 + error)


CHANCE_PERCENT = 50.0
"""The HYPE_∞ score of people who guess, if fakes and reals are equally frequent."""


def d_prime_and_criterion(
    fakes: npt.ArrayLike,
    fakes_wrong: npt.ArrayLike,
    reals: npt.ArrayLike,
    reals_wrong: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Compute d′ = z(H) − z(F) and c = −½(z(H) + z(F)) from arrays of counts.

    Macmillan & Creelman (2005), "Detection Theory: A User's Guide", 2nd ed., eqs. 1.5 and 2.1; a
    hit is a fake called fake, a false alarm a real called fake. For normal evidence with equal
    variances, d′ does not depend on the evaluator's criterion; an error rate does. NaN if
    there were no fakes or no reals. The log-linear correction of Hautus (1995), "Corrections for
    extreme proportions and their biasing effects on estimated values of d′", is always applied: it
    adds half a hit, half a false alarm, and one trial of each kind. Corrected d′ is finite even
    without errors, and smaller with few trials: at most 4.67 with 50 fakes and 50 reals.
    """
    fakes, reals = np.asarray(fakes, dtype=float), np.asarray(reals, dtype=float)
    # z(H) is computed as -z(1 - H), so that equal numbers of misses and false alarms give exactly
    # 0.
    z_miss = special.ndtri((np.asarray(fakes_wrong) + 0.5) / (fakes + 1))
    z_alarm = special.ndtri((np.asarray(reals_wrong) + 0.5) / (reals + 1))
    d_prime, criterion = -z_miss - z_alarm, (z_miss - z_alarm) / 2
    defined = (fakes > 0) & (reals > 0)
    return np.where(defined, d_prime, np.nan), np.where(defined, criterion, np.nan)


def detect_signals(answers: Answers, *, confidence: float = 0.95) -> dict[str, dict[str, Estimate]]:
    """Average d′ and criterion over the evaluators of each condition who judged both kinds.

    d′ is 0 if people cannot distinguish fakes from reals, and below 0 if fakes are called real more
    often than reals are. The criterion is in units of d′, and above 0 for people who say "real"
    more often. A condition is left out if no one judged both kinds.

    The result is the mean over evaluators, not d′ of pooled answers: pooling people with different
    criteria understates d′ (Macmillan & Kaplan 1985, "Detection theory analysis of group data"). If
    images are not a sample, the interval is Student's, mean ± t(n − 1)·s/√n. If all evaluators have
    equal values, there is no interval.
    """
    found = {}
    for place, name in enumerate(answers.names):
        own = answers.only(place)
        who = own.evaluator
        kind, kinds = 2 * who + own.fake, 2 * (int(who.max()) + 1)
        number, wrong = np.bincount(kind, minlength=kinds), np.bincount(kind, own.wrong, kinds)
        both = d_prime_and_criterion(number[1::2], wrong[1::2], number[::2], wrong[::2])
        judged_both = ~np.isnan(both[0])
        if not judged_both.any():
            continue
        share = judged_both / judged_both.sum()
        density = scipy.stats.norm.pdf(special.ndtri((wrong + 0.5) / (number + 1)))
        slope = 1 / ((number + 1) * density)
        moves = (own.wrong - (wrong / np.maximum(number, 1))[kind]) * slope[kind] * share[who]
        weight = share[who] / np.bincount(who)[who]
        means = []
        for each, sign in zip(both, (-1.0, own.fake - 0.5), strict=True):
            mean, away = float(each[judged_both].mean()), np.nan_to_num(each - np.nanmean(each))
            if len(np.unique(each[judged_both])) < 2:
                means.append(Estimate(value=mean))
                continue
            crossed = own.crossed(sign * moves + away[who] * weight, weight)
            reach = crossed.error(0).reach(confidence)
            means.append(Estimate(value=mean, low=mean - reach, high=mean + reach))
        found[name] = dict(zip(("d_prime", "criterion"), means, strict=True))
    return found


def roc_areas(
    group: IntArray, person: IntArray, level: IntArray, is_first: BoolArray
) -> list[Estimate | None]:
    """Compute areas under ROC curves, one for each group of answers.

    The area is the share of pairs of answers, one of each kind, in which the first kind has the
    higher level; equal levels count half (Bamber 1975). If levels go from certainly real to
    certainly fake, the area is of type 1: how well people distinguish fakes from real images. If
    levels are confidence in right and in wrong answers, the area is of type 2: how well people know
    when they are right (Galvin et al. 2003). Chance gives ½.

    Only answers of the same person are compared, since people use the steps in different ways. The
    intervals generalise to other people, and use only people with answers of both kinds.

    ``group``, ``person``, ``level``: whole numbers from 0, shape (answers,); ``is_first``: whether
    an answer is of the first kind. An area is None if no one gave answers of both kinds.
    """
    people, levels = int(person.max(initial=0)) + 1, int(level.max(initial=0)) + 1
    cells, cell = np.unique(group * people + person, return_inverse=True)
    place, size = cell * levels + level, len(cells) * levels
    first, second = (
        np.bincount(place, kind, minlength=size).reshape(-1, levels)
        for kind in (is_first, ~is_first)
    )
    has_both = first.any(axis=1) & second.any(axis=1)
    cells, first, second = cells[has_both], first[has_both], second[has_both]
    beaten = np.cumsum(second, axis=1) - second / 2
    parts = Parts(
        share=cells // people,
        above=(first * beaten).sum(axis=1),
        below=first.sum(axis=1) * second.sum(axis=1),
        item=None,
        evaluator=cells % people,
    )
    areas = jackknife_shares(parts, int(group.max(initial=-1)) + 1, confidence=CONFIDENCE)
    return [None if np.isnan(area.value) else area for area in areas]


def _residuals(
    right: IntArray, log_ms: FloatArray, evaluator: IntArray, fake: IntArray
) -> tuple[FloatArray, float | None]:
    """Return the answers' residuals, centred by kind and evaluator, and β; None if β may be 0."""
    y, x = _centre(right.astype(float), evaluator), _centre(log_ms, evaluator)
    squares = float(x @ x)
    if squares == 0:
        return y, None
    slope = float(x @ y) / squares
    left = y - slope * x
    freedom = max(len(y) - int(evaluator.max()) - 2, 1)
    error = np.sqrt(float(left @ left) / freedom / squares)
    return _centre(_centre(left, fake), evaluator), slope if slope > SURE * error else None


def _centre(values: FloatArray, group: IntArray) -> FloatArray:
    means = np.bincount(group, values) / np.maximum(np.bincount(group), 1)
    centred: FloatArray = values - means[group]
    return centred
