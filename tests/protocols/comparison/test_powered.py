import pytest

from hype.errors import InputError
from hype.protocols.comparison.scoring import Plan, caution, is_powered


def test_enough_for_what_was_planned():
    plan = Plan(win_rate=0.55)
    assert plan.needed == 778
    assert is_powered(778, plan) is True
    assert is_powered(777, plan) is False
    assert caution(778, 0.56, plan) == ""


def test_too_few_is_said():
    said = caution(100, 0.63, Plan(win_rate=0.55))
    assert said == (
        "Significant, but the study was not powered for it: 100 of the 778 comparisons that a win "
        "rate of 55.0% needs for a power of 80%. With 100 it finds win rates from 63.5% on with a "
        "power of 80%."
    )


def test_nothing_planned_is_said():
    for plan in (None, Plan()):
        assert is_powered(10_000, plan) is None
        assert "no number of comparisons was fixed beforehand" in caution(10_000, 0.6, plan)


def test_a_planned_number_alone():
    plan = Plan(comparisons=200)
    assert is_powered(199, plan) is False
    assert "150 of the 200 comparisons that were planned" in caution(150, 0.6, plan)
    assert caution(200, 0.6, plan) == ""


def test_planning_too_few_does_not_make_them_enough():
    assert is_powered(100, Plan(win_rate=0.55, comparisons=100)) is False


def test_less_than_planned_for_is_said():
    said = caution(900, 0.465, Plan(win_rate=0.55))
    assert said.endswith("smaller than the study was planned for: 53.5% observed, 55.0% planned.")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"win_rate": 0.5}, "planned win rate: 0.5; allowed is a number above 0.5 and below 1"),
        ({"alpha": 1.0}, "alpha: 1"),
        ({"power": 0.0}, "power: 0"),
        ({"comparisons": 0}, "planned comparisons: 0; allowed is 1 or more"),
    ],
)
def test_a_plan_that_is_none(values, message):
    with pytest.raises(InputError, match=message):
        Plan(**values)
