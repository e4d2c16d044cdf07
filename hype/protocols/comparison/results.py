"""The results of a study of comparisons, as frozen values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hype.protocols.comparison.images import ComparisonAgreement
from hype.protocols.comparison.power import comparisons_needed
from hype.protocols.prompted.results import RankedPair, StrengthScore
from hype.report.tabular import Row, Rows
from hype.statistics.arrays import FloatArray, IntArray
from hype.statistics.crossed import Images
from hype.statistics.paired_counts import Randomness
from hype.statistics.separation import Goal
from hype.statistics.strength_table import ConditionStrength, Fit


@dataclass(frozen=True, kw_only=True)
class PairResult(RankedPair):
    """Two conditions that were compared with each other, and what the study planned."""

    # Whether so precise a pair shows the win rate that its study planned, with the power that it
    # planned; None if nothing was planned, which counts as not powered
    powered: bool | None
    # What must be said with the verdict "separable" where the pair was not powered; else empty
    said: str = ""


@dataclass(frozen=True, kw_only=True)
class PairwiseScore(StrengthScore):
    """All that is known about one criterion of a study of comparisons."""

    protocol: ClassVar[str] = "comparison"

    criterion: str  # the question that was asked; empty if it is not known
    votes: int
    # Those that are scored: answered, of the task comparison, of evaluators who are not excluded.
    # `exclusions` says what became of the others.
    comparisons: int
    conditions: tuple[ConditionStrength, ...]
    pairs: tuple[PairResult, ...]
    fit: Fit
    random: Randomness
    sides: Row  # as of `evaluators.sides`
    agreement: ComparisonAgreement | None  # None if evaluators are not known
    validation: Row | None  # None if there are no validation comparisons
    demographics: Rows = ()  # one for each question that was asked
    sequential: Sequential | None = None
    plan: AnalysisPlan | None = None


@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """What was fixed before comparisons were collected.

    ``win_rate``: the smallest win rate the study is to tell from one half; None if none was
    planned. ``alpha``, ``power``: of the test it was planned for. ``registration``: hash under
    which study, stimuli and analysis were frozen (`hype register`); None without.
    """

    win_rate: float | None = None
    alpha: float = 0.05
    power: float = 0.8
    registration: str | None = None

    @property
    def needed(self) -> int | None:
        """Independent comparisons that a pair needs; None if no win rate was planned."""
        if self.win_rate is None:
            return None
        return comparisons_needed(self.win_rate, alpha=self.alpha, power=self.power)


@dataclass(frozen=True, kw_only=True)
class Sequential:
    """What is known, with an error rate that holds however often one looks."""

    goal: Goal  # "top" or "ranking"
    images: Images  # whether claims are for other images and prompts too: not where these are few
    alpha: float
    planned: int  # evaluators
    looks: tuple[int, ...]  # after how many evaluators the rule looked
    levels: tuple[float, ...]  # which part of alpha each of these spent
    next_look: int | None  # after how many it will; None if it does not look any more
    reached: bool  # whether the goal is
    top: str | None  # the condition that is known to be the best; None if that is open
    # All conditions from the best, where that is known; never with the goal "top"
    order: tuple[str, ...] | None
    # separated, pairs: of how many pairs the last look knew who beats whom, and how many there are
    separated: int
    pairs: int
    # Which these are, the better one first; all pairs together err with alpha at most, and so does
    # the goal, where it is reached; some may be a part of it
    claims: tuple[tuple[str, str], ...]
    said: str


@dataclass(frozen=True, kw_only=True, eq=False)
class ArenaCourse:
    """The course of an arena."""

    votes: IntArray  # how many there were at each moment, ascending; shape (moments,)
    conditions: tuple[str, ...]  # those with a strength at the end, the strongest first
    # Log-strengths at each moment, shape (moments, conditions); NaN while they are not finite
    strengths: FloatArray
    # Votes after which what the rule knows at the end was known for the first time; None if it
    # does not know its goal
    known_at: int | None
