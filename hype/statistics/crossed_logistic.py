r"""Logistic regression with two crossed random intercepts, by a Gaussian approximation.

The log-odds of judgement j are :math:`\beta_{c(j)} + u_{e(j)} + v_{i(j)}`: a coefficient for its
group, a normal deviation for its evaluator and one for its image. Priors are weak:
:math:`\beta \sim N(0, 3^2)`, and log standard deviations :math:`\sim N(0, 1)`.

For given standard deviations the posterior of all effects is approximated by one multivariate
normal distribution with its full covariance, the one of highest evidence lower bound (Opper &
Archambeau 2009, "The variational Gaussian approximation revisited", equations 2 to 4; Ormerod &
Wand 2012, "Gaussian variational approximate inference for generalized linear mixed models",
section 3). The bound, as a function of the two log standard deviations, is then maximised; its
curvature gives their uncertainty. Images are eliminated first (a Schur complement), since given
the rest they are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy import linalg, optimize, sparse
from scipy.special import expit

from hype.statistics.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from collections.abc import Iterator


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


COEFFICIENT_PRIOR_SD: Final = 3.0
LOG_SD_PRIOR_SD: Final = 1.0
MOST_EFFECTS: Final = 4000
"""Groups and evaluators together, whose covariance is held as a dense matrix."""
_STEPS: Final = 100
_CELLS: Final = 2**22
_START_SD: Final = 0.5
_LOG_SD_BOUNDS: Final = (-5.0, 2.0)
_DIFFERENCE: Final = 0.01


@dataclass(frozen=True, kw_only=True)
class CrossedFit:
    """What is known after `fit_crossed`."""

    # coefficients, covariance: mean and covariance of the groups' log-odds, shapes (groups,) and
    # (groups, groups)
    coefficients: FloatArray
    covariance: FloatArray
    # log_sds, log_sds_covariance: logarithms of the standard deviations of evaluators and of
    # images, in log-odds, and their covariance; shapes (2,) and (2, 2)
    log_sds: FloatArray
    log_sds_covariance: FloatArray
    # Whether the mean of the approximation, its covariance and the two log standard deviations have
    # all come to rest
    converged: bool


def fit_crossed(group: IntArray, evaluator: IntArray, image: IntArray, y: FloatArray) -> CrossedFit:
    """Fit the model to judgements, `y` being 1 where one is wrong and 0 where it is right.

    The others are codes from 0 without gaps; all are of shape (judgements,).
    """
    search = _Search(_design(group, evaluator, image, y))
    log_sds = _highest(search)
    gradient = search.gradient(log_sds)
    effects, groups = search.effects, search.design.groups
    covariance = search.curvature(log_sds)
    at_rest = effects.settled and float(gradient @ covariance @ gradient) < 1e-3
    return CrossedFit(
        coefficients=effects.dense[:groups],
        covariance=effects.covariance[:groups, :groups],
        log_sds=log_sds,
        log_sds_covariance=covariance,
        converged=bool(at_rest and (np.linalg.eigvalsh(covariance) > 0).all()),
    )


def _highest(search: _Search) -> FloatArray:
    """Give the log standard deviations of the highest bound."""
    # In these units the curvature is at most about 1, so that no step is a leap.
    scale = np.sqrt([search.design.evaluators, search.design.images.shape[1]])
    optimum = optimize.minimize(
        search.loss,
        np.log([_START_SD, _START_SD]) * scale,
        args=(scale,),
        jac=True,
        method="L-BFGS-B",
        bounds=[(_LOG_SD_BOUNDS[0] * unit, _LOG_SD_BOUNDS[1] * unit) for unit in scale],
        options={"gtol": 1e-3, "ftol": 0.0},
    )
    return np.asarray(optimum.x / scale)


class _Design(NamedTuple):
    """Judgements sorted by image, and the matrices that pick their effects."""

    y: FloatArray
    group: IntArray
    evaluator: IntArray
    image: IntArray
    dense: sparse.csr_array
    images: sparse.csr_array
    groups: int
    evaluators: int


class _Effects(NamedTuple):
    """The approximation: means of the effects, covariance of the dense ones, spread of the rest."""

    dense: FloatArray
    image: FloatArray
    covariance: FloatArray
    image_variance: FloatArray
    predictor_variance: FloatArray
    log_determinant: float
    settled: bool


def _design(group: IntArray, evaluator: IntArray, image: IntArray, y: FloatArray) -> _Design:
    order = np.argsort(image, kind="stable")
    groups = int(group.max()) + 1
    group, evaluator, image = group[order], groups + evaluator[order], image[order]
    rows = np.arange(len(y))
    both = (np.tile(rows, 2), np.concatenate([group, evaluator]))
    return _Design(
        y=y[order],
        group=group,
        evaluator=evaluator,
        image=image,
        dense=sparse.csr_array((np.ones(2 * len(y)), both)),
        images=sparse.csr_array((np.ones(len(y)), (rows, image))),
        groups=groups,
        evaluators=int(evaluator.max()) + 1 - groups,
    )


class _Search:
    """The negative bound over the log standard deviations; each search starts from the last."""

    def __init__(self, design: _Design) -> None:
        self.design = design
        wrong = np.bincount(design.group, weights=design.y)
        right = np.bincount(design.group) - wrong
        dense = np.concatenate(
            [np.log(wrong + 0.5) - np.log(right + 0.5), np.zeros(design.evaluators)]
        )
        images = np.zeros(design.images.shape[1])
        unknown = np.eye(len(dense))
        still = np.zeros(len(design.y))
        self.effects = _Effects(dense, images, unknown, images, still, 0.0, settled=False)

    def loss(self, scaled: FloatArray, scale: FloatArray) -> tuple[float, FloatArray]:
        bound, gradient = self._at(scaled / scale)
        return -bound, -gradient / scale

    def gradient(self, log_sds: FloatArray) -> FloatArray:
        return self._at(log_sds)[1]

    def curvature(self, log_sds: FloatArray) -> FloatArray:
        """Give the covariance of the log SDs, from differences of the gradient."""
        precision = np.empty((2, 2))
        for row, shift in enumerate(_DIFFERENCE * np.eye(2)):
            change = self.gradient(log_sds - shift) - self.gradient(log_sds + shift)
            precision[row] = change / (2 * _DIFFERENCE)
        return np.asarray(linalg.inv((precision + precision.T) / 2))

    def _at(self, log_sds: FloatArray) -> tuple[float, FloatArray]:
        for _ in range(_STEPS):
            self.effects = _improved(self.design, self.effects, log_sds)
            if self.effects.settled:
                break
        return _bound(self.design, self.effects, log_sds)


class _Curvature(NamedTuple):
    """The inverse covariance of all effects, by blocks, and what follows from it."""

    crossed: sparse.csc_array
    own: FloatArray
    covariance: FloatArray
    log_determinant: float


def _improved(design: _Design, old: _Effects, log_sds: FloatArray) -> _Effects:
    """Take one Newton step of the means, and let the covariance follow."""
    dense_precision, image_precision = _precisions(design, log_sds)
    value, slope = expectations(_predictor(design, old), old.predictor_variance)
    residual = design.y - value
    pull = design.dense.T @ residual - dense_precision * old.dense
    image_pull = design.images.T @ residual - image_precision * old.image
    crossed, own, covariance, log_determinant = _curvature(
        design, slope, dense_precision, image_precision
    )
    step = covariance @ (pull - crossed @ (image_pull / own))
    image_step = (image_pull - crossed.T @ step) / own
    image_variance, variance = _variances(design, covariance, crossed, own)
    gain = float(pull @ step + image_pull @ image_step)
    moved = float(np.abs(variance - old.predictor_variance).max())
    return _Effects(
        dense=old.dense + step,
        image=old.image + image_step,
        covariance=covariance,
        image_variance=image_variance,
        predictor_variance=variance,
        log_determinant=log_determinant,
        settled=gain < 1e-6 and moved < 1e-4,
    )


def _curvature(
    design: _Design, slope: FloatArray, dense_precision: FloatArray, image_precision: float
) -> _Curvature:
    weighted = sparse.diags_array(slope) @ design.dense
    crossed = sparse.csc_array(weighted.T @ design.images)
    own = design.images.T @ slope + image_precision
    through_images = crossed @ sparse.diags_array(1 / own) @ crossed.T
    precision = (design.dense.T @ weighted - through_images).toarray() + np.diag(dense_precision)
    factor = linalg.cho_factor(precision, lower=True)
    return _Curvature(
        crossed=crossed,
        own=own,
        covariance=np.asarray(linalg.cho_solve(factor, np.eye(len(precision)))),
        log_determinant=float(-2 * np.log(np.diag(factor[0])).sum() - np.log(own).sum()),
    )


def _precisions(design: _Design, log_sds: FloatArray) -> tuple[FloatArray, float]:
    evaluators, images = np.exp(-2 * log_sds)
    coefficients = np.full(design.groups, COEFFICIENT_PRIOR_SD**-2)
    return np.concatenate([coefficients, np.full(design.evaluators, evaluators)]), float(images)


def _predictor(design: _Design, effects: _Effects) -> FloatArray:
    return np.asarray(design.dense @ effects.dense + design.images @ effects.image)


def _variances(
    design: _Design, covariance: FloatArray, crossed: sparse.csc_array, own: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give the variances of the image effects and of each judgement's log-odds."""
    spread, joint = np.empty(len(own)), np.empty(len(design.y))
    width = max(1, _CELLS // len(covariance))
    for low in range(0, len(own), width):
        columns = crossed[:, low : low + width]
        reach = (columns.T @ covariance).T
        spread[low : low + width] = columns.multiply(reach).sum(axis=0)
        part = slice(*np.searchsorted(design.image, [low, low + width]))
        at = design.image[part] - low
        joint[part] = reach[design.group[part], at] + reach[design.evaluator[part], at]
    image_variance = 1 / own + spread / own**2
    group, evaluator = design.group, design.evaluator
    diagonal = np.diag(covariance)
    dense = diagonal[group] + diagonal[evaluator] + 2 * covariance[group, evaluator]
    variance = dense - 2 * joint / own[design.image] + image_variance[design.image]
    return image_variance, np.maximum(variance, 0)


def _bound(design: _Design, effects: _Effects, log_sds: FloatArray) -> tuple[float, FloatArray]:
    """Give the evidence lower bound up to a constant, and its gradient in the log SDs.

    Where the approximation is the best one for these SDs, the gradient is that of the priors
    alone (the envelope theorem).
    """
    mean, variance = _predictor(design, effects), effects.predictor_variance
    expected = design.y @ mean - expected_log_partition(mean, variance).sum()
    squares = effects.dense**2 + np.diag(effects.covariance)
    coefficients, evaluators = squares[: design.groups].sum(), squares[design.groups :].sum()
    sums = np.array([evaluators, (effects.image**2 + effects.image_variance).sum()])
    counts = np.array([design.evaluators, len(effects.image)])
    scaled = sums * np.exp(-2 * log_sds)
    prior = -0.5 * coefficients / COEFFICIENT_PRIOR_SD**2 - (scaled / 2 + counts * log_sds).sum()
    prior -= 0.5 * (log_sds**2).sum() / LOG_SD_PRIOR_SD**2
    gradient = scaled - counts - log_sds / LOG_SD_PRIOR_SD**2
    return float(expected + prior + effects.log_determinant / 2), gradient
