import numpy as np
import pytest

from hype.judges.ratings import distances, half_distances
from hype.statistics.correlation import correlation_matrix


def axes(rng, rows):
    """Three columns that go together, with gaps in the last."""
    x = rng.normal(size=(rows, 3)) + rng.normal(size=(rows, 1))
    x[rng.random(rows) < 0.3, 2] = np.nan
    return x


def test_what_halves_expect_is_how_far_two_of_one_kind_are_apart():
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(40), 10)
    expected, found = [], []
    for _ in range(60):
        one, other = axes(rng, 400), axes(rng, 400)
        expected.append(np.median(half_distances(one, units, 40, rng)))
        found.append(float(distances(correlation_matrix(one).r, correlation_matrix(other).r)))
    assert np.mean(expected) == pytest.approx(np.median(found), rel=0.12)


def test_the_distance_by_hand():
    a, b = np.eye(3), np.eye(3)
    a[0, 1] = a[1, 0] = 0.6
    b[0, 2] = b[2, 0] = np.nan
    assert distances(a, b) == pytest.approx(np.sqrt(0.6**2 / 2))


def test_the_splits_come_from_the_generator():
    x, units = axes(np.random.default_rng(1), 90), np.arange(90) // 9
    once, again, other = (
        half_distances(x, units, 20, np.random.default_rng(seed)) for seed in (3, 3, 4)
    )
    assert (once == again).all()
    assert (once != other).any()
