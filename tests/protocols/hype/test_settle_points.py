import numpy as np
import pandas as pd
import pytest
from long import long_but
from simulated_staircases import on_staircases, true_threshold_ms

from hype.protocols.hype.block_scores import settles_at_by_condition
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.scoring import score
from hype.protocols.hype.staircase import PRESETS
from hype.protocols.hype.wording import score_sentences
from hype.statistics.thresholds import FEWEST_TRIALS

TYPICAL_MS = 260.0


def study(preset, people=24, spread=0.35, trials=None, typical_ms=TYPICAL_MS):
    """Make judgements of one condition; evaluators' thresholds vary around a typical one."""
    rng = np.random.default_rng(7)
    tables = []
    for number in range(people):
        person = Psychometric(threshold_ms=typical_ms * np.exp(spread * rng.standard_normal()))
        exposures_ms, correct = on_staircases(person, rng, preset=preset)
        fake = rng.random(len(correct)) < 0.5
        rows = {
            "evaluator": f"{number:02}",
            "condition": "gan",
            "task": "time",
            "truth": np.where(fake, "fake", "real"),
            "answer": np.where(fake == correct, "fake", "real"),
            "block": np.repeat([1, 2, 3], 150),
            "trial": np.tile(np.arange(1, 151), 3),
            "exposure_ms": exposures_ms,
        }
        tables.append(pd.DataFrame(rows)[: trials or None])
    return pd.concat(tables)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_rule_is_told_from_its_steps(preset):
    frame = study(preset, people=3)
    at = PRESETS[preset].settles_at
    assert settles_at_by_condition(frame) == {"gan": pytest.approx(at)}
    assert settles_at_by_condition(frame.sample(frac=1, random_state=1)) == {
        "gan": pytest.approx(at)
    }


def test_where_no_rule_shows_there_is_none():
    frame = study("hype", people=3)
    assert settles_at_by_condition(frame.drop(columns="trial")) == {}
    rng = np.random.default_rng(1)
    assert (
        settles_at_by_condition(frame.assign(exposure_ms=rng.permutation(frame["exposure_ms"])))
        == {}
    )


@pytest.mark.parametrize("preset", long_but(["weighted-75"], PRESETS))
def test_the_settle_point_is_near_the_truth_and_stands_beside_the_score(preset):
    (found,) = score(study(preset), draws=50)
    (row,) = found.rows("staircases")
    true_ms = true_threshold_ms(Psychometric(threshold_ms=TYPICAL_MS), PRESETS[preset].settles_at)
    median = row["median"]
    assert row["at"] == pytest.approx(PRESETS[preset].settles_at)
    assert median.low < true_ms < median.high
    assert median.value == pytest.approx(true_ms, rel=0.2)
    assert f"right in {row['at']:.0%} of trials" in score_sentences(found)[0]
    (printed,) = found.to_object()["staircases"]
    assert printed.items() >= {
        ("settles_at", row["at"]),
        ("settle_point", median.value),
        ("settle_point_low", median.low),
        ("settle_point_high", median.high),
        ("settle_point_beyond", None),
        ("without", row["without"]),
        ("falling", 0),
    }


def test_too_few_answers_have_no_settle_point():
    frame = study("hype", people=3, trials=FEWEST_TRIALS - 1)
    (row,) = score(frame, draws=50)[0].rows("staircases")
    assert (row["median"], row["without"]) == (None, 3)


def test_who_is_right_less_often_the_longer_they_look_has_no_threshold():
    """Two of three evaluators have swapped answers at long exposures, as if a column were wrong."""
    frame = study("hype", people=3)
    swapped = frame["evaluator"].isin(["00", "01"]) & (frame["exposure_ms"] > 250)
    other = frame["answer"].map({"real": "fake", "fake": "real"})
    (found,) = score(frame.assign(answer=frame["answer"].where(~swapped, other)), draws=10)
    (row,) = found.rows("staircases")
    assert (row["falling"], row["without"]) == (2, 2)
    assert "accuracy falls as exposure grows for 2 of 3 evaluators" in " ".join(found.notes)
