"""What is known about one axis of a study of ratings, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hype.analysis.correlation import Correlation
    from hype.analysis.pairwise.scores import ConditionStrength, Fit, Resampling
    from hype.analysis.ratings.scale import AnswerKind

AlphaUnit = Literal["conditions", "items"]
"""What the values of a unit have in common."""


@dataclass(frozen=True, kw_only=True)
class AnswerCount:
    """How often an answer was given.

    Parameters
    ----------
    answer
        As in the table: a level, a number, yes or no.
    count
        How often.
    share
        Of the relevant answers, as a proportion.
    """

    answer: str
    count: int
    share: float


@dataclass(frozen=True, kw_only=True)
class ConditionMean:
    """How a condition was rated on an axis, without any model.

    Parameters
    ----------
    condition
        What made the images.
    ratings
        Relevant answers on its images.
    mean
        Of the values: of pairs, how much better than the others (0 is alike, at most (L - 1)/2 for
        L levels; it depends on which others the condition met); of single images the number, or
        the share of yes, as a proportion.
    low, high
        Its interval, by the jackknife over evaluators; None where nothing is known of how answers
        vary. Of shares it is never narrower than Wilson's.
    evaluators
        Who rated it, if the interval takes these for the independent units; None where it takes
        each answer for one.
    """

    condition: str
    ratings: int
    mean: float
    low: float | None
    high: float | None
    evaluators: int | None


@dataclass(frozen=True, kw_only=True)
class Alpha:
    """Krippendorff's α of an axis.

    Parameters
    ----------
    unit
        "conditions": how far all ratings of a condition agree, whichever image they are of; of
        pairs each gives its value to the first condition and minus it to the second. "items": how
        far several ratings of the same images agree.
    alpha
        At most 1; about 0 where values of one unit differ as much as any.
    low, high
        Its interval, by the jackknife over evaluators; None where these are unknown or too few.
    units, n
        Units with two values and more, and how many values these have.
    evaluators
        Who gave these; None where that is unknown.
    """

    unit: AlphaUnit
    alpha: float
    low: float | None
    high: float | None
    units: int
    n: int
    evaluators: int | None


@dataclass(frozen=True, kw_only=True)
class AgainstTruth:
    """How answers on single images go with what is right.

    Parameters
    ----------
    ratings
        Relevant answers whose right answer is known.
    accuracy, low, high
        Of yes and no: the share that is right, as a proportion, with the interval by evaluators
        (as of `ConditionMean`); else None.
    wilson_low, wilson_high
        Wilson's interval, as if each answer were independent of all others.
    evaluators
        If the interval takes these for the independent units; else None.
    correlation
        Of numbers: Pearson's, of the answers with the truth; else None.
    """

    ratings: int
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    wilson_low: float | None = None
    wilson_high: float | None = None
    evaluators: int | None = None
    correlation: Correlation | None = None


@dataclass(frozen=True, kw_only=True)
class AxisScore:
    """All that is known on one axis.

    Parameters
    ----------
    axis
        Its name.
    kind
        What it is answered with: "levels", "numbers" or "yes-no".
    ratings
        Scored answers, the not relevant ones too.
    not_relevant, not_relevant_share
        Those that say that the axis does not apply, and their share of all. They count as missing
        in everything that follows.
    evaluators
        Who gave relevant answers; None where that is unknown.
    items
        How many items have them.
    answers
        Every answer of the scale and how often it was given.
    means
        The conditions, the best rated first.
    strengths
        Of pairs: Bradley and Terry's strengths, of who was better at all, however much; the
        strongest first, those without a strength last. Empty for single images.
    fit
        How strengths were found; None for single images.
    bootstrap
        Their resampling; None without strengths.
    alphas
        Krippendorff's, over conditions, and over items where two ratings are of the same.
    truth
        Of single images, where it is known what is right.
    """

    axis: str
    kind: AnswerKind
    ratings: int
    not_relevant: int
    not_relevant_share: float
    evaluators: int | None
    items: int
    answers: tuple[AnswerCount, ...]
    means: tuple[ConditionMean, ...]
    strengths: tuple[ConditionStrength, ...] = ()
    fit: Fit | None = None
    bootstrap: Resampling | None = None
    alphas: tuple[Alpha, ...] = ()
    truth: AgainstTruth | None = None

    def strength(self, condition: str) -> ConditionStrength | None:
        """Give the strength of a condition; None where it has no row."""
        return {row.condition: row for row in self.strengths}.get(condition)

    def mean(self, condition: str) -> ConditionMean | None:
        """Give the mean of a condition; None where it has none."""
        return {row.condition: row for row in self.means}.get(condition)

    def alpha(self, unit: AlphaUnit) -> Alpha | None:
        """Give Krippendorff's α over some units; None where there is none."""
        return {found.unit: found for found in self.alphas}.get(unit)
