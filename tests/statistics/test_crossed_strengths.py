import numpy as np
import pytest
from scipy.sparse import csr_array

from hype.statistics.bradley_terry import connectivity
from hype.statistics.crossed import Crossed
from hype.statistics.paired_counts import Counts
from hype.statistics.strength_table import Certainty, elo, estimate_strengths, margin_of_strengths
from hype.statistics.strengths import fit, moments

WINS = np.array([[0, 60, 90.0], [40, 0, 70], [10, 30, 0]])
COUNTS = Counts(conditions=("a", "b", "c"), wins=WINS, ties=np.zeros((3, 3)))


@pytest.fixture
def answers(rng):
    """Return strengths of three conditions, and each answer's part of the likelihood's gradient."""
    scores = rng.normal(size=(40, 3))
    people, items = np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8)
    return fit(COUNTS, "half"), scores - scores.mean(axis=1, keepdims=True), people, items


def found(answers, size=1.0):
    fitted, scores, people, items = answers
    weights = csr_array(np.full((len(scores), len(fitted.conditions)), 1 / len(scores)))
    given = csr_array(size * scores), weights, people, items
    return fitted, given, estimate_strengths(connectivity(COUNTS), fitted, *given, Certainty())


def test_the_three_scales_say_the_same(answers):
    fitted, given, strengths = found(answers)
    crossed = Crossed(*given, inverse=fitted.inverse, bounded=True)
    reach = crossed.errors(np.eye(3), np.arange(3), np.arange(3)).reach(0.95)
    assert [row.condition for row in strengths.conditions] == ["a", "b", "c"]
    assert sum(row.share100.value for row in strengths.conditions) == pytest.approx(100)
    for place, row in enumerate(strengths.conditions):
        assert row.strength.high - row.strength.value == pytest.approx(reach[place])
        assert row.elo.ends == pytest.approx(tuple(elo(np.array(row.strength.ends))))
        assert 0 < row.share100.low < row.share100.value < row.share100.high < 100


def test_of_two_the_share_is_the_difference(answers):
    _, scores, people, items = answers
    wins = np.array([[0, 60.0], [40, 0]])
    two = fit(Counts(conditions=("a", "b"), wins=wins, ties=np.zeros((2, 2))), "half")
    odd = scores[:, [0]] @ np.array([[1.0, -1.0]])
    _, _, strengths = found((two, odd, people, items))
    (pair,), (a, *_) = strengths.differences, strengths.conditions
    assert a.share100.value == pytest.approx(60)
    odds = np.array(a.share100.ends) / (100 - np.array(a.share100.ends))
    assert tuple(np.log(odds)) == pytest.approx(pair.difference.ends)


def test_a_difference_varies_as_that_of_two_estimates(answers):
    fitted, given, strengths = found(answers)
    crossed = Crossed(*given, inverse=fitted.inverse, bounded=True)
    errors = [crossed.error_of_difference(a, b) for a, b in ((0, 1), (0, 2), (1, 2))]
    ours = [pair.standard**2 for pair in strengths.differences]
    assert ours == pytest.approx([max(error.variance, error.least) for error in errors])
    # The degrees of freedom are those of the smaller sample: five items, not eight people.
    assert [pair.freedom for pair in strengths.differences] == pytest.approx([4.0] * 3)


@pytest.mark.parametrize("log_nu", [-np.inf, 0.3])
def test_a_margin_of_win_rates_is_one_of_strengths(log_nu):
    away = margin_of_strengths(0.05, float(np.exp(log_nu)))
    assert moments(np.array([away, 0.0]), log_nu)[0][0, 1] == pytest.approx(0.55)
