"""What is known of judges who rate: frozen, and plain in JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Literal

from hype.errors import InputError
from hype.protocols.rating.rows import Scale
from hype.protocols.rating.scoring import OVERALL
from hype.statistics.estimate import Estimate
from hype.statistics.json import JsonValue, plain
from hype.statistics.resampling import condition_rng

if TYPE_CHECKING:
    from hype.judges.benchmark import Benchmark
    from hype.statistics.correlation import Correlation

Shape = Literal["answers", "scores"]

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class TruthAgreement:
    """Answers to single images against what is right.

    Parameters
    ----------
    accuracy
        Share of right answers to yes or no; None on other axes.
    r
        Pearson's correlation with the right number; None for yes and no.
    n
        Answers that have a truth.
    """

    accuracy: float | None
    r: float | None
    n: int


@dataclass(frozen=True, kw_only=True)
class AxisAgreement:
    """A judge and people on one axis.

    Parameters
    ----------
    axis
        Which.
    answered, items
        Items that the judge answered, of those that people did; not relevant is an answer.
    not_relevant
        Of the answered ones those it called not relevant.
    constant
        The one answer it gave to all; empty where it gave several, or scores.
    correlation
        Pearson's r of its answers, or differences of scores, with people's ratings, each rating
        once; with several ratings of an item the interval knows items as well as evaluators.
    p, p_holm
        Of r = 0, two-sided; the second corrected for the number of axes.
    kappa, weighted
        Cohen's κ, levels as names, and with quadratic weights; None for scores, and where single
        images get numbers the first counts only equal ones.
    direction
        Share of the answers in which both prefer one image that prefer the same; None for single
        images.
    direction_kappa, direction_classes
        κ of which image is better. Three classes for answers: first, alike, second. Two for
        scores, which are hardly ever equal: over answers in which both prefer one.
    truth, people_truth
        Against what is right, the judge's and people's; None where the table does not tell.
    """

    axis: str
    answered: int
    items: int
    not_relevant: int
    constant: str
    correlation: Correlation
    p: float | None
    p_holm: float | None
    kappa: CountedEstimate | None
    weighted: CountedEstimate | None
    direction: CountedEstimate | None
    direction_kappa: CountedEstimate | None
    direction_classes: int | None
    truth: TruthAgreement | None
    people_truth: TruthAgreement | None


@dataclass(frozen=True, kw_only=True)
class SecondPerson:
    """How far two people agree on an axis who rated the same item: a judge need not do better.

    Parameters
    ----------
    axis
        Which.
    r, kappa, weighted
        As of a judge, each rating against the others of its item; None where no item has two.
    ratings, items
        Ratings of items that have two or more, and these items.
    """

    axis: str
    r: CountedEstimate | None
    kappa: CountedEstimate | None
    weighted: CountedEstimate | None
    ratings: int
    items: int


@dataclass(frozen=True, kw_only=True)
class AxesApart:
    """The two axes whose correlation differs most.

    Parameters
    ----------
    a, b
        The axes.
    judge, people
        Their correlation in the answers of each.
    """

    a: str
    b: str
    judge: float
    people: float


@dataclass(frozen=True, kw_only=True)
class MatrixAgreement:
    """How the axes hang together for a judge, and for people on the same items.

    Parameters
    ----------
    axes
        Of rows and columns.
    judge, people
        Pearson's correlations between axes, over the items and axes that both answered and called
        relevant, an item as often as it has ratings; NaN where a side does not vary.
    distance, low, high
        Root of the mean squared difference over the pairs of axes, with its jackknife interval
        over evaluators (items where they are unknown).
    floor, floor_high
        What the distance would be of a judge that is like people, from as many answers: median and
        upper quantile over halves of people, brought to this size. None where these are too few.
    most
        Where the two differ most; None where nothing can be compared.
    """

    axes: tuple[str, ...]
    judge: Matrix
    people: Matrix
    distance: float | None
    low: float | None
    high: float | None
    floor: float | None
    floor_high: float | None
    most: AxesApart | None


@dataclass(frozen=True, kw_only=True)
class Position:
    """Whether a judge prefers the first image for being the first.

    Parameters
    ----------
    first, decided
        Answers that prefer the first image, of those that prefer one; over all axes.
    share
        The first over the second.
    people_share
        Of people's answers to the same items and axes.
    judge_only, people_only
        Items, each by most of its axes, where the judge takes the first image and people the
        second, and where it is the other way round.
    p, p_holm
        Exact, two-sided, of these two being equally likely; the second corrected for the number
        of judges.
    """

    first: int
    decided: int
    share: float | None
    people_share: float | None
    judge_only: int
    people_only: int
    p: float
    p_holm: float


@dataclass(frozen=True, kw_only=True)
class JudgeAgreement:
    """One judge against people's ratings.

    Parameters
    ----------
    judge, shape
        Who, and whether it answers or scores images.
    answered, asked, coverage
        Items times axes that it answered, of those that people did; axes on which it says nothing
        at all are not counted.
    axes
        One row each, in the order of the score.
    mean_r
        Mean of r over axes where there is one.
    matrix
        None where it answers on one axis.
    position
        None for single images.
    verdict, said
        In a word and in sentences.
    """

    judge: str
    shape: Shape
    answered: int
    asked: int
    coverage: float
    axes: tuple[AxisAgreement, ...]
    mean_r: float | None
    matrix: MatrixAgreement | None
    position: Position | None
    verdict: JudgeVerdict
    said: tuple[str, ...]

    def axis(self, name: str) -> AxisAgreement:
        """Give the row of an axis.

        Raises
        ------
        KeyError
            There is no such axis.
        """
        return {row.axis: row for row in self.axes}[name]


@dataclass(frozen=True, kw_only=True)
class JudgesScore:
    """What both kinds have: `RatingJudgesScore`, and `RankingJudgesScore` of preference models.

    Parameters
    ----------
    confidence, alpha, seed
        As in the options.
    notes
        What holds for all judges, in sentences.
    """

    against: ClassVar[str] = ""
    """What they are held against: ratings or rankings."""

    confidence: float
    alpha: float
    seed: int
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Return the object that ``hype score --json`` prints; numbers that are none are null."""
        members = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {"against": self.against, **members}


