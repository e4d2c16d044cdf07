"""The adaptive staircase, compared with hand-worked sequences and with its settle point."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.protocols.hype.staircase import MOST_LEVELS, PRESETS, Staircase


def levels(rule: Staircase, answers: str) -> list[float]:
    """Return the exposure of each trial and the next one; "+" is a correct answer."""
    state = rule.start()
    shown = [state.exposure_ms]
    for answer in answers:
        state = rule.step(state, answer == "+")
        shown.append(state.exposure_ms)
    return shown


@pytest.mark.parametrize(
    ("preset", "settles_at"), [("hype", (1 / 4) ** (1 / 3)), ("weighted-75", 0.75)]
)
def test_presets_settle_where_the_documents_say(preset, settles_at):
    assert PRESETS[preset].settles_at == pytest.approx(settles_at, abs=1e-12)
    assert PRESETS[preset].settles_above_chance


@pytest.mark.parametrize(
    ("preset", "answers", "expected"),
    [
        (
            "hype",
            "+++-++-++++++",
            [500, 500, 500, 470, 480, 480, 480, 490, 490, 490, 460, 460, 460, 430],
        ),
        ("hype", "++-++-++-", [500, 500, 500, 510, 510, 510, 520, 520, 520, 530]),
        ("weighted-75", "++-+--", [500, 490, 480, 510, 500, 530, 560]),
    ],
)
def test_hand_worked_sequences(preset, answers, expected):
    assert levels(PRESETS[preset], answers) == expected


def test_equal_levels_are_equal_numbers_where_steps_are_not_whole():
    """Steps are whole frames at 60 Hz; the score is the mode, so levels must be exactly equal."""
    rule = Staircase(down_ms=50.1, up_ms=16.7, correct_to_descend=3)

    assert levels(rule, "+++---")[-1] == 500


@pytest.mark.parametrize(
    ("down_ms", "up_ms", "in_a_row"), [(1, 3, 1), (3, 1, 3), (1, 1, 2), (1, 1, 4), (2, 5, 2)]
)
def test_long_run_accuracy_converges_to_what_the_rule_says(down_ms, up_ms, in_a_row):
    """The accuracy of an evaluator who improves with exposure settles at ``settles_at``."""
    rule = Staircase(
        start_ms=500,
        min_ms=0,
        max_ms=1000,
        down_ms=down_ms,
        up_ms=up_ms,
        correct_to_descend=in_a_row,
    )
    coin, state, chances = random.Random(1), rule.start(), []
    for _ in range(40_000):
        accuracy = state.exposure_ms / 1000
        chances.append(accuracy)
        state = rule.step(state, coin.random() < accuracy)

    settled = chances[10_000:]
    assert sum(settled) / len(settled) == pytest.approx(rule.settles_at, abs=0.015)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (PRESETS["hype"], range(100, 1001, 10)),
        (PRESETS["weighted-75"], range(100, 1001, 10)),
        (
            Staircase(start_ms=120, min_ms=100, max_ms=150, down_ms=30, up_ms=20),
            (100, 110, 120, 130, 140, 150),
        ),
        (Staircase(start_ms=300, min_ms=100, max_ms=400, down_ms=500, up_ms=500), (100, 300, 400)),
        (Staircase(start_ms=80, min_ms=80, max_ms=80), (80,)),
    ],
)
def test_levels_are_all_that_a_staircase_can_ask_for(rule, expected):
    assert rule.levels() == tuple(expected)


tenths = st.integers(1, 3000).map(lambda n: n / 10)


@given(
    rule=st.builds(
        Staircase,
        start_ms=tenths.map(lambda ms: 500 + ms),
        min_ms=tenths,
        max_ms=tenths.map(lambda ms: 900 + ms),
        down_ms=tenths,
        up_ms=tenths,
        correct_to_descend=st.integers(1, 3),
    ),
    answers=st.lists(st.booleans(), max_size=200),
)
def test_a_run_visits_nothing_but_levels(rule, answers):
    listed = rule.levels()
    state = rule.start()
    visited = {state.exposure_ms}
    for correct in answers:
        state = rule.step(state, correct)
        visited.add(state.exposure_ms)

    assert visited <= set(listed)
    assert list(listed) == sorted(set(listed))


def test_steps_without_a_common_measure_give_a_list_that_ends():
    rule = Staircase(down_ms=7.312341, up_ms=3.1)
    listed = rule.levels()
    gaps = [b - a for a, b in pairwise(listed)]

    assert 10_000 < len(listed) <= MOST_LEVELS + 1
    assert (listed[0], listed[-1]) == (100, 1000)
    assert max(gaps) < 1
