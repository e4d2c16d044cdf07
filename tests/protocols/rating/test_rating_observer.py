"""Simulated evaluators who rate: their truth can be recovered, and so can their faults."""

import math
from collections import Counter
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from builders import candidate
from likely_counts import within_chance
from long import long_but

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

LEVELS = ("1", "2", "3", "4", "5")
STYLE = Axis(name="style", question="Whose style?", levels=LEVELS, optional=True)
OVERALL = Axis(name="overall", question="Which?", levels=LEVELS, optional=False)
SOUND = Axis(name="anatomy", question="Right?", levels=YES_NO, optional=False)
SCALE = Axis(name="beauty", question="?", levels=tuple(map(str, range(1, 11))), optional=False)
STRENGTHS = {
    "style": {"a": 0.6, "b": -0.6},
    "overall": {"a": 0.0, "b": 0.0},
    "anatomy": {"a": 0.5, "b": 0.0},
    "beauty": {"a": 1.6, "b": 0.0},
}
ALIKE = RatingTastes(
    strengths=STRENGTHS,
    taste_spread=0.0,
    image_spread=0.0,
    image_seed=7,
    noise=1.0,
    halo=0.4,
    step=0.8,
    not_relevant={},
    lapse=0.0,
    rt_median_ms=2500.0,
    rt_spread=0.4,
)
WITHOUT_HALO = replace(ALIKE, halo=0.0)
NORMAL = NormalDist()


def trial(axis: Axis = STYLE, names: str = "ab", number: int = 0, **item: Any) -> RatingTrial:
    images = tuple(candidate(number, name) for name in names)
    planned = PlannedItem(item=RatedItem(prompt="a bag", images=images, **item))
    return RatingTrial(task=RatingTask.RATING, block=1, number=1, planned=planned, axis=axis)


def observer(tastes: RatingTastes = ALIKE, seed: int = 1) -> RatingObserver:
    return RatingObserver(tastes, np.random.default_rng(seed))


def answers(tastes: RatingTastes, asked: RatingTrial, n: int = 4000) -> Counter[str]:
    one = observer(tastes)
    return Counter(one.respond_to(asked).answer for _ in range(n))


@pytest.mark.parametrize(("names", "difference"), [("ab", 1.2), ("ba", -1.2), ("aa", 0.0)])
def test_levels_are_cut_where_the_truth_says(names, difference):
    """The first level is the best for the first image; the middle one is around no difference."""
    found = answers(WITHOUT_HALO, trial(names=names))
    cuts = [1.2, 0.4, -0.4, -1.2]  # of what is seen in favour of the first image
    above = [0.0, *(1 - NORMAL.cdf(cut - difference) for cut in cuts), 1.0]

    for level, p in zip(LEVELS, np.diff(above), strict=True):
        assert within_chance(found[level], 4000, float(p)), level


def test_where_the_images_stand_changes_nothing():
    asked = trial()
    turned = replace(asked, planned=replace(asked.planned, swapped=True))

    assert answers(ALIKE, asked, 200) == answers(ALIKE, turned, 200)


@pytest.mark.parametrize("halo", long_but([0.4], [0.0, 0.4, 0.9]))
def test_the_halo_is_the_correlation_of_two_axes_over_items(halo):
    """Of what is seen; with levels that are narrow next to the noise, so that rounding is small."""
    many = tuple(map(str, range(1, 402)))
    fine = replace(ALIKE, halo=halo, step=0.05)
    one = observer(fine)
    seen = np.array(
        [
            [
                int(one.respond_to(trial(replace(axis, levels=many), "aa", number)).answer)
                for axis in (STYLE, OVERALL)
            ]
            for number in range(3000)
        ]
    )
    r = float(np.corrcoef(seen.T)[0, 1])

    assert r == pytest.approx(halo, abs=3.5 * (1 - halo**2) / math.sqrt(3000))
    assert seen.std(axis=0) * 0.05 == pytest.approx([1.0, 1.0], rel=0.06)


def test_an_item_gives_one_halo_however_often_and_two_people_have_their_own():
    only = replace(ALIKE, halo=1.0)
    said = [
        [observer(only, person).respond_to(trial(number=n)).answer for n in range(40)]
        for person in (1, 1, 2)
    ]

    assert said[0] == said[1] != said[2]
    assert len(answers(only, trial())) == 1


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_as_many_say_not_relevant_as_the_study_has_it(share):
    some = replace(ALIKE, not_relevant={"style": share, "overall": share})

    assert within_chance(answers(some, trial(STYLE))[NOT_RELEVANT], 4000, share)
    assert NOT_RELEVANT not in answers(some, trial(OVERALL))


def test_not_relevant_leaves_the_other_answers_as_they_are():
    """It is missing, and says nothing of how good an image is."""
    plain, some = observer(), observer(replace(ALIKE, not_relevant={"style": 0.4}))
    pairs = [(plain.respond_to(trial()).answer, some.respond_to(trial()).answer) for _ in range(99)]

    assert {other for one, other in pairs if one != other} == {NOT_RELEVANT}


def test_a_lapse_is_any_level():
    sure = {"style": {"a": 50.0, "b": -50.0}}
    found = answers(replace(ALIKE, lapse=0.5, strengths=sure), trial())

    for level in LEVELS[1:]:
        assert within_chance(found[level], 4000, 0.1)


def test_a_single_image_is_right_or_wrong_by_its_strength():
    found = answers(WITHOUT_HALO, trial(SOUND, "a"))

    assert within_chance(found["yes"], 4000, NORMAL.cdf(0.5))
    assert set(found) == {"yes", "no"}


def test_a_scale_begins_with_its_lowest():
    found = answers(WITHOUT_HALO, trial(SCALE, "a"))
    middle = sum(int(level) * n for level, n in found.items()) / 4000

    assert middle == pytest.approx(5.5 + 1.6 / 0.8, abs=0.1)


@pytest.mark.parametrize(("truth", "p"), [("yes", NORMAL.cdf(1.0)), ("no", NORMAL.cdf(-1.0))])
def test_what_is_right_is_seen_with_the_same_noise(truth, p):
    found = answers(WITHOUT_HALO, trial(SOUND, "b", truths=(("anatomy", truth),)))

    assert within_chance(found["yes"], 4000, p)


def test_a_truth_on_a_scale_is_where_answers_lie():
    found = answers(WITHOUT_HALO, trial(SCALE, "b", truths=(("beauty", "3"),)))

    assert sum(int(level) * n for level, n in found.items()) / 4000 == pytest.approx(3.0, abs=0.1)


def test_people_and_images_differ_as_the_study_says():
    spread = replace(ALIKE, image_spread=0.5, taste_spread=0.7)
    looks = np.array(
        [[spread.looks_on(axis, candidate(n, "a")) for axis in ("x", "y")] for n in range(2000)]
    )
    own = np.array([observer(spread, seed)._own["style"]["a"] for seed in range(800)])

    assert looks.std(axis=0) == pytest.approx([0.5, 0.5], rel=0.06)
    assert np.corrcoef(looks.T)[0, 1] == pytest.approx(0.5, abs=0.06)
    assert own.mean() == pytest.approx(0.6, abs=0.1)
    assert own.std() == pytest.approx(0.7, rel=0.1)


def test_response_times_are_those_of_the_study():
    one = observer()
    times = [one.respond_to(trial()).rt_ms for _ in range(4000)]

    assert np.median(times) == pytest.approx(2500.0, rel=0.04)
    assert np.std(np.log(times)) == pytest.approx(0.4, rel=0.05)
