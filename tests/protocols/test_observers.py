"""Simulated evaluators: their true strengths can be recovered, and so can their faults."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from builders import candidate
from likely_counts import within_chance
from long import long_but
from scipy import stats

from hype.protocols.comparison.course import CARELESS_MS, ComparingObserver, Tastes
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.prompted.trial import Choice
from hype.protocols.ranking.course import RankingObserver, RankingTastes
from hype.protocols.ranking.trial import Group, PartialRanking, RankingTask, RankingTrial
from hype.protocols.rating.course import RatingObserver, RatingTastes
from hype.protocols.rating.trial import (
    NOT_RELEVANT,
    YES_NO,
    Axis,
    PlannedItem,
    RatedItem,
    RatingTask,
    RatingTrial,
)
from hype.session.steps import Response

ALIKE: dict[str, Any] = {"taste_spread": 0.0, "image_spread": 0.0, "image_seed": 7}
COMPARED = {"a": 0.9, "b": 0.2, "c": -0.3, "d": -0.8}
COMPARERS = Tastes(
    strengths={"preference": COMPARED},
    **ALIKE,
    left_bias=0.0,
    ties=False,
    tie_share=0.2,
    bad_below=-0.5,
    lapse=0.0,
    careless=0.0,
    rt_median_ms=1800.0,
    rt_spread=0.4,
)


def comparison(left: str, right: str, number: int = 0, **cells: Any) -> ComparisonTrial:
    return ComparisonTrial(
        task=ComparisonTask.COMPARISON,
        block=1,
        number=1,
        prompt="a bag",
        left=candidate(number, left),
        right=candidate(number, right),
        **{"criterion": "preference"} | cells,
    )


def comparer(tastes: Tastes = COMPARERS, seed: int = 1) -> ComparingObserver:
    return ComparingObserver(tastes, np.random.default_rng(seed))


def choices(tastes: Tastes, asked: ComparisonTrial, n: int = 4000, seed: int = 1) -> Counter[str]:
    one = comparer(tastes, seed)
    return Counter(one.respond_to(asked).answer for _ in range(n))


def sigma(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@pytest.mark.parametrize(("left", "right"), [*combinations("abcd", 2), ("d", "a"), ("c", "c")])
def test_choices_are_those_of_the_strengths(left, right):
    found = choices(COMPARERS, comparison(left, right))

    assert set(found) <= {"left", "right"}
    assert within_chance(found["left"], 4000, sigma(COMPARED[left] - COMPARED[right]))


def test_ties_are_as_probable_as_davidson_has_it():
    tied = replace(COMPARERS, ties=True, tie_share=0.3)
    nu = 2 * 0.3 / 0.7
    one, other = math.exp(COMPARED["a"]), math.exp(COMPARED["d"])
    total = one + other + nu * math.sqrt(one * other)
    left, tie = comparer(tied).probabilities(comparison("a", "d"))

    assert left == pytest.approx(one / total)
    assert tie == pytest.approx(nu * math.sqrt(one * other) / total)


def test_both_are_bad_where_both_are_liked_less_than_the_level():
    asked = {"neither": (Choice.BOTH_BAD,)}
    assert set(choices(COMPARERS, comparison("d", "d", **asked))) == {"both-bad"}
    assert set(choices(COMPARERS, comparison("c", "d", **asked))) == {"left", "right"}
    assert set(choices(COMPARERS, comparison("d", "d"))) == {"left", "right"}


@pytest.mark.parametrize("bias", [-0.5, 0.4, 1.0])
def test_a_bias_to_the_left_is_added_to_the_log_odds(bias):
    biased = replace(COMPARERS, left_bias=bias)
    for left, right in (("a", "c"), ("c", "a")):
        found = choices(biased, comparison(left, right))
        expected = sigma(COMPARED[left] - COMPARED[right] + bias)
        assert within_chance(found["left"], 4000, expected)


def test_the_careless_always_press_one_key_and_at_once():
    careless = replace(COMPARERS, careless=1.0)
    asked = [comparison("a", "d"), comparison("d", "a"), comparison("a", "d", obvious=Choice.LEFT)]
    asked += [replace(one, hasty_ms=500.0) for one in asked]
    keys = set()
    for person in range(40):
        one = comparer(careless, person)
        said = [one.respond_to(each) for each in asked]
        assert len({response.answer for response in said}) == 1
        assert {response.rt_ms for response in said} == {CARELESS_MS}
        assert asked[-1].hasty(said[-1].answer, said[-1].rt_ms)
        keys.add(said[0].answer)

    assert keys == {"left", "right"}


def test_as_many_are_careless_as_the_study_says():
    some = replace(COMPARERS, careless=0.25)
    quick = sum(
        comparer(some, person).respond_to(comparison("a", "b")).rt_ms == CARELESS_MS
        for person in range(800)
    )

    assert within_chance(quick, 800, 0.25)


@pytest.mark.parametrize("obvious", [Choice.LEFT, Choice.RIGHT])
def test_what_is_obvious_is_missed_only_in_a_lapse(obvious):
    asked = comparison("a", "a", obvious=obvious)
    lapsing = choices(replace(COMPARERS, lapse=0.2), asked)

    assert set(choices(COMPARERS, asked)) == {obvious.value}
    assert within_chance(lapsing[obvious.value], 4000, 0.9)


def test_a_lapse_is_a_coin():
    lapsing = replace(COMPARERS, lapse=0.4, strengths={"preference": {"a": 50.0, "d": -50.0}})
    found = choices(lapsing, comparison("a", "d"))

    assert within_chance(found["right"], 4000, 0.2)


def test_whoever_is_too_slow_gives_no_answer():
    asked = comparison("a", "b", limit_ms=1800.0)  # the median
    one = comparer()
    said = [one.respond_to(asked) for _ in range(2000)]
    late = [response for response in said if response.answer == "none"]

    assert within_chance(len(late), 2000, 0.5)
    assert {response.rt_ms for response in late} == {1800.0}
    assert max(response.rt_ms for response in said) == 1800.0


def test_people_differ_in_their_tastes():
    spread = replace(COMPARERS, taste_spread=0.7)
    drawn = [spread.draw(np.random.default_rng(n))["preference"] for n in range(600)]
    loved = np.array([one["a"] for one in drawn])

    assert loved.mean() == pytest.approx(COMPARED["a"], abs=0.15)
    assert loved.std() == pytest.approx(0.7, rel=0.12)
    assert len({one["a"] - one["b"] for one in drawn}) == 600
    assert COMPARERS.draw(np.random.default_rng(1)) == {"preference": COMPARED}
    assert rater(replace(RATERS, taste_spread=0.7))._own != rater()._own == RATED


def test_images_are_liked_alike_by_several_criteria():
    """Criteria share half of the variance of looks; strengths are separate for each criterion."""
    strengths = {"preference": COMPARED, "coherence": {**COMPARED, "a": -1.0}}
    several = replace(COMPARERS, strengths=strengths, image_spread=0.7)
    looks = np.array(
        [[several.looks_on(name, f"{n}.png") for name in strengths] for n in range(2000)]
    ).T

    assert several.draw(np.random.default_rng(1)) == strengths
    assert looks.std(axis=1) == pytest.approx([0.7, 0.7], rel=0.06)
    assert np.corrcoef(looks)[0, 1] == pytest.approx(0.5, abs=0.06)


def test_images_differ_alike_for_everybody():
    spread = replace(COMPARERS, image_spread=0.5)
    looks = [spread.looks(candidate(n, "a").path) for n in range(600)]

    assert np.std(looks) == pytest.approx(0.5, rel=0.12)
    assert np.mean(looks) == pytest.approx(0.0, abs=0.1)
    assert [spread.looks(candidate(n, "a").path) for n in range(600)] == looks
    assert replace(spread, image_seed=8).looks("x") != spread.looks("x")
    better, worse = (candidate(int(n), "a") for n in (np.argmax(looks), np.argmin(looks)))
    found = choices(spread, replace(comparison("a", "a"), left=better, right=worse))
    assert within_chance(found["left"], 4000, sigma(max(looks) - min(looks)))


LEVELS = ("1", "2", "3", "4", "5")
STYLE = Axis(name="style", question="Whose style?", levels=LEVELS, optional=True)
OVERALL = Axis(name="overall", question="Which?", levels=LEVELS, optional=False)
SOUND = Axis(name="anatomy", question="Right?", levels=YES_NO, optional=False)
SCALE = Axis(name="beauty", question="?", levels=tuple(map(str, range(1, 11))), optional=False)
RATED = {
    "style": {"a": 0.6, "b": -0.6},
    "overall": {"a": 0.0, "b": 0.0},
    "anatomy": {"a": 0.5, "b": 0.0},
    "beauty": {"a": 1.6, "b": 0.0},
}
RATERS = RatingTastes(
    strengths=RATED,
    **ALIKE,
    noise=1.0,
    halo=0.4,
    step=0.8,
    not_relevant={},
    lapse=0.0,
    rt_median_ms=2500.0,
    rt_spread=0.4,
)
WITHOUT_HALO = replace(RATERS, halo=0.0)
NORMAL = NormalDist()


def rating(axis: Axis = STYLE, names: str = "ab", number: int = 0, **item: Any) -> RatingTrial:
    images = tuple(candidate(number, name) for name in names)
    planned = PlannedItem(item=RatedItem(prompt="a bag", images=images, **item))
    return RatingTrial(task=RatingTask.RATING, block=1, number=1, planned=planned, axis=axis)


def rater(tastes: RatingTastes = RATERS, seed: int = 1) -> RatingObserver:
    return RatingObserver(tastes, np.random.default_rng(seed))


def ratings(tastes: RatingTastes, asked: RatingTrial, n: int = 4000) -> Counter[str]:
    one = rater(tastes)
    return Counter(one.respond_to(asked).answer for _ in range(n))


@pytest.mark.parametrize(("names", "difference"), [("ab", 1.2), ("ba", -1.2), ("aa", 0.0)])
def test_levels_are_cut_where_the_truth_says(names, difference):
    """The first level is the best for the first image; the middle level means no difference."""
    found = ratings(WITHOUT_HALO, rating(names=names))
    cuts = [1.2, 0.4, -0.4, -1.2]  # on the scale of the first image's advantage
    above = [0.0, *(1 - NORMAL.cdf(cut - difference) for cut in cuts), 1.0]

    for level, p in zip(LEVELS, np.diff(above), strict=True):
        assert within_chance(found[level], 4000, float(p)), level


def test_where_the_images_stand_changes_nothing():
    asked = rating()
    turned = replace(asked, planned=replace(asked.planned, swapped=True))

    assert ratings(RATERS, asked, 200) == ratings(RATERS, turned, 200)


@pytest.mark.parametrize("halo", long_but([0.4], [0.0, 0.4, 0.9]))
def test_the_halo_is_the_correlation_of_two_axes_over_items(halo):
    """Levels are narrow compared with the noise, so rounding hardly changes the correlation."""
    many = tuple(map(str, range(1, 402)))
    fine = replace(RATERS, halo=halo, step=0.05)
    one = rater(fine)
    seen = np.array(
        [
            [
                int(one.respond_to(rating(replace(axis, levels=many), "aa", number)).answer)
                for axis in (STYLE, OVERALL)
            ]
            for number in range(3000)
        ]
    )
    r = float(np.corrcoef(seen.T)[0, 1])

    assert r == pytest.approx(halo, abs=3.5 * (1 - halo**2) / math.sqrt(3000))
    assert seen.std(axis=0) * 0.05 == pytest.approx([1.0, 1.0], rel=0.06)


def test_an_item_gives_one_halo_however_often_and_two_people_have_their_own():
    only = replace(RATERS, halo=1.0)
    said = [
        [rater(only, person).respond_to(rating(number=n)).answer for n in range(40)]
        for person in (1, 1, 2)
    ]

    assert said[0] == said[1] != said[2]
    assert len(ratings(only, rating())) == 1


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_as_many_say_not_relevant_as_the_study_has_it(share):
    some = replace(RATERS, not_relevant={"style": share, "overall": share})

    assert within_chance(ratings(some, rating(STYLE))[NOT_RELEVANT], 4000, share)
    assert NOT_RELEVANT not in ratings(some, rating(OVERALL))


def test_not_relevant_leaves_the_other_answers_as_they_are():
    """A not-relevant answer is missing: it does not depend on the quality of an image."""
    plain, some = rater(), rater(replace(RATERS, not_relevant={"style": 0.4}))
    pairs = [
        (plain.respond_to(rating()).answer, some.respond_to(rating()).answer) for _ in range(99)
    ]

    assert {other for one, other in pairs if one != other} == {NOT_RELEVANT}


def test_a_lapse_is_any_level():
    sure = {"style": {"a": 50.0, "b": -50.0}}
    found = ratings(replace(RATERS, lapse=0.5, strengths=sure), rating())

    for level in LEVELS[1:]:
        assert within_chance(found[level], 4000, 0.1)


def test_a_single_image_is_right_or_wrong_by_its_strength():
    found = ratings(WITHOUT_HALO, rating(SOUND, "a"))

    assert within_chance(found["yes"], 4000, NORMAL.cdf(0.5))
    assert set(found) == {"yes", "no"}


def test_a_scale_begins_with_its_lowest():
    found = ratings(WITHOUT_HALO, rating(SCALE, "a"))
    middle = sum(int(level) * n for level, n in found.items()) / 4000

    assert middle == pytest.approx(5.5 + 1.6 / 0.8, abs=0.1)


@pytest.mark.parametrize(("truth", "p"), [("yes", NORMAL.cdf(1.0)), ("no", NORMAL.cdf(-1.0))])
def test_what_is_right_is_seen_with_the_same_noise(truth, p):
    found = ratings(WITHOUT_HALO, rating(SOUND, "b", truths=(("anatomy", truth),)))

    assert within_chance(found["yes"], 4000, p)


def test_a_truth_on_a_scale_is_where_answers_lie():
    found = ratings(WITHOUT_HALO, rating(SCALE, "b", truths=(("beauty", "3"),)))

    assert sum(int(level) * n for level, n in found.items()) / 4000 == pytest.approx(3.0, abs=0.1)


def test_response_times_are_those_of_the_study():
    one = rater()
    times = [one.respond_to(rating()).rt_ms for _ in range(4000)]

    assert np.median(times) == pytest.approx(2500.0, rel=0.04)
    assert np.std(np.log(times)) == pytest.approx(0.4, rel=0.05)


RANKED = {"a": 1.0, "b": 0.2, "c": -0.4, "d": -0.8}
RANKERS = RankingTastes(
    strengths=RANKED,
    **ALIKE,
    undo_share=0.0,
    tie_share=0.2,
    rt_median_ms=2000.0,
    rt_spread=0.5,
)


def ranker(tastes: RankingTastes = RANKERS, seed: int = 1) -> RankingObserver:
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
    """Return the order of conditions at the end of a ranking, with ties next to each other."""
    *_, (trial, _) = acts(one, names, ties=ties)
    return ">".join(
        "".join(trial.group.image(letter).condition for letter in tier)
        for tier in trial.standing.tiers
    )


def probability(order: str) -> float:
    """Return Plackett and Luce's probability of an order."""
    weights = [math.exp(RANKED[name]) for name in order]
    return math.prod(weight / sum(weights[at:]) for at, weight in enumerate(weights))


