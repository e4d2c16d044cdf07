"""Distances between distributions: closed forms, torch-fidelity's formulas, intervals."""

import math

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from hype.errors import InputError
from hype.statistics.distributions import (
    BOUNDS,
    FEWEST,
    Products,
    cluster_shares,
    compare,
    f_scores,
    frechet_distance,
    interval,
    statistics_of,
)


def near(x, y):
    return Products.of(np.asarray(x, float), np.asarray(y, float)).distances()


def test_frechet_distance_as_torch_fidelity_computes_it(rng):
    x, y = rng.standard_normal((60, 7)) @ rng.random((7, 7)), rng.random((50, 7))
    first, second = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    root = scipy.linalg.sqrtm(first @ second).real
    apart = x.mean(axis=0) - y.mean(axis=0)
    theirs = apart @ apart + np.trace(first) + np.trace(second) - 2 * np.trace(root)

    assert frechet_distance(x, y) == pytest.approx(theirs)


def test_frechet_distance_of_fewer_images_than_values(rng):
    x, y = rng.standard_normal((9, 30)), rng.standard_normal((30, 30))[:12] + 1
    both = np.cov(x, rowvar=False) @ np.cov(y, rowvar=False)
    roots = np.sqrt(np.clip(scipy.linalg.eigvals(both).real, 0, None)).sum()
    apart = x.mean(axis=0) - y.mean(axis=0)
    traces = x.var(axis=0, ddof=1).sum() + y.var(axis=0, ddof=1).sum()

    assert frechet_distance(x, y) == pytest.approx(apart @ apart + traces - 2 * roots, rel=1e-6)


def test_neighbourhoods_worked_by_hand():
    """Real images are at 0…6, k is 3 and 5; generated images are at 0.5, 9.5 and far away."""
    real = np.arange(7.0)[:, None]
    fake = np.array([0.5, 20, 9.5, 21, 22, 23])[:, None]
    distances = near(real, fake)

    assert distances.precision() == pytest.approx(1 / 6)  # image 6 has radius 3: 9.5 is outside
    assert distances.density(5) == pytest.approx((4 + 1) / 6 / 5)  # radii 5 4 3 3 3 4 5
    assert distances.coverage() == pytest.approx(5 / 7)  # all except 4 and 5
    assert distances.nearest().tolist() == [0, 6, 6, 6, 6, 6]
    assert distances.ratios().tolist() == [0.5, 14, 3.5, 15, 16, 17]


def test_precision_and_recall_as_torch_fidelity_computes_them(rng):
    real, fake = rng.standard_normal((40, 3)), rng.standard_normal((30, 3)) + 0.7

    def covered(of, by, k=3):
        apart = np.linalg.norm(by[:, None] - by, axis=-1)
        radii = np.sort(apart, axis=1)[:, k]
        return np.mean([(np.linalg.norm(by - row, axis=1) <= radii).any() for row in of])

    distances = near(real, fake)

    assert distances.precision() == pytest.approx(covered(fake, real))
    assert distances.swap().precision() == pytest.approx(covered(real, fake))


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), shift=st.floats(-5, 5))
def test_what_turns_and_moves_both_changes_nothing_but_the_kernel(seed, shift):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((30, 4)), rng.standard_normal((26, 4)) + 1
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    before, after = statistics_of(x, y), statistics_of(x @ turn + shift, y @ turn + shift)

    for name in BOUNDS:
        if name != "kernel_distance":
            assert after[name] == pytest.approx(before[name], abs=1e-6)
    swapped = statistics_of(y, x)
    assert swapped["frechet_distance"] == pytest.approx(before["frechet_distance"])
    assert (swapped["precision"], swapped["recall"]) == (before["recall"], before["precision"])


