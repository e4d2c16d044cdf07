"""An answer faster than the study's shortest sensible time costs a wait, as in comparisons."""

from dataclasses import replace

import pytest
from builders import named_study
from paper_station import PaperStation, block, session

from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.sampling import plan_session
from hype.protocols.hype.trial import JudgementTrial, Task, hype_session
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
