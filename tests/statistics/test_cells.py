"""Conditions within groups: their scores, the test of the interaction, and totals."""

import numpy as np
import pytest
from scipy.stats import t as student

from hype.statistics.cells import cell_means, cell_scores, correct

NAMES = ("a", "b", "c"), ("x", "y", "z", "w")


def study(rng, *, people=24, groups=4, each=20, own=0.0, apart=0.0, unequal=False):
    """Draw normal values: each person belongs to one group and judges all conditions."""
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


def test_two_conditions_in_two_groups_are_a_t_test_of_the_difference_of_differences():
    rng = np.random.default_rng(4)
    values = rng.normal(0, 1, (4, 12)) + np.array([[0.0], [0.4], [0.2], [1.5]])
    condition, group = np.repeat([0, 0, 1, 1], 12), np.repeat([0, 1, 0, 1], 12)
    cells = cell_means(NAMES, condition, group, values.ravel(), np.arange(48), None)
    test = scored(cells).interaction
    contrast = np.array([1, -1, -1, 1]) @ values.mean(axis=1)
    error = np.sqrt(values.var(axis=1, ddof=1).sum() / 12)
    assert test.df_between == pytest.approx(1)
    assert test.f == pytest.approx((contrast / error) ** 2, rel=0.02)  # moderated variances
    assert test.p == pytest.approx(2 * student.sf(abs(contrast / error), 44), rel=0.1)


def test_one_condition_has_no_interaction():
    group, value = np.repeat([0, 1], 12), np.random.default_rng(5).normal(0, 1, 24)
    cells = cell_means(NAMES, np.zeros(24, int), group, value, np.arange(24), None)
    assert scored(cells).interaction is None


def test_cells_say_how_many_people_and_answers_they_have():
    cells, _ = study(np.random.default_rng(1))
    for cell in scored(cells).cells:
        assert cell.score.low < cell.score.value < cell.score.high
        assert (cell.evaluators, cell.answers) == (6, 120)
    assert {cell.evaluators for cell in scored(cells, are_people=False).cells} == {None}


def test_win_rates_are_those_against_the_opponents_of_all_groups():
    """Group x mostly met the strong opponent, y the weak one; win rates take this into account."""
    condition = np.zeros(80, int)
    group, opponent = np.repeat([0, 1], 40), np.repeat([0, 1, 0, 1], [30, 10, 10, 30])
    value = np.where(opponent == 0, 20.0, 80.0)
    cells = cell_means(
        NAMES, condition, group, value, np.arange(80) // 4, None, stratum=opponent, whole=100.0
    )
    assert cells.values == pytest.approx([50, 50])


def test_few_evaluators_have_no_interval():
    value = np.random.default_rng(8).normal(0, 2, 42)
    group = np.repeat([0, 1], [2, 40])
    cells = cell_means(NAMES, np.zeros(42, int), group, value, np.arange(42), None)
    small, large = scored(cells).cells
    assert small.score.low is None
    assert large.score.low is not None


@pytest.mark.long
def test_intervals_hold_and_no_interaction_is_rarely_called_one():
    rng = np.random.default_rng(20)
    inside, false, real = [], [], []
    for _ in range(60):
        cells, level = study(rng, apart=1.0, unequal=True)
        found = scored(cells)
        false.append(found.interaction.p < 0.05 if found.interaction else False)
        for cell in found.cells:
            truth = level[NAMES[0].index(cell.condition), NAMES[1].index(cell.group)]
            if cell.score.low is not None:
                inside.append(cell.score.low <= truth <= cell.score.high)
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
        mean = (by[total["condition"], "x"] + by[total["condition"], "y"]) / 2
        assert total["score"].value == pytest.approx(mean)
        assert total["score"].low < mean < total["score"].high
    kept = cell_means(
        NAMES,
        np.array([0, 0, 0, 1, 1]),
        np.array([0, 1, 1, 0, 0]),
        np.arange(5.0),
        np.arange(5),
        None,
    )
    first, second = scored(kept, shares={"x": 0.5, "y": 0.5, "z": 0, "w": 0}).totals
    assert first["score"].value == pytest.approx((0 + 1.5) / 2)
    assert first["score"].low is None  # group x has one person
    assert second["score"] is None  # group y has nobody


def test_evaluators_who_are_all_alike_are_not_tested():
    condition, group = np.repeat([0, 1], 12), np.tile(np.repeat([0, 1], 6), 2)
    cells = cell_means(NAMES, condition, group, np.full(24, 7.0), np.arange(24), None)
    assert scored(cells).interaction is None


def test_means_on_a_scale_have_intervals_on_it():
    """If ten people agree, up to 31% of other people may disagree (Clopper and Pearson 1934)."""
    group, person = np.repeat([0, 1], 30), np.arange(60) // 3
    value = np.where(group == 0, 1.0, 1.0 + (np.arange(60) % 7 == 0))
    cells = cell_means(NAMES, np.zeros(60, int), group, value, person, None, scale=(1.0, 5.0))
    alike, several = (cell.score for cell in scored(cells).cells)
    assert (alike.low, alike.high) == pytest.approx((1, 1 + 4 * (1 - 0.025**0.1)))
    assert 1 < several.low < several.value < several.high
    assert several.high - several.value > several.value - several.low


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
    found = [one.measures[0].interaction.p_holm for one in correct(columns)]
    assert min(found) == pytest.approx(min(1, 2 * min(p)))
    assert max(found) == pytest.approx(max(*p, min(found)))
