"""The results of a study of rankings, as frozen values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from hype.judges.results import JudgesScore
from hype.protocols.prompted.results import ImageEnds, ProtocolScore, RankedPair
from hype.protocols.ranking.agreement import RankingAgreement
from hype.protocols.ranking.screening import Screening
from hype.statistics.crossed import Images
from hype.statistics.estimate import Estimate, estimated, unwritten
from hype.statistics.paired_counts import Randomness
from hype.statistics.strength_table import Fit
from hype.statistics.strengths import StrengthsShown, Ties
from hype.tables.reasons import LeftOut


@dataclass(frozen=True, kw_only=True)
class RankedCondition:
    """One row of the table of conditions; its intervals allow for what `Randomness` names."""

    condition: str
    # By Plackett and Luce's strength, 1 is the strongest, equals share one; None without
    rank: int | None
    images: int  # of it in all scored rankings
    # comparisons, wins, losses, ties: with images of other conditions, and how they went
    comparisons: int
    wins: int
    losses: int
    ties: int
    # Wins and half the ties over comparisons (without ties where they are not counted)
    win_rate: Estimate | None = estimated("win_rate", "ci_low", "ci_high")
    # The mean place, 1 is the best; it depends on how many images a group has
    mean_rank: Estimate | None = estimated("mean_rank")
    # The share of its images that came first
    first_share: Estimate | None = estimated("first_share")
    places: tuple[float, ...]  # the share of its images at each place, the first one first
    # Plackett and Luce's log-strength, whose mean over the conditions is 0
    strength: Estimate | None = estimated("strength")
    # The strength on Elo's scale, 400 points for odds of 10 to 1; the mean is 1000
    elo: Estimate | None = estimated("elo")
    # The strengths as numbers that sum to 100: the chances of being chosen from all
    share100: Estimate | None = estimated("share100")
    # rank_low, rank_high: the best and the worst rank that tests of all pairs leave open
    rank_low: int | None = None
    rank_high: int | None = None
    # bt_strength, bt_elo, bt_share100: Bradley and Terry's from the comparisons
    bt_strength: Estimate | None = estimated("bt_strength")
    bt_elo: Estimate | None = estimated("bt_elo")
    bt_share100: Estimate | None = estimated("bt_share100")
    reason: str = ""  # why there is no strength; else empty


@dataclass(frozen=True, kw_only=True)
class RankingFit(Fit):
    """How Plackett and Luce's strengths were found; ties are those of Bradley and Terry's."""

    bt_problems: tuple[str, ...] = ()  # why some have no strength of Bradley and Terry's


@dataclass(frozen=True, kw_only=True)
class GroupSize:
    """Groups of one size.

    ``groups``, ``rankings``, ``comparisons``: groups, rankings of them, and the n(n - 1)/2
    comparisons of these.
    """

    images: int
    groups: int
    rankings: int
    comparisons: int


@dataclass(frozen=True, kw_only=True)
class RankingScore(ProtocolScore):
    """All that is known about a study of rankings."""

    protocol: ClassVar[str] = "ranking"

    simulated: bool
    # groups, rankings, comparisons: that are scored: finished, of the task ranking, no checker's,
    # not excluded. A ranking of n has n(n - 1)/2 comparisons; those of two images of one condition
    # are not counted.
    groups: int
    rankings: int
    comparisons: int
    # evaluators, prompts: how many gave and had scored rankings; None where the table does not tell
    evaluators: int | None
    prompts: int | None
    sizes: tuple[GroupSize, ...]  # the same by size of the group
    # ties, tied: what becomes of ties, and how many of the comparisons are some
    ties: Ties
    tied: int
    # The strongest first; those without a strength last, by their win rate
    conditions: tuple[RankedCondition, ...]
    pairs: tuple[RankedPair, ...]  # every pair that was compared, in the order of the ranking
    fit: RankingFit
    strengths: StrengthsShown  # on which scale tables and figures show them
    # Whether images and prompts are a sample of what the conditions make, all that is spoken of, or
    # not known, so that nothing is said of others
    images: Images | Literal["unknown"]
    random: Randomness | None  # None of a single group, ranked by one evaluator
    # None where evaluators are not known, or no group was ranked by two of them
    agreement: RankingAgreement | None
    screening: Screening | None  # None where evaluators are not known, or there is no checker
    exclusions: tuple[LeftOut, ...]
    # alpha, confidence: the level of the tests, and the coverage that intervals aim at, as
    # proportions
    alpha: float
    confidence: float
    margin: float | None  # of win rates about one half that are as good as one half
    notes: tuple[str, ...]
    # How well preference models agree with people; None where none were asked
    judges: JudgesScore[Any] | None = None
    # The images of some prompts that came first and last most often, for a report
    image_ends: tuple[ImageEnds, ...] = unwritten(())

    def row(self, condition: str) -> RankedCondition:
        """Give the row of a condition.

        Raises KeyError: there is no such condition.
        """
        return {row.condition: row for row in self.conditions}[condition]
