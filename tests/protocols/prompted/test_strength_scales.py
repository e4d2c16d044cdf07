"""Strengths have the same scale in tables and texts: that of the study or of the command."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import hype
from hype.errors import InputError
from hype.protocols.prompted.strengths import SCALES
from hype.statistics.estimate import Estimate
from hype.statistics.strength_table import elo, shares


@pytest.mark.parametrize(
    ("name", "scale"), [("comparisons", None), ("ratings", "log"), ("rankings", "share")]
)
def test_conditions_and_pairs_have_the_one_scale_with_its_interval(name, scale):
    scores = hype.score(hype.example(name), strengths=scale, seed=1)
    conditions, pairs = scores.to_frame(), scores.to_frame("pairs")
    assert {"score", "low", "high"} <= {*conditions.columns}
    assert {"a", "b", "difference", "low", "high", "p", "verdict"} <= {*pairs.columns}
    if name != "ratings":
        logs = conditions["strength"].to_numpy()
        assert SCALES[scale or "elo"].convert(logs) == pytest.approx(conditions["score"])


def test_numbers_are_those_of_the_strengths():
    logs = np.array([0.5, 0.1, -0.6])
    for name, expected in (("elo", elo(logs)), ("log", logs), ("share", shares(logs))):
        assert SCALES[name].convert(logs) == pytest.approx(expected)
    # 400 Elo points are odds of 10 to 1, which is a share of 10 / 11
    odds = Estimate(value=math.log(10), low=0.0, high=math.log(100))
    assert SCALES["elo"].estimate_apart(odds).value == pytest.approx(400)
    assert SCALES["elo"].estimate_apart(odds).high == pytest.approx(800)
    assert SCALES["share"].estimate_apart(odds).value == pytest.approx(100 * 10 / 11)
    assert SCALES["share"].estimate_apart(odds).low == pytest.approx(50)
    # The texts name 70 points for 60% and 191 points for 75%
    assert [1 / (1 + 10 ** (-points / 400)) for points in (70, 191)] == pytest.approx(
        [0.6, 0.75], abs=0.001
    )


def test_elo_of_a_stream_is_of_the_library_alone_and_stays_when_strangers_join():
    votes = hype.example("comparisons")[["evaluator", "left", "right", "answer"]]
    stream = hype.elo(votes)
    stray = votes.tail(1).assign(left="x", right="y", answer="left")
    joined = hype.elo(pd.concat([votes, stray], ignore_index=True)).set_index("condition")["elo"]
    assert joined[stream["condition"]].tolist() == stream["elo"].tolist()
    assert (joined["x"], joined["y"]) == (1002.0, 998.0)
    assert "stream" not in hype.score(votes).to_json()
    with pytest.raises(InputError, match="comparisons"):
        hype.elo(hype.example("ratings"))


def test_two_that_always_tie_have_no_interval_of_width_0():
    rows = [
        (f"e{evaluator}", f"g{group}", name, f"g{group}{name}", rank)
        for evaluator in range(6)
        for group in range(12)
        for name, rank in (("a", 2), ("b", 2), ("c", 1))
    ]
    columns = ["evaluator", "group", "condition", "image", "rank"]
    scored = json.loads(hype.score(pd.DataFrame(rows, columns=columns)).to_json())
    a, b, c = (next(r for r in scored["conditions"] if r["condition"] == name) for name in "abc")
    assert (a["score"], a["low"], b["high"], c["score"]) == (1000.0, None, None, None)
    (pair,) = (pair for pair in scored["pairs"] if {pair["a"], pair["b"]} == {*"ab"})
    assert (pair["difference"], pair["low"]) == (0.0, None)
