"""A psychometric function by its three parameters, whoever fitted it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hype.analysis.psychometrics.psychometric_fit import FloatArray, weibull


@dataclass(frozen=True, kw_only=True)
class PsychometricFunction:
    """Accuracy as a function of exposure: ψ of `psychometric_fit`.

    Parameters
    ----------
    scale_ms
        α: the exposure at which accuracy has gone 63 % of its way from chance.
    exponent
        β: how steeply it rises.
    lapse
        λ: what is missing from 1 at long exposures.
    """

    scale_ms: float
    exponent: float
    lapse: float

    def accuracy(self, exposures_ms: npt.ArrayLike) -> FloatArray:
        """Probability of a correct answer at exposures above 0, in ms; of the shape of these."""
        shown_ms = np.asarray(exposures_ms, dtype=float)
        return weibull(shown_ms, self.scale_ms, self.exponent, self.lapse)
