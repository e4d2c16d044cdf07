"""The logistic function averaged over normal distributions, by Gauss–Hermite quadrature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.special import expit

if TYPE_CHECKING:
    from collections.abc import Iterator

FloatArray = npt.NDArray[np.float64]

_NODES, _RAW_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS: Final = _RAW_WEIGHTS / _RAW_WEIGHTS.sum()


def average(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Average the logistic function; all shapes are the same."""
    return expectations(mean, variance)[0]


def expectations(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Average the logistic function and its derivative."""
    value, slope = np.zeros_like(mean), np.zeros_like(mean)
    for weight, at in _quadrature(mean, variance):
        probability = expit(at)
        value += weight * probability
        slope += weight * probability * (1 - probability)
    return value, slope


def expected_log_partition(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Average log(1 + exp(x)), whose derivative is the logistic function."""
    total = np.zeros_like(mean)
    for weight, at in _quadrature(mean, variance):
        total += weight * np.logaddexp(0, at)
    return total


def _quadrature(mean: FloatArray, variance: FloatArray) -> Iterator[tuple[float, FloatArray]]:
    # Node by node, since there may be more judgements than fit into memory fifteen times.
    sd = np.sqrt(variance)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        yield float(weight), mean + node * sd
