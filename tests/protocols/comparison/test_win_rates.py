import numpy as np
import pandas as pd
import pytest
from scipy import stats
from simulated_comparisons import counts_of, rows_of, votes_of
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

from hype.statistics.paired_counts import answers_of, count, pair_rates, win_rates
from hype.statistics.proportions import CrossedShare

COUNTS = counts_of([[0, 70, 85], [30, 0, 60], [15, 40, 0]], [[0, 10, 0], [10, 0, 5], [0, 5, 0]])


def test_of_a_condition() -> None:
    half, none = (win_rates(COUNTS, ties=ties)[0] for ties in ("half", "none"))

    assert (half.condition, half.comparisons, half.wins, half.losses, half.ties) == (
        *("a", 210, 155, 45),
        10,
    )
    assert (half.rate.value, *half.rate.ends) == pytest.approx(
        (160 / 210, *proportion_confint(160, 210, method="wilson"))
    )
    assert (none.rate.value, *none.rate.ends) == pytest.approx(
        (155 / 200, *proportion_confint(155, 200, method="wilson"))
    )
    assert win_rates(COUNTS, ties="davidson") == win_rates(COUNTS, ties="half")


def pairs_of(counts, people=(), **options):
    votes = votes_of(rows_of(counts), counts.conditions, people)
    return pair_rates(counts, answers_of(votes, "sample")[0], ties="half", **options)


def test_of_two_conditions() -> None:
    """Of independent comparisons Wilson's interval and the score test, by a hair's breadth."""
    found = pairs_of(COUNTS)
    decided = ((70, 100), (85, 100), (60, 100))
    p = [proportions_ztest(won, n, 0.5, prop_var=0.5)[1] for won, n in decided]

    assert [(pair.a, pair.b, pair.wins_a, pair.wins_b, pair.ties) for pair in found] == [
        ("a", "b", 70, 30, 10),
        ("a", "c", 85, 15, 0),
        ("b", "c", 60, 40, 5),
    ]
    assert found[0].rate.value == pytest.approx(75 / 110)
    assert found[1].rate.ends == pytest.approx(
        proportion_confint(85, 100, method="wilson"), abs=0.003
    )
    assert np.log([pair.p for pair in found]) == pytest.approx(np.log(p), rel=0.2)
    assert [pair.p_holm for pair in found] == pytest.approx(
        multipletests([pair.p for pair in found], method="holm")[1]
    )


def test_people_are_the_units() -> None:
    """Two of three people on one side, each asked fifty times: nothing is known of a fourth."""
    ours = counts_of([[0, 100], [50, 0]])
    people = [f"p{place // 50}" for place in range(150)]
    (found,) = pairs_of(ours, people)

    assert found.p == pytest.approx(stats.ttest_1samp([1, 1, 0], 0.5).pvalue, abs=0.05)
    assert found.rate.low < 0.5 < found.rate.high
    (alone,) = pairs_of(ours)
    assert alone.p < 1e-4


def test_one_person_tells_nothing_of_a_pair() -> None:
    ours = counts_of([[0, 40, 0], [0, 0, 6], [0, 2, 0]])
    people = [f"p{place % 5}" for place in range(40)] + ["p0"] * 8
    first, second = pairs_of(ours, people)

    assert first.p < 0.01
    assert (second.a, second.b, second.p, second.rate.ends) == ("b", "c", None, (None, None))
    assert first.p_holm == first.p  # the only pair that has one


@pytest.mark.parametrize("value", [0.0, 0.31, 0.5, 0.93])
@pytest.mark.parametrize(("effective", "freedom"), [(20.0, 2.0), (400.0, 30.0), (np.inf, 1.0)])
@pytest.mark.parametrize("parts", [(), ((0.3, 1.0), (0.7, 9.0))])
def test_an_interval_leaves_out_what_a_test_does(value, effective, freedom, parts) -> None:
    share = CrossedShare(
        value=value, answers=120.0, effective=effective, freedom=freedom, parts=parts
    )

    for alpha in (0.2, 0.05, 0.01):
        low, high = share.estimate(1 - alpha).ends
        assert (share.p < alpha) == (not low <= 0.5 <= high)
        low, high = share.estimate(1 - 2 * alpha).ends
        assert (share.p_equivalent(0.1) < alpha) == (low > 0.4 and high < 0.6)
    assert share.complement().p == pytest.approx(share.p)
    assert share.estimate(0.95).low >= 0


def test_what_a_precise_share_shows() -> None:
    share = CrossedShare(value=0.5, answers=778.0, effective=np.inf, freedom=30.0)

    assert share.smallest(0.05, 0.8) == pytest.approx(0.55, abs=0.001)


def test_images_that_happen_to_be_better_are_no_better_condition(rng) -> None:
    """Of equal conditions 5 % are called separable, and over a third if images are not drawn."""
    alarms = {"sample": 0, "fixed": 0}
    for _ in range(60):
        votes = of_images(rng, people=20, each=40, prompts=10, spread=0.7)
        for images in alarms:
            (pair,) = pair_rates(count(votes), answers_of(votes, images)[0], ties="half")
            alarms[images] += pair.p < 0.05
    assert alarms["sample"] <= 8
    assert alarms["fixed"] >= 15


def of_images(rng, *, people, each, prompts, spread):
    """Equal conditions, with an image of each for each prompt."""
    own = spread * rng.normal(size=(2, prompts))
    about = rng.integers(prompts, size=people * each)
    won = rng.random(len(about)) < 1 / (1 + np.exp(own[1] - own[0]))[about]
    rows = [("a", "b", "left" if one else "right") for one in won]
    votes = votes_of(rows, "ab", [f"p{place % people}" for place in range(len(rows))])
    return votes.assign(prompt=pd.Categorical([f"x{place}" for place in about]))


def test_two_images_are_the_items_where_there_is_one_prompt(rng) -> None:
    votes = of_images(rng, people=5, each=20, prompts=6, spread=0.0)
    names = votes["prompt"].astype(str)
    named = votes.assign(
        left_image=names.astype("category"), right_image=names.astype("category"), prompt="x"
    ).astype({"prompt": "category"})
    found, random = answers_of(named, "sample")

    assert (random.unit, random.units, random.item, random.items) == ("evaluators", 5, "images", 12)
    assert found.items.shape == (100, 2)
    assert answers_of(named, "fixed")[1].item is None
