import numpy as np
import pandas as pd
import pytest

from hype.protocols.hype.images import image_differences, tarone_z
from hype.protocols.hype.table import check_judgements


def test_the_statistic_worked_by_hand():
    # p = ½: ((2 − 1)² + (0 − 1)²) / ¼ = 8, less 4 trials, over √(2·(2 + 2)).
    assert tarone_z([2, 0], [2, 2]) == pytest.approx(4 / np.sqrt(8))
    assert tarone_z([1, 1], [2, 2]) == pytest.approx(-4 / np.sqrt(8))


def test_images_judged_once_say_nothing():
    assert tarone_z([1, 0, 1, 0], [1, 1, 1, 1]) is None
    assert tarone_z([0, 0], [5, 5]) is None


def test_by_chance_it_is_near_normal_however_few_the_judgements():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(1500):
        trials = rng.integers(1, 4, 200)
        found.append(tarone_z(rng.binomial(trials, 0.25), trials))
    assert np.mean(found) == pytest.approx(0, abs=0.1)
    assert np.std(found) == pytest.approx(1, abs=0.1)
    assert np.mean(np.array(found) > 1.645) == pytest.approx(0.05, abs=0.025)


def judged(condition, shares, rng, shown=6):
    """Give `shown` judgements of each image; each is called fake with its own probability."""
    images = np.repeat(np.arange(len(shares)), shown)
    return pd.DataFrame(
        {
            "evaluator": "p01",
            "condition": condition,
            "truth": "fake",
            "answer": np.where(rng.random(len(images)) < shares[images], "fake", "real"),
            "image": [f"fake/{condition}/{image}.png" for image in images],
            "trial": np.arange(1, len(images) + 1),
        }
    )


def test_differences_are_found_where_there_are_some():
    rng = np.random.default_rng(4)
    table = check_judgements(
        pd.concat(
            [judged("alike", np.full(150, 0.6), rng), judged("unlike", rng.uniform(0, 1, 150), rng)]
        )
    )
    found = image_differences(table)
    assert [found["alike"][key] for key in ("images", "fewest", "most")] == [150, 6, 6]
    assert found["alike"]["p"] > 0.05
    assert found["unlike"]["p"] < 1e-6


def test_reals_do_not_take_part():
    fakes = judged("gan", np.full(20, 0.5), np.random.default_rng(5))
    reals = fakes.assign(truth="real", answer="real", image="real/1.png")
    reals["trial"] += len(fakes)
    alone, both = (
        image_differences(check_judgements(table)) for table in (fakes, pd.concat([fakes, reals]))
    )
    assert alone == both


def test_without_names_there_is_nothing():
    table = judged("gan", np.full(3, 0.5), np.random.default_rng(6)).drop(columns="image")
    assert image_differences(check_judgements(table)) == {}
