"""Catch trials: where they come from, where they stand, and what they leave as it is."""

from dataclasses import replace

import pytest
from builders import pools_of, settings_of, stimulus
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.protocols.hype.sampling import Pools, plan_session, spread
from hype.protocols.hype.settings import StudyFile
from hype.protocols.hype.trial import SessionPlan, Task
from hype.stimuli.manifest import Truth
from hype.study.assignment import Assignment, Cell
from hype.study.draws import Draws, Purpose, seed_sequence

CATCH = {"trials": 4, "stimuli": "obvious"}


def with_obvious(number: int = 6) -> Pools:
    images = {
        Truth.REAL: tuple(replace(stimulus(n), path=f"catch/real/{n}.png") for n in range(number)),
        Truth.FAKE: tuple(stimulus(n, "plain") for n in range(number)),
    }
    return replace(pools_of(), catch=images)


def plan_of(settings: StudyFile, pools: Pools, *methods: str) -> SessionPlan:
    cell = Cell(condition="good", methods=methods or ("time",))
    who = Assignment(evaluator="p01", cell=cell, left_means="real")
    return plan_session(settings, pools, who)


def test_each_scored_block_has_them_half_real_and_nothing_is_shown_twice():
    both = {"methods": ["time", "infinity"], "evaluator_does": "all-methods"}
    settings = settings_of(catch=CATCH, study=both)
    plan = plan_of(settings, with_obvious(), "time", "infinity")
    caught = [block.catch for block in plan.blocks if block.catch]

    assert [(b.task, b.number) for b in plan.blocks if b.catch] == [
        (Task.TIME, 1),
        (Task.TIME, 2),
        (Task.INFINITY, 1),
    ]
    assert [one.number for one in caught] == [1, 2, 3]  # one name for each trial of the session
    assert [one.exposure_ms for one in caught] == [1000.0, 1000.0, None]
    assert [len(set(row)) for one in caught for row in one.masks] == [4] * 8
    shown = [s for one in caught for s in one.stimuli]
    assert len({s.sha256 for s in shown}) == 12
    assert [sum(s.truth is Truth.REAL for s in one.stimuli) for one in caught] == [2, 2, 2]


def test_all_other_trials_are_those_of_the_study_without():
    without = plan_of(settings_of(), pools_of())
    plan = plan_of(settings_of(catch=CATCH), with_obvious())
    stripped = replace(plan, blocks=tuple(replace(b, catch=None) for b in plan.blocks))

    assert stripped.blocks == without.blocks
    assert stripped.checksum() == without.checksum() != plan.checksum()
    assert plan.minutes >= without.minutes


def test_the_checksum_tells_of_where_and_what_they_are():
    plan = plan_of(settings_of(catch=CATCH), with_obvious())
    *others, block = plan.blocks
    assert block.catch
    changes = (
        {"places": tuple(place + 1 for place in block.catch.places)},
        {"stimuli": block.catch.stimuli[::-1]},
        {"exposure_ms": 900.0},
    )
    for change in changes:
        other = replace(block, catch=replace(block.catch, **change))
        assert replace(plan, blocks=(*others, other)).checksum() != plan.checksum()


@given(st.integers(1, 40), st.integers(0, 200), st.integers(0, 2**32))
def test_they_stand_one_in_each_part_of_a_block(number, others, seed):
    draws = Draws(seed_sequence(seed, "p01", Purpose.CATCH))
    places = spread(number, number + others, draws)

    total = number + others
    for part, place in enumerate(places):
        assert part * total // number < place <= (part + 1) * total // number


def test_too_few_of_them_are_named():
    settings = settings_of(catch=CATCH)
    with pytest.raises(InputError, match="has 3 real images, and one evaluator needs 4"):
        plan_of(settings, with_obvious(3))


def test_trials_need_a_set_of_images():
    with pytest.raises(ValueError, match="stimuli is missing"):
        settings_of(catch={"trials": 4})
