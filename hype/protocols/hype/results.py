"""The results of scoring, as frozen values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from hype.judges.results import DetectorAgreement, JudgesScore
from hype.protocols.hype.block_scores import (
    BlockMode,
    ConditionReversals,
    Posteriors,
    Staircases,
    Unsettled,
)
from hype.protocols.hype.error_rates import ErrorCounts, SignalDetection, TwoWay
from hype.protocols.hype.exclusion import SpoiledTrials
from hype.protocols.hype.images import Agreement, Convincing
from hype.protocols.hype.metrics import MetricCorrelation
from hype.protocols.hype.separability import Separability, Trend
from hype.protocols.hype.thresholds import ConditionThresholds, PeoplesThreshold
from hype.statistics.anova import Anova
from hype.statistics.crossed import Images
from hype.statistics.estimate import Estimate
from hype.statistics.pairs import Pair
from hype.statistics.resampling import Bootstrap
from hype.tables.answers import Unanswered

End = Literal["shortest", "longest"]
"""Of the exposures."""
BOUND_SHARE: Final = 0.5
"""A condition bottoms out, or tops out, from this share of its blocks on."""


@dataclass(frozen=True, kw_only=True)
class EvaluatorScore:
    """One evaluator in one condition."""

    evaluator: str
    # Percent judged wrongly (infinity), or mean over blocks in ms (time): of modal exposures, or of
    # the thresholds of QUEST+
    score: float
    counts: ErrorCounts
    blocks: tuple[BlockMode, ...] = ()  # what each block scored; empty for infinity
    # Judgements that are not among the counts, since the screen spoiled their trials
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class ConditionScore:
    """One row of the paper's tables, and what stands beside it.

    Parameters
    ----------
    condition
        What was evaluated.
    evaluators, judgements
        How many.
    score
        For infinity percent, for time ms; higher is more convincing.
    fakes_error, reals_error
        Percent of all judgements of fake and of real images that were wrong; None without any.
    evaluator_scores
        One for each evaluator, sorted by identifier; not part of the JSON.
    interval
        Of the score with other people and, unless they are fixed or not named, with other images;
        None for a single evaluator, who cannot show how evaluators vary.
    df
        Its degrees of freedom.
    hyper_realistic
        Whether fakes look more real than the reals do: the error, both kinds counted alike, is
        shown to be above chance, all conditions together at 2.5 %.
    bootstrap
        The paper's, over evaluators alone, in the unit of the score; None for a single one.
    precision
        The same for other numbers of evaluators; empty for fewer than ten.
    two_way
        Of error rates over evaluators and images by the bootstrap, in percent; None where it was
        not asked for or cannot be had.
    signal_detection
        d′ and criterion, for infinity only.
    agreement
        Krippendorff's α among the evaluators.
    convincing
        The most and the least convincing fakes; None where images have no names.
    two_way_errors
        Of the error rates, in percent, over evaluators and images; for time, whose score is none.
    staircases, reversals
        For time only.
    unsettled
        Likewise; None where the order of the trials is not known.
    settle_point
        For time only: the exposure at which the evaluators are as often right as the staircase's
        rule settles at; None where the trials do not tell the rule.
    posteriors
        For time only, where QUEST+ chose the exposures; reversals, unsettled and settle_point are
        then None, and no mode of `staircases` is one.
    thresholds
        For time only, where they were asked for.
    spoiled
        Trials that the screen spoiled, whether they are scored or left out; 0 for infinity.
    """

    condition: str
    evaluators: int
    judgements: int
    score: float
    fakes_error: float | None
    reals_error: float | None
    evaluator_scores: tuple[EvaluatorScore, ...]
    interval: Estimate | None = None
    df: float | None = None
    hyper_realistic: bool = False
    bootstrap: Bootstrap | None = None
    precision: tuple[Precision, ...] = ()
    two_way: TwoWay | None = None
    signal_detection: SignalDetection | None = None
    agreement: Agreement | None = None
    convincing: Convincing | None = None
    two_way_errors: TwoWay | None = None
    staircases: Staircases | None = None
    reversals: ConditionReversals | None = None
    unsettled: Unsettled | None = None
    settle_point: PeoplesThreshold | None = None
    posteriors: Posteriors | None = None
    thresholds: ConditionThresholds | None = None
    spoiled: int = 0

    @property
    def std(self) -> float | None:
        return self.bootstrap.std if self.bootstrap else None

    def share_at(self, end: End) -> float:
        """Give the share of its blocks whose score is an end of the exposures, 0 to 1."""
        return getattr(self.staircases, f"{end}_share", None) or 0.0

    def sits_at(self, end: End) -> bool:
        """Tell whether many of its blocks are at an end, so that its threshold may lie beyond."""
        return self.share_at(end) >= BOUND_SHARE

    def is_off(self, end: End) -> bool:
        """Tell whether it is clearly off an end of the exposures, with its whole interval."""
        if self.staircases is None or self.interval is None or self.sits_at(end):
            return False
        low_ms, high_ms = self.interval.low, self.interval.high
        if end == "shortest":
            return low_ms is not None and low_ms > self.staircases.shortest_ms
        return high_ms is not None and high_ms < self.staircases.longest_ms


def unit_of(protocol: str) -> str:
    return "ms" if protocol == "time" else "%"


@dataclass(frozen=True, kw_only=True)
class Score:
    """All that is known about one protocol, with the settings it was computed under.

    Parameters
    ----------
    protocol
        "time" or "infinity".
    simulated
        Whether the evaluators are simulated ones.
    conditions
        Highest score first, then by name.
    pairwise
        Every pair of conditions once, the higher-scoring first: whether the two can be told apart
        with other people and other images.
    pairwise_method
        "clustered-range", "clustered-t" of two conditions; None where there is only one.
    letters
        Condition to its letters: two that share one are not known to differ; None where no pair was
        tested.
    images
        Whether images are a sample or fixed; None where judgements do not name them.
    margin
        By how much scores of equivalent conditions differ at most, in the unit of the score; None
        where the study states none.
    tests
        The paper's own tests, over evaluators alone.
    confidence
        Coverage that the bootstrap intervals aim at, as a proportion.
    draws, seed
        Of the bootstrap.
    notes
        Sentences the reader must know in order to read the figures rightly.
    spoiled_trials
        Verdicts on the timing of the trials, and whether bad ones were left out; None where
        nothing was measured.
    careless
        Evaluators whom the study's rules call so, and the scores with and without them; None where
        there are none.
    trend
        Along an order of the conditions, if one was given.
    metrics
        Correlations with automated metrics, if any were given.
    against_time
        Of HYPE_infinity, how its scores go with those of HYPE_time, where enough conditions have
        both.
    missing_answers
        Rows of the table, of whatever task, that have no answer, by evaluator.
    selections
        What the qualification did to who is scored, by condition, of both protocols together;
        empty where none was held.
    judges
        Automated judges beside people; None where none was given.
    """

    protocol: str
    simulated: bool
    conditions: tuple[ConditionScore, ...]
    pairwise: tuple[Pair, ...]
    pairwise_method: str | None
    letters: Mapping[str, str] | None
    images: Images | None
    margin: float | None = None
    tests: Separability
    confidence: float
    draws: int
    seed: int
    notes: tuple[str, ...]
    spoiled_trials: SpoiledTrials | None = None
    careless: Careless | None = None
    trend: Trend | None = None
    metrics: tuple[MetricCorrelation, ...] = ()
    against_time: MetricCorrelation | None = None
    missing_answers: tuple[Unanswered, ...] = ()
    selections: tuple[Selection, ...] = ()
    judges: JudgesScore[DetectorAgreement] | None = None

    @property
    def unit(self) -> str:
        return unit_of(self.protocol)

    @property
    def anova(self) -> Anova | None:
        return self.tests.anova

    @property
    def alpha(self) -> float:
        return self.tests.alpha


@dataclass(frozen=True, kw_only=True)
class Precision:
    """Spread of a score of so many evaluators, in the score's unit."""

    evaluators: int
    std: float  # standard deviation of their scores over the draws (n - 1 in the denominator)
    # ci_low, ci_high: percentile interval
    ci_low: float
    ci_high: float

    @property
    def width(self) -> float:
        return self.ci_high - self.ci_low


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The evaluators of one condition who came to the end of a qualification.

    Who was turned away judged nothing else, so that both groups can be compared on the images of
    the qualification alone.
    """

    condition: str  # what they were to evaluate
    # came, turned_away: how many; who has not finished the qualification is not among them
    came: int
    turned_away: int
    # error_of_all, error_of_passed: percent of the qualification's images judged wrongly, by all
    # who came and by those who passed; the latter is None where nobody did
    error_of_all: float
    error_of_passed: float | None


@dataclass(frozen=True, kw_only=True)
class CarelessEvaluator:
    """Somebody who broke rules of the study, and which."""

    evaluator: str
    condition: str
    rules: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BothWays:
    """A condition's score with and without careless evaluators; None where nobody else is left."""

    condition: str
    evaluators: int
    score: float
    evaluators_without: int
    score_without: float | None


@dataclass(frozen=True, kw_only=True)
class Careless:
    """The careless evaluators of one protocol."""

    left_out: bool  # whether the study leaves them out of every other figure
    # evaluators, conditions: each of them, and the conditions that they judged
    evaluators: tuple[CarelessEvaluator, ...]
    conditions: tuple[BothWays, ...]
