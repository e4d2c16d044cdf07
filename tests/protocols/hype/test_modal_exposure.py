import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_tables import timed_table

from hype.protocols.hype.block_scores import (
    block_mode,
    count_blocks,
    numbered_blocks,
    score_blocks,
    staircase_bounds,
)

LEVELS_MS = st.integers(10, 100).map(lambda tens: 10.0 * tens)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12"), LEVELS_MS), min_size=1))
def test_all_blocks_at_once_agree_with_one_after_the_other(rows):
    table = pd.DataFrame(rows, columns=["evaluator", "block", "exposure_ms"]).assign(condition="g")
    blocks = score_blocks(table)
    expected = [
        (evaluator, block, block_mode(part["exposure_ms"]))
        for (evaluator, block), part in table.groupby(["evaluator", "block"])
    ]
    found = blocks[["evaluator", "block", "exposure_ms"]].itertuples(index=False, name=None)
    assert list(found) == expected


@given(st.lists(LEVELS_MS, min_size=1, max_size=150))
def test_mode_agrees_with_counting(exposures_ms):
    counts = {level: exposures_ms.count(level) for level in exposures_ms}
    most = [level for level, count in counts.items() if count == max(counts.values())]
    assert block_mode(exposures_ms) == pytest.approx(np.mean(most))
    table = pd.DataFrame({"exposure_ms": exposures_ms, "condition": "g", "evaluator": "a"})
    assert score_blocks(table.assign(block="1"))["tied"].tolist() == [len(most)]


@pytest.mark.parametrize(
    ("scores_ms", "bounds_ms", "shares"),
    [
        ([100.0, 100.0, 105.0, 1000.0], (100.0, 1000.0), (0.5, 0.25)),
        ([300.0, 100.0], (100.0, 1000.0), (0.5, 0.0)),
        ([300.0], (300.0, 300.0), (None, None)),  # one exposure is no floor
    ],
)
def test_blocks_at_the_bounds_are_counted(scores_ms, bounds_ms, shares):
    blocks = pd.DataFrame({"condition": "g", "exposure_ms": scores_ms, "tied": 1})
    blocks.loc[blocks["exposure_ms"].eq(105), "tied"] = 2
    found = count_blocks(blocks, bounds_ms)["g"]
    assert (found["floor_share"], found["ceiling_share"]) == shares
    assert (found["blocks"], found["tied_modes"]) == (len(scores_ms), int(105.0 in scores_ms))


def test_the_table_may_know_floor_and_ceiling():
    shown = pd.DataFrame({"exposure_ms": [200.0, 640.0]})
    assert staircase_bounds(shown) == (200, 640)
    known = shown.assign(floor_ms=100.0, ceiling_ms=[1000.0, np.nan])
    assert staircase_bounds(known) == (100, 1000)


def test_no_floor_lies_above_what_was_shown():
    shown = pd.DataFrame({"exposure_ms": [50.0, 640.0], "floor_ms": 100.0, "ceiling_ms": 500.0})
    assert staircase_bounds(shown) == (50, 640)


TABLE = timed_table({"gan": {"b": [200, 260], "a": [300]}, "began": {"a": [100]}})


def test_blocks_are_numbered_in_the_order_of_their_labels():
    numbers, labels = numbered_blocks(TABLE.astype({"block": str}))
    assert labels == (
        ("began", "a", "1"),
        ("gan", "a", "1"),
        ("gan", "b", "1"),
        ("gan", "b", "2"),
    )
    assert numbers.tolist() == [2] * 5 + [3] * 5 + [1] * 5 + [0] * 5
