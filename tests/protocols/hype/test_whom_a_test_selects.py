"""Whom a qualification selects."""

import pytest

from hype.protocols.hype.checks import simulate_tests
from hype.protocols.hype.observer import Population, Psychometric


def selected(*tests, spread=0.3, trials=100, pass_rate=0.65, **ceilings):
    typical = {
        name: Psychometric(threshold_ms=200, ceiling=ceiling, lapse=0.0)
        for name, ceiling in ceilings.items()
    }
    people = Population(typical=typical, ceiling_spread=spread, bias_spread=0.0)
    return list(simulate_tests(people, tests, trials=trials, pass_rate=pass_rate, seed=1))


def test_a_test_on_what_is_evaluated_lowers_its_score_and_one_on_other_fakes_hardly_does():
    tests = ((["good"], ["good"]), (["good"], []), (["good"], ["crude"]))
    own, none, other = selected(*tests, good=0.6, crude=0.9)

    assert none == {}
    assert own["passing"] < 0.35
    assert own["error"] == other["error"] == pytest.approx(0.4, abs=0.02)
    assert own["error"] - own["error_passing"] > 0.06
    assert other["passing"] > 0.9
    assert other["error_passing"] == pytest.approx(other["error"], abs=0.01)


def test_people_who_are_all_alike_pass_by_the_binomial_law():
    """P(X ≥ 33 of 50) = .5654 at p = .66, of each kind: Zhou et al. 2019's rule of 65%."""
    (alike,) = selected((["good"], ["good"]), spread=0.0, good=0.66)

    assert alike["passing"] == pytest.approx(0.5654**2, abs=0.05)  # over three standard errors
    assert alike["error_passing"] == pytest.approx(alike["error"])


def test_where_nothing_follows_there_is_only_the_chance_of_passing():
    (found,) = selected(([], ["one", "two"]), trials=20, pass_rate=1.1, one=0.9, two=0.8)

    assert found == {"passing": 0.0, "error": None, "error_passing": None}
