import evalica
import numpy as np
import pandas as pd
import pytest
from simulated_comparisons import counts_of, random_counts, rows_of, votes_of

from hype.statistics.strength_table import elo
from hype.statistics.strengths import elo_stream, fit

WINNERS = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}


def test_one_comparison_moves_two_numbers():
    found = elo_stream(votes_of([("a", "b", "right")], "abc"), k=32)

    assert found == {"b": 1016.0, "c": 1000.0, "a": 984.0}
    assert list(found) == ["b", "c", "a"]


def test_ties_between_equals_move_nothing_and_no_answer_counts_for_nothing():
    rows = [("a", "b", "tie"), ("a", "b", "none")]

    assert set(elo_stream(votes_of(rows, "ab")).values()) == {1000.0}


@pytest.mark.parametrize("k", [4, 16, 32])
def test_the_same_as_evalica(k, rng):
    rows = rows_of(random_counts(rng.normal(size=5), 40, rng, nu=0.5))
    order = rng.permutation(len(rows)).tolist()
    left, right, answer = zip(*(rows[place] for place in order), strict=True)
    theirs = evalica.elo(left, right, [WINNERS[each] for each in answer], k=k)
    found = elo_stream(votes_of([rows[place] for place in order], "abcde"), k=k)

    assert found == pytest.approx(theirs.scores.to_dict(), abs=1e-6)
    assert sum(found.values()) == pytest.approx(5_000)


def test_it_is_a_step_along_the_gradient():
    """From equal numbers, k = 1: 400 / ln 10 times the change is what was unexpected."""
    counts = counts_of([[0, 1], [0, 0]])
    found = elo_stream(votes_of(rows_of(counts), "ab"), k=1, start=0)

    assert found["a"] == pytest.approx(1 - 0.5)


def in_orders(votes: pd.DataFrame, orders: int, k: float, rng: np.random.Generator) -> np.ndarray:
    """Numbers of the conditions after the same comparisons in random orders."""
    each = []
    for _ in range(orders):
        ratings = elo_stream(votes.iloc[rng.permutation(len(votes))], k=k)
        each.append([ratings[name] for name in votes["left"].cat.categories])
    return np.array(each)


def test_over_many_orders_it_comes_near_the_strengths(rng):
    counts = random_counts([0.7, 0, -0.7], 700, rng)
    votes = votes_of(rows_of(counts), "abc")
    found = in_orders(votes, 30, 4, rng)
    strengths = elo(fit(counts, "half").log_strengths)

    assert found.mean(axis=0) == pytest.approx(strengths, abs=15)
    deviations = found.std(axis=0, ddof=1)
    assert ((deviations > 5) & (deviations < 40)).all()
    assert in_orders(votes, 30, 32, rng).std(axis=0, ddof=1)[1] > 1.5 * deviations[1]
