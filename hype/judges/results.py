"""What is known of judges who rate: frozen, and plain in JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from hype.errors import InputError
from hype.protocols.rating.scoring import OVERALL
from hype.protocols.rating.table import Scale
from hype.statistics.estimate import Estimate, JsonValue, plain
from hype.statistics.resampling import condition_rng

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hype.judges.benchmark import Benchmark
    from hype.statistics.correlation import Correlation

Shape = Literal["answers", "scores"]

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class TruthAgreement:
    """Answers to single images against what is right."""

    accuracy: float | None  # share of right answers to yes or no; None on other axes
    r: float | None  # Pearson's correlation with the right number; None for yes and no
    n: int  # answers that have a truth


@dataclass(frozen=True, kw_only=True)
class PersonComparison:
    """A judge's agreement with people less a second person's, on ratings of the same items."""

    # judge, person, difference: Pearson's r of either, and the first less the second
    judge: float
    person: float
    difference: CountedEstimate
    # The second person's r within pairs of models, and the judge's less that; None where there are
    # no two pairs of models, or none has two items
    within_person: CountedEstimate | None
    within_difference: CountedEstimate | None
    # evaluators, items: of these ratings
    evaluators: int
    items: int
    # p, p_holm: one-sided, of the judge being worse by the margin or more; None where too few
    # people or items. Corrected for the number of axes.
    p: float | None
    p_holm: float | None
    # p_less, p_less_holm: one-sided, of the judge being no worse
    p_less: float | None
    p_less_holm: float | None


@dataclass(frozen=True, kw_only=True)
class AxisAgreement:
    """A judge and people on one axis."""

    axis: str
    # answered, items: items that the judge answered, of those that people did; not relevant is an
    # answer
    answered: int
    items: int
    not_relevant: int  # of the answered ones those it called not relevant
    constant: str  # the one answer it gave to all; empty where it gave several, or scores
    # Pearson's r of its answers, or differences of scores, with people's ratings, each rating once;
    # with several ratings of an item the interval knows items as well as evaluators
    correlation: Correlation
    # p, p_holm: of r = 0, two-sided; the second corrected for the number of axes
    p: float | None
    p_holm: float | None
    # within, about: r within pairs of models (single images: within models), where only who looks
    # at the images can agree, and of the mean answers of these pairs; None where there are too few
    within: CountedEstimate | None
    about: CountedEstimate | None
    # None where no item has ratings by two people whose names are known
    beside_person: PersonComparison | None
    # kappa, weighted: Cohen's κ, levels as names, and with quadratic weights; None for scores, and
    # where single images get numbers the first counts only equal ones
    kappa: CountedEstimate | None
    weighted: CountedEstimate | None
    # Share of the answers in which both prefer one image that prefer the same; None for single
    # images
    direction: CountedEstimate | None
    # direction_kappa, direction_classes: κ of which image is better. Three classes for answers:
    # first, alike, second. Two for scores, which are hardly ever equal: over answers in which both
    # prefer one.
    direction_kappa: CountedEstimate | None
    direction_classes: int | None
    # truth, people_truth: against what is right, the judge's and people's; None where the table
    # does not tell
    truth: TruthAgreement | None
    people_truth: TruthAgreement | None


@dataclass(frozen=True, kw_only=True)
class SecondPerson:
    """How far two people agree on an axis who rated the same item: a judge need not do better."""

    axis: str
    # r, kappa, weighted: as of a judge, each rating against the others of its item; None where no
    # item has two
    r: CountedEstimate | None
    within: CountedEstimate | None  # r within pairs of models; None where they are too few
    kappa: CountedEstimate | None
    weighted: CountedEstimate | None
    # ratings, items: ratings of items that have two or more, and these items
    ratings: int
    items: int


@dataclass(frozen=True, kw_only=True)
class AxesApart:
    """Two axes, and how they go together for a judge and for people."""

    # a, b: the axes
    a: str
    b: str
    # judge, people: their correlation in the answers of each
    judge: float
    people: float
    # p, p_holm: two-sided, of their being no further apart than 0.1 and than people are from each
    # other, over people and items; corrected for the number of pairs of axes
    p: float
    p_holm: float


@dataclass(frozen=True, kw_only=True)
class MatrixAgreement:
    """How the axes hang together for a judge, and for people on the same items."""

    axes: tuple[str, ...]  # of rows and columns
    # judge, people: Pearson's correlations between axes, over the items and axes that both answered
    # and called relevant, an item as often as it has ratings; NaN where a side does not vary
    judge: Matrix
    people: Matrix
    # distance, low, high: root of the mean squared difference over the pairs of axes, with its
    # jackknife interval over evaluators (items where they are unknown)
    distance: float | None
    low: float | None
    high: float | None
    # floor, floor_high: what the distance would be of a judge that is like people, from as many
    # answers: median and upper quantile over halves of people, brought to this size. None where
    # these are too few.
    floor: float | None
    floor_high: float | None
    apart: tuple[AxesApart, ...]  # each two axes, those that differ most first

    @property
    def most(self) -> AxesApart | None:
        """Where the two differ most; None where nothing can be compared."""
        return self.apart[0] if self.apart else None

    def to_json(self) -> dict[str, JsonValue]:
        members = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**members, "most": plain(self.most)}


@dataclass(frozen=True, kw_only=True)
class Position:
    """Whether a judge prefers the first image for being the first."""

    # first, decided: answers that prefer the first image, of those that prefer one; over all axes
    first: int
    decided: int
    share: float | None  # the first over the second
    # Of people's answers to the same items and axes; None of a judge that was asked in both orders,
    # of which half is expected
    people_share: float | None
    # judge_only, people_only: items, each by most of its axes, where the judge takes the first
    # image and people the second, and where it is the other way round. In both orders: where it
    # takes what was shown first more often than what was shown second, and the other way round.
    judge_only: int
    people_only: int
    # p, p_holm: exact, two-sided, of these two being equally likely; the second corrected for the
    # number of judges
    p: float
    p_holm: float
    # same, both: items and axes on which both orders prefer the same image, of those on which both
    # prefer one; None where each pair was shown in one order
    same: int | None = None
    both: int | None = None

    @property
    def expected(self) -> float | None:
        """How often the first would be taken by who does not care for places."""
        return 0.5 if self.both is not None else self.people_share


@dataclass(frozen=True, kw_only=True)
class JudgeAgreement:
    """One judge against people's ratings."""

    # judge, shape: who, and whether it answers or scores images
    judge: str
    shape: Shape
    # answered, asked, coverage: items times axes that it answered, of those that people did; axes
    # on which it says nothing at all are not counted
    answered: int
    asked: int
    coverage: float
    axes: tuple[AxisAgreement, ...]  # one row each, in the order of the score
    mean_r: float | None  # mean of r over axes where there is one
    matrix: MatrixAgreement | None  # None where it answers on one axis
    position: Position | None  # None for single images
    # verdict, said: in a word and in sentences
    verdict: JudgeVerdict
    said: tuple[str, ...]

    def axis(self, name: str) -> AxisAgreement:
        """Give the row of an axis.

        Raises KeyError: there is no such axis.
        """
        return {row.axis: row for row in self.axes}[name]


