"""The blocks of HYPE_time: modes, reversals, and blocks that ended before they settled."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_tables import timed_table
from long import long_but

from hype.protocols.hype.block_scores import (
    block_mode,
    count_blocks,
    mean_reversals,
    number_blocks,
    passes,
    score_blocks,
    staircase_bounds,
    turning_points,
)
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.scoring import score
from hype.protocols.hype.settling import observer_at, play_blocks
from hype.protocols.hype.staircase import PRESETS

LEVELS_MS = st.integers(10, 100).map(lambda tens: 10.0 * tens)


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
        ([300.0], (300.0, 300.0), (None, None)),  # a single exposure is not a floor
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
    numbers, labels = number_blocks(TABLE.astype({"block": str}))
    assert labels == (
        ("began", "a", "1"),
        ("gan", "a", "1"),
        ("gan", "b", "1"),
        ("gan", "b", "2"),
    )
    assert numbers.tolist() == [2] * 5 + [3] * 5 + [1] * 5 + [0] * 5


def table_of(blocks, *, condition="gan"):
    """Make a table from (evaluator, block) -> the levels of its trials."""
    rows = [
        (condition, evaluator, block, trial, level)
        for (evaluator, block), levels in blocks.items()
        for trial, level in enumerate(levels, start=1)
    ]
    names = ["condition", "evaluator", "block", "trial", "exposure_ms"]
    return pd.DataFrame(rows, columns=names).assign(truth="fake", answer="fake")


def last_reversals(levels):
    return mean_reversals(table_of({("a", "1"): levels}))["gan"]["last_reversals"]


def test_a_staircase_worked_by_hand():
    levels = [500, 500, 500, 470, 470, 470, 440, 450, 460, 460, 460, 430, 440, 440, 440, 410]
    # Valleys at 440 and 430, peaks at 460 and 440.
    assert last_reversals(levels) == (440 + 460 + 430 + 440) / 4
    assert last_reversals(levels[3:]) == (440 + 460 + 430 + 440) / 4


def test_only_the_last_ones_are_averaged():
    levels = [100, 200, 100, 190, 100, 180, 100, 170, 100, 160, 100]
    assert turning_points(levels)[0].tolist() == [200, 100, 190, 100, 180, 100, 170, 100, 160]
    last_ms = (100 + 180 + 100 + 170 + 100 + 160) / 6
    assert last_reversals(levels) == pytest.approx(last_ms)


def test_a_trial_shown_again_at_the_end_goes_on_with_the_staircase():
    # Trial 3 was spoiled: the staircase ignored it, and trial 6 repeats it.
    table = table_of({("a", "1"): [300, 310, 310, 310, 280, 290]})
    table["repeats"] = [np.nan] * 5 + [3.0]
    assert mean_reversals(table)["gan"]["last_reversals"] == (310 + 280) / 2


@pytest.mark.parametrize("trials", [None, np.nan], ids=["no column", "an empty one"])
def test_without_trials_there_is_no_number(trials):
    table = table_of({("a", "1"): [300, 250, 350, 250], ("a", "2"): [300]}).drop(columns="trial")
    found = mean_reversals(table if trials is None else table.assign(trial=trials))["gan"]
    assert found == {"last_reversals": None, "blocks_without_reversals": None}


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


HYPE = PRESETS["hype"]


def played(true_ms: float, trials: int, *, people: int = 20, blocks: int = 3) -> pd.DataFrame:
    """Return the judgements of people whose staircases settle at `true_ms`."""
    one = observer_at(HYPE, 1.0, Psychometric(threshold_ms=1.0))
    assert one is not None
    exposures_ms = play_blocks(HYPE, one, np.array([true_ms]), (people * blocks, trials), seed=1)[0]
    block, trial = np.indices(exposures_ms.shape)
    truth = np.where(trial.ravel() % 2, "real", "fake")
    return pd.DataFrame(
        {
            "evaluator": np.char.add("p", (block // blocks).ravel().astype(str)),
            "condition": "model",
            "truth": truth,
            "answer": truth,
            "block": block.ravel() % blocks + 1,
            "trial": trial.ravel() + 1,
            "exposure_ms": exposures_ms.ravel(),
            "floor_ms": HYPE.min_ms,
            "ceiling_ms": HYPE.max_ms,
        }
    )


def scored(table: pd.DataFrame):
    (result,) = score(table, draws=10)
    return result


def share_unsettled(result) -> float:
    (row,) = result.rows("staircases")
    return (row["few_reversals"] + row["mode_in_passing"]) / row["blocks"]


@pytest.mark.parametrize("true_ms", long_but([800], [120, 316, 500, 800]))
def test_short_blocks_are_named_whoever_judges(true_ms):
    result = scored(played(true_ms, 20))
    (found,) = result.rows("staircases")

    number = found["few_reversals"] + found["mode_in_passing"]
    assert number > 0.95 * found["blocks"] == 0.95 * 60
    (said,) = (note for note in result.notes if "had settled" in note)
    assert f"Such blocks: model {number} of 60. " in said
    assert f"{found['few_reversals']} blocks had fewer than 6 reversals" in said
    (printed,) = result.to_object()["staircases"]
    assert printed.items() >= {
        ("blocks", 60),
        ("few_reversals", found["few_reversals"]),
        ("mode_in_passing", found["mode_in_passing"]),
    }


@pytest.mark.parametrize("true_ms", long_but([120, 500], [120, 316, 500, 800]))
def test_the_papers_blocks_are_not_nor_a_threshold_near_the_start(true_ms):
    result = scored(played(true_ms, 150))

    assert share_unsettled(result) <= 0.05
    assert not any("had settled" in note for note in result.notes)


def test_who_lies_at_the_floor_has_come_as_far_as_can_be():
    result = scored(timed_table({"gan": {"x": [100], "y": [100]}}))

    assert share_unsettled(result) == 0


def test_a_pass_goes_from_one_side_to_the_other():
    above_ms = np.array([30.0, 0, 10, -10, 0, -10, 10, 5, -5, 5])
    numbers = np.array([0] * 7 + [1] * 3)

    assert passes(above_ms, numbers, 3).tolist() == [2, 2, 0]
