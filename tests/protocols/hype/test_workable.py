"""What is proposed instead of a staircase that cannot settle does settle."""

import pytest
from long import long_but

from hype.protocols.hype import settling as settling_module
from hype.protocols.hype.settling import find_trials_needed, find_workable, settling
from hype.protocols.hype.staircase import PRESETS, Staircase

HYPE, WEIGHTED = PRESETS["hype"], PRESETS["weighted-75"]


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


def test_larger_steps_score_nearer_to_the_truth():
    (blocks, found), given = find_workable(HYPE, 3, 50), settling(HYPE, 50)

    assert given is not None
    assert found.error(blocks) < 0.6 * given.error(3)


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


def test_steps_too_fine_for_any_number_of_trials(monkeypatch):
    monkeypatch.setattr(settling_module, "MANY_TRIALS", 200)
    assert find_trials_needed(Staircase(down_ms=0.3, up_ms=0.1), 150) is None
