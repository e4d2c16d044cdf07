import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_tables import timed_table

from hype.protocols.hype.block_scores import (
    BlockMode,
    block_mode,
    block_modes,
    staircase_bounds,
    summarise_blocks,
)

LEVELS_MS = st.integers(10, 100).map(lambda tens: 10.0 * tens)


def test_unique_mode():
    assert block_mode([500, 470, 470, 480]) == BlockMode(block="1", exposure_ms=470.0)


def test_tied_modes_are_averaged_and_recorded():
    mode = block_mode([500, 470, 470, 500, 480])
    assert (mode.exposure_ms, mode.tied_ms) == (485.0, (470.0, 500.0))


def test_blocks_are_kept_apart():
    table = timed_table({"gan": {"a": [200, 260], "b": [300]}})
    assert {key: [m.exposure_ms for m in modes] for key, modes in block_modes(table).items()} == {
        ("gan", "a"): [200.0, 260.0],
        ("gan", "b"): [300.0],
    }


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12"), LEVELS_MS), min_size=1))
def test_all_blocks_at_once_agree_with_one_after_the_other(rows):
    table = pd.DataFrame(rows, columns=["evaluator", "block", "exposure_ms"]).assign(condition="g")
    expected = {}
    for (evaluator, block), part in table.groupby(["evaluator", "block"]):
        mode = block_mode(part["exposure_ms"], block=block)
        expected["g", evaluator] = (*expected.get(("g", evaluator), ()), mode)
    assert list(block_modes(table).items()) == list(expected.items())


def test_no_judgements_have_no_modes():
    assert block_modes(timed_table({"gan": {"a": [200]}}).iloc[:0]) == {}


@given(st.lists(LEVELS_MS, min_size=1, max_size=150))
def test_mode_agrees_with_counting(exposures_ms):
    counts = {level: exposures_ms.count(level) for level in exposures_ms}
    most = [level for level, count in counts.items() if count == max(counts.values())]
    assert block_mode(exposures_ms).exposure_ms == pytest.approx(np.mean(most))


def test_summary_counts_ties_and_extremes():
    blocks = [
        BlockMode(block="1", exposure_ms=100.0),
        BlockMode(block="2", exposure_ms=100.0),
        BlockMode(block="3", exposure_ms=105.0, tied_ms=(100.0, 110.0)),
        BlockMode(block="4", exposure_ms=1000.0),
    ]
    summary = summarise_blocks(blocks, (100.0, 1000.0))
    assert (summary.blocks, summary.tied_modes) == (4, 1)
    assert (summary.shortest_share, summary.longest_share) == (0.5, 0.25)


def test_one_exposure_only_has_no_floor():
    summary = summarise_blocks([block_mode([300, 300])], (300.0, 300.0))
    assert summary.shortest_share is None
    assert summary.longest_share is None


def test_a_bound_that_nobody_reached_has_no_share():
    summary = summarise_blocks([block_mode([300, 300]), block_mode([100])], (100.0, 1000.0))
    assert (summary.shortest_share, summary.longest_share) == (0.5, 0.0)


def test_the_table_may_know_floor_and_ceiling():
    shown = pd.DataFrame({"exposure_ms": [200.0, 640.0]})
    assert staircase_bounds(shown) == (200, 640)
    known = shown.assign(floor_ms=100.0, ceiling_ms=[1000.0, np.nan])
    assert staircase_bounds(known) == (100, 1000)


def test_no_floor_lies_above_what_was_shown():
    shown = pd.DataFrame({"exposure_ms": [50.0, 640.0], "floor_ms": 100.0, "ceiling_ms": 500.0})
    assert staircase_bounds(shown) == (50, 640)
