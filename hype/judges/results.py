"""The results of automated judges compared with people: estimates with intervals.

Each row (such as a rating) has an influence on an estimate. The standard error of the estimate is
that of the mean influence. A person rates many items, and an item is rated by several people, so
rows are clustered in two ways. The variance is the sum over evaluators plus the sum over items
minus the sum over rows, and at least the larger of the first two sums (Cameron, Gelbach & Miller
2011, "Robust inference with multiway clustering", J. Business & Econ. Statistics 29, equation 2.4).

The intervals of κ are computed in the same way. If each row is its own unit, the standard error of
κ is that of Fleiss, Cohen & Everitt (1969).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Literal, TypeVar

import numpy as np

from hype.errors import InputError
from hype.judges.benchmark import Benchmark
from hype.report.tabular import Row, Rows
from hype.statistics.agreement import kappa_and_influence
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.correlation import correlation
from hype.statistics.crossed import Error
from hype.statistics.estimate import Estimate
from hype.statistics.proportions import interval_within_one, make_share
from hype.statistics.resampling import FEWEST_CLUSTERS
from hype.study.scales import OVERALL, Scale

Shape = Literal["answers", "scores"]
Verdict = Literal["as good", "worse", "not known"]
"""Whether a judge is as good as a second person, for a given margin."""


@dataclass(frozen=True, kw_only=True)
class CountedEstimate:
    """A number and its interval."""

    # None if undefined, such as κ if both raters always give the same answer
    value: float | None = None
    low: float | None = None  # None if the interval is unknown
    high: float | None = None
    n: int  # number of answers

    @property
    def estimate(self) -> Estimate | None:
        if self.value is None:
            return None
        return Estimate(value=self.value, low=self.low, high=self.high)


_FLAT = 1e-12


@dataclass(frozen=True, kw_only=True)
class RowUnits:
    """The evaluator and the item of each row, as numbers from 0."""

    evaluator: IntArray | None = None  # shape (n,); None if unknown.
    # Shape (n,); None if each item has one row, so that evaluators are the only units
    item: IntArray | None = None

    def select(self, rows: BoolArray | IntArray) -> RowUnits:
        if rows.dtype == bool and rows.all():
            return self
        kept = [None if each is None else each[rows] for each in (self.evaluator, self.item)]
        return RowUnits(evaluator=kept[0], item=kept[1])

    @cached_property
    def ways(self) -> list[tuple[IntArray, int]]:
        """Each grouping (by evaluator, by item) with enough groups, and its number of groups."""
        given = [each for each in (self.evaluator, self.item) if each is not None and each.size]
        sized = [(each, int(np.count_nonzero(np.bincount(each)))) for each in given]
        return [each for each in sized if each[1] >= FEWEST_CLUSTERS]


def mean_error(influence: FloatArray, units: RowUnits, of_items: FloatArray | None = None) -> Error:
    """Return the standard error of a mean, with infinite degrees of freedom if rows are the units.

    ``influence``: each row's influence minus the mean, shape (n,). ``of_items``: the influences for
    the sums over items, if they differ from ``influence``.
    """
    rows = len(influence)
    own = float((influence**2).sum()) / rows**2
    each: list[float] = []
    for codes, number in units.ways:
        is_item = codes is units.item and of_items is not None
        sums = np.bincount(codes, weights=of_items if is_item else influence)
        each.append(float((sums**2).sum()) / rows**2 * number / (number - 1))
    both = [sum(each) - own] if len(each) == 2 else []
    return Error(
        variance=max([*both, *each], default=own),
        freedom=min((number - 1.0 for _, number in units.ways), default=np.inf),
        of_items=0.0,
    )


def estimate_difference(
    value: float, influence: FloatArray, units: RowUnits, confidence: float
) -> CountedEstimate:
    reach = mean_error(influence, units).reach(confidence)
    return CountedEstimate(value=value, low=value - reach, high=value + reach, n=len(influence))


def estimate_within_one(
    value: float,
    influence: FloatArray,
    units: RowUnits,
    confidence: float,
    of_items: FloatArray | None = None,
) -> CountedEstimate:
    """Return κ or a correlation with its interval; there is no interval at −1 and 1.

    ``of_items``: only if people are compared with each other (see `mean_error`). In this case,
    there is no interval if evaluators or items are unknown, or too few.
    """
    low, high = None, None
    if of_items is None or len(units.ways) == 2:
        low, high = interval_within_one(
            value, mean_error(influence, units, of_items).reach(confidence)
        )
    return CountedEstimate(value=value, low=low, high=high, n=len(influence))


def ends_of_difference(
    judge: Estimate, person: Estimate, errors: Sequence[Error]
) -> tuple[float | None, float | None]:
    """Compute the interval of a difference from the intervals of its two terms.

    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. A judge's estimate has a maximum. Close to the maximum, the estimate varies less, and its
    interval is longer below than above. ``errors``: the standard errors of the judge's estimate, of
    the person's, and of the difference.
    """
    if judge.low is None or judge.high is None or person.low is None or person.high is None:
        return None, None
    of_judge, of_person, of_both = (error.standard for error in errors)
    product = max(of_judge * of_person, _FLAT)
    together = (of_judge**2 + of_person**2 - of_both**2) / product

    def reach(up: float, down: float) -> float:
        return float(np.sqrt(max(0.0, up**2 + down**2 - together * up * down)))

    below = reach(judge.value - judge.low, person.high - person.value)
    above = reach(judge.high - judge.value, person.value - person.low)
    difference = judge.value - person.value
    return difference - below, difference + above


def estimate_share(hits: FloatArray, units: RowUnits, confidence: float) -> CountedEstimate:
    """Return the mean of ``hits``, numbers from 0 to 1, with the interval of `make_share`.

    Means of 0 and 1 also have an interval.
    """
    number = len(hits)
    if not number:
        return CountedEstimate(n=0)
    value = float(hits.mean())
    error = mean_error(hits - value, units)
    people = number if np.isinf(error.freedom) else int(error.freedom) + 1
    ends = make_share(value, number, error, people=max(2, people)).estimate(confidence)
    return CountedEstimate(value=value, low=ends.low, high=ends.high, n=number)


def correlate(x: FloatArray, y: FloatArray, units: RowUnits, confidence: float) -> CountedEstimate:
    """Correlate a judge's answers with ratings; both have the shape (n,) and no NaN."""
    people, item = (*(codes for codes, _ in units.ways), None, None)[:2]
    found = correlation(x, y, people, item, confidence=confidence)
    return CountedEstimate(value=found.r, low=found.low, high=found.high, n=found.n)


