from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from hype.statistics import proportions as sign_flip
from hype.statistics.proportions import sign_flip_p


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_every_way_to_turn_people_round(net):
    sums = [np.dot(signs, net) for signs in product([1, -1], repeat=len(net))]
    as_far = np.mean(np.abs(sums) >= abs(sum(net)))

    assert sign_flip_p(net) == pytest.approx(as_far)


@pytest.mark.parametrize(("won", "lost"), [(60, 40), (3, 9), (5, 5), (520, 480), (1, 0)])
def test_of_people_who_answer_once_it_is_the_binomial_test(won, lost):
    assert sign_flip_p([1] * won + [-1] * lost) == pytest.approx(binomtest(won, won + lost).pvalue)


def test_five_people_who_agree_are_five_answers():
    assert sign_flip_p([40] * 5) == pytest.approx(2 / 2**5)
    assert sign_flip_p([40, 0, 0]) == 1


def test_many_people_are_normal_enough(monkeypatch):
    net = np.random.default_rng(3).integers(-3, 5, size=800)
    exact = sign_flip_p(net[:400])
    monkeypatch.setattr(sign_flip, "MOST_EXACT", 0)

    assert sign_flip_p(net[:400]) == pytest.approx(exact, rel=0.1)