AgreementT = TypeVar("AgreementT", bound="JudgeAgreement | PreferenceAgreement")


@dataclass(frozen=True, kw_only=True)
class JudgesScore(Generic[AgreementT]):
    """What judges against answers of any protocol have."""

    against: ClassVar[str] = ""
    """What they are held against: the answers of a protocol."""
    if TYPE_CHECKING:  # the last member of each
        judges: tuple[AgreementT, ...]

    # confidence, alpha, seed: as in the options
    confidence: float
    alpha: float
    seed: int
    notes: tuple[str, ...]  # what holds for all judges, in sentences

    def judge(self, name: str) -> AgreementT:
        """Give a judge.

        Raises KeyError: there is no such judge.
        """
        return {judge.judge: judge for judge in self.judges}[name]

    def to_json(self) -> dict[str, JsonValue]:
        """Return the object that ``hype score --json`` prints; numbers that are none are null."""
        members = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {"against": self.against, **members}


@dataclass(frozen=True, kw_only=True)
class RatingJudgesScore(JudgesScore[JudgeAgreement]):
    """Judges against people's ratings."""

    against: ClassVar[str] = "ratings"

    # axes, overall: the axes in the order of the options, or as they appear; the overall one's
    # name, None where there is none
    axes: tuple[str, ...]
    overall: str | None
    pairs: bool  # whether pairs were rated, not single images
    people: tuple[SecondPerson, ...]  # how far people agree among themselves, one row for each axis
    # margin, fewest_people: as in the options
    margin: float
    fewest_people: int
    judges: tuple[JudgeAgreement, ...]  # the highest r first: overall, else the mean over axes


