import pytest

from hype.errors import InputError
from hype.protocols.comparison.results import AnalysisPlan
from hype.protocols.comparison.scoring import caution, is_powered


def shows(win_rate):
    """A pair so precise that it shows this win rate and larger ones."""
    return lambda _plan: win_rate


def test_enough_for_what_was_planned():
    plan = AnalysisPlan(win_rate=0.55)
    assert plan.needed == 778
    assert is_powered(shows(0.55), plan) is True
    assert is_powered(shows(0.551), plan) is False
    assert caution(0.56, shows(0.55), plan) == ""
    assert "smaller than planned" in caution(0.54, shows(0.52), plan)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"win_rate": 0.5}, "planned win rate: 0.5; allowed is a number above 0.5 and below 1"),
        ({"alpha": 1.0}, "alpha: 1"),
        ({"power": 0.0}, "power: 0"),
    ],
)
def test_a_plan_that_is_none(values, message):
    with pytest.raises(InputError, match=message):
        AnalysisPlan(**values)
