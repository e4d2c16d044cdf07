import re

import numpy as np
import pytest
from scipy import stats

from hype.errors import InputError
from hype.protocols.rating.correlations import correlate_with_leaderboard
from hype.statistics.estimate import Estimate
from hype.tables.answers import read_named_numbers


def axis(means, name="overall"):
    rows = [{"condition": c, "value": Estimate(value=m)} for c, m in means.items()]
    return {"axis": name, "kind": "numbers", "conditions": rows}


def beside(means, scores):
    (found,) = correlate_with_leaderboard([axis(means)], scores, "overall", confidence=0.95)
    return found


def test_as_scipy_has_it(rng):
    x, y = rng.random(14), rng.random(14)
    names = [f"m{i}" for i in range(14)]
    found = beside(dict(zip(names, x, strict=True)), dict(zip(names, y, strict=True)))
    expected = stats.pearsonr(x, y)
    assert found["pearson"].value == pytest.approx(expected.statistic, abs=1e-12)
    ends = expected.confidence_interval()
    assert found["pearson"].ends == pytest.approx((ends.low, ends.high))
    assert found["spearman"].value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    reach = 1.959964 * np.sqrt((1 + found["spearman"].value ** 2 / 2) / 11)
    ends = np.tanh(np.arctanh(found["spearman"].value) + np.array([-reach, reach]))
    assert found["spearman"].ends == pytest.approx(tuple(ends), abs=1e-6)


def test_those_on_one_side_only_are_named():
    found = beside({"a": 1, "b": 2, "c": 4, "d": 8}, {"z": 1, "c": 3, "a": 1, "b": 2})
    assert (found["missing"], found["unrated"], found["conditions"]) == (("d",), ("z",), 3)
    assert (found["spearman"].value, found["pearson"].low) == (pytest.approx(1), None)


@pytest.mark.parametrize(
    ("means", "scores", "problem"),
    [
        ({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2}, "Fewer than 3 conditions have both a mean"),
        ({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 3}, "All conditions have the same mean"),
        ({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1, "c": 1}, "All .* same score on the leaderb"),
    ],
)
def test_no_figures_without_a_reason(means, scores, problem):
    found = beside(means, scores)
    assert found["pearson"] is None
    assert re.match(problem, found["problem"])


def test_the_axis_overall_comes_first():
    axes = [axis({"a": 1}, "style"), axis({"a": 1}, "overall")]
    found = correlate_with_leaderboard(axes, {}, "overall", confidence=0.95)
    assert [each["axis"] for each in found] == ["overall", "style"]


def test_a_leaderboard_of_anybody(write_csv):
    path = write_csv("condition,elo,score\nflow,3,1012.5\n'NA,2,-3\n")
    assert read_named_numbers(path, "condition", "score") == {"flow": 1012.5, "NA": -3.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("condition,elo\na,1\n", "the column 'score' is missing; required: condition and score"),
        ("condition,score\n", "lists no condition"),
        ("condition,score\na,1\na,2\n", "row 3, column condition: 'a' is not allowed; .* once"),
        ("condition,score\na,1\n,2\n", "row 3, column condition: is empty"),
        ("condition,score\na,1\nb,\n", "row 3, column score: is empty; it must be a number"),
        ("condition,score\na,1\nb,good\n", "row 3, column score: 'good' is not allowed"),
        ("condition,score\na,1\nb,inf\n", "row 3, column score: 'inf' is not allowed"),
    ],
)
def test_a_bad_leaderboard(write_csv, text, message):
    with pytest.raises(InputError, match=message):
        read_named_numbers(write_csv(text), "condition", "score")
