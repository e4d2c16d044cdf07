"""The predicted range of a staircase agrees with simulated blocks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import long_but

from hype.protocols.hype.block_scores import block_mode
from hype.protocols.hype.observer import Psychometric
from hype.protocols.hype.settling import (
    accuracy,
    find_longest_run,
    find_modes,
    find_trials_needed,
    find_workable,
    observer_at,
    settling,
    step_many,
)
from hype.protocols.hype.staircase import PRESETS, Staircase, StaircaseState

HYPE, WEIGHTED = PRESETS["hype"], PRESETS["weighted-75"]
PLAIN = Psychometric(threshold_ms=1.0)


@given(
    rule=st.sampled_from([HYPE, WEIGHTED, Staircase(down_ms=33.3, up_ms=16.7)]),
    answers=st.lists(st.booleans(), max_size=60),
)
def test_many_staircases_step_as_one_does(rule, answers):
    state, at_ms, streak = rule.start(), np.array([rule.start_ms]), np.zeros(1, dtype=np.int64)
    for correct in answers:
        state = rule.step(state, correct)
        at_ms, streak = step_many(rule, at_ms, streak, np.array([correct]))

        assert StaircaseState(float(at_ms[0]), int(streak[0])) == state


@given(st.lists(st.sampled_from([100.0, 110.0, 470.0, 500.0]), min_size=1, max_size=12))
def test_modes_are_those_of_the_score(exposures_ms):
    assert find_modes(np.array([exposures_ms]))[0] == pytest.approx(block_mode(exposures_ms))


@pytest.mark.parametrize("rule", [HYPE, WEIGHTED])
def test_a_true_score_is_where_the_rule_settles(rule):
    person = observer_at(rule, 240.0, PLAIN)

    assert person is not None
    assert accuracy(person, np.array([240.0]))[0] == pytest.approx(rule.settles_at)


@pytest.mark.parametrize("rule", [HYPE, WEIGHTED])
def test_the_rules_of_the_paper_settle_in_its_trials(rule):
    played = settling(rule, 150)

    assert played is not None
    assert played.settles
    assert played.from_ms == 100
    assert (played.to_ms or 0) > 700
    assert 1.6 < played.doubling < 2


def test_more_trials_never_measure_less():
    found = [settling(HYPE, trials) for trials in (20, 60, 100, 150, 300)]
    doublings = [each.doublings for each in found if each]

    assert doublings == sorted(doublings)
    assert doublings[0] < 0.5
    assert doublings[-1] == pytest.approx(np.log2(10))


@pytest.mark.parametrize(
    "rule",
    [
        replace(HYPE, min_ms=500.0, max_ms=500.0),
        replace(HYPE, correct_to_descend=1),
        Staircase(down_ms=1.0, up_ms=60.0),
    ],
    ids=["one exposure", "below chance", "better than people are"],
)
def test_where_nobody_has_a_true_score_nothing_is_played(rule):
    assert settling(rule, 150) is None


@pytest.mark.parametrize(
    ("flags", "run"),
    [([], (0, 0)), ([False], (0, 0)), ([True, False, True, True], (2, 4)), ([True] * 3, (0, 3))],
)
def test_the_longest_run(flags, run):
    assert find_longest_run(flags) == run


@pytest.mark.parametrize("rule", long_but([WEIGHTED], [HYPE, WEIGHTED]))
@pytest.mark.parametrize("trials", long_but([50], [20, 50, 100]))
def test_as_many_images_in_blocks_and_steps_that_settle(rule, trials):
    blocks, found = find_workable(rule, 3, trials)

    assert found.settles
    assert found.trials % 2 == 0
    assert blocks * found.trials <= 3 * trials
    assert found.rule.settles_at == pytest.approx(rule.settles_at)
    assert {found.rule.down_ms % 10, found.rule.up_ms % 10} == {0}, "multiples of 10 ms"
    assert found.rule.down_ms <= found.rule.min_ms


def test_what_settles_is_left_as_it_is():
    blocks, found = find_workable(HYPE, 3, 150)

    assert (blocks, found.trials, found.rule) == (3, 150, HYPE)


@pytest.mark.parametrize("rule", long_but([WEIGHTED], [HYPE, WEIGHTED]))
def test_the_fewest_trials_are_found_in_tens(rule):
    needed = find_trials_needed(rule, 20)

    assert needed is not None
    assert needed % 10 == 0
    enough, fewer = settling(rule, needed), settling(rule, needed - 10)
    assert enough is not None
    assert enough.settles
    assert fewer is not None
    assert not fewer.settles
