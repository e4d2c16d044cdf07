"""Cells of conditions and groups: what is seen, pooled, tested, and of a population."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f_oneway, ttest_ind

from hype.statistics.cells import cell_means, cell_scores, corrected

NAMES = ("a", "b", "c"), ("x", "y", "z", "w")


def study(rng, *, people=24, groups=4, each=20, own=0.0, apart=0.0, unequal=False):
    """People of one group each judge all conditions; values are normal."""
    of = np.arange(people) % groups
    if unequal:
        of = np.minimum(rng.geometric(0.5, people) - 1, groups - 1)
    level = np.array([10.0, 20.0, 30.0])[:, None] + rng.normal(0, apart, groups)
    level = level + rng.normal(0, own, (3, groups))
    person, condition, _ = np.indices((people, 3, each)).reshape(3, -1)
    taste = rng.normal(0, 1, people)[person]
    item = condition * 50 + rng.integers(50, size=len(person))
    value = level[condition, of[person]] + taste + rng.normal(0, 0.5, 150)[item]
    value = value + rng.normal(0, 2, len(person))
    cells = cell_means(NAMES, condition, of[person], value, person, item)
    return cells, level


def scored(cells, **more):
    return cell_scores(cells, protocol="hype", measure="m", unit="points", **more)


def test_two_groups_of_one_condition_are_welchs_test():
    rng = np.random.default_rng(4)
    first, second = rng.normal(0, 1, 12), rng.normal(0.8, 1, 12)
    group, value = np.repeat([0, 1], 12), np.append(first, second)
    cells = cell_means(NAMES, np.zeros(24, int), group, value, np.arange(24), None)
    test = scored(cells).differences
    expected = ttest_ind(first, second)
    assert test.df_between == pytest.approx(1)
    assert test.f == pytest.approx(expected.statistic**2, rel=0.02)  # moderated variances
    assert test.p == pytest.approx(expected.pvalue, rel=0.1)


def test_several_groups_of_one_condition_are_an_analysis_of_variance():
    rng = np.random.default_rng(5)
    values = [rng.normal(mean, 1, 15) for mean in (0, 0.4, 0.1, 0.9)]
    group = np.repeat(np.arange(4), 15)
    cells = cell_means(NAMES, np.zeros(60, int), group, np.concatenate(values), np.arange(60), None)
    test, expected = scored(cells).differences, f_oneway(*values)
    assert test.f == pytest.approx(expected.statistic, rel=0.02)
    assert test.p == pytest.approx(expected.pvalue, rel=0.2)
    assert scored(cells).interaction is None


def test_cells_say_how_many_people_and_answers_they_have():
    cells, _ = study(np.random.default_rng(1))
    for cell in scored(cells).cells:
        assert cell.score.low < cell.score.value < cell.score.high
        assert (cell.evaluators, cell.answers) == (6, 120)


def test_win_rates_are_those_against_the_opponents_of_all_groups():
    """Group x met the strong one only, group y the weak one: their rates alike are no skill."""
    condition = np.zeros(80, int)
    group, opponent = np.repeat([0, 1], 40), np.repeat([0, 1, 0, 1], [30, 10, 10, 30])
    value = np.where(opponent == 0, 20.0, 80.0)
    cells = cell_means(
        NAMES, condition, group, value, np.arange(80) // 4, None, stratum=opponent, whole=100.0
    )
    assert cells.values == pytest.approx([50, 50])


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 1000), spread=st.floats(0, 5))
def test_pooled_scores_lie_between_what_is_seen_and_the_mean(seed, spread):
    cells, _ = study(np.random.default_rng(seed), apart=spread, unequal=True)
    found = scored(cells)
    for name in NAMES[0]:
        own = [cell for cell in found.cells if cell.condition == name]
        seen = [cell.score.value for cell in own]
        for cell in own:
            if cell.pooled:
                assert min(seen) - 1e-9 <= cell.pooled.value <= max(seen) + 1e-9
    assert found.spread is None or found.spread >= 0


def test_pooling_moves_small_cells_more():
    rng = np.random.default_rng(8)
    sizes = [2, 40]
    group = np.repeat([0, 1], sizes)
    value = np.where(group == 0, 3.0, 0.0) + rng.normal(0, 2, 42)
    cells = cell_means(NAMES, np.zeros(42, int), group, value, np.arange(42), None)
    small, large = scored(cells).cells
    moved = [abs(cell.pooled.value - cell.score.value) for cell in (small, large)]
    assert moved[0] > 3 * moved[1]
    assert small.score.low is None
    assert large.score.low is not None


def test_pooled_intervals_hold_and_no_interaction_is_rarely_called_one():
    rng = np.random.default_rng(20)
    inside, false, real = [], [], []
    for _ in range(60):
        cells, level = study(rng, apart=1.0, unequal=True)
        found = scored(cells)
        false.append(found.interaction.p < 0.05 if found.interaction else False)
        for cell in found.cells:
            truth = level[NAMES[0].index(cell.condition), NAMES[1].index(cell.group)]
            inside.append(cell.pooled.low <= truth <= cell.pooled.high)
        cells, _ = study(rng, own=1.5)
        real.append(scored(cells).interaction.p < 0.05)
    assert 0.91 < np.mean(inside) < 0.99
    assert np.mean(false) < 0.12
    assert np.mean(real) > 0.8


def test_a_total_is_the_weighted_sum_and_takes_all_groups():
    cells, _ = study(np.random.default_rng(2))
    found = scored(cells, shares={"x": 0.5, "y": 0.5, "z": 0.0, "w": 0.0})
    by = {(cell.condition, cell.group): cell.score.value for cell in found.cells}
    for total in found.totals:
        mean = (by[total.condition, "x"] + by[total.condition, "y"]) / 2
        assert total.score.value == pytest.approx(mean)
        assert total.score.low < mean < total.score.high
    kept = cell_means(
        NAMES,
        np.array([0, 0, 0, 1, 1]),
        np.array([0, 1, 1, 0, 0]),
        np.arange(5.0),
        np.arange(5),
        None,
    )
    first, second = scored(kept, shares={"x": 0.5, "y": 0.5, "z": 0, "w": 0}).totals
    assert first.score.value == pytest.approx((0 + 1.5) / 2)
    assert first.score.low is None  # one person of group x
    assert second.score is None  # nobody of group y


def test_evaluators_who_are_all_alike_are_neither_pooled_nor_tested():
    group = np.repeat([0, 1], 6)
    cells = cell_means(NAMES, np.zeros(12, int), group, np.full(12, 7.0), np.arange(12), None)
    found = scored(cells)
    assert [cell.pooled for cell in found.cells] == [None, None]
    assert found.differences is None


def test_shares_that_are_all_alike_still_vary():
    group = np.repeat([0, 1], 30)
    person = np.arange(60) // 5
    cells = cell_means(NAMES, np.zeros(60, int), group, np.zeros(60), person, None, whole=100.0)
    for cell in scored(cells).cells:
        assert cell.pooled.low == 0
        assert cell.pooled.high > 2


def test_tests_of_interaction_are_corrected_over_columns_and_measures():
    from hype.statistics.cells import GroupScores

    cells, _ = study(np.random.default_rng(3), own=0.6)
    other, _ = study(np.random.default_rng(4))
    columns = [
        GroupScores(
            column=name,
            of_evaluators=True,
            groups=NAMES[1],
            left_out=0,
            answers=1,
            weights=None,
            measures=(scored(one),),
        )
        for name, one in (("first", cells), ("second", other))
    ]
    p = [one.measures[0].interaction.p for one in columns]
    found = [one.measures[0].interaction.p_holm for one in corrected(columns)]
    assert min(found) == pytest.approx(min(1, 2 * min(p)))
    assert max(found) == pytest.approx(max(*p, min(found)))
