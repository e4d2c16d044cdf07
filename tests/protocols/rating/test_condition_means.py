import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from hype.protocols.rating.axes import condition_means, condition_values
from hype.protocols.rating.table import check_ratings


def means(frame, *, shares=False):
    table = check_ratings(frame.assign(axis="q", item=np.arange(len(frame))))
    scale = None if shares else (-2, 2) if "first" in frame else (1, 10)
    found = condition_means(condition_values(table), scale=scale, confidence=0.95)
    return {row["condition"]: row for row in found}


def on_scale(mean, reach, lowest, highest):
    """Return Wilson's interval on a scale; ``reach``, a half-width, gives the number of answers."""
    share, length = (mean - lowest) / (highest - lowest), highest - lowest
    number = share * (1 - share) * (stats.norm.ppf(0.975) * length / reach) ** 2
    ends = proportion_confint(share * number, number, method="wilson")
    return tuple(lowest + length * end for end in ends)


def test_by_hand():
    """The answers on a are 2 by x, 0 and -1 by y (a is the second image), and 1 by z."""
    frame = pd.DataFrame(
        {
            "first": ["a", "a", "b", "a"],
            "second": ["b", "b", "a", "c"],
            "answer": ["1", "3", "2", "2"],
            "evaluator": list("xyyz"),
        }
    )
    found = means(frame)
    assert [found[name]["value"].value for name in "abc"] == [0.5, -1 / 3, -1.0]
    assert (found["a"]["ratings"], found["a"]["evaluators"]) == (4, 3)
    # Each person's share of the four answers, and a fourth of the sum of their deviations.
    weight, away = np.array([0.25, 0.5, 0.25]), np.array([1.5, -2, 0.5]) / 4
    error = np.sqrt((away**2 / (1 - weight)).sum())
    freedom = (weight**2).sum() ** 2 / (weight**4).sum() * 2 / 3
    reach = stats.t.ppf(0.975, freedom) * error
    assert found["a"]["value"].ends == pytest.approx(on_scale(0.5, reach, -2, 2))
    assert found["c"]["value"].low is None  # a single answer
    assert list(found) == ["a", "b", "c"]


@pytest.mark.parametrize("number", [2, 7])
def test_people_of_one_answer_each_are_a_sample(number):
    answers = [3, 7, 8, 4, 9, 2, 6][:number]
    people = [f"e{i}" for i in range(number)]
    known = pd.DataFrame({"condition": "a", "answer": answers, "evaluator": people})
    reach = stats.t.ppf(0.975, number - 1) * stats.sem(answers)
    ends = on_scale(np.mean(answers), reach, 1, 10)
    for frame in (known, known.drop(columns="evaluator")):
        found = means(frame)["a"]
        assert found["value"].ends == pytest.approx(ends)
    assert found["evaluators"] is None


def test_a_share_is_no_surer_than_wilson_allows():
    frame = pd.DataFrame(
        {"condition": "a", "answer": ["yes"] * 20, "evaluator": [f"e{i % 5}" for i in range(20)]}
    )
    found = means(frame, shares=True)["a"]
    low, _ = proportion_confint(20, 20, method="wilson")
    assert (found["value"].value, found["value"].high) == (1.0, 1.0)
    assert 0.5 < found["value"].low < low


def test_people_who_differ_make_a_share_less_sure():
    answers = ["yes"] * 30 + ["no"] * 30
    frame = pd.DataFrame(
        {"condition": "a", "answer": answers, "evaluator": np.repeat([*"abcdef"], 10)}
    )
    found = means(frame, shares=True)["a"]["value"]
    low, high = proportion_confint(30, 60, method="wilson")
    assert found.high - found.low > 3 * (high - low)
    assert 0 <= found.low < 0.5 < found.high <= 1


def test_images_that_differ_make_a_mean_less_sure(rng):
    """Twenty people rate the same five images, and two images are better."""
    own = np.tile([3, 4, 5, 8, 9], 20)
    answers = np.clip(own + rng.integers(-1, 2, size=100), 1, 10).astype(str)
    frame = pd.DataFrame(
        {
            "condition": "a",
            "answer": answers,
            "evaluator": np.repeat([f"e{i:02}" for i in range(20)], 5),
            "item": np.tile([f"image {i}" for i in range(5)], 20),
            "axis": "q",
        }
    )
    table = check_ratings(frame)
    (model,), (images,) = (
        condition_means(condition_values(table, which), scale=(1, 10), confidence=0.95)
        for which in ("sample", "fixed")
    )
    assert images["value"].high - images["value"].low < 1
    error = np.std([3, 4, 5, 8, 9], ddof=1) / np.sqrt(5)
    expected = on_scale(model["value"].value, stats.t.ppf(0.975, 4) * error, 1, 10)
    assert model["value"].ends == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(
    ("answers", "low", "high"),
    [  # 10 people; the exact bound of 0 of 10 is .308; the scale from 1 to 10 is 9 long
        ([1] * 10, 1.0, 1 + 9 * 0.30850),
        ([10] * 10, 10 - 9 * 0.30850, 10.0),
        ([4] * 10, 4 - 3 * 0.30850, 4 + 6 * 0.30850),
    ],
)
def test_answers_that_are_all_the_same_are_not_certain(answers, low, high):
    people = [f"e{number}" for number in range(10)]
    found = means(pd.DataFrame({"condition": "a", "answer": answers, "evaluator": people}))
    assert found["a"]["value"].ends == pytest.approx((low, high), abs=1e-4)
