"""The results of a study of ratings, as frozen values and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from hype.protocols.prompted.results import PromptedScore, RankedPair
from hype.report.tabular import Row, Rows
from hype.statistics.correlation import CorrelationMatrix
from hype.statistics.estimate import Estimate
from hype.statistics.paired_counts import Randomness
from hype.statistics.pairs import Verdict
from hype.statistics.strength_table import ConditionStrength, Fit
from hype.study.scales import AnswerKind, Scale

if TYPE_CHECKING:
    from hype.statistics.agreement import Alpha, Level

What = Literal["pairs", "images"]
"""What was rated."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AxisCorrelations:
    """How the axes correlate, over the ratings of one item by one person.

    ``axes``: k of them, in the order of the score. ``matrix``: Pearson's correlations of each two;
    answers that are not relevant are missing. ``with_overall``: each other axis with its `r` with
    the axis "overall", None if unknown, and the number of `ratings` of both, the closest first;
    empty if there is no such axis.
    """

    axes: tuple[str, ...]
    matrix: CorrelationMatrix
    with_overall: Rows


@dataclass(frozen=True, kw_only=True)
class RatingScore(PromptedScore):
    """All that is known about a study of ratings."""

    protocol: ClassVar[str] = "rating"

    what: What  # "pairs" or "images"
    rows: int
    # Those that are scored, the not relevant ones too; `exclusions` says what became of the others
    ratings: int
    items: int
    conditions: tuple[str, ...]  # that were rated, sorted
    scale: Scale
    level: Level  # of measurement, for Krippendorff's α
    axes: tuple[AxisScore, ...]  # in the order of the options, then of the table
    # The name of the axis that says how good an image is on the whole; None if none does
    overall: str | None
    # Of the axes; None with a single one, or where it is not known which answers belong together
    correlations: AxisCorrelations | None
    leaderboard: Row | None  # as of `correlate_with_leaderboard`; None if none was given
    seed: int
    random: Randomness

    def axis(self, name: str) -> AxisScore:
        """Give the score of an axis.

        Raises KeyError: there is no such axis.
        """
        return {axis.axis: axis for axis in self.axes}[name]


@dataclass(frozen=True, kw_only=True)
class ConditionMean:
    """How a condition was rated on an axis, without any model."""

    condition: str
    ratings: int  # relevant answers on its images
    # Of the values: of pairs, how much better than the others (0 is alike, at most (L - 1)/2 for L
    # levels; it depends on which others the condition met); of single images the number, or the
    # share of yes, as a proportion. It has no ends where nothing is known of how answers vary.
    mean: Estimate
    # Who rated it, if the interval takes these for the independent units; None if it takes each
    # answer for one
    evaluators: int | None


@dataclass(frozen=True, kw_only=True)
class MeanPair:
    """Two conditions whose single images were rated."""

    # a, b: the conditions; `a` is the one rated higher
    a: str
    b: str
    # Mean of `a` less that of `b`, as of `ConditionMean`
    difference: Estimate
    # p, p_holm: of no difference, two-sided, and by Holm's rule over all pairs; None if nothing
    # is known of how answers vary
    p: float | None
    p_holm: float | None
    # By Holm's rule, of two one-sided tests against the margin; None without one
    p_equivalent: float | None
    separable: bool | None  # whether p_holm is below alpha; None without it
    # Of two that are not separable nothing is known, unless they are equivalent
    verdict: Verdict | None


@dataclass(frozen=True, kw_only=True)
class AxisScore:
    """All that is known on one axis."""

    axis: str
    kind: AnswerKind  # what it is answered with: "levels", "numbers" or "yes-no"
    ratings: int  # scored answers, the not relevant ones too
    # not_relevant, not_relevant_share: those that say that the axis does not apply, and their share
    # of all. They count as missing in everything that follows.
    not_relevant: int
    not_relevant_share: float
    evaluators: int | None  # who gave relevant answers; None if that is unknown
    items: int
    # Every `answer` of the scale, as in the table, how many `ratings` gave it, and their
    # `relevant_share`, of the relevant ones, as a proportion
    answers: Rows
    means: tuple[ConditionMean, ...]  # the conditions, the best rated first
    # Of pairs: Bradley and Terry's strengths, of who was better at all, however much; the strongest
    # first, those without a strength last. Empty for single images.
    strengths: tuple[ConditionStrength, ...] = ()
    fit: Fit | None = None  # how strengths were found; None for single images
    # Every two conditions that were rated, in the order of strengths or means; of pairs by which
    # image was better at all
    pairs: tuple[RankedPair, ...] | tuple[MeanPair, ...] = ()
    # Krippendorff's, over conditions, and over items where two ratings are of the same
    alphas: tuple[Alpha, ...] = ()
    truth: Row | None = (
        None  # as of `against_truth`: of single images, where it is known what is right
    )

    def strength(self, condition: str) -> ConditionStrength | None:
        """Give the strength of a condition; None if it has no row."""
        return {row.condition: row for row in self.strengths}.get(condition)

    def mean(self, condition: str) -> ConditionMean | None:
        """Give the mean of a condition; None if it has none."""
        return {row.condition: row for row in self.means}.get(condition)

    @property
    def alpha(self) -> Alpha | None:
        """Give the α that is shown."""
        return shown_alpha(self.alphas)


def shown_alpha(alphas: Iterable[Alpha]) -> Alpha | None:
    """Choose the α of an axis that is shown: over items where there is one, else conditions.

    With one evaluator there is none.
    """
    several = (alpha for alpha in alphas if alpha.evaluators != 1)
    return max(several, key=lambda alpha: alpha.unit == "items", default=None)
