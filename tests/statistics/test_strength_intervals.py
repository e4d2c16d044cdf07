import dataclasses

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from simulated_comparisons import counts_of

from hype.statistics.strength_intervals import (
    StrengthDraws,
    condition_estimates,
    differences,
    draw_comparisons,
    elo,
    percentiles,
    shares,
)
from hype.statistics.strengths import fit, sandwich_of_comparisons

COUNTS = counts_of([[0, 30, 15], [70, 0, 40], [85, 60, 0]])
FITTED = fit(COUNTS, "half")
SANDWICH = sandwich_of_comparisons(COUNTS, FITTED)


def some_draws(number: int = 1_000, undefined: int = 0) -> StrengthDraws:
    found = draw_comparisons(COUNTS, FITTED, draws=number, rng=np.random.default_rng(1))
    return StrengthDraws(
        conditions=found.conditions,
        log_strengths=found.log_strengths,
        nu=None,
        undefined=undefined,
        draws=number + undefined,
        evaluators=None,
    )


def test_the_three_scales_say_the_same() -> None:
    rows = condition_estimates(FITTED, some_draws(), SANDWICH, confidence=0.95)

    assert [row.condition for row in rows] == ["c", "b", "a"]
    assert [row.rank for row in rows] == [1, 2, 3]
    assert sum(row.strength.value for row in rows) == pytest.approx(0)
    assert sum(row.share100.value for row in rows) == pytest.approx(100)
    for row in rows:
        s, e, p = row.strength, row.elo, row.share100
        assert s.low is not None
        assert s.high is not None
        assert s.low < s.value < s.high
        assert (e.value, e.low, e.high) == pytest.approx(
            tuple(1000 + 400 * x / np.log(10) for x in (s.value, s.low, s.high))
        )
        assert p.low is not None
        assert p.high is not None
        assert p.low < p.value < p.high
        assert row.sandwich is not None
        assert row.sandwich.value == s.value
        assert row.sandwich.low == pytest.approx(s.low, abs=0.05)
    odds = rows[0].share100.value / rows[1].share100.value
    assert np.log(odds) == pytest.approx(rows[0].strength.value - rows[1].strength.value)


def test_shares_and_elo_of_known_strengths() -> None:
    assert shares(np.log([[3.0, 1.0], [1.0, 4.0]])) == pytest.approx(np.array([[75, 25], [20, 80]]))
    assert shares(np.array([2000.0, 0])).tolist() == [100, 0]
    assert elo(np.log([10.0, 0.1])) == pytest.approx([1400, 600])


def test_differences_of_every_two() -> None:
    found = list(differences(FITTED, some_draws(), SANDWICH, confidence=0.95))

    assert [(pair.a, pair.b) for pair in found] == [("c", "b"), ("c", "a"), ("b", "a")]
    s = dict(zip(FITTED.conditions, FITTED.log_strengths, strict=True))
    for pair in found:
        assert pair.difference.value == pytest.approx(s[pair.a] - s[pair.b])
        assert pair.difference.low is not None
        assert pair.sandwich is not None
        assert pair.sandwich.low == pytest.approx(pair.difference.low, abs=0.06)
        assert pair.above > 0.99


def test_percentiles_are_numpys() -> None:
    drawn = np.random.default_rng(2).normal(size=(999, 2))
    low, high = percentiles(drawn, 0, 0.05)

    assert np.array([low, high]) == pytest.approx(np.quantile(drawn, [0.05, 0.95], axis=0))


def test_draws_without_strengths_lie_beyond_either_end() -> None:
    drawn = np.random.default_rng(2).normal(size=(990, 1))
    low, high = percentiles(drawn, 10, 0.025)
    at_worst = np.quantile(np.concatenate([np.full((10, 1), -99), drawn]), 0.025)

    assert low[0] == pytest.approx(at_worst)
    assert high[0] == pytest.approx(
        np.quantile(np.concatenate([drawn, np.full((10, 1), 99)]), 0.975)
    )
    assert low[0] < np.quantile(drawn, 0.025)


def test_intervals_of_few_people_are_wider() -> None:
    def tail(evaluators: int | None) -> float:
        return dataclasses.replace(some_draws(10), evaluators=evaluators).tail(0.95)

    assert tail(None) == pytest.approx(0.025)
    assert tail(10**6) == pytest.approx(0.025, abs=1e-6)
    assert tail(15) == pytest.approx(norm.cdf(student.ppf(0.025, 14) * np.sqrt(15 / 14)))
    assert tail(5) < tail(15) < 0.02


def test_too_many_of_them_leave_the_ends_open() -> None:
    few, many = some_draws(undefined=20), some_draws(undefined=40)

    assert condition_estimates(FITTED, few, None, confidence=0.95)[0].strength.low is not None
    row = condition_estimates(FITTED, many, None, confidence=0.95)[0]
    assert (row.strength.low, row.elo.high, row.share100.low) == (None, None, None)
    assert (row.rank, row.rank_low, row.rank_high) == (1, 1, 3)
    assert row.sandwich is None
    pair = next(differences(FITTED, many, None, confidence=0.95))
    assert (pair.difference.low, pair.difference.high) == (None, None)
    assert pair.above <= 1_000 / 1_040


def test_ranks_that_the_draws_leave_open() -> None:
    counts = counts_of([[0, 52, 90], [48, 0, 90], [10, 10, 0]])
    fitted = fit(counts, "half")
    draws = draw_comparisons(counts, fitted, draws=500, rng=np.random.default_rng(3))
    rows = condition_estimates(fitted, draws, None, confidence=0.95)

    assert [(row.rank_low, row.rank_high) for row in rows] == [(1, 2), (1, 2), (3, 3)]


def test_equal_strengths_share_a_rank() -> None:
    fitted = fit(counts_of([[0, 5], [5, 0]]), "half")
    draws = draw_comparisons(
        counts_of([[0, 5], [5, 0]]), fitted, draws=50, rng=np.random.default_rng(3)
    )

    rows = condition_estimates(fitted, draws, None, confidence=0.95)
    assert [(row.condition, row.rank) for row in rows] == [("a", 1), ("b", 1)]
