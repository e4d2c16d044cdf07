import numpy as np
import pandas as pd
import pytest
from simulated_comparisons import counts_of, rows_of, votes_of
from statsmodels.stats.proportion import proportion_confint

from hype.statistics.paired_counts import answers_of, pair_rates, win_rates

COUNTS = counts_of([[0, 70, 85], [30, 0, 60], [15, 40, 0]], [[0, 10, 0], [10, 0, 5], [0, 5, 0]])


def test_of_a_condition():
    answers, _ = answers_of(votes_of(rows_of(COUNTS), COUNTS.conditions), "sample")
    half, none = (win_rates(COUNTS, answers, ties=ties)[0] for ties in ("half", "none"))

    counted = ("condition", "comparisons", "wins", "losses", "ties")
    assert [half[name] for name in counted] == ["a", 210, 155, 45, 10]
    for found, won, of in ((half, 160, 210), (none, 155, 200)):
        assert found["win_rate"].value == pytest.approx(won / of)
        wilson = proportion_confint(won, of, method="wilson")
        assert found["win_rate"].ends == pytest.approx(wilson, abs=0.005)
    assert win_rates(COUNTS, answers, ties="davidson")[0] == half


def pairs_of(counts, people=(), **options):
    votes = votes_of(rows_of(counts), counts.conditions, people)
    return pair_rates(counts, answers_of(votes, "sample")[0], ties="half", **options)


def test_of_two_conditions():
    """For independent comparisons the interval is almost exactly Wilson's."""
    found = pairs_of(COUNTS)

    assert [(pair.a, pair.b, pair.wins_a, pair.wins_b, pair.ties) for pair in found] == [
        ("a", "b", 70, 30, 10),
        ("a", "c", 85, 15, 0),
        ("b", "c", 60, 40, 5),
    ]
    assert found[0].win_rate.value == pytest.approx(75 / 110)
    assert found[1].win_rate.ends == pytest.approx(
        proportion_confint(85, 100, method="wilson"), abs=0.003
    )


def test_of_fewer_than_twenty_votes_there_are_counts_alone():
    first, second = pairs_of(counts_of([[0, 12, 0], [7, 0, 12], [0, 8, 0]]))

    assert (first.comparisons, first.win_rate.ends) == (19, (None, None))
    assert second.comparisons == 20
    assert second.win_rate.low < 0.6 < second.win_rate.high


def test_people_are_the_units():
    """Two of three people always choose one side: this says nothing about a fourth person."""
    ours = counts_of([[0, 100], [50, 0]])
    people = [f"p{place // 50}" for place in range(150)]
    (found,) = pairs_of(ours, people)

    assert found.win_rate.low < 0.5 < found.win_rate.high
    (alone,) = pairs_of(ours)
    assert alone.win_rate.low > 0.5


def test_few_prompts_are_not_taken_for_a_sample(rng):
    few, enough = (
        answers_of(of_images(rng, people=5, each=20, prompts=prompts, spread=0.0), "sample")
        for prompts in (4, 5)
    )

    assert (few[0].items, few[1].item, few[1].few) == (None, None, "4 prompts")
    assert (enough[1].item, enough[1].items, enough[1].few) == ("prompts", 5, "")


def of_images(rng, *, people, each, prompts, spread):
    """Equal conditions, with one image of each condition for each prompt."""
    own = spread * rng.normal(size=(2, prompts))
    about = rng.integers(prompts, size=people * each)
    won = rng.random(len(about)) < 1 / (1 + np.exp(own[1] - own[0]))[about]
    rows = [("a", "b", "left" if one else "right") for one in won]
    votes = votes_of(rows, "ab", [f"p{place % people}" for place in range(len(rows))])
    return votes.assign(prompt=pd.Categorical([f"x{place}" for place in about]))


def test_two_images_are_the_items_where_there_is_one_prompt(rng):
    votes = of_images(rng, people=5, each=20, prompts=6, spread=0.0)
    names = votes["prompt"].astype(str)
    named = votes.assign(
        left_image=names.astype("category"), right_image=names.astype("category"), prompt="x"
    ).astype({"prompt": "category"})
    found, random = answers_of(named, "sample")

    assert (random.unit, random.units, random.item, random.items) == ("evaluators", 5, "images", 12)
    assert found.items.shape == (100, 2)
    assert answers_of(named, "fixed")[1].item is None
