import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_array

from hype.errors import InputError
from hype.protocols.hype import separability
from hype.protocols.hype.inference import Inference
from hype.statistics.crossed import Crossed


def inferred(scores):
    """Return an inference for evaluators with one condition each and unknown images."""
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


def test_statsmodels_agrees_on_the_slope_where_conditions_vary_unlike(rng):
    scores = {
        name: rng.normal(place, 2, size)
        for name, place, size in zip("abcd", range(4), (5, 9, 7, 3), strict=True)
    }
    found = trend(scores, "abcd")
    rows = pd.DataFrame(
        {
            "score": np.concatenate(list(scores.values())),
            "condition": np.repeat(list("abcd"), [5, 9, 7, 3]),
        }
    )
    import statsmodels.formula.api as smf  # imported here: few test processes need it

    fit = smf.ols("score ~ 0 + C(condition)", rows).fit(cov_type="HC2", use_t=True)
    witness = fit.t_test(np.array([-3, -1, 1, 3]) / 10)
    assert found["slope"] == pytest.approx(witness.effect.item())
    assert found["t"] == pytest.approx(witness.tvalue.item())


def test_of_three_conditions_it_is_welchs_test_of_the_first_and_the_last(rng):
    scores = {"a": rng.normal(0, 1, 5), "b": rng.normal(1, 1, 9), "c": rng.normal(2, 4, 7)}
    found, welch = (
        trend(scores, "abc"),
        stats.ttest_ind(*(scores[c] for c in "ca"), equal_var=False),
    )
    assert (found["t"], found["p"], found["df"]) == pytest.approx(
        (welch.statistic, welch.pvalue, welch.df)
    )
    ends = welch.confidence_interval()
    assert (found["low"], found["high"]) == pytest.approx((ends.low / 2, ends.high / 2))


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ({"a": [1], "b": [2], "c": [3]}, "a has one evaluator"),
        ({"a": [1, 1], "b": [2, 2], "c": [3]}, "c has one evaluator"),
        ({"a": [5, 5], "b": [5, 5], "c": [5, 5]}, "All evaluators .* the same"),
    ],
)
def test_what_cannot_be_tested_is_named(scores, sentence):
    found = trend(scores, "abc")
    assert found["p"] is None
    assert re.search(sentence, found["problem"])


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["a", "b", "d"], "no condition 'd'; conditions are a, b, c"),
        (["a", "b", "b"], "names 'b' twice"),
        (["a", "b"], "names 2 conditions; a trend needs at least 3"),
    ],
)
def test_orders_that_are_none(order, message):
    with pytest.raises(InputError, match=message):
        trend({"a": [1, 2], "b": [2, 4], "c": [3, 5]}, order)
