"""Known truths are found again, with intervals that hold them as often as they say."""

import numpy as np
import pytest
from made_ratings import THREE, made_ratings, true_alpha, true_correlation, true_means

from hype.protocols.rating.axes import RatingOptions, axis_table, condition_means, condition_values
from hype.protocols.rating.score import score_ratings
from hype.protocols.rating.table import check_ratings
from hype.statistics.agreement import unit_alpha
from hype.statistics.correlation import correlation_matrix

AXES = THREE.axes
STYLE, ANATOMY, OVERALL = range(3)


def score(ratings, **options):
    return score_ratings(ratings, RatingOptions(axes=AXES, **options))


def test_many_people_give_the_truth():
    ratings = made_ratings(THREE, np.random.default_rng(5), evaluators=100, each=60)
    found = score(ratings, level="interval")
    for place, axis in enumerate(found.axes):
        for number, name in enumerate(THREE.conditions):
            strength, mean = axis.strength(name), axis.mean(name)
            assert strength.strength.value == pytest.approx(
                THREE.strengths[place, number], abs=0.15
            )
            assert mean.mean.value == pytest.approx(true_means(THREE, place)[number], abs=0.1)
        for other in range(place):
            r = found.correlations.matrix.r[place, other]
            assert r == pytest.approx(true_correlation(THREE, place, other), abs=0.05)
        (over_conditions,) = (one for one in axis.alphas if one.unit == "conditions")
        assert over_conditions.alpha.value == pytest.approx(true_alpha(THREE, place), abs=0.04)


def test_not_relevant_changes_the_width_and_not_the_value():
    gone = {"anatomy": 0.4}
    whole, part = (
        made_ratings(THREE, np.random.default_rng(7), evaluators=150, each=40, not_relevant=what)
        for what in (None, gone)
    )
    assert (part["answer"] == "not-relevant").sum() == pytest.approx(2400, abs=150)
    all_told, told = score(whole), score(part)
    truth = true_correlation(THREE, ANATOMY, OVERALL)
    one, other = (found.correlations.matrix for found in (all_told, told))
    assert other.r[ANATOMY, OVERALL] == pytest.approx(truth, abs=0.04)
    assert other.low[ANATOMY, OVERALL] < truth < other.high[ANATOMY, OVERALL]
    widths = [each.high - each.low for each in (one, other)]
    assert 1.1 < widths[1][ANATOMY, OVERALL] / widths[0][ANATOMY, OVERALL] < 2
    assert widths[1][STYLE, OVERALL] == widths[0][STYLE, OVERALL]
    first, best = (found.axis("anatomy").strength("m00").strength for found in (all_told, told))
    assert best.low < THREE.strengths[ANATOMY, 0] < best.high
    assert best.high - best.low > first.high - first.low

    # Were they zero, or ties, this would be seen.
    answers = part["answer"].astype(object).where(part["answer"] != "not-relevant", "3")
    wrong = score(check_ratings(part.assign(answer=answers)))
    assert wrong.correlations.matrix.high[ANATOMY, OVERALL] < truth - 0.05
    mean = wrong.axis("anatomy").mean("m00")
    assert mean.mean.high < true_means(THREE, ANATOMY)[0]
    assert wrong.axis("anatomy").fit.tie_parameter > 2 * told.axis("anatomy").fit.tie_parameter


@pytest.mark.long
def test_intervals_hold_the_truth_as_often_as_they_say():
    """The whole run, with strengths too, is a benchmark."""
    means = true_means(THREE, ANATOMY)
    truths = true_correlation(THREE, ANATOMY, OVERALL), true_alpha(THREE, ANATOMY)
    held = {"correlation": [], "mean": [], "alpha": []}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        ratings = made_ratings(THREE, rng, evaluators=14, each=25, not_relevant={"anatomy": 0.2})
        table = axis_table(ratings, AXES)
        matrix = correlation_matrix(table.values, table.evaluator, confidence=0.95)
        ends = matrix.low[ANATOMY, OVERALL], matrix.high[ANATOMY, OVERALL]
        held["correlation"].append(ends[0] < truths[0] < ends[1])
        told = ratings[(ratings["axis"] == "anatomy") & ratings["value"].notna()]
        found = condition_values(told)
        rows = condition_means(found, scale=(-2, 2), confidence=0.95)
        held["mean"] += [
            row.mean.low < means[int(row.condition[1:])] < row.mean.high for row in rows
        ]
        alpha = unit_alpha(
            found.condition,
            found.value,
            found.evaluator,
            what="conditions",
            level="interval",
            confidence=0.95,
        )
        held["alpha"].append(alpha.alpha.low < truths[1] < alpha.alpha.high)
    for name, each in held.items():
        assert 0.88 <= np.mean(each) <= 0.995, name
