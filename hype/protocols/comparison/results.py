"""The results of a study of comparisons, as frozen values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from hype.protocols.prompted.results import ProtocolScore, RankedPair
from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.paired_counts import Randomness
from hype.statistics.strength_table import ConditionStrength, Fit
from hype.statistics.strengths import StrengthsShown, Ties

if TYPE_CHECKING:
    from hype.judges.results import ComparisonJudgesScore
    from hype.protocols.comparison.agreement import ComparisonAgreement
    from hype.protocols.comparison.evaluators import Demographic, Sides, Validation
    from hype.protocols.comparison.exclusion import ExcludedComparisons
    from hype.protocols.comparison.images import ImageWins
    from hype.protocols.comparison.scoring import AnalysisPlan
    from hype.protocols.comparison.sequential import Course, Sequential
    from hype.protocols.prompted.results import ImageEnds
    from hype.statistics.crossed import Images


@dataclass(frozen=True, kw_only=True)
class PairResult(RankedPair):
    """Two conditions that were compared with each other, and what the study planned."""

    # Whether so precise a pair shows the win rate that its study planned, with the power that it
    # planned; None where nothing was planned, which counts as not powered
    powered: bool | None
    # What must be said with the verdict "separable" where the pair was not powered; else empty
    said: str = ""
    # Which rule gave the verdict: tests at a fixed number of comparisons; or an arena's at its last
    # look, and then there is no p, since none holds where votes decide when to stop. None without a
    # verdict
    verdict_by: Literal["tests", "arena"] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonTimes:
    """How long the scored answers took.

    ``times_ms``: of those that took a millisecond or more, shape (answers,). ``hasty``: which of
    them came faster than the study's minimum. ``from_images``: whether they are known to count from
    when both images could be seen.
    """

    times_ms: FloatArray
    hasty: BoolArray
    from_images: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class PairwiseDetails:
    """What a report shows beside a score.

    ``course``: how an arena went; None without one. ``times``: None where no times are known.
    ``images``: the images at either end of some prompts.
    """

    course: Course | None = None
    times: ComparisonTimes | None = None
    images: tuple[ImageEnds[ImageWins], ...] = ()


@dataclass(frozen=True, kw_only=True)
class PairwiseScore(ProtocolScore):
    """All that is known about one criterion of a study of comparisons."""

    protocol: ClassVar[str] = "comparison"

    criterion: str  # the question that was asked; empty where it is not known
    simulated: bool
    votes: int
    # Those that are scored: answered, of the task comparison, of evaluators who are not excluded.
    # `exclusions` says what became of the others.
    comparisons: int
    # evaluators, prompts: how many gave and had scored comparisons; None where the table does not
    # tell
    evaluators: int | None
    prompts: int | None
    ties: Ties
    # The strongest first; those without a strength last, by their win rate
    conditions: tuple[ConditionStrength, ...]
    pairs: tuple[PairResult, ...]  # every pair that was compared, in the order of the ranking
    fit: Fit
    strengths: StrengthsShown  # on which scale tables and figures show them
    # Whether images and prompts are a sample of what the conditions make, all that is spoken of, or
    # not known, so that nothing is said of others
    images: Images | Literal["unknown"]
    random: Randomness
    sides: Sides
    agreement: ComparisonAgreement | None  # None where evaluators are not known
    validation: Validation | None  # None where there are no validation comparisons
    exclusions: tuple[ExcludedComparisons, ...]
    demographics: tuple[Demographic, ...] = ()  # one for each question that was asked
    sequential: Sequential | None = None
    plan: AnalysisPlan | None = None
    # alpha, confidence: the level of the tests, and the coverage that intervals aim at, as
    # proportions
    alpha: float
    confidence: float
    margin: float | None  # of win rates about one half that are as good as one half
    notes: tuple[str, ...]
    judges: ComparisonJudgesScore | None = (
        None  # automated judges beside people; None where none was given
    )

    def row(self, condition: str) -> ConditionStrength:
        """Give the row of a condition.

        Raises KeyError: there is no such condition.
        """
        return {row.condition: row for row in self.conditions}[condition]
