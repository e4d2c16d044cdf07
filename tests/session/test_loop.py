"""The session loop: the order of its calls, stopping, and resuming."""

from dataclasses import replace

import pytest
from paper_station import PaperStation, as_answered, block, session

from hype.errors import SessionProblem
from hype.protocols.hype.trial import SessionPlan, Task, hype_session
from hype.session.loop import Answered, run_session
from hype.session.steps import Ending, Page, Response, Screen

PLAN = session(
    block(Task.PRACTICE, 2, feedback=True),
    block(Task.QUALIFICATION, 4),
    block(Task.PRACTICE, 2, number=2, timed=True, feedback=True),
    block(Task.TIME, 4, feedback=True),
    block(Task.TIME, 4, number=2, feedback=True),
    pass_rate=0.5,
)


def run(plan: SessionPlan, station: PaperStation, answered: list = ()) -> Ending:
    return run_session(hype_session(plan), station, station, station, answered=answered)


def test_each_step_is_begun_presented_answered_and_recorded_before_the_next():
    station = PaperStation()
    run(PLAN, station)
    calls = [what for what, _ in station.log]

    assert calls == ["begin", "present", "respond", "record"] * (len(calls) // 4)
    for first in range(0, len(calls), 4):
        begun, shown, answered, recorded = (step for _, step in station.log[first : first + 4])
        assert begun is shown is answered is recorded


def test_recorder_is_done_before_the_script_hears_of_the_answer():
    happened = []

    def script():
        for page in (Page.WELCOME, Page.DEBRIEF):
            yield Screen(page=page)
            happened.append(f"script went on from {page.value}")
        return Ending.COMPLETE

    class Recorder:
        def begin(self, step: Screen) -> None:
            """Do nothing."""

        def record(self, step: Screen, shown: object, response: Response) -> None:
            happened.append(f"{step.page.value} is safe")

    station = PaperStation()
    run_session(script(), station, station, Recorder())

    assert happened == [
        "welcome is safe",
        "script went on from welcome",
        "debrief is safe",
        "script went on from debrief",
    ]


def answered_so_far(k: int) -> list:
    whole = PaperStation()
    run(PLAN, whole)
    return as_answered(whole.rows[:k])


def renamed(past: Answered, **changes: object) -> Answered:
    return replace(past, name=past.name._replace(**changes))


MISMATCHES = {
    "another image": lambda past: [*past[:-1], replace(past[-1], fingerprint="0" * 64)],
    "another task": lambda past: [*past[:-1], renamed(past[-1], task="infinity")],
    "another block": lambda past: [*past[:-1], renamed(past[-1], block=7)],
    "a trial skipped": lambda past: [*past[:3], *past[4:]],
    "a trial twice": lambda past: [*past, past[-1]],
    "two trials swapped": lambda past: [past[1], past[0], *past[2:]],
}


@pytest.mark.parametrize("what", MISMATCHES)
def test_a_record_that_is_not_of_this_plan_is_refused(what):
    station = PaperStation()
    with pytest.raises(SessionProblem, match=r"block \d+ trial \d+: the record and the plan dis"):
        run(PLAN, station, MISMATCHES[what](answered_so_far(10)))
    assert station.steps == []


def test_a_record_that_goes_on_after_a_qualification_now_failed_is_refused():
    """The pass rate was raised later: the session is refused, and not ended as unqualified."""
    whole = PaperStation(lambda trial, n: n not in (2, 3))
    assert run(PLAN, whole) is Ending.COMPLETE
    station = PaperStation()
    with pytest.raises(SessionProblem, match="disagree"):
        run(replace(PLAN, pass_rate=1.0), station, as_answered(whole.rows[:10]))