def kappa_of(
    a: IntArray, b: IntArray, weights: FloatArray, units: RowUnits, confidence: float
) -> CountedEstimate:
    """Compute κ of two raters' answers, which are numbers from 0.

    ``weights``: the agreement of two answers, from 0 to 1; shape (levels, levels).

    κ is undefined if there are no rows, or if both raters always give the same single answer.
    """
    levels = len(weights)
    joint = np.bincount(a * levels + b, minlength=levels * levels).reshape(levels, levels)
    kappa, influence = kappa_and_influence(joint / max(1, a.size), weights)
    if kappa is None:
        return CountedEstimate(n=int(a.size))
    return estimate_within_one(kappa, influence[a, b], units, confidence)


@dataclass(frozen=True, kw_only=True)
class AxisAgreement:
    """How well a judge agrees with people on one axis."""

    axis: str
    # `items`: number of items that people answered; `answered`: how many of these the judge
    # answered ("not relevant" is also an answer)
    answered: int
    items: int
    not_relevant: int  # how many of `answered` are "not relevant"
    constant: str  # the judge's answer, if all its answers are equal; else empty.
    # Pearson's r of the judge's answers (or differences of scores) with people's ratings; each
    # rating counts once
    r: CountedEstimate
    # Cohen's κ, unweighted. If the judge scores the images of pairs, κ compares which image the
    # judge and the person prefer, if both prefer one. None if it scores single images
    kappa: CountedEstimate | None
    weighted: CountedEstimate | None  # κ with quadratic weights; None for scores.
    # How often judge and person prefer the same image, if both prefer one; None for single images
    same_image: CountedEstimate | None
    # The judge's r minus a second person's r, on items that two people or more rated
    difference: CountedEstimate | None
    verdict: Verdict | None  # None if no margin is given.
    # Comparison with the correct answers. For yes or no: the share of correct answers by the judge
    # (`right`) and by people (`people_right`). For numbers: Pearson's r of the judge (`r`) and of
    # people (`people_r`) with the correct number. Values that do not apply are None; the row is
    # None if the table has no correct answers
    truth: Row | None


@dataclass(frozen=True, kw_only=True)
class JudgeAgreement:
    """One judge compared with people's ratings."""

    judge: str
    shape: Shape  # whether the judge gives answers, or scores of images
    # `asked`: number of pairs of item and axis that people answered; `answered`: how many of these
    # the judge answered. Axes on which it gave no answer do not count
    answered: int
    asked: int
    missing: Mapping[str, int]  # number of missing answers by reason
    axes: tuple[AxisAgreement, ...]  # in the order of `RatingJudgesScore.axes`
    mean_r: float | None  # mean of r over the axes that have an r.
    # From `correlate_axes`; None if the judge's answers vary on fewer than two axes
    between_axes: Row | None
    first_image: Row | None  # from `count_first`; None for single images

    @property
    def coverage(self) -> float:
        return self.answered / self.asked if self.asked else 0.0

    def axis(self, name: str) -> AxisAgreement:
        return {row.axis: row for row in self.axes}[name]


