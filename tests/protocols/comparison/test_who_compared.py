"""The people of comparisons: chosen sides, validation, and demographics."""

import math

import numpy as np
import pandas as pd
import pytest
from made_votes import two_models
from scipy.stats import binomtest, chisquare
from statsmodels.stats.gof import chisquare_effectsize

from hype.errors import InputError
from hype.protocols.comparison.evaluators import (
    CHI_SQUARE,
    MONTE_CARLO,
    demographic,
    sides,
    validation,
)
from hype.protocols.comparison.layout import lines
from hype.protocols.comparison.table import check_comparisons


def pressing(*keys):
    """Make one evaluator for each text; its letters are the answers: l, r, t and n."""
    words = {"l": "left", "r": "right", "t": "tie", "n": "none"}
    rows = [
        {"evaluator": f"e{i}", "left": "a", "right": "b", "answer": words[key]}
        for i, text in enumerate(keys)
        for key in text
    ]
    return check_comparisons(pd.DataFrame(rows))


def test_overall_counts():
    found = sides(pressing("llrt", "lln"))
    assert (found["left"], found["right"], found["evaluators"]) == (4, 1, 2)
    assert found["left_share"].value == pytest.approx(0.8)
    assert found["p"] == pytest.approx(binomtest(4, 5).pvalue)
    assert found["left_share"].low < 0.8 < found["left_share"].high


def test_who_presses_one_key_is_named(rng):
    fair = ["".join(rng.choice(["l", "r"], 40)) for _ in range(10)]
    found = sides(pressing(*fair, "l" * 40, "r" * 40))
    assert {(one["evaluator"], one["always"]) for one in found["flagged"]} == {
        ("e10", "left"),
        ("e11", "right"),
    }
    assert "Always chose the left: e10." in found["said"]
    assert "Always chose the right: e11." in found["said"]
    assert found["flagged"][0]["p_holm"] < 0.001


def test_who_pressed_one_key_and_then_the_other_is_named(rng):
    fair = ["".join(rng.choice(["l", "r"], 40)) for _ in range(10)]
    (found,) = sides(pressing(*fair, "l" * 20 + "t" + "r" * 20))["flagged"]
    assert (found["evaluator"], found["always"], found["longest_run"]) == ("e10", "", 20)
    assert found["p"] == 1
    assert found["p_run"] == pytest.approx((1 + 20 / 2) / 2**19)


def test_runs_pass_over_ties_and_end_with_their_evaluator():
    found = sides(pressing("lltl", "llll"), alpha=0.999)["flagged"]
    assert {one["evaluator"]: one["longest_run"] for one in found} == {"e0": 3, "e1": 4}


def test_a_side_bias_of_all_is_said():
    found = sides(pressing(*["llr" * 20] * 9, "llr" * 20 + "l"))
    assert found["said"].startswith("The side mattered: 66.7% of 601 choices are for the left.")


def test_a_strong_preference_is_no_side_bias(rng):
    found = sides(two_models([0.95] * 20, 40, rng=rng))
    assert found["p_clustered"] > 0.01
    assert found["flagged"] == ()


def answered(evaluator, answers, *, task="validation", hasty=False):
    return [
        {
            "evaluator": evaluator,
            "left": "good",
            "right": "bad",
            "answer": answer,
            "task": task,
            "obvious": "left" if task != "comparison" else "",
            "hasty": hasty,
        }
        for answer in answers
    ]


def table(*rows):
    return check_comparisons(pd.DataFrame([row for part in rows for row in part]))


@pytest.fixture
def votes():
    return table(
        answered("sound", ["left"] * 9 + ["right"]),
        answered("bound", ["left"] * 7 + ["tie", "right", "none"]),
        answered("poor", ["right"] * 6 + ["left"] * 4, hasty=True),
        answered("poor", ["left"] * 10, task="comparison"),
        answered("poor", ["left"] * 5, task="practice", hasty=True),
        answered("unasked", ["left"], task="comparison"),
    )


def test_shares_and_the_rule(votes):
    found = validation(votes, min_correct=0.7)
    by_name = {row["evaluator"]: row for row in found}
    assert {name: (row["shown"], row["right"], row["passed"]) for name, row in by_name.items()} == {
        "sound": (10, 9, True),
        "bound": (10, 7, True),  # a tie, a wrong answer and no answer: 7 of 10 is enough
        "poor": (10, 4, False),
        "unasked": (0, 0, None),
    }
    assert lines("validated", score={"validation": found, "min_correct": 0.7}) == (
        "20 of 30 comparisons with an obvious answer were answered correctly (66.7%); 1 of 4 "
        "evaluators fell below the study's bound of 70%.",
        "Not scored, since they failed these comparisons: poor.",
    )


def test_haste_counts_without_practice(votes):
    poor = validation(votes)[0]
    assert (poor["comparisons"], poor["hasty"], poor["hasty_share"]) == (20, 10, 0.5)
    assert sum(row["hasty"] for row in validation(votes)) == 10


def test_without_a_rule_nobody_fails(votes):
    assert all(row["passed"] is None for row in validation(votes))


def test_wilsons_interval(votes):
    row = validation(votes)[0]
    assert row["share"].ends == pytest.approx((0.1682, 0.6873), abs=1e-4)


def test_a_table_that_tells_nothing_of_it(votes):
    only = votes[votes["task"].eq("comparison")].drop(columns="hasty")
    assert validation(only) == ()
    assert validation(votes.drop(columns="evaluator")) == ()


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
        "age: 100 answered, 7 did not want to. Evaluators differ clearly from the reference "
        "(Cohen's w = 0.44)."
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
    # The only other outcome that is as extreme, six old people, has the same probability.
    assert found["p"] == pytest.approx(2 * 0.3**6, abs=0.001)


def test_drawing_agrees_with_the_distribution_where_both_hold(rng, monkeypatch):
    exact = demographic("age", ages(40, 36, 24), reference=AGES, rng=rng)
    monkeypatch.setattr("hype.protocols.comparison.evaluators.SMALL", 1000.0)
    drawn = demographic("age", ages(40, 36, 24), reference=AGES, rng=rng)
    assert drawn["p"] == pytest.approx(exact["p"], abs=0.01)


def test_an_answer_that_the_reference_does_not_have(rng):
    answers = ages(30, 40, 30) | {"x": "of no age", "y": "of no age"}
    found = demographic("age", answers, reference=AGES, rng=rng)
    assert found["chi_square"] == pytest.approx(0)
    assert [group["answer"] for group in found["answers"]] == [*AGES, "of no age"]
    assert found["answers"][-1]["share"] == pytest.approx(2 / 102)
    assert found["answers"][-1]["residual"] is None
    assert "2 gave an answer that is not in the reference" in found["said"]


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
        ({"a": 1.0, "b": 0.0}, "reference shares of age: b: 0; it must be a number above 0"),
        ({"a": 1.0}, "have a single answer"),
    ],
)
def test_reference_shares_that_are_none(reference, message, rng):
    with pytest.raises(InputError, match=message):
        demographic("age", {"x": "a"}, reference=reference, rng=rng)
