import evalica
import pytest
from simulated_comparisons import random_counts, rows_of, votes_of

from hype.statistics.strengths import elo_stream

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
