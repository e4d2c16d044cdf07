import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array

from hype.errors import InputError
from hype.protocols.hype import separability
from hype.protocols.hype.inference import Inference, inference_of_errors
from hype.statistics.crossed import Crossed

# Hundal (1969), in Hollander & Wolfe (1999), example 6.2: pieces made by workers who were told
# nothing, roughly, and exactly how they did.
HUNDAL = {
    "nothing": [40, 35, 38, 43, 44, 41],
    "roughly": [38, 40, 47, 44, 40, 42],
    "exactly": [48, 40, 45, 43, 46, 44],
}


def inferred(scores):
    """Evaluators who serve one condition each, and nothing known of images."""
    groups = [np.asarray(own, dtype=float) for own in scores.values()]
    terms, weights = np.zeros((2, sum(map(len, groups)), len(groups)))
    start = 0
    for place, own in enumerate(groups):
        terms[start : start + len(own), place] = (own - own.mean()) / len(own)
        weights[start : start + len(own), place] = 1 / len(own)
        start += len(own)
    crossed = Crossed(csr_array(terms), csr_array(weights), np.arange(start), None)
    means = np.array([own.mean() for own in groups])
    return Inference(
        conditions=tuple(scores),
        evaluators=tuple(map(len, groups)),
        score=means,
        tested=means,
        scores=crossed,
        contrasts=crossed,
        images=None,
        judgements=None,
        answers=None,
    )


def trend(scores, order, **settings):
    return separability.trend(scores, order, inferred(scores).contrast, **settings)


def test_hollander_and_wolfe():
    found = trend(HUNDAL, ["nothing", "roughly", "exactly"])
    assert found["rank"]["jonckheere"] == 79
    assert found["rank"]["p"] / 2 == pytest.approx(0.021, abs=0.001)
    assert found["evaluators"] == (6, 6, 6)


def test_statsmodels_agrees_on_the_slope_where_conditions_vary_unlike(rng):
    scores = {
        name: rng.normal(place, 2, size)
        for name, place, size in zip("abcd", range(4), (5, 9, 7, 3), strict=True)
    }
    found = trend(scores, "abcd")["linear"]
    rows = pd.DataFrame(
        {
            "score": np.concatenate(list(scores.values())),
            "condition": np.repeat(list("abcd"), [5, 9, 7, 3]),
        }
    )
    import statsmodels.formula.api as smf  # here: few of many processes need it

    fit = smf.ols("score ~ 0 + C(condition)", rows).fit(cov_type="HC2", use_t=True)
    witness = fit.t_test(np.array([-3, -1, 1, 3]) / 10)
    assert found["slope"] == pytest.approx(witness.effect.item())
    assert found["t"] == pytest.approx(witness.tvalue.item())
    assert found["standard_error"] == pytest.approx(witness.sd.item())


def test_of_three_conditions_it_is_welchs_test_of_the_first_and_the_last(rng):
    scores = {"a": rng.normal(0, 1, 5), "b": rng.normal(1, 1, 9), "c": rng.normal(2, 4, 7)}
    found, welch = (
        trend(scores, "abc")["linear"],
        stats.ttest_ind(*(scores[c] for c in "ca"), equal_var=False),
    )
    assert (found["t"], found["p"], found["df"]) == pytest.approx(
        (welch.statistic, welch.pvalue, welch.df)
    )
    ends = welch.confidence_interval()
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((ends.low / 2, ends.high / 2))


def test_equal_models_whose_images_vary_seldom_rise(rng):
    """Over evaluators alone a fifth of such studies do."""
    wrong = {"sample": 0, "fixed": 0}
    for _ in range(20):
        names = np.repeat(list("abcd"), 20 * 40)
        person, image = np.tile(np.indices((20, 40)).reshape(2, -1), 4)
        looks = rng.normal(0, 1.5, (4, 40))
        chance = 1 / (1 + np.exp(-looks[np.repeat(range(4), 800), image]))
        errs = rng.random(3200) < chance
        frame = pd.DataFrame(
            {
                "evaluator": np.char.add(names, person.astype(str)),
                "condition": names,
                "truth": np.where(image < 20, "fake", "real"),
                "answer": np.where((image < 20) ^ errs, "fake", "real"),
                "image": np.char.add(names, image.astype(str)),
            }
        )
        means = errs.reshape(4, 20, 40).mean(axis=2)
        people = dict(zip("abcd", 100 * means, strict=True))
        for images in wrong:
            inference = inference_of_errors(frame, images)
            found = separability.trend(people, "abcd", inference.contrast)
            wrong[images] += found["linear"]["p"] < 0.05
    assert wrong["sample"] <= 3
    assert wrong["fixed"] > 4


SAMPLE = st.lists(st.integers(0, 20), min_size=1, max_size=6)


@given(st.lists(SAMPLE, min_size=3, max_size=5))
def test_the_reversed_order_turns_the_sign(samples):
    scores = {f"c{i}": sample for i, sample in enumerate(samples)}
    there, back = trend(scores, list(scores)), trend(scores, list(scores)[::-1])
    assert there["means"] == back["means"][::-1]
    assert (there["rank"] is None) == (len({x for s in samples for x in s}) == 1)
    if there["rank"]:
        assert there["rank"]["tau"] == pytest.approx(-back["rank"]["tau"])
        assert there["rank"]["p"] == pytest.approx(back["rank"]["p"])
        sizes = list(map(len, samples))
        pairs = (sum(sizes) ** 2 - sum(n**2 for n in sizes)) / 2
        assert there["rank"]["jonckheere"] + back["rank"]["jonckheere"] == pairs
    if there["linear"]:
        assert there["linear"]["slope"] == pytest.approx(-back["linear"]["slope"])


@pytest.mark.parametrize(
    ("scores", "sentence", "ranked"),
    [
        ({"a": [1], "b": [2], "c": [3]}, "a has a single evaluator", True),
        ({"a": [1, 1], "b": [2, 2], "c": [3]}, "c has a single evaluator", True),
        ({"a": [5, 5], "b": [5, 5], "c": [5, 5]}, "All evaluators .* the same", False),
    ],
)
def test_what_cannot_be_tested_is_named(scores, sentence, ranked):
    found = trend(scores, "abc")
    assert found["linear"] is None
    assert (found["rank"] is not None) == ranked
    with pytest.raises(ValueError, match=sentence):
        raise ValueError(found["problem"])


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["nothing", "roughly", "wholly"], "no condition 'wholly'; conditions are exactly"),
        (["nothing", "roughly", "roughly"], "names 'roughly' twice"),
        (["nothing", "roughly"], "names 2 conditions; a trend needs at least 3"),
    ],
)
def test_orders_that_are_none(order, message):
    with pytest.raises(InputError, match=message):
        trend(HUNDAL, order)
