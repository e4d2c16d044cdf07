"""Spoiled trials are shown again at the end of their block, if the study says so."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_station import ByTrial, PaperStation, as_answered, block, session

from hype.protocols.hype.trial import JudgementTrial, SessionPlan, Task, hype_session
from hype.session.loop import run_session
from hype.session.steps import Ending, Outcome, Page, Screen


def plan_of(*, repeat: bool, trials: int = 6, blocks: int = 1) -> SessionPlan:
    """Return a plan of timed blocks with feedback."""
    numbers = range(1, blocks + 1)
    parts = (
        block(Task.TIME, trials, number=n, feedback=True, repeat_spoiled=repeat) for n in numbers
    )
    return session(*parts, consent=False, breaks=False)


PLAN = plan_of(repeat=True)


def nth(*numbers: int) -> ByTrial:
    """Return a function that is true for these trials of a block."""
    return lambda trial, _: trial.number in numbers


def run(
    plan: SessionPlan,
    spoils: ByTrial = lambda t, n: False,
    correct: ByTrial = lambda t, n: True,
    run_out: ByTrial = lambda t, n: False,
) -> PaperStation:
    """Run a session to its end."""
    station = PaperStation(correct, spoils=spoils, run_out=run_out)
    assert run_session(hype_session(plan), station, station, station) is Ending.COMPLETE
    return station


def shown(station: PaperStation) -> list[tuple[int, int | None]]:
    """Return the number and ``repeats`` of each trial."""
    return [(trial.number, trial.repeats) for trial, _ in station.rows]


CASES: dict[str, tuple[ByTrial, list[tuple[int, int | None]]]] = {
    "none": (nth(), []),
    "one": (nth(2), [(7, 2)]),
    "several, in their order": (nth(5, 1), [(7, 1), (8, 5)]),
    "the last": (nth(6), [(7, 6)]),
    "one, and its repetition too": (nth(2, 7), [(7, 2)]),
    "all, and all repetitions": (lambda t, n: True, [(n + 6, n) for n in range(1, 7)]),
}


@pytest.mark.parametrize("lost", ["spoils", "run_out"])
@pytest.mark.parametrize("case", CASES)
def test_lost_trials_come_again_once_at_the_end_with_new_numbers(case, lost):
    """Unanswered trials are repeated in every study."""
    is_lost, again = CASES[case]
    station = run(plan_of(repeat=lost == "spoils"), **{lost: is_lost})

    assert shown(station) == [(n, None) for n in range(1, 7)] + again


def test_a_repetition_shows_the_same_image_under_the_same_masks():
    station = run(PLAN, nth(2, 5))
    trials = {trial.number: trial for trial, _ in station.rows}

    for repetition, original in ((7, 2), (8, 5)):
        again, first = trials[repetition], trials[original]
        assert (again.stimulus, again.masks, again.mask_ms, again.task, again.block) == (
            (first.stimulus, first.masks, first.mask_ms, first.task, first.block)
        )


booleans = st.lists(st.booleans(), min_size=12, max_size=12)


def by_number(values: list[bool]) -> ByTrial:
    """Return a function that gives these values for the trials of a block, in order."""
    return lambda trial, _: values[trial.number - 1]


def by_image(trial: JudgementTrial) -> int:
    """Return the number of a trial's image in `PLAN`'s block."""
    return PLAN.blocks[0].stimuli.index(trial.stimulus)


@given(spoilt=booleans, right=st.lists(st.booleans(), min_size=6, max_size=6))
def test_the_staircase_hears_of_each_planned_image_once(spoilt, right):
    """The result equals that of a faultless block in the order of the unspoiled presentations."""
    station = run(PLAN, by_number(spoilt), lambda trial, n: right[by_image(trial)])
    counted = [
        (trial, outcome)
        for trial, outcome in station.rows
        if not outcome.spoiled or trial.repeats is not None
    ]
    images = [by_image(trial) for trial, _ in counted]
    rule = PLAN.blocks[0].staircase
    state = rule.start()

    assert sorted(images) == list(range(6))
    for trial, outcome in counted:
        assert trial.exposure_ms == state.exposure_ms
        state = rule.step(state, trial.correct(outcome.answer))


def test_what_is_not_answered_in_time_moves_no_staircase_and_is_no_answer():
    station = run(PLAN, run_out=nth(2, 5, 7))  # 7 repeats 2, and is not answered either
    told = [s.page for s in station.steps if isinstance(s, Screen) and s.duration_ms is not None]

    assert [trial.exposure_ms for trial, _ in station.rows] == [500.0] * 4 + [470.0] * 4
    assert told == [
        *(Page.CORRECT, Page.LATE, Page.CORRECT, Page.CORRECT, Page.LATE, Page.CORRECT),
        *(Page.LATE, Page.CORRECT),
    ]
    assert station.page(Page.DEBRIEF).values["shown"] == 5


@pytest.mark.parametrize("right", [True, False])
def test_feedback_on_a_spoiled_trial_keeps_the_truth_for_its_repetition(right):
    station = run(PLAN, nth(1, 3, 7), lambda trial, n: right)
    told = [s for s in station.steps if isinstance(s, Screen) and s.duration_ms is not None]
    truth = Page.CORRECT if right else Page.WRONG

    assert [screen.page for screen in told] == [
        *(Page.AGAIN, truth, Page.AGAIN, truth, truth, truth),
        *(truth, truth),  # one was spoiled again, and is not shown a third time
    ]
    assert {screen.duration_ms for screen in told} == {600.0}


@given(spoilt=booleans, right=booleans)
def test_resuming_after_any_trial_goes_on_as_if_nothing_had_happened(spoilt, right):
    whole = run(PLAN, by_number(spoilt), by_number(right))

    for k in range(1, len(whole.rows) + 1):
        rest = PaperStation(by_number(right), spoils=by_number(spoilt), before=k)
        answered = as_answered(whole.rows[:k])
        ended = run_session(hype_session(PLAN), rest, rest, rest, answered=answered)
        trials = [step for step in whole.steps if isinstance(step, JudgementTrial)]

        assert ended is Ending.COMPLETE
        assert [s for s in rest.steps if isinstance(s, JudgementTrial)] == trials[k:]
        assert rest.steps[-1] == whole.steps[-1]
        assert whole.rows[:k] + rest.rows == whole.rows


CUT: dict[str, Callable[[Outcome], Outcome]] = {
    "as spoiled": lambda outcome: Outcome(outcome.response, spoiled=True),
    "as good": lambda outcome: Outcome(outcome.response, spoiled=False),
}


@pytest.mark.parametrize(("recorded", "again"), [("as spoiled", [(7, 1)]), ("as good", [])])
def test_what_the_record_says_of_the_screen_decides(recorded, again):
    whole = run(PLAN, nth())
    trial, outcome = whole.rows[0]
    rest = PaperStation(before=1)
    answered = as_answered([(trial, CUT[recorded](outcome))])
    run_session(hype_session(PLAN), rest, rest, rest, answered=answered)

    assert shown(rest) == [(n, None) for n in range(2, 7)] + again


@pytest.mark.parametrize("repeat", [True, False])
def test_a_flashed_trial_that_was_left_comes_from_its_countdown_and_is_spoiled(repeat):
    plan = plan_of(repeat=repeat)
    station = PaperStation(times=True, leaves={2})
    run_session(hype_session(plan), station, station, station)

    left = [step for what, step in station.log if what == "interrupt"]
    third = [what for what, step in station.log if step is left[0]]
    assert [(trial.number, len(left)) for trial in left] == [(3, 1)]
    assert third == [*("begin", "present", "respond", "interrupt"), *("begin", "present"),
                     *("respond", "record")]  # fmt: skip
    assert [outcome.spoiled for trial, outcome in station.rows if trial.number == 3] == [True]
    assert shown(station) == [(n, None) for n in range(1, 7)] + ([(7, 3)] if repeat else [])


def test_a_session_goes_on_with_what_was_left_from_its_answers_alone():
    """The record names the trial that was cut off; the rows tell which others to repeat."""
    whole = PaperStation(times=True, leaves={1, 4}, answers_correctly=nth(1, 2, 5, 7))
    run_session(hype_session(PLAN), whole, whole, whole)
    for done in range(1, len(whole.rows)):
        past, (step, outcome) = whole.rows[:done], whole.rows[done]
        again = PaperStation(times=True, answers_correctly=nth(1, 2, 5, 7), before=done)
        cut_off = {step.name} if outcome.spoiled else set()
        again.leaves = {4} - set(range(done + 1))
        run_session(
            *(hype_session(PLAN), again, again, again),
            answered=as_answered(past),
            cut_off=cut_off,
        )
        assert [t for t, _ in past + again.rows] == [t for t, _ in whole.rows]
        assert [o.spoiled for _, o in past + again.rows] == [o.spoiled for _, o in whole.rows]


@given(spoilt=booleans, right=st.lists(st.booleans(), min_size=6, max_size=6))
def test_where_spoiled_trials_are_kept_the_screen_changes_nothing(spoilt, right):
    plan = plan_of(repeat=False)
    spoiled, clean = (run(plan, spoils, by_number(right)) for spoils in (by_number(spoilt), nth()))

    assert spoiled.steps == clean.steps
    assert shown(spoiled) == [(n, None) for n in range(1, 7)]


def test_a_block_is_done_with_its_planned_trials_whatever_is_repeated():
    done = [trial.done_after(outcome.answer) for trial, outcome in run(PLAN, nth(2)).rows]
    assert done == [*(n / 6 for n in range(1, 7)), 1.0]


def test_a_block_without_feedback_says_too_that_there_was_no_answer_in_time():
    plan = session(block(Task.TIME, 6, feedback=False), consent=False, breaks=False)
    station = run(plan, run_out=nth(2))

    assert station.pages.count("late") == 1
    assert not {"correct", "wrong", "hasty"} & set(station.pages)
