import numpy as np
import pytest
from krippendorff import alpha as krippendorff_alpha

from hype.statistics.agreement import (
    UnitCounts,
    alpha_of_strata,
    even_alpha,
    interval_of_strata,
    measure_agreement,
)


def coins(shares, *, units, raters, rng):
    """Draw units of one pair for each share: each answer is the first with this probability."""
    first = np.concatenate([rng.binomial(raters, share, size=units) for share in shares])
    stratum = np.repeat(np.arange(len(shares)), units)
    return UnitCounts(
        counts=np.column_stack([first, raters - first, np.zeros_like(first)]), stratum=stratum
    )


def swapped(units, strata):
    """Exchange the first and the second condition of these pairs."""
    counts = units.counts.copy()
    there = np.isin(units.stratum, strata)
    counts[there] = counts[there][:, [1, 0, 2]]
    return UnitCounts(counts=counts, stratum=units.stratum)


def named(units):
    """Return Krippendorff's α with the conditions in this order."""
    return krippendorff_alpha(value_counts=units.counts, level_of_measurement="nominal")


@pytest.mark.parametrize("seed", range(5))
def test_of_two_conditions_it_is_krippendorffs(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, size=(40, 3))
    counts = counts[counts.sum(axis=1) >= 2]
    units = UnitCounts(counts=counts, stratum=np.zeros(len(counts), dtype=np.int64))
    assert alpha_of_strata(units) == pytest.approx(named(units), abs=1e-6)


def test_the_coding_by_name_depends_on_the_names_and_this_one_does_not(rng):
    # In each of three pairs, everybody prefers the better condition with a probability of 80%.
    units = coins([0.8, 0.8, 0.8], units=2000, raters=5, rng=rng)
    other = swapped(units, [1])
    assert named(units) == pytest.approx(0, abs=0.02)
    assert named(other) > 0.25
    assert alpha_of_strata(units) == pytest.approx(0, abs=0.02)
    assert alpha_of_strata(other) == alpha_of_strata(units)
    assert even_alpha(other) == even_alpha(units)


def test_without_any_disagreement_to_expect_there_is_none():
    units = UnitCounts(counts=np.array([[3, 0, 0], [2, 0, 0]]), stratum=np.zeros(2, dtype=int))
    assert alpha_of_strata(units) is None
    assert even_alpha(units) == 1


def test_an_order_drawn_for_each_unit_has_the_even_alpha_on_average(rng):
    units = coins([0.7, 0.9], units=400, raters=4, rng=rng)
    drawn = []
    for _ in range(200):
        counts = units.counts.copy()
        flip = rng.random(len(counts)) < 0.5
        counts[flip] = counts[flip][:, [1, 0, 2]]
        drawn.append(named(UnitCounts(counts=counts, stratum=units.stratum)))
    assert even_alpha(units) == pytest.approx(np.mean(drawn), abs=0.002)


def test_observed_agreement_by_hand():
    # AAB: 1 of 3 pairs of answers agrees; AA: 1 of 1. Weighted by answers: (3/3 + 2)/5.
    units = UnitCounts(counts=np.array([[2, 1, 0], [2, 0, 0]]), stratum=np.zeros(2, dtype=int))
    assert measure_agreement(units) == pytest.approx(3 / 5)


def heterogeneous(strata, number, raters, rng):
    """Draw units whose shares for the first are Beta(½, ½) distributed: α is ½."""
    own = rng.beta(0.5, 0.5, size=strata * number)
    first = rng.binomial(raters, own)
    counts = np.column_stack([first, raters - first, np.zeros_like(first)])
    return UnitCounts(counts=counts, stratum=np.repeat(np.arange(strata), number))


@pytest.mark.parametrize(("strata", "number"), [(1, 60), (5, 20)])
def test_the_interval_holds_the_truth(strata, number, rng):
    held = []
    for _ in range(200):
        units = heterogeneous(strata, number, 6, rng)
        unit, value = (
            np.repeat(codes.ravel(), units.counts.ravel())
            for codes in np.indices(units.counts.shape)
        )
        people = np.concatenate([rng.permutation(6) for _ in range(strata * number)])
        low, high = interval_of_strata(units, unit, value, people, unit, confidence=0.95)
        held.append(low <= 0.5 <= high)
    assert 0.9 <= np.mean(held) <= 0.995
