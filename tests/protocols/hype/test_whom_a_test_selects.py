"""Whom a qualification selects."""

import pytest

from hype.protocols.hype.observer import Population, Psychometric
from hype.protocols.hype.qualification import Crowd


def crowd(spread: float = 0.3, **ceilings: float) -> Crowd:
    typical = {
        name: Psychometric(threshold_ms=200, ceiling=ceiling, lapse=0.0)
        for name, ceiling in ceilings.items()
    }
    people = Population(typical=typical, ceiling_spread=spread, bias_spread=0.0)
    return Crowd(people, seed=1)


def test_a_test_on_what_is_evaluated_lowers_its_score_and_one_on_other_fakes_hardly_does():
    found = crowd(good=0.6, crude=0.9)
    own = found.select(["good"], ["good"], trials=100, pass_rate=0.65)
    other = found.select(["good"], ["crude"], trials=100, pass_rate=0.65)

    assert own["passing"] < 0.35
    assert own["error"] == other["error"] == pytest.approx(0.4, abs=0.02)
    assert own["error_passing"] is not None
    assert own["error"] - own["error_passing"] > 0.06
    assert other["passing"] > 0.9
    assert other["error_passing"] == pytest.approx(other["error"], abs=0.01)


def test_people_who_are_all_alike_pass_by_the_binomial_law():
    """P(X ≥ 33 of 50) = .5654 at p = .66, of each kind: Zhou et al. 2019's rule of 65%."""
    alike = crowd(spread=0.0, good=0.66).select(["good"], ["good"], trials=100, pass_rate=0.65)

    assert alike["passing"] == pytest.approx(0.5654**2, abs=0.05)  # over three standard errors
    assert alike["error_passing"] == pytest.approx(alike["error"])


def test_where_nothing_follows_there_is_only_the_chance_of_passing():
    found = crowd(one=0.9, two=0.8).select([], ["one", "two"], trials=20, pass_rate=1.1)

    assert found == {"passing": 0.0, "error": None, "error_passing": None}
