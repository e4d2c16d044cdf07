import numpy as np
import pandas as pd
import pytest
from krippendorff import alpha as krippendorff_alpha
from sklearn.metrics import cohen_kappa_score

from hype.protocols.comparison.images import NOT_SHARED, UNANIMOUS, comparison_agreement
from hype.protocols.comparison.table import check_comparisons


def agreement(frame, **options):
    return comparison_agreement(check_comparisons(frame), **options)


def panel(choices, *, rng):
    """Evaluators' choices, shape (evaluators, prompts): 1 is A, 0 is B, NaN if not asked."""
    evaluator, prompt = np.nonzero(~np.isnan(choices))
    a_won = choices[evaluator, prompt] == 1
    a_left = rng.random(len(a_won)) < 0.5
    return pd.DataFrame(
        {
            "evaluator": [f"e{e}" for e in evaluator],
            "prompt": [f"p{p}" for p in prompt],
            "left": np.where(a_left, "A", "B"),
            "right": np.where(a_left, "B", "A"),
            "answer": np.where(a_won == a_left, "left", "right"),
        }
    )


def test_against_independent_libraries(rng):
    choices = (rng.random((6, 40)) < rng.random(40)).astype(float)
    choices[rng.random(choices.shape) < 0.2] = np.nan
    found = agreement(panel(choices, rng=rng), shared=5)
    theirs = krippendorff_alpha(reliability_data=choices, level_of_measurement="nominal")
    assert found["alpha"].value == pytest.approx(theirs, abs=1e-6)
    kappa = []
    for i in range(6):
        for j in range(i):
            both = ~np.isnan(choices[i]) & ~np.isnan(choices[j])
            kappa.append(cohen_kappa_score(choices[i, both], choices[j, both]))
    assert found["mean_kappa"] == pytest.approx(np.mean(kappa), abs=1e-6)
    assert (found["kappa_pairs"], found["evaluators"]) == (15, 6)
    assert found["alpha"].low < found["alpha"].value < found["alpha"].high


def test_the_same_two_images_are_a_unit_whichever_side_they_are_on():
    frame = pd.DataFrame(
        {
            "evaluator": ["x", "y", "x", "y"],
            "left": ["A", "B", "A", "A"],
            "right": ["B", "A", "B", "B"],
            "left_image": ["1", "1", "1", "2"],
            "right_image": ["1", "1", "2", "1"],
            "answer": ["left", "right", "left", "left"],
        }
    )
    found = agreement(frame)
    assert (found["unit"], found["units"], found["judgements"]) == ("images", 1, 2)


def test_the_last_answer_of_an_evaluator_counts(rng):
    frame = panel(np.array([[1.0, 0.0], [1.0, 0.0]]), rng=rng)
    first = frame.iloc[[0]].assign(answer=frame["answer"].map({"left": "right", "right": "left"}))
    found = agreement(pd.concat([first, frame], ignore_index=True))
    assert (found["judgements"], found["observed"]) == (4, 1)


def test_a_tie_is_a_value_of_its_own(rng):
    frame = panel(np.ones((2, 4)), rng=rng)
    frame.loc[frame["prompt"].isin(["p0", "p1"]), "answer"] = "tie"
    assert agreement(frame)["alpha"].value == 1


def test_no_answer_is_no_value(rng):
    frame = panel(np.array([[1.0, 0.0], [0.0, 0.0]]), rng=rng)
    frame.loc[0, "answer"] = "none"
    assert agreement(frame)["units"] == 1


def test_everybody_always_for_the_same(rng):
    found = agreement(panel(np.ones((4, 20)), rng=rng))
    assert (found["alpha"], found["reason"], found["even_alpha"]) == (None, UNANIMOUS, 1)
    assert (found["mean_kappa"], found["kappa_pairs"], found["kappa_undefined"]) == (None, 0, 6)


def test_what_nobody_shares_says_nothing(rng):
    found = agreement(panel(np.where(np.eye(3), 1.0, np.nan), rng=rng))
    assert (found["alpha"], found["even_alpha"], found["reason"]) == (None, None, NOT_SHARED)
    assert (found["units"], found["mean_kappa"], found["kappa_pairs"]) == (0, None, 0)
