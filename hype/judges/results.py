"""What is known of judges who rate: frozen, and plain in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from hype.statistics.json import JsonValue, plain

if TYPE_CHECKING:
    from hype.judges.verdicts import Figure, Verdict
    from hype.statistics.correlation import Correlation

Shape = Literal["answers", "scores"]
Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class AgainstTruth:
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
    kappa: Figure | None
    weighted: Figure | None
    direction: Figure | None
    direction_kappa: Figure | None
    direction_classes: int | None
    truth: AgainstTruth | None
    people_truth: AgainstTruth | None


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
    r: Figure | None
    kappa: Figure | None
    weighted: Figure | None
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
    verdict: Verdict
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
        return {one.judge: one for one in self.judges}[name]
