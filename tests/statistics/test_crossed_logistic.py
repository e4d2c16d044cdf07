"""The sparse fit against a plain one: dense matrices, one log standard deviation at a time."""

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit

from hype.statistics.crossed_logistic import fit_crossed

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def one_hot(codes):
    return (codes[:, None] == np.arange(codes.max() + 1)).astype(float)


def small_study(rng, *, evaluators=8, images=10):
    """Two conditions of evaluators who judge all of some images; the images are shared."""
    evaluator = np.repeat(np.arange(2 * evaluators), images)
    image = np.tile(np.arange(images), 2 * evaluators)
    group = evaluator // evaluators
    odds = np.array([-1.0, 0.3])[group]
    odds = odds + 0.8 * rng.normal(size=2 * evaluators)[evaluator] + rng.normal(size=images)[image]
    keep = rng.random(len(odds)) < 0.8
    return tuple(
        a[keep] for a in (group, evaluator, image, (rng.random(len(odds)) < expit(odds)) * 1.0)
    )


def plain(group, evaluator, image, y, log_sds):
    """Evidence lower bound, mean and covariance of all effects for given standard deviations."""
    parts = [one_hot(codes) for codes in (group, evaluator, image)]
    b = np.hstack(parts)
    sizes = [part.shape[1] for part in parts]
    prior = np.repeat([1 / 9, *np.exp(-2 * np.asarray(log_sds))], sizes)
    mean, variance = np.zeros(b.shape[1]), np.zeros(len(y))
    for _ in range(60):
        at = (b @ mean)[:, None] + np.sqrt(variance)[:, None] * NODES
        p = expit(at)
        precision = (b.T * ((p * (1 - p)) @ WEIGHTS)) @ b + np.diag(prior)
        covariance = np.linalg.inv(precision)
        mean = mean + covariance @ (b.T @ (y - p @ WEIGHTS) - prior * mean)
        variance = np.einsum("ij,jk,ik->i", b, covariance, b)
    at = (b @ mean)[:, None] + np.sqrt(variance)[:, None] * NODES
    bound = y @ b @ mean - (np.logaddexp(0, at) @ WEIGHTS).sum()
    bound -= 0.5 * (prior * (mean**2 + np.diag(covariance))).sum() - 0.5 * np.log(prior).sum()
    bound += 0.5 * np.linalg.slogdet(covariance)[1] - 0.5 * np.sum(np.square(log_sds))
    return bound, mean, covariance


def test_a_plain_fit_agrees(rng):
    data = small_study(rng)
    best = optimize.minimize(
        lambda log_sds: -plain(*data, log_sds)[0],
        [-0.5, -0.5],
        method="Nelder-Mead",
        options={"xatol": 1e-4, "fatol": 1e-7},
    ).x
    _, mean, covariance = plain(*data, best)
    found = fit_crossed(*data)
    assert found.converged
    assert found.log_sds == pytest.approx(best, abs=2e-3)
    assert found.coefficients == pytest.approx(mean[:2], abs=2e-3)
    assert found.covariance == pytest.approx(covariance[:2, :2], abs=1e-3)
    h = 0.02
    for place, axis in enumerate(np.eye(2)):
        sides = [plain(*data, best + s * h * axis)[0] for s in (-1, 0, 1)]
        curvature = -(sides[0] - 2 * sides[1] + sides[2]) / h**2
        assert np.linalg.inv(found.log_sds_covariance)[place, place] == pytest.approx(
            curvature, rel=0.02
        )


def test_many_images_are_taken_in_parts(rng, monkeypatch):
    data = small_study(rng)
    whole = fit_crossed(*data)
    monkeypatch.setattr("hype.statistics.crossed_logistic._CELLS", 55)
    parts = fit_crossed(*data)
    assert parts.log_sds == pytest.approx(whole.log_sds, abs=1e-6)
    assert parts.covariance == pytest.approx(whole.covariance)