class JudgeVerdict(str, Enum):
    """What is wrong with a judge, in a word; the first that holds, in this order."""

    UNKNOWN = "unknown"
    """Too few answers to say anything."""
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
    MODELS = "models-only"
    """It agrees with people about models, but less than they do on images of one pair of models."""
    LEANS = "leans"
    """It takes the first image, or the second, clearly more often than people do."""
    STRUCTURE = "structure"
    """It agrees with people's overall verdict, but its axes do not hang together as theirs."""
    BELOW = "below"
    """A preference model that tells what people prefer surely less well than a single person."""
    PARTLY = "partly"
    """Nothing is wrong with what it answered, but it left out a good part."""
    AGREES = "agrees"
    """Nothing is wrong that can be seen here. It need not agree much."""


@dataclass(frozen=True, kw_only=True)
class CountedEstimate:
    """A number and its interval."""

    value: float | None  # None where it is not defined, as κ of two who say the same to everything
    # low, high: its interval; None where unknown
    low: float | None
    high: float | None
    n: int  # how many pairs of answers it is of

    @property
    def estimate(self) -> Estimate | None:
        if self.value is None:
            return None
        return Estimate(value=self.value, low=self.low, high=self.high)


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """A preference model between two conditions."""

    # a, b: the conditions, sorted
    a: str
    b: str
    # accuracy, comparisons: share of people's choices between their images that it gets right, and
    # how many
    accuracy: float | None
    comparisons: int
    # groups_right, groups_wrong: groups of images in which it agrees with most people, and does
    # not; halves of people and equal scores do not count
    groups_right: int
    groups_wrong: int
    # p, p_holm: exact, two-sided, of both being equally likely; corrected for the number of pairs
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, kw_only=True)
class PreferenceAgreement:
    """One preference model against people's rankings."""

    judge: str
    # images, of_images: images that it scored, of those that people ranked (in the held-out part,
    # where there is one)
    images: int
    of_images: int
    # comparisons, of_comparisons: people's choices between two images that it scored, of all
    comparisons: int
    of_comparisons: int
    # Share that it gets right; equal scores count as half. The interval knows evaluators and
    # groups.
    accuracy: CountedEstimate
    p: float | None  # of an accuracy of one half, two-sided
    # Expected share that another person would get right of the same choices; its `n` counts those
    # of pairs that two or more people decided. None where nobody did.
    single: CountedEstimate | None
    # Accuracy less a second person's in choices of which both are known; None where nobody else
    # chose, or who chose is unknown
    difference: CountedEstimate | None
    # p_as_well, p_less: one-sided, of being worse than a second person by the margin or more (and
    # of telling nothing apart within pairs of models), and of being no worse, in all nor within
    # pairs of models; None where there are too few people or groups
    p_as_well: float | None
    p_less: float | None
    # within, about, within_person: r of what is preferred (first 1, second −1) within pairs of
    # models, where only who looks at the images can agree, and of its means over them; the first of
    # a second person too, and the model's less that. None where there are too few.
    within: CountedEstimate | None
    about: CountedEstimate | None
    within_person: CountedEstimate | None
    within_difference: CountedEstimate | None
    # Share of the pairs of images in which it agrees with the mean rank over people, in groups that
    # two or more ranked
    average: CountedEstimate | None
    # Share of rankings whose best image is its best; rankings of which it scored every image
    first_choice: CountedEstimate | None
    log_loss: float | None  # mean of −ln softmax of the scores at people's choice; ln 2 is a coin's
    pairs: tuple[PairAccuracy, ...]  # by conditions
    # verdict, said: in a word and in sentences
    verdict: JudgeVerdict
    said: tuple[str, ...]

    @property
    def coverage(self) -> float:
        return self.images / self.of_images if self.of_images else 0.0

    def to_json(self) -> dict[str, JsonValue]:
        members = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**members, "coverage": self.coverage}


@dataclass(frozen=True, kw_only=True)
class ComparingAgreement(PreferenceAgreement):
    """One judge against people's comparisons; images stand in pairs."""

    shape: Shape  # whether it answers, or scores images
    # pairs_judged, of_pairs, pairs_decided: pairs of images that it judged, of those that people
    # compared; and in how many of them it prefers one
    pairs_judged: int
    of_pairs: int
    pairs_decided: int
    missing: Mapping[str, int]  # why its file has no answer, and how often
    position: Position | None  # None of scores
    elo: Mapping[str, Estimate]  # strengths by its answers; empty where there are none

    @property
    def coverage(self) -> float:
        return self.pairs_judged / self.of_pairs if self.of_pairs else 0.0


