"""The results of automated judges compared with people: figures, and how sure they are.

Standard errors are those of a mean of influences, over units that have several rows each. An answer
of a judge is met with the ratings of several people, and a person rates many items, so that rows
are alike in two ways. The variance is that over evaluators and that over items, less what both
count (Cameron, Gelbach & Miller 2011, "Robust inference with multiway clustering", Journal of
Business & Economic Statistics 29, eq. 2.4), and never less than either.

κ has such intervals too; its standard error is that of Fleiss, Cohen & Everitt (1969) where each
row is a unit of its own.
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
from hype.statistics.proportions import crossed_share, within_one
from hype.statistics.resampling import FEWEST_CLUSTERS
from hype.study.scales import OVERALL, Scale

Shape = Literal["answers", "scores"]
Verdict = Literal["as good", "worse", "not known"]
"""A judge compared with a second person, within a margin."""
Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class CountedEstimate:
    """A number and its interval."""

    # None if it is not defined, as κ of two who say the same to everything
    value: float | None = None
    low: float | None = None  # None if the interval is unknown
    high: float | None = None
    n: int  # how many answers it is of

    @property
    def estimate(self) -> Estimate | None:
        if self.value is None:
            return None
        return Estimate(value=self.value, low=self.low, high=self.high)


_FLAT = 1e-12


@dataclass(frozen=True, kw_only=True)
class RowUnits:
    """Whose, and of what, each row is, as numbers from 0."""

    evaluator: IntArray | None = None  # shape (n,); None if unknown
    # Shape (n,); None if each item has one row, so that evaluators say it all
    item: IntArray | None = None

    def of(self, rows: BoolArray | IntArray) -> RowUnits:
        if rows.dtype == bool and rows.all():
            return self
        kept = [None if each is None else each[rows] for each in (self.evaluator, self.item)]
        return RowUnits(evaluator=kept[0], item=kept[1])

    @cached_property
    def ways(self) -> list[tuple[IntArray, int]]:
        """The groupings that have enough groups to learn from, and how many these are."""
        given = [each for each in (self.evaluator, self.item) if each is not None and each.size]
        sized = [(each, int(np.count_nonzero(np.bincount(each)))) for each in given]
        return [each for each in sized if each[1] >= FEWEST_CLUSTERS]


def mean_error(influence: FloatArray, units: RowUnits, of_items: FloatArray | None = None) -> Error:
    """Return the error of a mean; its degrees of freedom are infinite where rows are the units.

    ``influence``: what each row adds, less the mean; shape (n,).
    ``of_items``: what each row adds to the sum of its item, if that is something else.
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
    """Return a difference of two means with its interval."""
    reach = mean_error(influence, units).reach(confidence)
    return CountedEstimate(value=value, low=value - reach, high=value + reach, n=len(influence))


def estimate_within_one(
    value: float,
    influence: FloatArray,
    units: RowUnits,
    confidence: float,
    of_items: FloatArray | None = None,
) -> CountedEstimate:
    """Return κ or a correlation with its interval; no interval if it is −1 or 1.

    ``of_items``: as in `mean_error`, where people are met with each other. There is no interval
    where these or the items are then unknown, or too few to learn from.
    """
    low, high = None, None
    if of_items is None or len(units.ways) == 2:
        low, high = within_one(value, mean_error(influence, units, of_items).reach(confidence))
    return CountedEstimate(value=value, low=low, high=high, n=len(influence))


def ends_of_difference(
    judge: Estimate, person: Estimate, errors: Sequence[Error]
) -> tuple[float | None, float | None]:
    """Return the ends of a difference of two figures from those of each.

    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. A judge's figure has a most: the nearer it is, the less it varies, and the farther below it
    the truth may be. ``errors``: of the judge's, the person's, and the difference.
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
    """Return the mean of shares from 0 to 1, with its interval.

    As `CrossedShare` has it, so that all and nothing have intervals too.
    """
    number = len(hits)
    if not number:
        return CountedEstimate(n=0)
    value = float(hits.mean())
    error = mean_error(hits - value, units)
    people = number if np.isinf(error.freedom) else int(error.freedom) + 1
    ends = crossed_share(value, number, error, people=max(2, people)).estimate(confidence)
    return CountedEstimate(value=value, low=ends.low, high=ends.high, n=number)


def correlate(x: FloatArray, y: FloatArray, units: RowUnits, confidence: float) -> CountedEstimate:
    """Correlate a judge's answers with ratings, complete and of shape (n,)."""
    people, item = (*(codes for codes, _ in units.ways), None, None)[:2]
    found = correlation(x, y, people, item, confidence=confidence)
    return CountedEstimate(value=found.r, low=found.low, high=found.high, n=found.n)


