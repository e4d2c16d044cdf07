"""The next pair of an arena."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from long import a_third
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit, xlogy
from scipy.stats import norm

from hype.statistics.separation import (
    PRIOR_SD,
    RANDOM_SHARE,
    next_pair,
    next_pairs,
    posterior,
    worth,
)

DRAWS = (np.arange(200) + 0.5) / 200
DECIDED = 0.55
"""A draw that does not select a random pair."""
TABLES = arrays.arrays(np.int64, (4, 4), elements=st.integers(0, 60)).map(
    lambda table: table * (1 - np.eye(4, dtype=np.int64))
)


def votes(*pairs: tuple[int, int, int, int], conditions: int) -> np.ndarray:
    """Make a table from (i, j, votes for i, votes for j)."""
    table = np.zeros((conditions, conditions))
    for i, j, won, lost in pairs:
        table[i, j], table[j, i] = won, lost
    return table


def nothing(points: np.ndarray) -> np.ndarray:
    return np.zeros(points.shape, dtype=bool)


def adaptive(points: np.ndarray, draw: float = DECIDED, **options) -> tuple[int, int]:
    return next_pair(points, draw=draw, **{"rule": "adaptive", "known": nothing(points)} | options)


def test_at_random_every_pair_is_alike():
    wins = votes((0, 1, 80, 10), conditions=5)
    chosen = Counter(
        next_pair(wins, rule="random", draw=draw, known=nothing(wins)) for draw in DRAWS
    )

    assert set(chosen) == set(itertools.combinations(range(5), 2))
    assert set(chosen.values()) == {20}


def test_one_adaptive_vote_in_ten_goes_to_any_pair():
    wins = votes((0, 1, 50, 48), (0, 2, 90, 10), (1, 2, 90, 10), conditions=3)
    chosen = Counter(adaptive(wins, draw) for draw in DRAWS)

    assert chosen[0, 1] / len(DRAWS) == pytest.approx(1 - RANDOM_SHARE * 2 / 3, abs=0.005)
    assert chosen[0, 2] == pytest.approx(chosen[1, 2], abs=1)


def test_the_largest_draw_is_one_too():
    largest = math.nextafter(1, 0)
    wins = np.zeros((4, 4))

    assert next_pair(wins, rule="random", draw=largest, known=nothing(wins)) == (2, 3)
    assert adaptive(wins, largest) == (2, 3)
    assert adaptive(wins, math.nextafter(RANDOM_SHARE, 0)) == (2, 3)


@pytest.mark.parametrize(("goal", "pair"), [("top", (0, 1)), ("ranking", (2, 3))])
def test_the_contested_pair_that_matters_is_next(goal, pair):
    far = [(i, j, 190, 10) for i in (0, 1) for j in (2, 3)]
    wins = votes((0, 1, 230, 200), (2, 3, 102, 100), *far, conditions=4)

    assert adaptive(wins, goal=goal) == pair


def test_for_the_top_every_vote_concerns_the_leader():
    rng = np.random.default_rng(1)
    wins = np.triu(rng.integers(20, 30, (6, 6)), 1).astype(float)
    wins += np.tril(rng.integers(20, 30, (6, 6)), -1)
    wins[4] += 6
    wins[:, 4] -= 6
    wins[4, 4] = 0

    assert all(4 in adaptive(wins, draw) for draw in np.linspace(RANDOM_SHARE, 0.99, 20))


def test_what_is_known_is_not_asked_again():
    wins = votes((0, 1, 300, 290), (0, 2, 300, 270), (1, 2, 50, 50), conditions=3)
    known = nothing(wins)
    known[0, 1] = True

    assert adaptive(wins) == (0, 1)
    assert adaptive(wins, known=known) == (0, 2)


def test_who_is_known_to_be_beaten_does_not_lead():
    wins = votes((0, 1, 200, 100), (1, 2, 400, 40), (0, 2, 3, 2), (1, 3, 400, 40), conditions=4)
    known = nothing(wins)
    known[0, 1] = True

    assert 0 in adaptive(wins, known=known)


@pytest.mark.parametrize("goal", ["top", "ranking"])
def test_once_all_is_known_the_arena_goes_on(goal):
    wins = votes((0, 1, 500, 20), (0, 2, 500, 20), (1, 2, 400, 30), conditions=3)
    known = np.triu(np.ones((3, 3), dtype=bool), 1)

    assert adaptive(wins, goal=goal, known=known) in {(0, 1), (0, 2), (1, 2)}


@pytest.mark.parametrize("goal", ["top", "ranking"])
def test_before_the_first_vote_every_pair_is_alike(goal):
    wins = np.zeros((5, 5))
    chosen = Counter(adaptive(wins, draw, goal=goal) for draw in DRAWS)

    assert len(chosen) == 10
    assert max(chosen.values()) - min(chosen.values()) <= 2


def test_ties_say_that_two_are_close():
    wins = votes((0, 1, 6, 3), (0, 2, 6, 3), conditions=3)
    ties = np.zeros((3, 3))
    ties[0, 1] = ties[1, 0] = 60

    assert adaptive(wins + ties / 2) == (0, 2)


@given(TABLES, st.floats(0, 0.999), st.sampled_from(["top", "ranking"]))
def test_the_draw_is_the_only_chance_and_nothing_is_changed(table, draw, goal):
    before = table.copy()
    np.random.default_rng().random()
    first = adaptive(table, draw, goal=goal)

    assert adaptive(table, draw, goal=goal) == first
    assert (table == before).all()
    assert first[0] < first[1]


@a_third()
@given(TABLES, st.permutations(range(4)), st.sampled_from(["top", "ranking"]))
def test_names_make_no_difference(table, names, goal):
    chosen = {adaptive(table, draw, goal=goal) for draw in np.linspace(RANDOM_SHARE, 0.99, 13)}
    assume(len(chosen) == 1)
    pair = adaptive(table[np.ix_(names, names)], goal=goal)

    assert tuple(sorted(names[place] for place in pair)) == chosen.pop()


@given(TABLES)
def test_the_posterior_is_what_an_optimiser_finds(table):
    def minus_log(strengths: np.ndarray) -> float:
        rate = expit(strengths[:, None] - strengths)
        return float(-xlogy(table, rate).sum() + (strengths**2).sum() / 2 / PRIOR_SD**2)

    def slope(strengths: np.ndarray) -> np.ndarray:
        rate = expit(strengths[:, None] - strengths)
        return strengths / PRIOR_SD**2 - (table * (1 - rate)).sum(1) + (table.T * rate).sum(1)

    mean, covariance = posterior(table.astype(float))
    found = minimize(minus_log, np.zeros(4), jac=slope, method="BFGS", options={"gtol": 1e-6})
    curved = approx_fprime(mean, slope, 1e-6)

    assert mean == pytest.approx(found.x, abs=1e-4)
    assert covariance == pytest.approx(np.linalg.inv(curved), rel=1e-3, abs=1e-5)


def test_a_condition_that_always_won_has_a_strength():
    mean, _ = posterior(np.array([[0.0, 1e6], [0, 0]]))

    assert 4 < mean[0] < 10
    assert mean[1] == pytest.approx(-mean[0])


def bits(chance: float) -> float:
    return float(-(xlogy(chance, chance) + xlogy(1 - chance, 1 - chance)) / math.log(2))


def bits_removed(won: int, lost: int) -> float:
    """Return the bits of doubt about the order that a vote removes, as a sum over the posterior."""
    ahead = np.linspace(-12, 12, 40_001)
    log_density = norm.logpdf(ahead, scale=PRIOR_SD * math.sqrt(2))
    log_density += won * np.log(expit(ahead)) + lost * np.log(expit(-ahead))
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    chance = float((density * expit(ahead)).sum())

    def doubt(weights: np.ndarray) -> float:
        return bits(float(weights[ahead > 0].sum() / weights.sum()))

    after = chance * doubt(density * expit(ahead)) + (1 - chance) * doubt(density * expit(-ahead))
    return doubt(density) - after


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (6, 4), (30, 25), (60, 45), (400, 380)])
def test_a_vote_is_worth_the_doubt_that_it_removes(won, lost):
    found = worth(*posterior(np.array([[0.0, won], [lost, 0]])))

    assert found[0, 1] == pytest.approx(bits_removed(won, lost), rel=0.15)
    assert found[0, 1] == pytest.approx(found[1, 0])


def test_a_sessions_pairs_are_spread_over_what_is_open():
    wins = votes((0, 1, 60, 40), (0, 2, 60, 40), (0, 3, 60, 40), conditions=4)
    pairs = next_pairs(wins, rule="adaptive", draws=[DECIDED] * 30, known=nothing(wins))
    chosen = Counter(pairs)

    assert set(chosen) == {(0, 1), (0, 2), (0, 3)}
    assert min(chosen.values()) >= 8
    assert wins.sum() == 300


def test_a_sessions_first_pair_is_the_next_one():
    rng = np.random.default_rng(4)
    wins = rng.integers(0, 30, (5, 5)) * (1.0 - np.eye(5))
    for draw in (0.03, 0.4, 0.9):
        chosen = next_pairs(wins, rule="adaptive", draws=[draw], known=nothing(wins))
        assert chosen == [adaptive(wins, draw)]
