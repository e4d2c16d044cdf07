import numpy as np
import pandas as pd
import pytest

from hype.protocols.hype.response_times import response_times
from hype.protocols.hype.table import check_judgements


def judged(rt_ms, *, condition="gan", evaluator="p01", truth="fake", answer="fake", **columns):
    row = {"evaluator": evaluator, "condition": condition, "truth": truth, "answer": answer}
    return pd.DataFrame({**row, "task": "infinity", "rt_ms": rt_ms, **columns})


def summed_up(*tables):
    return response_times(check_judgements(pd.concat(tables, ignore_index=True)))


def only(*tables):
    (row,) = summed_up(*tables).conditions
    return row


def test_quantiles_worked_by_hand():
    times = only(judged([500.0, 100.0, 300.0, 400.0, 200.0])).times
    assert times.n == 5
    assert (times.p25_ms, times.median_ms, times.p75_ms) == (200.0, 300.0, 400.0)
    assert (times.p05_ms, times.p95_ms) == pytest.approx((120.0, 480.0))


def test_times_are_split_by_correctness_and_by_truth():
    row = only(
        judged([500.0] * 3),
        judged([900.0] * 2, answer="real"),
        judged([700.0] * 4, truth="real", answer="real"),
        judged([1100.0], truth="real"),
    )
    parts = {"correct": row.correct, "wrong": row.wrong, "real": row.real, "fake": row.fake}
    assert {name: (part.n, part.median_ms) for name, part in parts.items()} == {
        "correct": (7, 700.0),
        "wrong": (3, 900.0),
        "real": (5, 700.0),
        "fake": (5, 500.0),
    }


def test_a_part_without_judgements_is_none():
    row = only(judged([500.0, 600.0]))
    assert (row.wrong, row.real) == (None, None)
    assert row.fake == row.correct == row.times


def test_missing_and_implausible_times_are_counted():
    row = only(judged([np.nan, 150.0, 199.0, 200.0, 800.0, 60_000.0, 60_001.0]))
    assert (row.missing, row.too_fast, row.too_slow) == (1, 2, 1)
    assert row.times.n == sum(row.counts) == 6


def test_bins_are_shared_and_their_ends_take_in_what_lies_beyond():
    found = summed_up(judged([0.0, 50.0, 110.0]), judged([1050.0, 5e5], condition="vae"))
    gan, vae = found.conditions
    edges_ms = np.array(found.edges_ms)
    assert np.diff(np.log(edges_ms)) == pytest.approx([np.log(10) / 10] * 30)
    assert (gan.counts[0], sum(gan.counts)) == (3, 3)
    at = int(np.searchsorted(edges_ms, 1050.0)) - 1
    assert (vae.counts[at], vae.counts[-1], sum(vae.counts)) == (1, 1, 2)


def test_evaluators_are_told_by_their_medians():
    tables = [
        judged([100.0 * number, 100.0 * number + 10, 9000.0, 1.0], evaluator=f"p{number}")
        for number in range(1, 8)
    ]
    spread = only(*tables).evaluators
    assert (spread.evaluators, spread.lowest_ms, spread.highest_ms) == (7, 105.0, 705.0)
    assert (spread.p25_ms, spread.median_ms, spread.p75_ms) == (255.0, 405.0, 555.0)
    # 7 values: (½)⁷ is below 2.5 %, eight times it is not.
    assert (spread.ci_low_ms, spread.ci_high_ms) == (105.0, 705.0)


def test_an_evaluator_without_times_is_not_counted():
    row = only(judged([500.0]), judged([np.nan], evaluator="p02"))
    assert row.evaluators.evaluators == 1
    assert (row.evaluators.ci_low_ms, row.evaluators.ci_high_ms) == (None, None)


def test_without_response_times_there_is_nothing():
    assert summed_up(judged([1.0]).drop(columns="rt_ms")) is None
    assert summed_up(judged([np.nan])) is None
    assert summed_up(judged([5.0], task="practice"), judged([np.nan])) is None


def test_a_condition_without_times_is_left_out():
    found = summed_up(judged([5.0]), judged([np.nan], condition="vae"))
    assert [row.condition for row in found.conditions] == ["gan"]
