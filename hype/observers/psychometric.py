"""The psychometric function of a simulated evaluator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

STANDARD_NORMAL: Final = NormalDist()
MOST_CERTAIN: Final = 0.99999
"""Accuracy stays between this and its complement, so that its normal quantile is finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Psychometric:
    """How well one observer tells one condition's images from real ones.

    Attributes
    ----------
    threshold_ms
        Exposure at which accuracy is halfway between chance and ``ceiling``.
    slope
        Weibull exponent: how steeply accuracy rises around the threshold.
    ceiling
        Accuracy, above 0 to 1, without a time limit and without lapses. Below 0.5 the fakes look
        more real than real images do: what Zhou et al. 2019 call hyper-realism.
    lapse
        Share of trials, 0 to 1, answered by a coin instead of by looking.
    bias
        Criterion c in units of d′ (Green & Swets 1966): above 0 says "real" more often.
    timed_ceiling
        What accuracy tends to as flashed exposures grow, where that is not ``ceiling``: the timed
        method may tell after every trial what was right, and people learn from it.
    """

    threshold_ms: float
    slope: float = 1.5
    ceiling: float = 0.98
    lapse: float = 0.02
    bias: float = 0.0
    timed_ceiling: float | None = None

    def accuracy(self, exposure_ms: float | None) -> float:
        """Accuracy of the unbiased, attentive observer (None: no time limit).

        ½ + (ceiling − ½)·(1 − 2^−(t/threshold)^slope), a Weibull function (Wichmann & Hill 2001,
        eq. 1) with its halfway point as threshold.
        """
        if exposure_ms is None:
            return self.ceiling
        ceiling = self.ceiling if self.timed_ceiling is None else self.timed_ceiling
        return 0.5 + (ceiling - 0.5) * self.rise(exposure_ms)

    def settling_ms(self, accuracy: float) -> float | None:
        """Exposure at which this share of all answers is right; None where no exposure gives it.

        Lapses count; the criterion is taken to be unbiased, which is the best there is.
        """
        ceiling = self.ceiling if self.timed_ceiling is None else self.timed_ceiling
        attentive = (accuracy - self.lapse / 2) / (1 - self.lapse) if self.lapse < 1 else 0.0
        if not 0.5 < attentive < ceiling:
            return None
        steps = -math.log2(1 - (attentive - 0.5) / (ceiling - 0.5))
        return self.threshold_ms * math.pow(steps, 1 / self.slope)

    def rise(self, exposure_ms: float | None) -> float:
        """How much of what there is to see is seen, 0 to 1 (None: no time limit)."""
        if exposure_ms is None:
            return 1.0
        try:
            steps = math.pow(exposure_ms / self.threshold_ms, self.slope)
        except OverflowError:  # a slope so steep that it is a step
            return 1.0
        return 1 - math.pow(2, -steps)

    def says_fake(self, exposure_ms: float | None, *, fake: bool, looks: float = 0.0) -> float:
        """Probability of the answer "fake" to a fake, or to a real, image.

        Equal-variance signal detection: the unbiased accuracy gives d′/2 = z(accuracy), the
        criterion moves both probabilities, and lapses pull them towards ½. ``looks`` is how much
        more fake than others of its kind the image looks at leisure, in the same unit.
        """
        accuracy = self.accuracy(exposure_ms)
        half_d = STANDARD_NORMAL.inv_cdf(max(1 - MOST_CERTAIN, min(accuracy, MOST_CERTAIN)))
        evidence = (half_d if fake else -half_d) - self.bias
        if looks:
            evidence += looks * self.rise(exposure_ms)
        seen = 0.5 * (1 + math.erf(evidence / math.sqrt(2)))
        return (1 - self.lapse) * seen + self.lapse / 2
