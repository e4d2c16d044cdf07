import numpy as np
import pytest
from krippendorff import alpha as reference

from hype.statistics.agreement import unit_alpha

LEVELS = ("ordinal", "interval", "nominal")


def alpha(unit, value, evaluator=None, *, level="ordinal"):
    return unit_alpha(
        np.asarray(unit),
        np.asarray(value, dtype=float),
        None if evaluator is None else np.asarray(evaluator),
        what="items",
        level=level,
        confidence=0.95,
    )


def answered(rng, *, people=8, units=30, gaps=0.3, values=(-2, -1, 0, 1, 2)):
    """Draw reliability data, shape (people, units), of people who partly agree."""
    place = rng.integers(len(values), size=units) + rng.integers(-1, 2, size=(people, units))
    data = np.array(values, dtype=float)[np.clip(place, 0, len(values) - 1)]
    data[rng.random(data.shape) < gaps] = np.nan
    return data


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("values", [(-2, -1, 0, 1, 2), (1, 2, 4, 8, 10), (0, 1)])
def test_as_krippendorff_has_it(rng, level, values):
    data = answered(rng, values=values)
    person, unit = np.indices(data.shape)
    found = alpha(unit.ravel(), data.ravel(), person.ravel(), level=level)
    expected = reference(reliability_data=data, level_of_measurement=level)
    assert found.alpha.value == pytest.approx(expected, abs=1e-9)
    without = [
        reference(reliability_data=np.delete(data, one, axis=0), level_of_measurement=level)
        for one in range(len(data))
    ]
    error = np.sqrt(7 / 8 * np.square(without - np.mean(without)).sum())
    # On Fisher's scale this is true to first order, with Student's t of about 7 degrees of freedom.
    low, value, high = np.arctanh([found.alpha.low, found.alpha.value, found.alpha.high])
    assert high - value == pytest.approx(value - low)
    reach = (value - low) * (1 - found.alpha.value**2)
    assert reach / error == pytest.approx(2.37, rel=0.1)
    assert found.evaluators == 8


def test_an_interval_lies_within_minus_1_and_1_and_has_a_width():
    person, unit = np.divmod(np.arange(15), 5)
    alike = unit % 2
    assert alpha(unit, alike, person).alpha.ends == (None, None)
    nearly = np.where((person == 0) & (unit == 0), 1, alike)
    low, high = alpha(unit, nearly, person).alpha.ends
    assert -1 < low < high < 1


def test_other_items_make_it_less_sure_where_items_are_what_varies(rng):
    unit, person = np.tile(np.arange(10), 40), np.repeat(np.arange(40), 10)
    value = np.rint(3 * rng.standard_normal(10)[unit] + rng.standard_normal(400))
    alone, both = (
        unit_alpha(unit, value, person, items, what="items", level="ordinal", confidence=0.95)
        for items in (None, unit)
    )
    assert both.alpha.value == alone.alpha.value
    assert both.alpha.high - both.alpha.low > 2 * (alone.alpha.high - alone.alpha.low)


@pytest.mark.parametrize("level", LEVELS)
def test_several_values_of_one_person_for_a_unit_all_count(rng, level):
    unit, value = rng.integers(6, size=300), rng.integers(1, 6, size=300)
    counts = np.zeros((6, 5))
    np.add.at(counts, (unit, value - 1), 1)
    expected = reference(value_counts=counts, level_of_measurement=level)
    found = alpha(unit, value, rng.integers(10, size=300), level=level)
    assert found.alpha.value == pytest.approx(expected, abs=1e-9)
    assert (found.units, found.n) == (6, 300)
    assert found.alpha.low < found.alpha.value < found.alpha.high


def test_without_knowing_who_there_is_no_interval(rng):
    found = alpha(rng.integers(5, size=50), rng.integers(5, size=50))
    assert (found.alpha.low, found.alpha.high, found.evaluators) == (None, None, None)


@pytest.mark.parametrize(
    ("unit", "value"), [([0, 1, 2], [1, 2, 3]), ([0, 0, 1, 1], [2, 2, 2, 2]), ([], [])]
)
def test_nothing_to_agree_or_differ_on(unit, value):
    assert alpha(np.array(unit, dtype=int), value) is None
