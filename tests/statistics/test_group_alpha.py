"""Krippendorff's α within groups of evaluators, and between them."""

import numpy as np
import pytest

from hype.statistics.agreement import RatedUnits, group_agreement, unit_alpha


def answers(rng, noise=(0.5, 0.5), turned=1.0, people=16):
    """Of 80 units, each judged by about 6 people; the second group may see things otherwise."""
    unit, person = np.nonzero(rng.random((80, people)) < 6 / people)
    group = person % 2
    seen = rng.normal(0, 1, 80)[unit] * np.where(group == 1, turned, 1.0)
    value = np.digitize(seen + rng.normal(0, 1, len(unit)) * np.array(noise)[group], [-1, 0, 1])
    rated = RatedUnits(unit=unit, value=value.astype(float), evaluator=person, level="ordinal")
    return rated, group


def test_within_a_group_it_is_the_alpha_of_its_answers():
    rated, group = answers(np.random.default_rng(1))
    found = group_agreement(rated, group, ["x", "y"], confidence=0.95)
    for place, row in enumerate(found.within):
        own = group == place
        expected = unit_alpha(
            rated.unit[own],
            rated.value[own],
            rated.evaluator[own],
            what="items",
            level="ordinal",
            confidence=0.95,
        )
        assert row.alpha.value == pytest.approx(expected.alpha.value)
        assert row.units == expected.units
        assert row.alpha.low == pytest.approx(expected.alpha.low, abs=0.03)
        assert row.alpha.high == pytest.approx(expected.alpha.high, abs=0.03)


def test_between_groups_it_is_worked_by_hand():
    """Two units: x says 0 and 1, y says 0 and 0; of four pairs two disagree, as by chance."""
    rated = RatedUnits(
        unit=np.array([0, 0, 1, 1]),
        value=np.array([0.0, 0.0, 1.0, 0.0]),
        evaluator=np.array([0, 1, 0, 1]),
        level="nominal",
    )
    found = group_agreement(rated, np.array([0, 1, 0, 1]), ["x", "y"], confidence=0.95)
    assert found.between.alpha.value == pytest.approx(1 - (1 / 2) / (1 / 2))
    assert found.between.units == 2
    assert [row.units for row in found.within] == [0, 0]
    assert [row.alpha for row in found.within] == [None, None]


def test_groups_that_see_the_opposite_agree_within_and_not_between():
    rated, group = answers(np.random.default_rng(2), turned=-1.0)
    found = group_agreement(rated, group, ["x", "y"], confidence=0.95)
    assert min(row.alpha.value for row in found.within) > 0.5
    assert found.between.alpha.high < 0


def test_groups_are_as_good_as_one_where_they_are_alike():
    rated, group = answers(np.random.default_rng(3), people=40)
    found = group_agreement(rated, group, ["x", "y"], confidence=0.95)
    whole = unit_alpha(
        rated.unit, rated.value, None, what="items", level="ordinal", confidence=0.95
    )
    assert found.between.alpha.low < whole.alpha.value < found.between.alpha.high


def test_choosing_by_one_coin_is_no_agreement_within_a_stratum():
    """Two pairs of conditions, of each of which everybody chooses one by the same odds."""
    rng = np.random.default_rng(4)
    unit, person = np.indices((200, 8)).reshape(2, -1)
    stratum = unit % 2
    value = (rng.random(len(unit)) < np.where(stratum, 0.9, 0.1)).astype(float)
    rated = RatedUnits(unit=unit, value=value, evaluator=person, level="nominal", stratum=stratum)
    found = group_agreement(rated, person % 2, ["x", "y"], confidence=0.95)
    assert found.between.alpha.value == pytest.approx(0, abs=0.05)
    assert found.within[0].alpha.value == pytest.approx(0, abs=0.07)
