import math

import numpy as np
import pytest
from scipy.stats import chisquare
from statsmodels.stats.gof import chisquare_effectsize

from hype.errors import InputError
from hype.protocols.comparison.evaluators import CHI_SQUARE, MONTE_CARLO, demographic

AGES = {"18-29": 0.3, "30-49": 0.4, "50+": 0.3}


def ages(young, middle, old, withheld=0):
    answers = ["18-29"] * young + ["30-49"] * middle + ["50+"] * old + [""] * withheld
    return {f"p{i}": answer for i, answer in enumerate(answers)}


def test_against_independent_libraries(rng):
    found = demographic("age", ages(50, 30, 20, 7), reference=AGES, rng=rng)
    theirs = chisquare([50, 30, 20], [30, 40, 30])
    assert found["chi_square"] == pytest.approx(theirs.statistic)
    assert found["p"] == pytest.approx(theirs.pvalue)
    w = chisquare_effectsize(np.array([0.3, 0.4, 0.3]), np.array([0.5, 0.3, 0.2]))
    assert found["cohens_w"] == pytest.approx(w)
    assert (found["df"], found["method"]) == (2, CHI_SQUARE)
    assert (found["answered"], found["withheld"]) == (100, 7)
    assert found["said"] == (
        "age: 100 answered, 7 withheld it. They differ clearly from the reference (w = 0.44)."
    )


def test_standardised_residuals_by_hand(rng):
    young = demographic("age", ages(50, 30, 20), reference=AGES, rng=rng)["answers"][0]
    assert (young["answer"], young["evaluators"], young["share"], young["expected"]) == (
        "18-29",
        50,
        0.5,
        30,
    )
    assert young["residual"] == pytest.approx(20 / math.sqrt(30 * 0.7))


def test_small_groups_are_drawn(rng):
    found = demographic("age", ages(6, 0, 0), reference=AGES, rng=rng)
    assert found["method"] == MONTE_CARLO
    # As far off as six of the young are only six of the old, and rarer by as much.
    assert found["p"] == pytest.approx(2 * 0.3**6, abs=0.001)


def test_drawing_agrees_with_the_distribution_where_both_hold(rng, monkeypatch):
    exact = demographic("age", ages(40, 36, 24), reference=AGES, rng=rng)
    monkeypatch.setattr("hype.protocols.comparison.evaluators.SMALL", 1000.0)
    drawn = demographic("age", ages(40, 36, 24), reference=AGES, rng=rng)
    assert drawn["p"] == pytest.approx(exact["p"], abs=0.01)


def test_people_from_the_reference_seldom_differ_from_it(rng):
    p = [
        demographic("age", ages(*rng.multinomial(60, [0.3, 0.4, 0.3])), reference=AGES, rng=rng)[
            "p"
        ]
        for _ in range(200)
    ]
    assert np.mean(np.array(p) < 0.05) < 0.1


def test_an_answer_that_the_reference_does_not_have(rng):
    answers = ages(30, 40, 30) | {"x": "of no age", "y": "of no age"}
    found = demographic("age", answers, reference=AGES, rng=rng)
    assert found["chi_square"] == pytest.approx(0)
    assert [group["answer"] for group in found["answers"]] == [*AGES, "of no age"]
    assert found["answers"][-1]["share"] == pytest.approx(2 / 102)
    assert found["answers"][-1]["residual"] is None
    assert "2 gave an answer that the reference does not have" in found["said"]


def test_without_a_reference_there_are_counts(rng):
    found = demographic("place", {"a": "here", "b": "there", "c": "there", "d": " "}, rng=rng)
    assert [(group["answer"], group["evaluators"]) for group in found["answers"]] == [
        ("here", 1),
        ("there", 2),
    ]
    assert (found["p"], found["method"], found["withheld"]) == (None, None, 1)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({"a": 0.5, "b": 0.4}, "reference shares of age: sum to 0.9; .* sum to 1 or to 100"),
        ({"a": 1.0, "b": 0.0}, "reference shares of age: b: 0; allowed is a number above 0"),
        ({"a": 1.0}, "have a single answer"),
    ],
)
def test_reference_shares_that_are_none(reference, message, rng):
    with pytest.raises(InputError, match=message):
        demographic("age", {"x": "a"}, reference=reference, rng=rng)
