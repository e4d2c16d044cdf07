"""The psychometric function of a simulated evaluator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

STANDARD_NORMAL: Final = NormalDist()
MOST_CERTAIN: Final = 0.99999
"""Accuracy is capped here, so that its normal quantile is finite."""


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
        Accuracy, 0.5 to 1, without a time limit and without lapses.
    lapse
        Share of trials, 0 to 1, answered by a coin instead of by looking.
    bias
        Criterion c in units of d′ (Green & Swets 1966): above 0 says "real" more often.
    """

    threshold_ms: float
    slope: float = 1.5
    ceiling: float = 0.98
    lapse: float = 0.02
    bias: float = 0.0

    def accuracy(self, exposure_ms: float | None) -> float:
        """Accuracy of the unbiased, attentive observer (None: no time limit).

        ½ + (ceiling − ½)·(1 − 2^−(t/threshold)^slope), a Weibull function (Wichmann & Hill 2001,
        eq. 1) with its halfway point as threshold.
        """
        if exposure_ms is None:
            return self.ceiling
        rise = 1 - math.pow(2, -math.pow(exposure_ms / self.threshold_ms, self.slope))
        return 0.5 + (self.ceiling - 0.5) * rise

    def says_fake(self, exposure_ms: float | None, *, fake: bool) -> float:
        """Probability of the answer "fake" to a fake, or to a real, image.

        Equal-variance signal detection: the unbiased accuracy gives d′/2 = z(accuracy), the
        criterion moves both probabilities, and lapses pull them towards ½.
        """
        half_d = STANDARD_NORMAL.inv_cdf(min(self.accuracy(exposure_ms), MOST_CERTAIN))
        evidence = (half_d if fake else -half_d) - self.bias
        seen = 0.5 * (1 + math.erf(evidence / math.sqrt(2)))
        return (1 - self.lapse) * seen + self.lapse / 2
