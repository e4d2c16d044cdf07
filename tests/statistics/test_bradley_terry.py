import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_comparisons import counts_of, random_counts, rows_of

from hype.statistics.strengths import fit

WORKED = [[0, 70, 85], [30, 0, 60], [15, 40, 0]]
TIES = [[0, 10, 4], [10, 0, 9], [4, 9, 0]]
WINNERS = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}


def test_without_ties_every_rule_is_bradley_and_terrys():
    half, davidson, none = (fit(counts_of(WORKED), ties) for ties in ("half", "davidson", "none"))

    assert half.log_strengths == pytest.approx([0.837, -0.154, -0.683], abs=5e-4)
    assert davidson.log_strengths.tolist() == half.log_strengths.tolist()
    assert none.log_strengths.tolist() == half.log_strengths.tolist()
    assert (half.nu, davidson.nu, none.nu) == (None, 0.0, None)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_the_same_as_evalica_with_ties(seed):
    rng = np.random.default_rng(seed)
    counts = random_counts(rng.normal(size=5) / 2, 60, rng, nu=0.6)
    left, right, answers = zip(*rows_of(counts), strict=True)
    winners = [WINNERS[answer] for answer in answers]
    half = evalica.bradley_terry(left, right, winners, tolerance=1e-14, limit=100_000)
    newman = evalica.newman(left, right, winners, tie_weight=1, tolerance=1e-14, limit=100_000)
    theirs = np.log(half.scores.reindex(counts.conditions).to_numpy())
    newmans = np.log(newman.scores.reindex(counts.conditions).to_numpy())
    davidson = fit(counts, "davidson")

    assert fit(counts, "half").log_strengths == pytest.approx(theirs - theirs.mean(), abs=1e-6)
    assert davidson.log_strengths == pytest.approx(newmans - newmans.mean(), abs=1e-6)
    assert davidson.nu == pytest.approx(2 * newman.v, abs=1e-6)


def test_davidsons_covariance_is_that_of_differences():
    found = fit(counts_of(WORKED, TIES), "davidson")
    free = np.linalg.inv(found.information[1:, 1:])  # the first strength is fixed at 0
    centred = np.eye(3)[:, 1:] - 1 / 3

    assert found.inverse[:3, :3] == pytest.approx(centred @ free[:2, :2] @ centred.T)
    assert found.inverse[3, 3] == pytest.approx(free[2, 2])