@dataclass(frozen=True, kw_only=True)
class ChoiceAgreement:
    """One judge compared with people's choices, such as a preference model with rankings."""

    judge: str
    # `of_images`: number of images that people ranked (in the held-out part, if there is one);
    # `images`: how many of these the judge scored
    images: int
    of_images: int
    # `of_comparisons`: people's choices between images; `comparisons`: those of two scored images
    comparisons: int
    of_comparisons: int
    accuracy: CountedEstimate  # the share of right predictions; equal scores count as half.
    # The expected accuracy of another person, on items with choices by two or more people; None
    # without such items
    person: CountedEstimate | None
    # The judge's accuracy minus a second person's, on choices for which both are known; None if no
    # other person chose, or if evaluators are unknown
    difference: CountedEstimate | None
    verdict: Verdict | None  # None if no margin is given
    pairs: Rows  # for two conditions `a` and `b`: the `accuracy` in choices between their images

    @property
    def coverage(self) -> float:
        return self.images / self.of_images if self.of_images else 0.0


@dataclass(frozen=True, kw_only=True)
class ComparingAgreement(ChoiceAgreement):
    """One judge compared with people's comparisons of images in pairs."""

    shape: Shape  # whether the judge gives answers, or scores of images
    # `of_pairs`: pairs of images that people compared; `pairs_judged`: how many the judge judged
    pairs_judged: int
    of_pairs: int
    pairs_decided: int  # judged pairs in which the judge prefers one image
    missing: Mapping[str, int]  # number of missing answers by reason
    first_image: Row | None  # from `count_first`; None for scores, or if pairs had one order only

    @property
    def coverage(self) -> float:
        return self.pairs_judged / self.of_pairs if self.of_pairs else 0.0


@dataclass(frozen=True, kw_only=True)
class DetectorAgreement(ChoiceAgreement):
    """One judge compared with people's judgements, real or fake.

    A choice is a person's answer; accuracy is the share of these answers that the judge also gives.
    """

    missing: Mapping[str, int]  # number of missing answers by reason
    constant: str  # the judge's answer, if all its answers are equal; else empty.
    # Shares of wrong answers of the `judge` (one answer per image) and of `people`, on images that
    # both judged: on all images, on fakes, on reals, and on the fakes of each condition
    errors: Rows


AgreementT = TypeVar("AgreementT", bound="JudgeAgreement | ChoiceAgreement")


@dataclass(frozen=True, kw_only=True)
class JudgesScore(Generic[AgreementT]):
    """Judges compared with people."""

    against: str  # people's answers: ratings, rankings, comparisons or judgements
    judges: tuple[AgreementT, ...]  # sorted by agreement, the highest first
    # `confidence`, `margin`: as in `JudgeOptions`
    confidence: float
    margin: float | None
    notes: tuple[str, ...]  # sentences that apply to all judges


@dataclass(frozen=True, kw_only=True)
class RatingJudgesScore(JudgesScore[JudgeAgreement]):
    """Judges compared with people's ratings."""

    against: str = "ratings"
    # `axes`: first those of the options, then others in the order in which they appear; `overall`:
    # the name of the overall axis, None if there is none
    axes: tuple[str, ...]
    overall: str | None
    pairs: bool  # whether people rated pairs, not single images.
    # How well people agree with each other, from `meet_second_person`; a row for each axis
    people: Rows


@dataclass(frozen=True, kw_only=True)
class RankingJudgesScore(JudgesScore[ChoiceAgreement]):
    """Preference models compared with people's rankings."""

    against: str = "rankings"
    # True: only rankings with split = "test" count. None: no ranking has this split, so a model
    # may have been trained on these images.
    held_out: bool | None
    # The benchmark of each judge that has scores with conditions and prompts
    benchmarks: tuple[Benchmark, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The options for comparing judges with people.

    Raises InputError: a value that is not allowed.
    """

    confidence: float = 0.95  # coverage of the intervals, as a proportion.
    # A judge is as good as a second person if the whole interval of the difference (judge minus
    # person) is above −margin: in r for ratings, else in the share of answers. None: no verdict
    margin: float | None = None
    # The first axes of the report, in order; other axes follow in the order in which they appear
    axes: tuple[str, ...] = ()
    overall: str = OVERALL  # the overall axis; scores without an axis belong to it
    scale: Scale = field(default_factory=Scale)  # the allowed answers of ratings
    groups: int = 10  # a benchmark splits each style's prompts into this many groups

    def __post_init__(self) -> None:
        for name in ("confidence", "margin"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise InputError(name, f"{value:g}", "it must be a number above 0 and below 1")
        if self.groups < 2:
            raise InputError("groups", str(self.groups), "it must be 2 or more")

    def verdict(self, difference: CountedEstimate | None) -> Verdict | None:
        """Return the verdict on a difference from a second person; None without a margin."""
        if self.margin is None:
            return None
        if difference is None or difference.low is None or difference.high is None:
            return "not known"
        if difference.low > -self.margin:
            return "as good"
        return "worse" if difference.high < -self.margin else "not known"
