import choix
import evalica
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.statistics.bradley_terry import (
    NoFiniteStrengths,
    StrengthsNotFound,
    fit_strengths,
    strong_components,
    win_probabilities,
)

WORKED = [[0, 70, 85], [30, 0, 60], [15, 40, 0]]


def random_wins(conditions: int, each: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    chances = win_probabilities(rng.normal(size=conditions))
    wins = np.triu(rng.binomial(each, chances), 1)
    wins = wins + np.triu(each - wins, 1).T
    return wins + (1 - np.eye(conditions, dtype=int))  # all win once, so strengths are finite


def log_likelihood(wins: np.ndarray, s: np.ndarray) -> float:
    return float((wins * np.log(win_probabilities(s))).sum())


def test_the_worked_example():
    found = fit_strengths(WORKED)

    assert found.log_strengths == pytest.approx([0.837, -0.154, -0.683], abs=5e-4)
    assert found.log_strengths == pytest.approx([0.83736155, -0.15396599, -0.68339556], abs=1e-8)
    assert found.log_strengths.sum() == pytest.approx(0, abs=1e-12)
    assert found.gradient < 1e-10
    wins = np.array(WORKED)
    assert found.log_likelihood == pytest.approx(log_likelihood(wins, found.log_strengths))
    assert found.log_likelihood > log_likelihood(wins, np.array([0.74, 0.03, -0.77])) + 1


@given(conditions=st.integers(2, 12), each=st.integers(1, 400), seed=st.integers(0, 2**32))
def test_the_same_as_evalica_and_choix(conditions, each, seed):
    wins = random_wins(conditions, each, seed)
    i, j = np.nonzero(wins)
    names, weights = [f"m{place:02}" for place in range(conditions)], wins[i, j]
    evalicas = evalica.bradley_terry(
        [names[place] for place in i],
        [names[place] for place in j],
        [evalica.Winner.X] * len(i),
        weights=weights.tolist(),
        tolerance=1e-14,
        limit=100_000,
    )
    theirs = np.log(evalicas.scores.reindex(names).to_numpy())
    choixs = choix.ilsr_pairwise_dense(wins.astype(float), max_iter=10_000, tol=1e-12)
    found = fit_strengths(wins)

    assert found.gradient < 1e-12 * max(100, wins.sum())  # relative to sums of wins
    assert found.log_strengths == pytest.approx(theirs - theirs.mean(), abs=1e-6)
    assert found.log_strengths == pytest.approx(choixs - choixs.mean(), abs=1e-6)


@given(seed=st.integers(0, 2**32), times=st.floats(0.01, 1e6))
def test_names_and_sizes_do_not_matter(seed, times):
    wins = random_wins(5, 20, seed)
    order = np.random.default_rng(seed).permutation(5)
    found = fit_strengths(wins)

    assert fit_strengths(wins[np.ix_(order, order)]).log_strengths == pytest.approx(
        found.log_strengths[order], abs=1e-9
    )
    assert fit_strengths(wins * times).log_strengths == pytest.approx(found.log_strengths, abs=1e-9)
    assert fit_strengths(wins.T).log_strengths == pytest.approx(-found.log_strengths, abs=1e-9)


def test_extremes_are_found_and_not_overshot():
    rare = fit_strengths([[0, 1e9, 0], [1, 0, 1e9], [0, 1, 0]])
    assert rare.log_strengths == pytest.approx([np.log(1e9), 0, -np.log(1e9)], rel=1e-9)

    chain = np.zeros((40, 40))
    chain[np.arange(39), np.arange(1, 40)] = 1000
    chain[39, 0] = 1
    far = fit_strengths(chain)
    assert far.gradient < 1e-10
    assert np.diff(far.log_strengths) == pytest.approx(np.full(39, -np.log(999.0)))


@pytest.mark.parametrize(
    ("wins", "groups"),
    [
        (WORKED, ((0, 1, 2),)),
        ([[0, 1, 1], [0, 0, 1], [0, 1, 0]], ((0,), (1, 2))),
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], ((0, 1, 2),)),
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], ((0, 1), (2, 3))),
        ([[0, 0], [0, 0]], ((0,), (1,))),
        ([[0, 0, 2], [1, 0, 0], [0, 3, 0]], ((0, 1, 2),)),
    ],
)
def test_no_finite_strengths_unless_all_are_joined_both_ways(wins, groups):
    assert strong_components(np.array(wins) > 0) == groups
    if len(groups) == 1:
        assert np.isfinite(fit_strengths(wins).log_strengths).all()
    else:
        with pytest.raises(NoFiniteStrengths, match="never lost"):
            fit_strengths(wins)


def test_what_no_number_can_hold_is_said():
    with pytest.raises(StrengthsNotFound, match="too far apart"):
        fit_strengths([[0, 1e300], [1e-300, 0]])


def test_win_probabilities():
    found = win_probabilities([0, np.log(3), -2000])

    assert found[:2, :2] == pytest.approx(np.array([[0.5, 0.25], [0.75, 0.5]]))
    assert found[:, 2].tolist() == [1, 1, 0.5]
    assert found + found.T == pytest.approx(np.ones((3, 3)))