@dataclass(frozen=True, kw_only=True)
class ComparisonJudgesScore(JudgesScore[ComparingAgreement]):
    """Judges against people's comparisons."""

    against: ClassVar[str] = "comparisons"

    # margin, fewest_people: as in the options, of shares
    margin: float
    fewest_people: int
    judges: tuple[ComparingAgreement, ...]  # the highest accuracy first


@dataclass(frozen=True, kw_only=True)
class DetectorOnCondition:
    """One judge on the fakes of a condition, beside people on the same images."""

    condition: str
    images: int  # fakes that both judged
    # error, people_error: share called real; by the judge, once for each image, and by people
    error: float
    people_error: float
    # Pearson's r over these images, of fake or real with the share of people who called it fake;
    # None where either is always the same
    r: float | None
    # d_prime, people_d_prime: with the real images that were among these fakes; None without any
    d_prime: float | None
    people_d_prime: float | None


@dataclass(frozen=True, kw_only=True)
class DetectorAgreement(PreferenceAgreement):
    """One judge against people's judgements, real or fake.

    A choice is a person's answer: accuracy is the share of them that the judge gives too.
    """

    missing: Mapping[str, int]  # why its file has no answer, and how often
    constant: str  # the one answer it gave to all; empty where it gave both
    # error, people_error, difference_of_errors: share of wrong answers about images that both
    # judged; of the judge, once for each image, of people, and what the first is more in people's
    error: CountedEstimate
    people_error: CountedEstimate
    difference_of_errors: CountedEstimate
    # The same errors on fakes and on reals; None without any
    fakes_error: CountedEstimate | None
    people_fakes_error: CountedEstimate | None
    reals_error: CountedEstimate | None
    people_reals_error: CountedEstimate | None
    # d′ and criterion over images, and means over people of the same images; None without fakes or
    # without reals
    d_prime: Estimate | None
    criterion: Estimate | None
    people_d_prime: Estimate | None
    people_criterion: Estimate | None
    # r, p_r: Pearson's r with people's answers, and p of r = 0, two-sided; None where unknown
    r: float | None
    p_r: float | None
    conditions: tuple[DetectorOnCondition, ...]


@dataclass(frozen=True, kw_only=True)
class JudgementJudgesScore(JudgesScore[DetectorAgreement]):
    """Judges against people's judgements."""

    against: ClassVar[str] = "judgements"

    # margin, fewest_people: as in the options, of shares
    margin: float
    fewest_people: int
    judges: tuple[DetectorAgreement, ...]  # the lowest error first


@dataclass(frozen=True, kw_only=True)
class RankingJudgesScore(JudgesScore[PreferenceAgreement]):
    """Preference models against people's rankings."""

    against: ClassVar[str] = "rankings"

    # True: only what the column split calls test was used. None: there is no such column, so nobody
    # knows here whether a model was trained on these images.
    held_out: bool | None
    judges: tuple[PreferenceAgreement, ...]  # the highest accuracy first
    # By judge: its scores over prompts, where its file has conditions and prompts
    benchmarks: tuple[Benchmark, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """The choices.

    Raises InputError: a value that is not allowed.
    """

    # confidence, alpha: coverage of the intervals and level of the tests, as proportions
    confidence: float = 0.95
    alpha: float = 0.05
    # How much less than a second person a judge may agree and be called as good, in r of ratings
    # and in the share of choices of rankings
    margin: float = 0.1
    margin_of_shares: float = 0.05
    # People, and items that two of them rated, below which nothing is said of a second person
    fewest_people: int = 10
    seed: int = 0  # of the splits in halves
    # In how many ways people are split, to know how far two halves of them are apart
    splits: int = 100
    # The axes in the order in which they are reported; others follow as they appear
    axes: tuple[str, ...] = ()
    overall: str = OVERALL  # the axis of the whole verdict; that of scores that name no axis
    scale: Scale = field(default_factory=Scale)  # what may be answered to a rating
    groups: int = 10  # into how many groups the prompts of a style are cut for a benchmark

    def __post_init__(self) -> None:
        condition_rng(self.seed, "")
        for name in ("confidence", "alpha", "margin", "margin_of_shares"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise InputError(name, f"{value:g}", "allowed is a number above 0 and below 1")
        for name, least in (("splits", 20), ("groups", 2), ("fewest_people", 3)):
            if getattr(self, name) < least:
                raise InputError(name, str(getattr(self, name)), f"allowed is {least} or more")
