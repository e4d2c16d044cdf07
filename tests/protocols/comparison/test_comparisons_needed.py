import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from hype.errors import InputError
from hype.protocols.comparison.power import (
    VotePrecision,
    chance_of_win_rate,
    comparisons_needed,
    power_of_all,
    smallest_win_rate,
)


@pytest.mark.parametrize(
    ("win_rate", "number"),
    [(0.55, 778), (0.52, 4898), (0.60, 189), (0.45, 778)],  # the text prints 188 for .60
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


def test_chance_by_simulation_of_ten_thousand_studies(rng):
    for number in (100, 778):
        shares = rng.binomial(number, 0.5, size=10_000) / number
        expected = chance_of_win_rate(0.55, number)
        assert np.mean(shares >= 0.55) == pytest.approx(expected, abs=0.012)


@given(st.integers(1, 200), st.integers(0, 200))
def test_a_win_rate_that_was_seen_counts_itself(number, wins):
    wins = min(wins, number)
    expected = binomtest(wins, number, alternative="greater").pvalue
    assert chance_of_win_rate(wins / number, number) <= expected + 1e-9


def test_evaluators_who_answer_alike_are_worth_fewer_comparisons():
    assert comparisons_needed(0.55, per_evaluator=10, correlation=0.1) == 1477  # 777.04 · 1.9
    assert comparisons_needed(0.55, per_evaluator=10) == 778
    alone = smallest_win_rate(100)
    assert smallest_win_rate(1000, per_evaluator=10, correlation=1) == alone


def test_precision_without_people_and_images_is_the_formula():
    for win_rate in (0.52, 0.55, 0.6):
        assert VotePrecision().needed(win_rate, 0.05, 0.8) == comparisons_needed(win_rate)
    own = VotePrecision(each=10, of_person=0.1)
    assert own.needed(0.55, 0.05, 0.8) == comparisons_needed(
        0.55, per_evaluator=10, correlation=0.1
    )
    assert own.smallest(1477, 0.05, 0.8) == pytest.approx(
        smallest_win_rate(1477, per_evaluator=10, correlation=0.1)
    )


def test_images_bound_what_votes_can_show():
    few = VotePrecision(of_image=0.05, images=40)
    assert few.needed(0.55, 0.05, 0.8) is None
    assert few.power(10**9, 0.55, 0.05) < 0.8
    many = VotePrecision(of_image=0.05, images=400)
    needed = many.needed(0.55, 0.05, 0.8)
    assert needed == pytest.approx(0.9 / (1 / 777.04 - 0.1 / 400), rel=0.001)


def test_of_several_pairs_all_are_found_less_often():
    assert power_of_all(0.8, 1, 0.05) == 0.8
    assert power_of_all(0.8, 3, 0.05) == pytest.approx(0.73, abs=0.03)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: comparisons_needed(0.5), "win rate: 0.5; .*not 0.5: equals cannot be told apart"),
        (lambda: comparisons_needed(1.2), r"win rate: 1\.2"),
        (lambda: comparisons_needed(0.6, alpha=0), "alpha: 0; allowed is a number above 0"),
        (lambda: comparisons_needed(0.6, power=0.01), "power: 0.01; .* above alpha and below 1"),
        (lambda: comparisons_needed(0.5 + 1e-9), "needs more than 1,000,000,000,000 comparisons"),
        (lambda: comparisons_needed(0.6, correlation=2), "correlation: 2; .* from 0 to 1"),
        (lambda: comparisons_needed(0.6, per_evaluator=0), "per evaluator: 0; allowed is 1 or"),
        (lambda: smallest_win_rate(0), "comparisons: 0; allowed is 1 or more"),
        (lambda: chance_of_win_rate(0.6, 0), "comparisons: 0; allowed is 1 or more"),
    ],
)
def test_what_cannot_be_asked(call, message):
    with pytest.raises(InputError, match=message):
        call()