@dataclass(frozen=True, kw_only=True)
class RatingJudgesScore(JudgesScore):
    """Judges against people's ratings.

    Parameters
    ----------
    axes, overall
        The axes in the order of the options, or as they appear; the overall one's name, None where
        there is none.
    pairs
        Whether pairs were rated, not single images.
    people
        How far people agree among themselves, one row for each axis.
    judges
        The highest r first: overall, else the mean over axes.
    """

    against: ClassVar[str] = "ratings"

    axes: tuple[str, ...]
    overall: str | None
    pairs: bool
    people: tuple[SecondPerson, ...]
    judges: tuple[JudgeAgreement, ...]

    def judge(self, name: str) -> JudgeAgreement:
        """Give a judge.

        Raises
        ------
        KeyError
            There is no such judge.
        """
        return {judge.judge: judge for judge in self.judges}[name]


class JudgeVerdict(str, Enum):
    """What is wrong with a judge, in a word; the first that holds, in this order."""

    UNKNOWN = "unknown"
    """Too few answers to say anything."""
    COPIES = "copies"
    """It agrees with people's every answer: it was made from them, or sees what they said."""
    ONE_SIDED = "one-sided"
    """Nearly all of its decided answers take the first image, or the second, whatever it shows."""
    CONSTANT = "constant"
    """It gives one and the same answer to everything."""
    INVERTED = "inverted"
    """It says the opposite of people."""
    RANDOM = "random"
    """It cannot be told from one that throws dice."""
    FAILS_AXES = "fails-axes"
    """It agrees with people on some axes and not on others."""
    FAILS_PAIRS = "fails-pairs"
    """A preference model that is wrong more often than right between some conditions."""
    LEANS = "leans"
    """It takes the first image, or the second, clearly more often than people do."""
    STRUCTURE = "structure"
    """It agrees with people's overall verdict, but its axes do not hang together as theirs."""
    PARTLY = "partly"
    """Nothing is wrong with what it answered, but it left out a good part."""
    AGREES = "agrees"
    """Nothing is wrong that can be seen here. It need not agree much."""


