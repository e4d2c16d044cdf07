"""Random draws: the same on every machine and in every version, and fair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.study.draws import Draws, Purpose, seed_sequence


def draws(seed: int = 2019, evaluator: str = "p01", purpose: Purpose = Purpose.PLAN) -> Draws:
    return Draws(seed_sequence(seed, evaluator, purpose))


def test_the_numbers_of_2026_stay_the_numbers():
    """If they changed, earlier sessions could not be resumed."""
    stream = draws(2019, "p01", Purpose.PLAN)

    assert stream.permutation(8).tolist() == [1, 5, 4, 3, 6, 7, 0, 2]
    assert stream.sample(1000, 5) == [156, 905, 539, 467, 952]
    assert stream.rounds(5, 3, 2).tolist() == [[0, 4], [2, 1], [3, 4]]


@given(data=st.data(), n=st.integers(0, 60), seed=st.integers(0, 2**64))
def test_a_sample_repeats_nothing(data, n, seed):
    k = data.draw(st.integers(0, n))
    drawn = draws(seed).sample(n, k)

    assert len(drawn) == len(set(drawn)) == k
    assert set(drawn) <= set(range(n))


@pytest.mark.parametrize("method", ["permutation", "sample"])
def test_every_number_comes_to_every_place_equally_often(method):
    """Chi-squared of 5 x 5 cells has 16 degrees of freedom; 99.9% of values are below 39.3."""
    stream, n, repeats = draws(), 5, 4000
    counts = np.zeros((n, n))
    for _ in range(repeats):
        order = stream.permutation(n) if method == "permutation" else stream.sample(n, n)
        counts[np.arange(n), order] += 1
    expected = repeats / n

    assert ((counts - expected) ** 2 / expected).sum() < 39.3


@given(
    width=st.integers(1, 6),
    more=st.integers(0, 20),
    rows=st.integers(0, 60),
    seed=st.integers(0, 2**32),
)
def test_rounds_use_all_numbers_equally_often_and_none_twice_in_a_row(width, more, rows, seed):
    """Rows need not fill a round, so counts may differ by one."""
    n = width + more
    drawn = draws(seed).rounds(n, rows, width)
    counts = np.bincount(drawn.ravel(), minlength=n)

    assert drawn.shape == (rows, width)
    assert all(len(set(row)) == width for row in drawn.tolist())
    assert counts.max() - counts.min() <= 1


def test_rounds_refuse_more_than_there_are_and_take_none():
    with pytest.raises(ValueError, match="cannot draw 5 different numbers below 4"):
        draws().rounds(4, 3, 5)
    assert draws().rounds(4, 3, 0).shape == (3, 0)


def test_streams_of_other_seeds_evaluators_and_purposes_differ():
    streams = [
        draws(seed, evaluator, purpose).permutation(20).tolist()
        for seed in (0, 1)
        for evaluator in ("p1", "p2", "P1")
        for purpose in Purpose
    ]

    assert len({tuple(stream) for stream in streams}) == len(streams)
