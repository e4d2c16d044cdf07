import numpy as np
import pandas as pd
import pytest
from made_votes import two_models
from scipy.stats import binomtest

from hype.protocols.comparison.evaluators import always_one, sides
from hype.protocols.comparison.table import check_comparisons


def pressing(*keys):
    """One evaluator for each text, whose letters are the answers: l, r, t and n."""
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
    assert set(always_one(found["flagged"])) == {"e10", "e11"}
    assert "Chose nothing but the left: e10." in found["said"]
    assert "Chose nothing but the right: e11." in found["said"]
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


def test_a_run_is_not_more_probable_than_said(rng):
    longest = []
    for _ in range(2000):
        changes = np.flatnonzero(np.diff(rng.integers(0, 2, size=50)))
        longest.append(np.diff(np.r_[-1, changes, 49]).max())
    for length in (8, 10, 12):
        bound = (1 + (50 - length) / 2) / 2 ** (length - 1)
        assert np.mean(np.array(longest) >= length) <= bound + 0.01


def test_a_side_bias_of_all_is_said():
    found = sides(pressing(*["llr" * 20] * 9, "llr" * 20 + "l"))
    assert found["said"].startswith("The side mattered: 66.7% of 601 choices are for the left.")


def test_fair_evaluators_are_seldom_flagged(rng):
    flagged = [bool(sides(two_models([0.5] * 20, 30, rng=rng))["flagged"]) for _ in range(20)]
    assert np.mean(flagged) <= 0.15


def test_a_strong_preference_is_no_side_bias(rng):
    found = sides(two_models([0.95] * 20, 40, rng=rng))
    assert found["p_clustered"] > 0.01
    assert found["flagged"] == ()