@dataclass(frozen=True, kw_only=True)
class CountedEstimate:
    """A number and its interval.

    Parameters
    ----------
    value
        None where it is not defined, as κ of two who say the same to everything.
    low, high
        Its interval; None where unknown.
    n
        How many pairs of answers it is of.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def estimate(self) -> Estimate | None:
        if self.value is None:
            return None
        return Estimate(value=self.value, low=self.low, high=self.high)


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """A preference model between two conditions.

    Parameters
    ----------
    a, b
        The conditions, sorted.
    accuracy, comparisons
        Share of people's choices between their images that it gets right, and how many.
    groups_right, groups_wrong
        Groups of images in which it agrees with most people, and does not; halves of people and
        equal scores do not count.
    p, p_holm
        Exact, two-sided, of both being equally likely; corrected for the number of pairs.
    """

    a: str
    b: str
    accuracy: float | None
    comparisons: int
    groups_right: int
    groups_wrong: int
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, kw_only=True)
class PreferenceAgreement:
    """One preference model against people's rankings.

    Parameters
    ----------
    judge
        Which.
    images, of_images
        Images that it scored, of those that people ranked (in the held-out part, where there is
        one).
    comparisons, of_comparisons
        People's choices between two images that it scored, of all.
    accuracy
        Share that it gets right; equal scores count as half. The interval knows evaluators and
        groups.
    p
        Of an accuracy of one half, two-sided.
    single
        Expected share that another person would get right of the same choices; its `n` counts
        those of pairs that two or more people decided. None where nobody did.
    average
        Share of the pairs of images in which it agrees with the mean rank over people, in groups
        that two or more ranked.
    first_choice
        Share of rankings whose best image is its best; rankings of which it scored every image.
    log_loss
        Mean of −ln softmax of the scores at people's choice; ln 2 is a coin's.
    pairs
        By conditions.
    verdict, said
        In a word and in sentences.
    """

    judge: str
    images: int
    of_images: int
    comparisons: int
    of_comparisons: int
    accuracy: CountedEstimate
    p: float | None
    single: CountedEstimate | None
    average: CountedEstimate | None
    first_choice: CountedEstimate | None
    log_loss: float | None
    pairs: tuple[PairAccuracy, ...]
    verdict: JudgeVerdict
    said: tuple[str, ...]

    @property
    def coverage(self) -> float:
        return self.images / self.of_images if self.of_images else 0.0

    def to_json(self) -> dict[str, JsonValue]:
        members = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**members, "coverage": self.coverage}


@dataclass(frozen=True, kw_only=True)
class RankingJudgesScore(JudgesScore):
    """Preference models against people's rankings.

    Parameters
    ----------
    held_out
        True: only what the column split calls test was used. None: there is no such column, so
        nobody knows here whether a model was trained on these images.
    judges
        The highest accuracy first.
    benchmarks
        By judge: its scores over prompts, where its file has conditions and prompts.
    """

    against: ClassVar[str] = "rankings"

    held_out: bool | None
    judges: tuple[PreferenceAgreement, ...]
    benchmarks: tuple[Benchmark, ...] = ()

    def judge(self, name: str) -> PreferenceAgreement:
        """Give a model.

        Raises
        ------
        KeyError
            There is no such model.
        """
        return {judge.judge: judge for judge in self.judges}[name]


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The choices.

    Parameters
    ----------
    confidence, alpha
        Coverage of the intervals and level of the tests, as proportions.
    seed
        Of the splits in halves.
    splits
        In how many ways people are split, to know how far two halves of them are apart.
    axes
        The axes in the order in which they are reported; others follow as they appear.
    overall
        The axis of the whole verdict; that of scores that name no axis.
    scale
        What may be answered to a rating.
    groups
        Into how many groups the prompts of a style are cut for a benchmark.

    Raises
    ------
    InputError
        A value that is not allowed.
    """

    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 0
    splits: int = 100
    axes: tuple[str, ...] = ()
    overall: str = OVERALL
    scale: Scale = field(default_factory=Scale)
    groups: int = 10

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        condition_rng(self.seed, "")
        for name in ("confidence", "alpha"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise InputError(name, f"{value:g}", "allowed is a number above 0 and below 1")
        for name, least in (("splits", 20), ("groups", 2)):
            if getattr(self, name) < least:
                raise InputError(name, str(getattr(self, name)), f"allowed is {least} or more")
