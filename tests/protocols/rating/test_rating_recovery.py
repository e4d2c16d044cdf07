"""Known truths are recovered, with intervals that contain them as often as they should."""

import numpy as np
import pytest
from made_ratings import THREE, made_ratings, true_alpha, true_correlation, true_means
from score_rows import axis_of, on_axis

from hype.protocols.rating.axes import RatingOptions
from hype.protocols.rating.score import score_ratings
from hype.protocols.rating.table import check_ratings

AXES = THREE.axes
_, ANATOMY, OVERALL = range(3)


def score(ratings, **options):
    return score_ratings(ratings, RatingOptions(axes=AXES, **options))


def correlation(scores, one, other):
    (found,) = (
        row["r"]
        for row in scores.rows("correlations")
        if {row["axis"], row["other_axis"]} == {one, other}
    )
    return found


def test_many_people_give_the_truth():
    ratings = made_ratings(THREE, np.random.default_rng(5), evaluators=100, each=60)
    found = score(ratings, level="interval")
    for place, axis in enumerate(found.rows("axes")):
        for number, name in enumerate(THREE.conditions):
            row = on_axis(axis, name)
            assert row["strength"].value == pytest.approx(THREE.strengths[place, number], abs=0.15)
            assert row["mean"].value == pytest.approx(true_means(THREE, place)[number], abs=0.1)
        for other in range(place):
            r = correlation(found, AXES[other], axis["axis"])
            assert r.value == pytest.approx(true_correlation(THREE, place, other), abs=0.05)
        (over_conditions,) = (one for one in axis["alphas"] if one.unit == "conditions")
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
    one, other = (correlation(found, "anatomy", "overall") for found in (all_told, told))
    assert other.value == pytest.approx(truth, abs=0.04)
    assert other.low < truth < other.high
    assert 1.1 < (other.high - other.low) / (one.high - one.low) < 2
    assert correlation(told, "style", "overall") == correlation(all_told, "style", "overall")
    first, best = (
        on_axis(axis_of(found, "anatomy"), "m00")["strength"] for found in (all_told, told)
    )
    assert best.low < THREE.strengths[ANATOMY, 0] < best.high
    assert best.high - best.low > first.high - first.low

    # If answers that are not relevant counted as ties, figures would be wrong:
    answers = part["answer"].astype(object).where(part["answer"] != "not-relevant", "3")
    wrong = score(check_ratings(part.assign(answer=answers)))
    assert correlation(wrong, "anatomy", "overall").high < truth - 0.05
    mean = on_axis(axis_of(wrong, "anatomy"), "m00")["mean"]
    assert mean.high < true_means(THREE, ANATOMY)[0]
    ties = [axis_of(found, "anatomy")["fit"]["tie_parameter"] for found in (wrong, told)]
    assert ties[0] > 2 * ties[1]
