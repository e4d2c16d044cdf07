"""A plan: what its checksum covers, and the wait after an answer that is too fast."""

from dataclasses import replace

import pytest
from builders import named_study, stimulus
from paper_station import PaperStation, block, session

from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.sampling import plan_session
from hype.protocols.hype.staircase import Staircase
from hype.protocols.hype.trial import JudgementTrial, SessionPlan, Task, hype_session
from hype.session.loop import run_session
from hype.session.steps import Page, Screen
from hype.study.assignment import Assignment, Cell

HASTY = Screen(page=Page.HASTY, duration_ms=5000.0)


def hasty_block(task: Task, **changes: object):
    return replace(block(task, 4, **changes), hasty_ms=102.0, wait_ms=5000.0)


@pytest.mark.parametrize("task", [Task.TIME, Task.INFINITY])
def test_only_answers_below_the_shortest_time_cost_a_wait(task):
    plan = session(hasty_block(task), consent=False)
    station = PaperStation()  # answers in 100, 101, 102 and 103 ms
    run_session(hype_session(plan), station, station, station)
    told = [step for step in station.steps if isinstance(step, JudgementTrial) or step == HASTY]

    assert [step == HASTY for step in told] == [False, True, False, True, False, False]


def test_waits_are_the_studys_and_do_not_make_another_plan_of_it(tmp_path):
    study = named_study(tmp_path)
    who = Assignment(
        evaluator="p01", cell=Cell(condition="good", methods=("time",)), left_means="real"
    )
    plan = plan_session(study.settings, read_pools(study), who)
    haste = [(one.task, one.timed, one.hasty_ms) for one in plan.blocks]

    assert haste == [
        (Task.PRACTICE, False, 0.0),
        (Task.QUALIFICATION, False, 250.0),
        (Task.PRACTICE, True, 0.0),
        (Task.TIME, True, 100.0),
        (Task.TIME, True, 100.0),
    ]
    assert {one.wait_ms for one in plan.blocks} == {5000.0}
    still = replace(plan, blocks=tuple(replace(one, hasty_ms=0.0) for one in plan.blocks))
    assert still.checksum() == plan.checksum()


PLAN = session(
    block(Task.PRACTICE, 2, timed=True), block(Task.TIME, 4), block(Task.TIME, 4, number=2)
)


def changed(position: int, **fields: object) -> SessionPlan:
    blocks = list(PLAN.blocks)
    blocks[position] = replace(blocks[position], **fields)
    return replace(PLAN, blocks=tuple(blocks))


first_block = PLAN.blocks[1]


OTHER_PLANS = {
    "order of images": changed(1, stimuli=first_block.stimuli[::-1]),
    "another image": changed(1, stimuli=(stimulus(999), *first_block.stimuli[1:])),
    "order of masks": changed(1, masks=first_block.masks[::-1]),
    "masks within a trial": changed(1, masks=tuple(row[::-1] for row in first_block.masks)),
    "duration of masks": changed(1, mask_ms=40.0),
    "staircase": changed(1, staircase=Staircase(up_ms=20)),
    "exposure of practice": changed(0, exposure_ms=400.0),
    "task": changed(1, task=Task.INFINITY),
    "order of blocks": replace(PLAN, blocks=PLAN.blocks[::-1]),
    "one block fewer": replace(PLAN, blocks=PLAN.blocks[:-1]),
    "image moved over a block's edge": replace(
        PLAN,
        blocks=(
            PLAN.blocks[0],
            replace(first_block, stimuli=first_block.stimuli[:-1]),
            replace(PLAN.blocks[2], stimuli=(first_block.stimuli[-1], *PLAN.blocks[2].stimuli)),
        ),
    ),
    "rate that passes the qualification": replace(PLAN, pass_rate=0.9),
    "spoiled trials come again": changed(1, repeat_spoiled=True),
    "spoiled trials come again in another block": changed(2, repeat_spoiled=True),
}


@pytest.mark.parametrize("what", OTHER_PLANS)
def test_whatever_decides_the_trials_is_in_the_checksum(what):
    others = {name: plan.checksum() for name, plan in OTHER_PLANS.items() if name != what}

    assert OTHER_PLANS[what].checksum() not in {PLAN.checksum(), *others.values()}
