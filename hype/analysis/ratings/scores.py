"""The results of a study of ratings, as frozen values and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from hype.analysis.protocol_score import ProtocolScore

if TYPE_CHECKING:
    from hype.analysis.correlation import CorrelationMatrix
    from hype.analysis.judges.scores import JudgesScore
    from hype.analysis.pairwise.scores import Ties
    from hype.analysis.ratings.axis_scores import AxisScore
    from hype.analysis.ratings.level_alpha import Level
    from hype.analysis.ratings.scale import Scale

What = Literal["pairs", "images"]
"""What was rated."""


@dataclass(frozen=True, kw_only=True)
class WithOverall:
    """How an axis goes with the axis "overall".

    Parameters
    ----------
    axis
        Which.
    r, low, high, n
        As of `Correlation`.
    """

    axis: str
    r: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, kw_only=True, eq=False)
class AxisCorrelations:
    """How the axes go together, over what one person said of one item.

    Parameters
    ----------
    axes
        k of them, in the order of the score.
    matrix
        Pearson's correlations of each two; answers that are not relevant are missing.
    with_overall
        The other axes by how they go with the axis "overall", the closest first; empty where there
        is no such axis.
    """

    axes: tuple[str, ...]
    matrix: CorrelationMatrix
    with_overall: tuple[WithOverall, ...]


@dataclass(frozen=True, kw_only=True)
class LeaderboardAxis:
    """How the conditions of an axis stand beside a leaderboard.

    Parameters
    ----------
    axis
        Which.
    what
        "strength" (Bradley and Terry's, logarithmic, as Elo's numbers are) or "mean".
    n
        Conditions that have both figures.
    pearson, pearson_low, pearson_high
        With Fisher's interval over conditions; None where there is a problem, and the ends with
        fewer than four.
    spearman, spearman_low, spearman_high
        Of the ranks, with the interval of Bonett and Wright.
    problem
        A sentence on why there are no figures; empty where there are.
    """

    axis: str
    what: Literal["strength", "mean"]
    n: int
    pearson: float | None = None
    pearson_low: float | None = None
    pearson_high: float | None = None
    spearman: float | None = None
    spearman_low: float | None = None
    spearman_high: float | None = None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Leaderboard:
    """The conditions beside an external leaderboard.

    Parameters
    ----------
    axes
        The axis "overall" first.
    missing
        Conditions of the study that the leaderboard does not have.
    unrated
        Those of the leaderboard that the study does not have.
    """

    axes: tuple[LeaderboardAxis, ...]
    missing: tuple[str, ...]
    unrated: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RatingsLeftOut:
    """Ratings that are not scored.

    Parameters
    ----------
    reason
        "declined", "unfinished", "practice", or what the column excluded says.
    meaning
        The reason as a sentence says it.
    evaluators
        How many evaluators they are of; None where these are not known.
    ratings
        How many rows.
    """

    reason: str
    meaning: str
    evaluators: int | None
    ratings: int


@dataclass(frozen=True, kw_only=True)
class RatingScore(ProtocolScore):
    """All that is known about a study of ratings.

    Parameters
    ----------
    what
        "pairs" or "images".
    simulated
        Whether the evaluators are simulated ones.
    rows
        Of the table.
    ratings
        Those that are scored, the not relevant ones too; `exclusions` says what became of the
        others.
    evaluators, prompts
        How many gave and had scored ratings; None where the table does not tell.
    items
        How many were rated.
    conditions
        That were rated, sorted.
    scale
        What could be answered.
    ties
        What became of answers in the middle, in strengths.
    level
        Of measurement, for Krippendorff's α.
    axes
        In the order of the options, then of the table.
    overall
        The name of the axis that says how good an image is on the whole; None where none does.
    correlations
        Of the axes; None with a single one, or where it is not known which answers belong together.
    leaderboard
        None where none was given.
    judges
        Automated judges beside people; None where none was given.
    exclusions
        Rows that are not scored, by reason.
    alpha, confidence
        The level of the tests, and the coverage that intervals aim at, as proportions.
    draws, seed
        Of the bootstrap of strengths.
    notes
        Sentences the reader must know in order to read the figures rightly.
    """

    protocol: ClassVar[str] = "rating"

    what: What
    simulated: bool
    rows: int
    ratings: int
    evaluators: int | None
    prompts: int | None
    items: int
    conditions: tuple[str, ...]
    scale: Scale
    ties: Ties
    level: Level
    axes: tuple[AxisScore, ...]
    overall: str | None
    correlations: AxisCorrelations | None
    leaderboard: Leaderboard | None
    judges: JudgesScore | None = None
    exclusions: tuple[RatingsLeftOut, ...]
    alpha: float
    confidence: float
    draws: int
    seed: int
    notes: tuple[str, ...]

    def axis(self, name: str) -> AxisScore:
        """Give the score of an axis.

        Raises
        ------
        KeyError
            There is no such axis.
        """
        return {axis.axis: axis for axis in self.axes}[name]
