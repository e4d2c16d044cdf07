import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import approx_fprime, linprog
from simulated_comparisons import counts_of

from hype.statistics.bradley_terry import NoFiniteStrengths
from hype.statistics.paired_counts import Counts
from hype.statistics.strengths import (
    derivatives,
    fit_davidson,
    has_finite_maximum,
    log_likelihood,
)

WORKED = counts_of([[0, 70, 85], [30, 0, 60], [15, 40, 0]], [[0, 10, 4], [10, 0, 9], [4, 9, 0]])


def likelihood(counts: Counts, at: npt.NDArray[np.float64]) -> float:
    """Return the log-likelihood as Davidson (1970) defines it."""
    p, nu = np.exp(at[:-1]), np.exp(at[-1])
    roots = np.sqrt(np.outer(p, p))
    whole = p[:, np.newaxis] + p + nu * roots
    won = counts.wins * np.log(p[:, np.newaxis] / whole)
    return float(won.sum() + np.triu(counts.ties * np.log(nu * roots / whole), 1).sum())


def test_the_likelihood_and_its_derivatives():
    at = np.array([0.3, -0.5, 0.1, -0.9])
    s, log_nu = at[:3], float(at[3])
    gradient, information = derivatives(WORKED, s, log_nu)

    assert log_likelihood(WORKED, s, log_nu) == pytest.approx(likelihood(WORKED, at))
    assert gradient == pytest.approx(
        approx_fprime(at, lambda x: likelihood(WORKED, x), 1e-7), abs=1e-3
    )
    for place in range(4):
        step = 1e-6 * np.eye(4)[place]
        after, before = (derivatives(WORKED, x[:3], float(x[3]))[0] for x in (at + step, at - step))
        assert (before - after) / 2e-6 == pytest.approx(information[place], abs=1e-5)


def decided_by_linear_programming(counts: Counts) -> bool:
    """Tell whether no direction keeps or raises the likelihood of all given answers."""
    size = len(counts.conditions)
    rows = []
    for i, j in np.argwhere(~np.eye(size, dtype=bool)):
        apart = np.zeros(size + 1)
        apart[i], apart[j] = 1, -1
        nu = 2 * np.eye(size + 1)[size]
        if counts.wins[i, j]:
            rows += [apart, apart - nu]
        if counts.ties[i, j]:
            rows += [nu - apart]
    gains = np.array(rows).reshape(-1, size + 1)
    best = linprog(-gains.sum(axis=0), -gains, np.zeros(len(gains)), bounds=[(-1, 1)] * (size + 1))
    return bool(best.fun > -1e-9 and np.linalg.matrix_rank(gains) == size)


def test_which_tables_have_a_finite_maximum():
    rng = np.random.default_rng(5)
    finite = 0
    for _ in range(80):
        size = int(rng.integers(2, 5))
        wins = (rng.random((size, size)) < 0.4) & ~np.eye(size, dtype=bool)
        ties = np.triu(rng.random((size, size)) < 0.4, 1)
        if not ties.any():
            continue
        counts = counts_of(wins, ties | ties.T)
        expected = decided_by_linear_programming(counts)
        finite += expected
        assert has_finite_maximum(counts) == expected
        if expected:
            assert np.isfinite(fit_davidson(counts).log_nu)
    assert 15 < finite < 65


@pytest.mark.parametrize(
    ("wins", "ties"),
    [
        ([[0, 3], [2, 0]], [[0, 0], [0, 0]]),  # no ties
        ([[0, 0], [0, 0]], [[0, 4], [4, 0]]),  # only ties
        ([[0, 3], [0, 0]], [[0, 4], [4, 0]]),  # one never loses; ties explain this
    ],
)
def test_no_finite_maximum(wins, ties):
    with pytest.raises(NoFiniteStrengths, match="no finite strengths"):
        fit_davidson(counts_of(wins, ties))
