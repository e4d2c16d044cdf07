"""Simulated evaluators who rank: their truth can be recovered, and so can their habits."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from builders import candidate
from likely_counts import within_chance
from long import long_but
from scipy import stats

from hype.protocols.ranking.course import RankingObserver, RankingTastes
from hype.protocols.ranking.trial import Group, PartialRanking, RankingTask, RankingTrial
from hype.session.steps import Response

STRENGTHS = {"a": 1.0, "b": 0.2, "c": -0.4, "d": -0.8}
ALIKE = RankingTastes(
    strengths=STRENGTHS,
    taste_spread=0.0,
    image_spread=0.0,
    image_seed=7,
    undo_share=0.0,
    tie_share=0.2,
    rt_median_ms=2000.0,
    rt_spread=0.5,
)


def observer(tastes: RankingTastes = ALIKE, seed: int = 1) -> RankingObserver:
    return RankingObserver(tastes, np.random.default_rng(seed))


def acts(
    one: RankingObserver, names: str = "abcd", *, ties: bool = False
) -> Iterator[tuple[RankingTrial, Response]]:
    """Yield the acts of one ranking."""
    group = Group(prompt="a bag", images=tuple(candidate(0, name) for name in names))
    standing: PartialRanking | None = PartialRanking()
    while standing is not None:
        trial = RankingTrial(
            task=RankingTask.RANKING, block=1, number=1, group=group, standing=standing, ties=ties
        )
        said = one.respond_to(trial)
        yield trial, said
        standing = trial.after(said.answer)


def ranked(one: RankingObserver, names: str = "abcd", *, ties: bool = False) -> str:
    """Give the order that a ranking comes to, by conditions, equals together."""
    *_, (trial, _) = acts(one, names, ties=ties)
    return ">".join(
        "".join(trial.group.image(letter).condition for letter in tier)
        for tier in trial.standing.tiers
    )


def probability(order: str) -> float:
    """Give Plackett and Luce's probability of an order."""
    weights = [math.exp(STRENGTHS[name]) for name in order]
    return math.prod(weight / sum(weights[at:]) for at, weight in enumerate(weights))


@pytest.mark.parametrize("undo_share", long_but([0.3], [0.0, 0.3]))
def test_orders_are_as_probable_as_plackett_and_luce_have_it(undo_share):
    """Also of people who take images back and choose anew."""
    one = observer(replace(ALIKE, undo_share=undo_share))
    found = Counter(ranked(one).replace(">", "") for _ in range(1500))
    orders = ["".join(order) for order in permutations("abcd")]
    expected = [1500 * probability(order) for order in orders]

    assert sum(expected) == pytest.approx(1500)
    assert stats.chisquare([found[order] for order in orders], expected).pvalue > 0.001


def test_the_place_on_the_screen_changes_nothing():
    first = Counter(ranked(observer(seed=n), "dcba")[0] for n in range(1000))

    assert within_chance(first["a"], 1000, math.exp(1.0) / sum(map(math.exp, STRENGTHS.values())))


def test_as_many_acts_take_something_back_as_the_study_says():
    one = observer(replace(ALIKE, undo_share=0.2))
    made = [(trial, said) for _ in range(400) for trial, said in acts(one)]
    could = [said.answer == "undo" for trial, said in made if "undo" in trial.acts]

    assert within_chance(sum(could), len(could), 0.2)
    assert all(said.answer in trial.acts for trial, said in made)


def test_as_many_images_share_a_place_as_the_study_says():
    one = observer()
    orders = [ranked(one, ties=True) for _ in range(1000)]
    shared = sum(3 - order.count(">") for order in orders)

    assert within_chance(shared, 3000, 0.2)
    assert not any(">" not in ranked(observer(seed=n)) for n in range(50))


def test_people_and_images_differ_as_the_study_says():
    spread = replace(ALIKE, taste_spread=0.7, image_spread=0.5)
    own = np.array([observer(spread, seed)._own["a"] for seed in range(800)])
    looks = [spread.looks(f"{n}.png") for n in range(2000)]

    assert own.mean() == pytest.approx(1.0, abs=0.1)
    assert own.std() == pytest.approx(0.7, rel=0.1)
    assert np.std(looks) == pytest.approx(0.5, rel=0.06)
    assert replace(spread, image_seed=8).looks("x") != spread.looks("x")
