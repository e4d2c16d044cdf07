from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hype.protocols.hype.condition_scores import resample_both
from hype.statistics.resampling import condition_rng

NAMES = np.array(["fake", "real"], dtype=object)


def table(judged, condition="gan"):
    """Make judgements from (evaluator, image, is real, is wrong)."""
    evaluator, image, real, wrong = np.array(list(judged), dtype=int).T
    return pd.DataFrame(
        {
            "evaluator": [f"e{number}" for number in evaluator],
            "condition": condition,
            "truth": NAMES[real],
            "answer": NAMES[real ^ wrong],
            "image": [f"{number}.png" for number in image],
        }
    )


def reweighed(judgements, *, draws=4_000, seed=0, confidence=0.95):
    rng = condition_rng(seed, "gan")
    return resample_both(judgements, draws=draws, rng=rng, confidence=confidence)


def everyone(wrong):
    """Make judgements from errors of the shape (evaluators, images, kinds): all judge all."""
    return table(np.column_stack([*map(np.ravel, np.indices(wrong.shape)), wrong.ravel()]))


def crossed(evaluators, images, rng, *, people=0.3, ease=0.5):
    """Draw judgements of as many fakes as reals; people and images vary on the normal scale."""
    ability = people * rng.standard_normal((evaluators, 1, 1))
    image = ease * rng.standard_normal((1, images, 2))
    return everyone(rng.random((evaluators, images, 2)) < stats.norm.cdf(-0.7 - ability - image))


def exact(judged):
    """Return error rates, and their odds, for all weights of 0 or 2 that leave a judgement."""
    evaluators = sorted({evaluator for evaluator, *_ in judged})
    images = sorted({(image, real) for _, image, real, _ in judged})
    rates = []
    for bits in product((0, 2), repeat=len(evaluators) + len(images)):
        weight = dict(zip([*evaluators, *images], bits, strict=True))
        each = [(weight[e] * weight[i, r], wrong) for e, i, r, wrong in judged]
        shown = sum(w for w, _ in each)
        if shown:
            rates.append(100 * sum(w * wrong for w, wrong in each) / shown)
    return np.array(rates)


def test_all_weights_by_enumeration():
    judged = [
        *((0, 0, 0, 1), (0, 1, 0, 0), (0, 2, 1, 0), (0, 2, 0, 0)),
        *((1, 0, 0, 1), (1, 1, 0, 1), (1, 3, 1, 0), (2, 2, 1, 1), (2, 3, 1, 0), (2, 3, 1, 1)),
    ]
    rates, found = exact(judged), reweighed(table(judged), draws=60_000, confidence=0.8)
    assert found["std"] == pytest.approx(rates.std(), rel=0.015)
    assert found["low"] == pytest.approx(np.quantile(rates, 0.1), abs=0.5)
    assert found["high"] == pytest.approx(np.quantile(rates, 0.9), abs=0.5)


@given(st.data())
def test_any_table_gives_an_interval_within_bounds(data):
    row = st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 1), st.booleans())
    judgements = table(data.draw(st.lists(row, min_size=1, max_size=40)))
    found = reweighed(judgements, draws=50)
    images = judgements[["image", "truth"]].drop_duplicates()
    assert (found is None) == (judgements["evaluator"].nunique() < 2 or len(images) < 2)
    if found:
        assert 0 <= found["low"] <= found["high"] <= 100
        assert found["std"] >= 0


@pytest.mark.parametrize(
    "spoilt",
    [
        {"image": None},
        {"image": [" ", *"abababa"]},
        {"image": [*"abababa", None]},
        {"evaluator": "e0"},
        {"image": "a", "truth": "real"},
    ],
)
@pytest.mark.parametrize("dtype", ["object", "category"])
def test_no_interval(spoilt, dtype, rng):
    judgements = crossed(2, 2, rng).assign(**spoilt).astype(dtype)
    if judgements["image"].isna().all():
        del judgements["image"]
    assert reweighed(judgements) is None