def kappa_of(
    a: IntArray, b: IntArray, weights: FloatArray, units: RowUnits, confidence: float
) -> CountedEstimate:
    """Compute κ of two columns of answers, numbers from 0.

    ``weights``: how much two answers agree, from 0 to 1; shape (levels, levels).

    The result has no value if there is no row, or if chance alone would make both agree.
    """
    levels = len(weights)
    joint = np.bincount(a * levels + b, minlength=levels * levels).reshape(levels, levels)
    kappa, influence = kappa_and_influence(joint / max(1, a.size), weights)
    if kappa is None:
        return CountedEstimate(n=int(a.size))
    return estimate_within_one(kappa, influence[a, b], units, confidence)


@dataclass(frozen=True, kw_only=True)
class AxisAgreement:
    """A judge and people on one axis."""

    axis: str
    # answered, items: items that the judge answered, of those that people did; not relevant is an
    # answer
    answered: int
    items: int
    not_relevant: int  # of the answered ones those it called not relevant
    constant: str  # the one answer it gave to all; empty if it gave several
    # Pearson's r of its answers, or differences of scores, with people's ratings, each rating once
    r: CountedEstimate
    # Cohen's κ: levels as names; of a judge that scores pairs, of the better image, where both
    # prefer one; None if it scores single images
    kappa: CountedEstimate | None
    weighted: CountedEstimate | None  # κ with quadratic weights; None for scores
    # Share of the answers in which both prefer one image that prefer the same; None for single
    # images
    same_image: CountedEstimate | None
    # The judge's r less a second person's, on ratings of items that two people or more rated
    difference: CountedEstimate | None
    verdict: Verdict | None  # None if no margin is stated
    # Compared with the right answers, of the judge and of people: the share of `right` answers to
    # yes or no, and `people_right`; Pearson's `r` with the right number, and `people_r`. Each is
    # None on axes of the other kind; all where the table does not tell
    truth: Row | None


@dataclass(frozen=True, kw_only=True)
class CorrelationsBetweenAxes:
    """Pearson's r between axes, of a judge and of people, over what both answered.

    An item counts as often as it has ratings; NaN if a side does not vary.
    """

    axes: tuple[str, ...]  # of rows and columns
    judge: Matrix
    people: Matrix


@dataclass(frozen=True, kw_only=True)
class JudgeAgreement:
    """One judge against people's ratings."""

    judge: str
    shape: Shape  # whether it answers, or scores images
    # answered, asked: items times axes that it answered, of those that people did; axes on which it
    # says nothing at all are not counted
    answered: int
    asked: int
    missing: Mapping[str, int]  # why its file has no answer, and how often
    axes: tuple[AxisAgreement, ...]  # one row each, in the order of the score
    mean_r: float | None  # mean of r over axes where there is one
    between_axes: CorrelationsBetweenAxes | None  # None if it varies on fewer than two axes
    first_image: Row | None  # as of `count_first`; None for single images

    @property
    def coverage(self) -> float:
        return self.answered / self.asked if self.asked else 0.0

    def axis(self, name: str) -> AxisAgreement:
        return {row.axis: row for row in self.axes}[name]


@dataclass(frozen=True, kw_only=True)
class ChoiceAgreement:
    """One judge against people's choices: a preference model against rankings."""

    judge: str
    # images, of_images: images that it scored, of those that people ranked (in the held-out part,
    # where there is one)
    images: int
    of_images: int
    # comparisons, of_comparisons: people's choices between two images that it scored, of all
    comparisons: int
    of_comparisons: int
    accuracy: CountedEstimate  # share that it gets right; equal scores count as half
    # Expected share that another person would get right of the same choices, of those that two or
    # more people decided; None if nobody did
    person: CountedEstimate | None
    # Accuracy less a second person's, on choices for which both are known; None if no other person
    # chose, or if evaluators are unknown
    difference: CountedEstimate | None
    verdict: Verdict | None  # None if no margin is stated
    # `accuracy` in people's choices between images of two conditions, `a` and `b`
    pairs: Rows

    @property
    def coverage(self) -> float:
        return self.images / self.of_images if self.of_images else 0.0


