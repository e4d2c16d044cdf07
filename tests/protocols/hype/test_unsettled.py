"""Blocks that ended before their staircase had settled, and those that had."""

import numpy as np
import pandas as pd
import pytest
from known_tables import timed_table
from long import long_but

from hype.protocols.hype.block_scores import passes
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.score import score_object
from hype.protocols.hype.scoring import score
from hype.protocols.hype.settling import observer_at, play_blocks
from hype.protocols.hype.staircase import PRESETS

HYPE = PRESETS["hype"]


def played(true_ms: float, trials: int, *, people: int = 20, blocks: int = 3) -> pd.DataFrame:
    """Give the judgements of people whose staircases settle at `true_ms`."""
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
    (row,) = result.staircases
    return (row["few_reversals"] + row["mode_in_passing"]) / row["blocks"]


@pytest.mark.parametrize("true_ms", long_but([800], [120, 316, 500, 800]))
def test_short_blocks_are_named_whoever_judges(true_ms):
    result = scored(played(true_ms, 20))
    (found,) = result.staircases

    number = found["few_reversals"] + found["mode_in_passing"]
    assert number > 0.95 * found["blocks"] == 0.95 * 60
    (said,) = (note for note in result.notes if "had settled" in note)
    assert f"begin than about the evaluator: model {number} of 60. " in said
    assert f"{found['few_reversals']} had fewer than 6 reversals" in said
    (printed,) = score_object(result)["staircases"]
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


def test_without_an_order_of_trials_nothing_is_said():
    result = scored(played(316, 20).drop(columns="trial"))

    assert result.staircases[0]["few_reversals"] is None
    assert not any("had settled" in note for note in result.notes)


def test_a_pass_goes_from_one_side_to_the_other():
    above_ms = np.array([30.0, 0, 10, -10, 0, -10, 10, 5, -5, 5])
    numbers = np.array([0] * 7 + [1] * 3)

    assert passes(above_ms, numbers, 3).tolist() == [2, 2, 0]
