"""The results of a study of rankings, as frozen values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hype.protocols.prompted.results import RankedPair, StrengthScore
from hype.protocols.ranking.agreement import RankingAgreement
from hype.report.tabular import Row, Rows
from hype.statistics.estimate import Estimate
from hype.statistics.strength_table import ConditionStrength, Fit


@dataclass(frozen=True, kw_only=True)
class RankedCondition(ConditionStrength):
    """One row of the table of conditions; its intervals allow for what `Randomness` names.

    Its strengths are Plackett and Luce's; those that begin with bt are Bradley and Terry's, from
    the comparisons with images of other conditions.
    """

    images: int  # of it in all scored rankings
    # The mean place, 1 is the best; it depends on how many images a group has, and on the others
    mean_rank: Estimate | None = None
    # The share of its images that came first
    first_share: Estimate | None = None
    places: tuple[float, ...]  # the share of its images at each place, the first one first
    bt_strength: Estimate | None = None
    bt_elo: Estimate | None = None
    bt_share100: Estimate | None = None


@dataclass(frozen=True, kw_only=True)
class RankingScore(StrengthScore):
    """All that is known about a study of rankings."""

    protocol: ClassVar[str] = "ranking"

    # groups, rankings, comparisons: that are scored: finished, of the task ranking, no checker's,
    # not excluded. A ranking of n has n(n - 1)/2 comparisons; those of two images of one condition
    # are not counted.
    groups: int
    rankings: int
    comparisons: int
    sizes: Rows  # the same by how many `images` a group has
    tied: int  # how many of the comparisons are ties
    conditions: tuple[RankedCondition, ...]
    pairs: tuple[RankedPair, ...]
    fit: Fit  # of Plackett and Luce's strengths; ties are those of Bradley and Terry's
    bt_problems: tuple[str, ...] = ()  # why some have no strength of Bradley and Terry's
    # None if evaluators are not known, or no group was ranked by two of them
    agreement: RankingAgreement | None
    screening: Row | None  # None if evaluators are not known, or there is no checker
    # The images of some prompts that came first and last most often, for a report
    image_ends: Rows = ()
