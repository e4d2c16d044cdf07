import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hype.errors import InputError
from hype.protocols.hype.scoring import score
from hype.protocols.hype.two_way import ExposureScore, two_way_exposure
from hype.statistics.resampling import bootstrap

BOUNDS_MS = (100.0, 1000.0)
PEOPLE, IMAGES = 24, 60


def flashed(rng, *, ease=0.0, people=PEOPLE, images=IMAGES, slope=0.25):
    """All see all fakes, at exposures drawn at random: accuracy rises with their logarithm."""
    evaluator, image = map(np.ravel, np.indices((people, images)))
    exposures_ms = np.exp(rng.uniform(np.log(150), np.log(900), evaluator.size))
    easier = ease * rng.standard_normal(images)[image]
    accuracy = np.clip(0.7 + slope * np.log(exposures_ms / 400) + easier, 0, 1)
    right = rng.random(evaluator.size) < accuracy
    return pd.DataFrame(
        {
            "evaluator": evaluator.astype(str),
            "truth": "fake",
            "answer": np.where(right, "fake", "real"),
            "image": [f"{number}.png" for number in image],
            "exposure_ms": exposures_ms,
        }
    )


def scores(values_ms, moving=1.0):
    return {
        str(number): ExposureScore(score_ms=value_ms, moving_ms=moving * value_ms)
        for number, value_ms in enumerate(values_ms)
    }


def found(judgements, each, *, draws=4_000, seed=0, bounds_ms=BOUNDS_MS):
    rng = np.random.default_rng(seed)
    return two_way_exposure(judgements, each, bounds_ms=bounds_ms, draws=draws, rng=rng)


def test_where_only_images_vary_the_variance_is_that_of_the_residuals(rng):
    judgements = flashed(rng, ease=0.15)
    both = found(judgements, scores([400.0] * PEOPLE), draws=20_000)

    right = judgements["answer"].eq("fake").astype(float)
    own = judgements["evaluator"]
    x, y = np.log(judgements["exposure_ms"]), right
    x, y = x - x.groupby(own).transform("mean"), y - y.groupby(own).transform("mean")
    slope = (x @ y) / (x @ x)
    left = y - slope * x
    by_image = left.groupby(judgements["image"]).sum()
    # Of products of weights with mean and variance 1: what an image has in all, and each trial once
    # for its evaluator and image together (the evaluators' sums are zero).
    variance = ((by_image**2).sum() + (left**2).sum()) / len(left) ** 2
    assert both.slope == pytest.approx(slope)
    assert both.images == IMAGES
    assert both.std == pytest.approx(400 / slope * np.sqrt(variance), rel=0.1)


def test_where_images_do_not_matter_it_is_the_bootstrap_over_evaluators(rng):
    judgements = flashed(rng, images=2_000)
    own_ms = rng.normal(400, 100, PEOPLE)
    both = found(judgements, scores(own_ms))
    alone = bootstrap(own_ms, np.ones(PEOPLE), draws=4_000, rng=rng)
    assert both.std == pytest.approx(alone.std, rel=0.12)


def test_blocks_on_a_bound_do_not_move(rng):
    judgements = flashed(rng, ease=0.15)
    assert found(judgements, scores([100.0] * PEOPLE, moving=0)).std == 0


def test_no_draw_lies_beyond_the_bounds(rng):
    judgements = flashed(rng, ease=0.3)
    both = found(judgements, scores([110.0] * PEOPLE), bounds_ms=(105.0, 120.0))
    assert 105 <= both.ci_low < both.ci_high <= 120


def test_without_a_rise_of_accuracy_nothing_is_known(rng):
    assert found(flashed(rng, slope=0), scores([400.0] * PEOPLE)) is None
    level = flashed(rng).assign(exposure_ms=300.0)
    assert found(level, scores([400.0] * PEOPLE)) is None


def test_without_names_of_images_or_with_one_evaluator_there_is_none(rng):
    judgements = flashed(rng)
    assert found(judgements.drop(columns="image"), scores([400.0] * PEOPLE)) is None
    assert found(flashed(rng, people=1, images=400), scores([400.0])) is None


def test_a_single_draw_is_refused(rng):
    with pytest.raises(InputError, match="draws"):
        found(flashed(rng), scores([400.0] * PEOPLE), draws=1)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(0.5, 2))
def test_a_slower_clock_changes_nothing_but_the_unit(seed, factor):
    rng = np.random.default_rng(seed)
    judgements, own_ms = flashed(rng, ease=0.1), rng.normal(400, 50, PEOPLE)
    slower = judgements.assign(exposure_ms=factor * judgements["exposure_ms"])
    once = found(judgements, scores(own_ms), draws=200, bounds_ms=(1.0, 1e9))
    again = found(slower, scores(factor * own_ms), draws=200, bounds_ms=(1.0, 1e9))
    assert again.slope == pytest.approx(once.slope)
    assert again.std == pytest.approx(factor * once.std, rel=1e-3)


def test_it_stands_beside_the_score(rng):
    judgements = flashed(rng, ease=0.1).assign(condition="gan", block="1", trial=1)
    judgements["trial"] = judgements.groupby("evaluator").cumcount() + 1
    judgements["exposure_ms"] = judgements["exposure_ms"].round(-1)
    (result,) = score(judgements, draws=400)
    row = result.conditions[0].to_json()
    assert row["two_way"]["ci_low"] <= row["score"] <= row["two_way"]["ci_high"]
    assert row["two_way"]["std"] > row["std"]
    assert row["two_way_errors"]["fakes"]["ci_low"] < row["fakes_error"]
