import numpy as np
import pandas as pd

from hype.protocols.hype.scoring import score


def judged(rt_ms, *, condition="gan", evaluator="p01", **columns):
    row = {"evaluator": evaluator, "condition": condition, "truth": "fake", "answer": "fake"}
    return pd.DataFrame({**row, "task": "infinity", "rt_ms": rt_ms, **columns})


def summed_up(*tables):
    (found,) = score(pd.concat(tables, ignore_index=True), draws=10)
    return found.to_object()["response_times"]


def test_quartiles_worked_by_hand():
    (row,) = summed_up(judged([500.0, 100.0, 300.0, 400.0, 200.0]))
    assert [row[key] for key in ("median", "quartile_low", "quartile_high")] == [300, 200, 400]


def test_missing_and_implausible_times_are_counted():
    (row,) = summed_up(judged([np.nan, 150.0, 199.0, 200.0, 800.0, 60_000.0, 60_001.0]))
    assert (row["missing"], row["below_200_ms"], row["above_60_s"]) == (1, 2, 1)


def test_evaluators_are_told_by_their_medians():
    tables = [
        judged([100.0 * number, 100.0 * number + 10, 9000.0, 1.0], evaluator=f"p{number}")
        for number in range(1, 8)
    ]
    (row,) = summed_up(*tables, judged([np.nan], evaluator="without times"))
    assert row["evaluators_median"] == 405.0
    # For 7 values (½)⁷ is below 2.5%, but 8 · (½)⁷ is not.
    ends = ("evaluators_median_low", "evaluators_median_high")
    assert [row[end] for end in ends] == [105.0, 705.0]
    (few,) = summed_up(*tables[:5])
    assert [few[end] for end in ends] == [None, None]


def test_a_condition_without_times_is_left_out():
    found = summed_up(judged([5.0]), judged([np.nan], condition="vae", evaluator="p02"))
    assert [row["condition"] for row in found] == ["gan"]
    assert summed_up(judged([1.0]).drop(columns="rt_ms")) == []
