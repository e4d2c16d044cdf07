"""The strengths of conditions in a table of comparisons: maximum likelihood, ties by a named rule.

"davidson" makes ties a part of the model (`hype.analysis.pairwise.ties`). "half" counts half a win
to either, and is Bradley and Terry's model; the same as a likelihood only in name, so that its
standard errors by the information alone are too wide where there are many ties. "none" leaves ties
out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.analysis.pairwise.ties import Davidson, anchored, fit_davidson
from hype.protocol.strengths import Strengths, centred_inverse, fit_strengths

if TYPE_CHECKING:
    from hype.analysis.pairwise.counts import Counts
    from hype.analysis.pairwise.scores import Ties

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """Log-strengths of conditions that have any.

    Parameters
    ----------
    conditions
        K of them.
    ties
        The rule for ties.
    log_strengths
        Shape (K,), mean 0.
    log_nu
        Of Davidson's ν; None where it is no part of the model: by another rule, or without ties.
    information
        Shape (K, K), or (K + 1, K + 1) with log ν last.
    log_likelihood
        Without binomial coefficients. With half wins it is that of no possible table.
    steps, gradient
        Of Newton's method, and the largest first derivative where it ended.
    """

    conditions: tuple[str, ...]
    ties: Ties
    log_strengths: FloatArray
    log_nu: float | None
    information: FloatArray
    log_likelihood: float
    steps: int
    gradient: float

    @property
    def nu(self) -> float | None:
        """Davidson's ν, 0 without ties; None by another rule."""
        if self.ties != "davidson":
            return None
        return 0.0 if self.log_nu is None else math.exp(self.log_nu)

    @cached_property
    def inverse(self) -> FloatArray:
        """The inverse of the information, for log-strengths of mean 0."""
        size = len(self.conditions)
        if self.log_nu is None:
            return centred_inverse(self.information)
        inverse: FloatArray = np.asarray(np.linalg.inv(anchored(self.information)), dtype=float)
        inverse[:size, :size] -= inverse[:size, :size].mean()
        return inverse

    @property
    def covariance(self) -> FloatArray:
        """Of the log-strengths, as if comparisons were independent and the model true, (K, K)."""
        size = len(self.conditions)
        return self.inverse[:size, :size]


def fit(counts: Counts, ties: Ties, *, start: FloatArray | None = None) -> Fitted:
    """Fit the strengths of all conditions in ``counts``, from ``start`` or from equal ones.

    Raises
    ------
    NoFiniteStrengths
        There are no finite ones: see `hype.analysis.pairwise.connectivity` for which conditions
        have some; by Davidson's rule also `hype.analysis.pairwise.ties.has_finite_maximum`.
    StrengthsNotFound
        They lie too far apart for floating-point numbers.
    """
    model: Davidson | Strengths
    if ties == "davidson" and counts.ties.any():
        model = fit_davidson(counts, start=start)
    else:
        model = fit_strengths(counts.wins if ties == "none" else counts.points, start=start)
    return Fitted(
        conditions=counts.conditions,
        ties=ties,
        log_strengths=model.log_strengths,
        log_nu=model.log_nu if isinstance(model, Davidson) else None,
        information=model.information,
        log_likelihood=model.log_likelihood,
        steps=model.steps,
        gradient=model.gradient,
    )