@pytest.mark.parametrize("undo_share", long_but([0.3], [0.0, 0.3]))
def test_orders_are_as_probable_as_plackett_and_luce_have_it(undo_share):
    """This is also true for people who take images back and choose again."""
    one = ranker(replace(RANKERS, undo_share=undo_share))
    found = Counter(ranked(one).replace(">", "") for _ in range(1500))
    orders = ["".join(order) for order in permutations("abcd")]
    expected = [1500 * probability(order) for order in orders]

    assert sum(expected) == pytest.approx(1500)
    assert stats.chisquare([found[order] for order in orders], expected).pvalue > 0.001


def test_the_place_on_the_screen_changes_nothing():
    first = Counter(ranked(ranker(seed=n), "dcba")[0] for n in range(1000))

    assert within_chance(first["a"], 1000, math.exp(1.0) / sum(map(math.exp, RANKED.values())))


def test_as_many_acts_take_something_back_as_the_study_says():
    one = ranker(replace(RANKERS, undo_share=0.2))
    made = [(trial, said) for _ in range(400) for trial, said in acts(one)]
    could = [said.answer == "undo" for trial, said in made if "undo" in trial.acts]

    assert within_chance(sum(could), len(could), 0.2)
    assert all(said.answer in trial.acts for trial, said in made)


def test_as_many_images_share_a_place_as_the_study_says():
    one = ranker()
    orders = [ranked(one, ties=True) for _ in range(1000)]
    shared = sum(3 - order.count(">") for order in orders)

    assert within_chance(shared, 3000, 0.2)
    assert not any(">" not in ranked(ranker(seed=n)) for n in range(50))
