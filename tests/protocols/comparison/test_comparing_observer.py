"""Simulated evaluators who compare: their truth can be recovered, and so can their faults."""

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from builders import candidate
from likely_counts import within_chance

from hype.protocols.comparison.course import CARELESS_MS, ComparingObserver, Tastes
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.prompted.trial import Choice

STRENGTHS = {"a": 0.9, "b": 0.2, "c": -0.3, "d": -0.8}
ALIKE = Tastes(
    strengths=STRENGTHS,
    taste_spread=0.0,
    image_spread=0.0,
    image_seed=7,
    left_bias=0.0,
    ties=False,
    tie_share=0.2,
    lapse=0.0,
    careless=0.0,
    rt_median_ms=1800.0,
    rt_spread=0.4,
)


def trial(left: str, right: str, number: int = 0, **cells: Any) -> ComparisonTrial:
    return ComparisonTrial(
        task=ComparisonTask.COMPARISON,
        block=1,
        number=1,
        prompt="a bag",
        left=candidate(number, left),
        right=candidate(number, right),
        **cells,
    )


def observer(tastes: Tastes = ALIKE, seed: int = 1) -> ComparingObserver:
    return ComparingObserver(tastes, np.random.default_rng(seed))


def answers(tastes: Tastes, asked: ComparisonTrial, n: int = 4000, seed: int = 1) -> Counter[str]:
    one = observer(tastes, seed)
    return Counter(one.respond_to(asked).answer for _ in range(n))


def sigma(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@pytest.mark.parametrize(("left", "right"), [*combinations("abcd", 2), ("d", "a"), ("c", "c")])
def test_choices_are_those_of_the_strengths(left, right):
    found = answers(ALIKE, trial(left, right))

    assert set(found) <= {"left", "right"}
    assert within_chance(found["left"], 4000, sigma(STRENGTHS[left] - STRENGTHS[right]))


def test_ties_are_as_probable_as_davidson_has_it():
    tied = replace(ALIKE, ties=True, tie_share=0.3)
    nu = 2 * 0.3 / 0.7
    one, other = math.exp(STRENGTHS["a"]), math.exp(STRENGTHS["d"])
    total = one + other + nu * math.sqrt(one * other)
    left, tie = observer(tied).probabilities(candidate(0, "a"), candidate(0, "d"))

    assert left == pytest.approx(one / total)
    assert tie == pytest.approx(nu * math.sqrt(one * other) / total)


@pytest.mark.parametrize("bias", [-0.5, 0.4, 1.0])
def test_a_bias_to_the_left_is_added_to_the_log_odds(bias):
    biased = replace(ALIKE, left_bias=bias)
    for left, right in (("a", "c"), ("c", "a")):
        found = answers(biased, trial(left, right))
        expected = sigma(STRENGTHS[left] - STRENGTHS[right] + bias)
        assert within_chance(found["left"], 4000, expected)


def test_the_careless_always_press_one_key_and_at_once():
    careless = replace(ALIKE, careless=1.0)
    asked = [trial("a", "d"), trial("d", "a"), trial("a", "d", obvious=Choice.LEFT)]
    asked += [replace(one, hasty_ms=500.0) for one in asked]
    keys = set()
    for person in range(40):
        one = observer(careless, person)
        said = [one.respond_to(each) for each in asked]
        assert len({response.answer for response in said}) == 1
        assert {response.rt_ms for response in said} == {CARELESS_MS}
        assert asked[-1].hasty(said[-1].answer, said[-1].rt_ms)
        keys.add(said[0].answer)

    assert keys == {"left", "right"}


def test_as_many_are_careless_as_the_study_says():
    some = replace(ALIKE, careless=0.25)
    quick = sum(
        observer(some, person).respond_to(trial("a", "b")).rt_ms == CARELESS_MS
        for person in range(800)
    )

    assert within_chance(quick, 800, 0.25)


@pytest.mark.parametrize("obvious", [Choice.LEFT, Choice.RIGHT])
def test_what_is_obvious_is_missed_only_in_a_lapse(obvious):
    asked = trial("a", "a", obvious=obvious)
    lapsing = answers(replace(ALIKE, lapse=0.2), asked)

    assert set(answers(ALIKE, asked)) == {obvious.value}
    assert within_chance(lapsing[obvious.value], 4000, 0.9)


def test_a_lapse_is_a_coin():
    lapsing = replace(ALIKE, lapse=0.4, strengths={"a": 50.0, "d": -50.0})
    found = answers(lapsing, trial("a", "d"))

    assert within_chance(found["right"], 4000, 0.2)


def test_whoever_is_too_slow_gives_no_answer():
    asked = trial("a", "b", limit_ms=1800.0)  # the median
    one = observer()
    said = [one.respond_to(asked) for _ in range(2000)]
    late = [response for response in said if response.answer == "none"]

    assert within_chance(len(late), 2000, 0.5)
    assert {response.rt_ms for response in late} == {1800.0}
    assert max(response.rt_ms for response in said) == 1800.0


def test_people_differ_in_their_tastes():
    spread = replace(ALIKE, taste_spread=0.7)
    drawn = [spread.draw(np.random.default_rng(n)) for n in range(600)]
    loved = np.array([one["a"] for one in drawn])

    assert loved.mean() == pytest.approx(STRENGTHS["a"], abs=0.15)
    assert loved.std() == pytest.approx(0.7, rel=0.12)
    assert len({one["a"] - one["b"] for one in drawn}) == 600
    assert ALIKE.draw(np.random.default_rng(1)) == STRENGTHS


def test_images_differ_alike_for_everybody():
    spread = replace(ALIKE, image_spread=0.5)
    looks = [spread.looks(candidate(n, "a").path) for n in range(600)]

    assert np.std(looks) == pytest.approx(0.5, rel=0.12)
    assert np.mean(looks) == pytest.approx(0.0, abs=0.1)
    assert [spread.looks(candidate(n, "a").path) for n in range(600)] == looks
    assert replace(spread, image_seed=8).looks("x") != spread.looks("x")
    better, worse = (candidate(int(n), "a") for n in (np.argmax(looks), np.argmin(looks)))
    found = answers(spread, replace(trial("a", "a"), left=better, right=worse))
    assert within_chance(found["left"], 4000, sigma(max(looks) - min(looks)))