@pytest.mark.long
def test_intervals_hold_the_true_distance_about_as_often_as_they_say():
    """For 60 samples of Gaussians the limit is near the true distance; the plain value is not."""
    mean, sds = np.array([1.0, 0, 0, 0]), np.array([1.0, 1, 2, 0.5])
    true = 1 + ((sds - 1) ** 2).sum()
    hits, plain, limits = 0, [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, y = rng.standard_normal((100, 4)), mean + sds * rng.standard_normal((80, 4))
        found = {s.name: s for s in compare(x, y, rng=rng, draws=20)}
        limit = found["frechet_distance_limit"].estimate
        hits += limit.low <= true <= limit.high
        plain.append(found["frechet_distance"].estimate.value)
        limits.append(limit.value)

    assert hits >= 50  # 57 of 60 are expected; fewer than 50 happen once in 300 times
    assert abs(np.mean(limits) - true) < 0.5 * (np.mean(plain) - true)


def test_a_frechet_distance_has_its_interval_on_the_log_scale_unless_that_reaches_0(rng):
    halves = rng.normal(12, 2, 50)
    own, log, near = (
        np.array([found.low, found.high], dtype=float)
        for found in (
            interval("kernel_distance", 10.0, halves, 100),
            interval("frechet_distance", 10.0, halves, 100),
            interval("frechet_distance_limit", 1.0, halves, 100),
        )
    )

    assert np.log(log / 10) == pytest.approx((own - 10) / 10)
    assert near == pytest.approx([0, own[1] - 9])


@pytest.mark.long
def test_the_interval_of_density_is_of_all_images_and_not_of_half_as_many():
    """If most generated images are close to real ones, density cannot exceed n/k."""
    rng = np.random.default_rng(8)
    found = []
    for _ in range(60):
        x, y = rng.standard_normal((60, 32)), 0.7 * rng.standard_normal((60, 32))
        (density,) = (s for s in compare(x, y, rng=rng, draws=15) if s.name == "density")
        found.append((density.estimate.value, density.estimate.low, density.estimate.high))
    value, low, high = np.array(found).T

    assert ((low <= value.mean()) & (value.mean() <= high)).sum() >= 52


def test_a_share_of_all_is_not_taken_for_certain(rng):
    x, y = rng.standard_normal((30, 2)), 50 + rng.standard_normal((24, 2))
    found = {s.name: s for s in compare(x, y, rng=rng, draws=10)}

    assert found["precision"].estimate.value == found["precision"].estimate.low == 0
    assert found["precision"].estimate.high == pytest.approx(0.138, abs=5e-4)  # Wilson for 0 of 24
    assert found["recall"].estimate.high == pytest.approx(0.1135, abs=5e-4)  # for 0 of 30


def test_the_same_seed_gives_the_same_whatever_the_number_of_threads(rng):
    x, y = rng.standard_normal((40, 3)), rng.standard_normal((40, 3))
    steps = []
    first, second = (
        compare(x, y, rng=np.random.default_rng(3), draws=10, threads=threads, advance=advance)
        for threads, advance in ((1, lambda: steps.append(1)), (3, lambda: None))
    )

    assert first == second
    assert len(steps) == 10
    assert all(s.estimate.low <= s.estimate.value <= s.estimate.high for s in first)
    assert all(math.isfinite(s.at_half) for s in first)


@pytest.mark.parametrize(("n", "m", "kind"), [(FEWEST - 1, 40, "real"), (40, 3, "generated")])
def test_too_few_images(n, m, kind, rng):
    with pytest.raises(InputError, match=rf"{min(n, m)} {kind} images: are too few; 24 or more"):
        compare(np.ones((n, 2)), np.ones((m, 2)), rng=rng)


@pytest.mark.parametrize("offset", [1e6, 1e7])
def test_an_offset_of_all_features_changes_nothing_but_the_kernel_distance(offset):
    rng = np.random.default_rng(8)
    real, fake = rng.normal(size=(60, 5)), rng.normal(0.5, 1.2, size=(50, 5))
    here, there = (
        {each.name: each for each in compare(x, y, rng=np.random.default_rng(1), draws=5)}
        for x, y in ((real, fake), (real + offset, fake + offset))
    )
    for name in here.keys() - {"kernel_distance"}:
        assert there[name].estimate.value == pytest.approx(here[name].estimate.value, rel=1e-6), (
            name
        )
    assert there["kernel_distance"].estimate.value > 1e6 * here["kernel_distance"].estimate.value


def test_the_kernel_distance_is_that_of_the_images_as_they_are():
    rng = np.random.default_rng(8)
    real, fake = rng.normal(3, 1, size=(30, 4)), rng.normal(2, 1, size=(25, 4))
    found = {each.name: each for each in compare(real, fake, rng=rng, draws=3)}

    def kernel(x, y):
        return (x @ y.T / 4 + 1) ** 3

    within = sum(
        (kernel(x, x).sum() - np.trace(kernel(x, x))) / (len(x) * (len(x) - 1))
        for x in (real, fake)
    )
    expected = within - 2 * kernel(real, fake).mean()
    assert found["kernel_distance"].estimate.value == pytest.approx(expected, rel=1e-9)


def test_f_weighs_recall_or_precision():
    """By hand: precision 1 and recall 1/2 at any slope up to 1/2; then both are swapped."""
    half, one = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    f8, f1_8 = f_scores(half, one)
    assert f8 == pytest.approx(65 * 0.5 / (64 + 0.5), abs=1e-3)
    assert f1_8 == pytest.approx(65 / 64 * 0.5 / (1 / 64 + 0.5), abs=1e-3)
    assert f_scores(one, half) == pytest.approx((f1_8, f8), abs=1e-3)
    assert f_scores(half, half) == pytest.approx((1.0, 1.0))
    assert f_scores(one, one[::-1]) == (0.0, 0.0)


def test_a_model_that_forgot_half_of_the_kinds_lacks_recall(rng):
    kinds = rng.normal(scale=20, size=(10, 6))
    real = kinds[rng.integers(10, size=400)] + rng.normal(size=(400, 6))
    fake = kinds[rng.integers(5, size=400)] + rng.normal(size=(400, 6))
    f8, f1_8 = f_scores(*cluster_shares(real, fake))
    assert f8 == pytest.approx(0.5, abs=0.1)
    assert f1_8 > 0.9
