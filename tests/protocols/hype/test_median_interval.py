import numpy as np
import pytest

from hype.protocols.hype.response_times import median_interval


@pytest.mark.parametrize(("n", "first"), [(5, None), (6, 1), (8, 1), (9, 2), (30, 10), (100, 40)])
def test_the_interval_of_a_median_is_that_of_the_tables(n, first):
    # David & Nagaraja, section 7.1; the same as in Conover's table for the sign test.
    expected = None if first is None else (float(first), float(n + 1 - first))
    assert median_interval(np.arange(1.0, n + 1)) == expected


def test_the_interval_of_a_median_holds_it():
    rng = np.random.default_rng(5)
    intervals = [median_interval(np.sort(rng.lognormal(7, 1, 21))) for _ in range(2000)]
    held = np.mean([low < np.exp(7) < high for low, high in intervals])
    # Exactly: 1 − 2 P(Bin(21, ½) < 6) = 0.973.
    assert held == pytest.approx(0.973, abs=0.015)
