import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from hype.errors import InputError
from hype.protocols.comparison.power import (
    chance_of_win_rate,
    comparisons_needed,
    plan_win_rates,
    power_of,
    smallest_win_rate,
)


@pytest.mark.parametrize(
    ("win_rate", "number"),
    [(0.55, 778), (0.52, 4898), (0.60, 189), (0.45, 778)],  # for .60 the text prints 188
)
def test_the_worked_examples(win_rate, number):
    assert comparisons_needed(win_rate) == number


@given(st.floats(0.501, 0.999), st.floats(0.01, 0.2), st.floats(0.5, 0.99))
def test_the_inverse(win_rate, alpha, power):
    number = comparisons_needed(win_rate, alpha=alpha, power=power)
    assert smallest_win_rate(number, alpha=alpha, power=power) <= win_rate + 1e-9
    if number > 1:
        fewer = smallest_win_rate(number - 1, alpha=alpha, power=power)
        assert fewer >= win_rate - 1e-9


@given(st.integers(1, 200), st.integers(0, 200))
def test_a_win_rate_that_was_seen_counts_itself(number, wins):
    wins = min(wins, number)
    expected = binomtest(wins, number, alternative="greater").pvalue
    assert chance_of_win_rate(wins / number, number) <= expected + 1e-9


def test_a_number_tells_what_it_can():
    """With 100 comparisons, equal models reach 55% in 18% of studies; a true 55% has power 17%."""
    plan = plan_win_rates(None, 100)
    rows = {row["win_rate"]: row for row in plan.rows}

    assert plan.smallest == pytest.approx(0.635, abs=0.001)
    assert rows[0.55]["by_chance"] == pytest.approx(0.184, abs=0.001)
    assert rows[0.55]["power"] == pytest.approx(0.170, abs=0.001)
    assert rows[0.55]["needed"] == 778
    assert power_of(0.55, 778) == pytest.approx(0.8, abs=0.001)
    assert plan_win_rates(0.52, None).needed == 4898


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: comparisons_needed(0.5), "win rate: 0.5; .*not 0.5, which means no difference"),
        (lambda: comparisons_needed(1.2), r"win rate: 1\.2"),
        (lambda: comparisons_needed(0.5 + 1e-9), "needs more than 1,000,000,000,000 comparisons"),
        (lambda: plan_win_rates(0.6, 0), "comparisons: 0; it must be 1 or more"),
    ],
)
def test_what_cannot_be_asked(call, message):
    with pytest.raises(InputError, match=message):
        call()
