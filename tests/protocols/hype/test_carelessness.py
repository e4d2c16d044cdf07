"""Rules that call evaluators careless: what is counted, and when a rule is broken."""

from dataclasses import replace

import numpy as np
import pytest

from hype.protocols.hype.carelessness import (
    GivenAnswer,
    Habits,
    Rule,
    Rules,
    broken_rules,
    habits_of,
)

ALL = Rules(fast_share=0.5, one_key_share=0.8, catch_error=0.25, longest_run=12)
FINE = Habits(answers=100, fast=50, commonest=80, run=12, caught=20, missed=5)


def rules_broken(rules: Rules, **habits: int) -> list[Rule]:
    counted = {name: getattr(FINE, name) for name in Habits.__slots__} | habits
    return [one.rule for one in broken_rules(Habits(**counted), rules)]


def blocks(*answers: str, task: str = "time", rt_ms: float = 700.0) -> list[GivenAnswer]:
    """Give blocks of answers, a letter each; capitals are wrong answers to catch trials."""
    return [
        GivenAnswer(
            task="catch" if letter.isupper() else task,
            trial=trial,
            answer={"r": "real", "f": "fake"}[letter.lower()],
            correct=letter.islower(),
            rt_ms=rt_ms,
        )
        for block in answers
        for trial, letter in enumerate(block, start=1)
    ]


@pytest.mark.parametrize(
    ("habit", "rule"),
    [
        ({"fast": 51}, Rule.SPEED),
        ({"commonest": 81}, Rule.ONE_KEY),
        ({"missed": 6}, Rule.CATCH),
        ({"run": 13}, Rule.RUN),
    ],
)
def test_a_rule_is_broken_above_its_limit_and_only_where_it_is_stated(habit, rule):
    assert rules_broken(ALL) == []
    assert rules_broken(ALL, **habit) == [rule]
    assert rules_broken(Rules(), **habit) == []


def test_who_met_no_catch_trial_missed_none():
    assert rules_broken(ALL, caught=0, missed=0) == []


def test_what_is_broken_is_said_with_its_numbers():
    habits = Habits(answers=100, fast=60, commonest=90, run=20, caught=20, missed=10)

    assert [one.said for one in broken_rules(habits, ALL)] == [
        "60 of 100 answers are faster than 300 ms (60%; at most 50%)",
        "90 of 100 answers are the same (90%; at most 80%)",
        "10 of 20 catch trials are wrong (50%; at most 25%)",
        "20 equal answers in a row (at most 12)",
    ]


def test_habits_are_counted_over_blocks_and_runs_within_them():
    found = habits_of([*blocks("rrRf", "ffff"), *blocks("fr", rt_ms=299.0)], fast_ms=300.0)

    assert found == Habits(answers=10, fast=2, commonest=6, run=4, caught=1, missed=1)


@pytest.mark.parametrize("looks", [True, False])
def test_the_rules_catch_who_guesses_and_not_who_looks(looks):
    """Three blocks of 150 trials with 10 catch trials each; seeded."""
    rng = np.random.default_rng(22)
    called = 0
    for _ in range(40):
        given = []
        for trial in range(1, 481):
            truth = rng.random() < 0.5
            caught = trial % 16 == 0
            accuracy = 0.5 if not looks else 0.98 if caught else 0.7
            right = bool(rng.random() < accuracy)
            answer = "real" if truth == right else "fake"
            task = "catch" if caught else "time"
            given.append(GivenAnswer(task, (trial - 1) % 160 + 1, answer, right, 700.0))
        called += bool(broken_rules(habits_of(given, 300.0), replace(ALL, longest_run=20)))

    assert called == 0 if looks else called >= 38