@dataclass(frozen=True, kw_only=True)
class ComparingAgreement(ChoiceAgreement):
    """One judge against people's comparisons; images stand in pairs."""

    shape: Shape  # whether it answers, or scores images
    # pairs_judged, of_pairs, pairs_decided: pairs of images that it judged, of those that people
    # compared; and in how many of them it prefers one
    pairs_judged: int
    of_pairs: int
    pairs_decided: int
    missing: Mapping[str, int]  # why its file has no answer, and how often
    first_image: Row | None  # as of `count_first`; None of scores, and of one order alone

    @property
    def coverage(self) -> float:
        return self.pairs_judged / self.of_pairs if self.of_pairs else 0.0


@dataclass(frozen=True, kw_only=True)
class DetectorAgreement(ChoiceAgreement):
    """One judge against people's judgements, real or fake.

    A choice is a person's answer: accuracy is the share of them that the judge gives too.
    """

    missing: Mapping[str, int]  # why its file has no answer, and how often
    constant: str  # the one answer it gave to all; empty if it gave both
    # Shares of wrong answers on images that both judged, of the `judge`, once for each image, and
    # of `people`: of all images, fakes, reals, and the fakes of each condition, where any are
    errors: Rows


AgreementT = TypeVar("AgreementT", bound="JudgeAgreement | ChoiceAgreement")


@dataclass(frozen=True, kw_only=True)
class JudgesScore(Generic[AgreementT]):
    """Judges compared with people."""

    against: str  # the answers that they are compared with: those of a protocol
    judges: tuple[AgreementT, ...]  # those first that agree most
    # confidence, margin: as in the options
    confidence: float
    margin: float | None
    notes: tuple[str, ...]  # what holds for all judges, in sentences


@dataclass(frozen=True, kw_only=True)
class RatingJudgesScore(JudgesScore[JudgeAgreement]):
    """Judges against people's ratings."""

    against: str = "ratings"
    # axes, overall: the axes in the order of the options, or as they appear; the overall one's
    # name, None if there is none
    axes: tuple[str, ...]
    overall: str | None
    pairs: bool  # whether pairs were rated, not single images
    # How far people agree among themselves, as of `meet_second_person`, a row for each axis
    people: Rows


@dataclass(frozen=True, kw_only=True)
class RankingJudgesScore(JudgesScore[ChoiceAgreement]):
    """Preference models against people's rankings."""

    against: str = "rankings"
    # True: only what the column split calls test was used. None: there is no such column, so a
    # model may have been trained on these images.
    held_out: bool | None
    # By judge: its scores over prompts, where its file has conditions and prompts
    benchmarks: tuple[Benchmark, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The choices.

    Raises InputError: a value that is not allowed.
    """

    confidence: float = 0.95  # coverage of the intervals, as a proportion
    # How much less than a second person a judge may agree and be called as good: in r of ratings,
    # else in the share of answers. None: there is no verdict.
    margin: float | None = None
    # The axes in the order in which they are reported; others follow as they appear
    axes: tuple[str, ...] = ()
    overall: str = OVERALL  # the axis that stands for all; that of scores that name no axis
    scale: Scale = field(default_factory=Scale)  # what may be answered to a rating
    groups: int = 10  # into how many groups the prompts of a style are cut for a benchmark

    def __post_init__(self) -> None:
        for name in ("confidence", "margin"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise InputError(name, f"{value:g}", "allowed is a number above 0 and below 1")
        if self.groups < 2:
            raise InputError("groups", str(self.groups), "allowed is 2 or more")

    def verdict(self, difference: CountedEstimate | None) -> Verdict | None:
        """Judge a difference from a second person by its interval; None without a margin."""
        if self.margin is None:
            return None
        if difference is None or difference.low is None or difference.high is None:
            return "not known"
        if difference.low > -self.margin:
            return "as good"
        return "worse" if difference.high < -self.margin else "not known"
