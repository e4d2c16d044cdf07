from functools import partial

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


def test_too_little_is_said():
    said = caution(0.63, shows(0.635), AnalysisPlan(win_rate=0.55))
    assert said == (
        "Significant, but the study was not powered for it: 55.0% was planned. With this many "
        "votes, a win rate of 63.5% or more is detected with 80% power."
    )


def test_nothing_planned_is_said():
    said = partial(caution, 0.6, shows(0.52))
    for plan in (None, AnalysisPlan()):
        assert is_powered(shows(0.52), plan) is None
        assert "no number of comparisons was fixed beforehand" in said(plan)


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
