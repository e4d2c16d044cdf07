from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.protocols.hype.block_scores import (
    block_reversals,
    mean_reversals,
    turning_points,
)


def table_of(blocks, *, condition="gan"):
    """Make a table of (evaluator, block) to the levels of its trials."""
    rows = [
        (condition, evaluator, block, trial, level)
        for (evaluator, block), levels in blocks.items()
        for trial, level in enumerate(levels, start=1)
    ]
    names = ["condition", "evaluator", "block", "trial", "exposure_ms"]
    return pd.DataFrame(rows, columns=names).assign(truth="fake", answer="fake")


def reversals_of(levels):
    (block,) = block_reversals(table_of({("a", "1"): levels})).to_dict("records")
    return block


def turns_one_by_one(levels):
    """Find the reversals by following the levels: the slow second opinion."""
    turns, heading = [], 0
    for before, after in pairwise(levels):
        if after != before:
            if heading and (after > before) != (heading > 0):
                turns.append(before)
            heading = after - before
    return turns


def test_a_staircase_worked_by_hand():
    levels = [500, 500, 500, 470, 470, 470, 440, 450, 460, 460, 460, 430, 440, 440, 440, 410]
    # Valleys at 440 and 430, peaks at 460 and 440.
    block = reversals_of(levels)
    assert (block["reversals"], block["used"]) == (4, 4)
    assert block["reversals_ms"] == (440 + 460 + 430 + 440) / 4


def test_only_the_last_ones_are_averaged():
    levels = [100, 200, 100, 190, 100, 180, 100, 170, 100, 160, 100]
    assert turning_points(levels)[0].tolist() == [200, 100, 190, 100, 180, 100, 170, 100, 160]
    last_ms = (100 + 180 + 100 + 170 + 100 + 160) / 6
    assert reversals_of(levels)["reversals_ms"] == pytest.approx(last_ms)


@pytest.mark.parametrize("levels", [[500], [500, 500], [500, 400, 300], [500, 470, 480]])
def test_fewer_than_two_have_no_mean(levels):
    block = reversals_of(levels)
    assert block["used"] == 0
    assert np.isnan(block["reversals_ms"])


def test_a_trial_shown_again_at_the_end_goes_on_with_the_staircase():
    # Trial 3 was spoiled: the staircase did not hear of it, and trial 6 repeats it.
    table = table_of({("a", "1"): [300, 310, 310, 310, 280, 290]})
    table["repeats"] = [np.nan] * 5 + [3.0]
    assert mean_reversals(table)["gan"]["last_reversals"] == (310 + 280) / 2


@pytest.mark.parametrize("trials", [None, np.nan], ids=["no column", "an empty one"])
def test_without_trials_there_is_no_number(trials):
    table = table_of({("a", "1"): [300, 250, 350, 250], ("a", "2"): [300]}).drop(columns="trial")
    found = mean_reversals(table if trials is None else table.assign(trial=trials))["gan"]
    assert found == {"last_reversals": None, "blocks_without_reversals": 2}


def test_blocks_then_evaluators_count_alike():
    table = table_of(
        {
            ("a", "1"): [300, 200, 300, 200],  # 250
            ("a", "2"): [500, 400, 500, 400],  # 450
            ("b", "1"): [900, 800, 900, 800],  # 850
            ("b", "2"): [100, 100],
            ("c", "1"): [100, 100],
        }
    )
    assert mean_reversals(table) == {
        "gan": {"last_reversals": (350 + 850) / 2, "blocks_without_reversals": 2}
    }


@given(st.lists(st.lists(st.integers(1, 5), max_size=30), min_size=1, max_size=4))
def test_many_staircases_agree_with_following_each(staircases):
    levels = [level for one in staircases for level in one]
    number = [place for place, one in enumerate(staircases) for _ in one]
    found_ms, of = turning_points(levels, number)
    expected = [
        (place, turn) for place, one in enumerate(staircases) for turn in turns_one_by_one(one)
    ]
    assert list(zip(of.tolist(), found_ms.tolist(), strict=True)) == expected
