import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hype.statistics.agreement import nominal_alpha, pairable, resampled_alphas

COUNTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=20)

MEG = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
OWEN = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]


def counts_of(*observers):
    answers = np.array(observers)
    return np.column_stack([(answers == 1).sum(axis=0), (answers == 0).sum(axis=0)])


def drawn(value_counts, *, draws=4_000, seed=0):
    return resampled_alphas(value_counts, draws=draws, rng=np.random.default_rng(seed))


def beta_counts(rng, units, judgements, a, b):
    """Units whose chance of being called fake is beta-distributed: α is 1 / (a + b + 1)."""
    fakes = rng.binomial(judgements, rng.beta(a, b, units))
    return np.column_stack([fakes, judgements - fakes])


def test_published_example():
    # Krippendorff (2011), section A, where α is .095.
    assert nominal_alpha(counts_of(MEG, OWEN)) == pytest.approx(1 - 19 * 4 / (6 * 14))


def test_missing_answers_by_hand():
    # Pairable: 3 judgements (2 and 1), 2 (1 and 1), 2 (2 and 0); o = 2/2 + 1/1 = 2; f = 5, r = 2.
    counts = [(2, 1), (1, 1), (2, 0), (1, 0), (0, 1), (0, 0)]
    assert nominal_alpha(counts) == pytest.approx(1 - 6 * 2 / (5 * 2))
    assert len(pairable(counts)) == 3


def test_the_package_agrees_on_a_table_of_observers(rng):
    table = np.where(rng.random((8, 40)) < 0.4, np.nan, rng.random((8, 40)) < 0.3)
    expected = krippendorff.alpha(table, level_of_measurement="nominal")
    assert nominal_alpha(counts_of(*table)) == pytest.approx(expected)


@pytest.mark.parametrize("counts", [[(1, 0), (0, 1)], [(3, 0), (2, 0)], [(0, 2), (1, 0)], []])
def test_undefined(counts):
    counts = np.reshape(counts, (-1, 2))
    assert nominal_alpha(counts) is None
    assert np.isnan(drawn(counts, draws=7)).tolist() == [True] * 7


@given(COUNTS)
def test_swapped_labels_leave_alpha(counts):
    swapped = [(reals, fakes) for fakes, reals in counts]
    assert nominal_alpha(swapped) == (
        None if nominal_alpha(counts) is None else pytest.approx(nominal_alpha(counts))
    )


@given(COUNTS)
def test_alpha_is_at_most_one_and_one_only_in_perfect_agreement(counts):
    alpha = nominal_alpha(counts)
    if alpha is not None:
        agreed = all(min(unit) == 0 for unit in pairable(counts))
        assert alpha <= 1
        assert (alpha == 1) == agreed


@settings(max_examples=30)
@given(COUNTS, st.integers(2, 5))
def test_resamples_of_equal_units_have_the_alpha_of_all_of_them(counts, copies):
    unit = next(iter(pairable([*counts, (1, 1)]).tolist()))
    alpha = nominal_alpha([unit] * copies)
    expected = pytest.approx(np.nan if alpha is None else alpha, nan_ok=True)
    assert drawn([unit] * copies, draws=3).tolist() == [expected] * 3


def test_two_units_by_hand():
    # Twice the first: one value only. Twice the second: f = r = 2, o = 2. One each: f = 3, o = 1.
    alphas = drawn([(2, 0), (1, 1)], draws=20_000)
    undefined = np.isnan(alphas)
    values, times = np.unique(alphas[~undefined], return_counts=True)
    assert values.tolist() == [-0.5, 0.0]
    assert times / 20_000 == pytest.approx([0.25, 0.5], abs=0.02)


def test_drawing_units_one_by_one_agrees(rng):
    counts = beta_counts(rng, 60, rng.integers(2, 7, 60), 1, 2)
    one_by_one = [nominal_alpha(counts[rng.integers(60, size=60)]) for _ in range(1_500)]
    alphas = drawn(counts)
    assert alphas.mean() == pytest.approx(np.mean(one_by_one), abs=0.01)
    assert alphas.std() == pytest.approx(np.std(one_by_one), rel=0.08)


@pytest.mark.parametrize(("units", "judgements"), [(300, 9), (300, None), (6_000, None)])
def test_many_patterns_are_resampled_as_exactly_as_the_draws_allow(
    monkeypatch, rng, units, judgements
):
    counts = beta_counts(rng, units, judgements or rng.integers(2, 14, units), 2, 3)
    monkeypatch.setattr("hype.statistics.agreement._MANY_PATTERNS", 5)
    expanded = drawn(counts, draws=20_000)
    monkeypatch.setattr("hype.statistics.agreement._MANY_PATTERNS", 10**6)
    resampled = drawn(counts, draws=20_000)
    assert not np.array_equal(expanded, resampled)
    error = resampled.std()
    assert expanded.std() == pytest.approx(error, rel=0.03)
    assert stats.skew(expanded) == pytest.approx(stats.skew(resampled), abs=0.09)
    for quantile in (0.025, 0.5, 0.975):
        expected = np.quantile(resampled, quantile)
        assert np.quantile(expanded, quantile) == pytest.approx(expected, abs=0.1 * error)


def test_rare_disagreement_is_not_taken_for_normal():
    # A normal distribution would now and then draw fewer disagreements than none.
    agreed = [(n, 0) for n in range(2, 30)] * 20 + [(0, 3)] * 500
    assert drawn([*agreed, *[(2, 1)] * 3]).max() == 1


def test_more_draws_than_fit_in_one_go_are_all_made(monkeypatch, rng):
    monkeypatch.setattr("hype.statistics.agreement._CELLS", 16)
    alphas = drawn(beta_counts(rng, 50, 4, 1, 1), draws=101)
    assert alphas.shape == (101,)
    assert len(np.unique(alphas)) > 50


def test_random_answers_do_not_agree(rng):
    counts = beta_counts(rng, 4_000, 5, 1e9, 1e9)
    assert nominal_alpha(counts) == pytest.approx(0, abs=0.03)


def test_intervals_cover_the_truth_about_as_often_as_they_say(rng):
    truth = 1 / (1 + 2 + 1)
    covered = []
    for _ in range(250):
        alphas = drawn(beta_counts(rng, 100, 6, 1, 2), draws=600)
        low, high = np.quantile(alphas, (0.025, 0.975))
        covered.append(low <= truth <= high)
    assert 0.90 < np.mean(covered) < 0.985
