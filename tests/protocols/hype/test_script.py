"""The HYPE session: its screens and trials, their order, and its ending."""

import pytest
from paper_station import PaperStation, block, session

from hype.protocols.hype.trial import JudgementTrial, SessionPlan, Task, hype_session
from hype.session.loop import run_session
from hype.session.steps import Ending, Page
from hype.stimuli.manifest import Truth


def run(plan: SessionPlan, **station: object) -> tuple[Ending, PaperStation]:
    paper = PaperStation(**station)
    return run_session(hype_session(plan), paper, paper, paper), paper


TIME_SESSION = session(
    block(Task.PRACTICE, 2, feedback=True),
    block(Task.QUALIFICATION, 4),
    block(Task.PRACTICE, 2, number=2, timed=True, feedback=True),
    block(Task.TIME, 4, feedback=True),
    block(Task.TIME, 4, number=2, feedback=True),
)

DESIGNS = {
    "time, all of it": (
        TIME_SESSION,
        "welcome consent instructions_untimed practice <practice> correct <practice> correct "
        "qualification <qualification> "
        "qualified instructions_timed practice <practice> correct <practice> correct "
        "block <time> correct <time> correct <time> correct <time> correct "
        "rest block <time> correct <time> correct <time> correct <time> correct debrief",
    ),
    "infinity after a qualification": (
        session(block(Task.QUALIFICATION, 4), block(Task.INFINITY, 4)),
        "welcome consent instructions_untimed qualification <qualification> qualified block "
        "<infinity> debrief",
    ),
    "infinity alone": (
        session(block(Task.INFINITY, 4), consent=False),
        "welcome instructions_untimed block <infinity> debrief",
    ),
    "time alone, without breaks": (
        session(block(Task.TIME, 2), block(Task.TIME, 2, number=2), breaks=False, consent=False),
        "welcome instructions_timed block <time> block <time> debrief",
    ),
    "both methods": (
        session(
            block(Task.QUALIFICATION, 2),
            block(Task.TIME, 2),
            block(Task.INFINITY, 2),
            consent=False,
        ),
        "welcome instructions_untimed qualification <qualification> qualified instructions_timed "
        "block <time> rest instructions_untimed block <infinity> debrief",
    ),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_order_of_screens_and_trials(design):
    plan, expected = DESIGNS[design]
    ended, station = run(plan)

    assert ended is Ending.COMPLETE
    assert station.pages == expected.split()


def test_only_timed_blocks_have_an_exposure_and_only_scored_ones_a_staircase():
    _, station = run(TIME_SESSION, answers_correctly=lambda trial, n: trial.task is not Task.TIME)
    exposures: dict[tuple[Task, int], list[float | None]] = {}
    for trial, _ in station.rows:
        exposures.setdefault((trial.task, trial.block), []).append(trial.exposure_ms)

    assert exposures == {
        (Task.PRACTICE, 1): [None, None],
        (Task.QUALIFICATION, 1): [None] * 4,
        (Task.PRACTICE, 2): [500, 500],
        (Task.TIME, 1): [500, 510, 520, 530],
        (Task.TIME, 2): [500, 510, 520, 530],  # every block starts again at 500 ms
    }
    assert station.page(Page.REST).values == {"block": 2, "blocks": 2, "done": 1, "trials": 4}


@pytest.mark.parametrize(
    ("reals", "fakes", "ending"),
    [
        (33, 33, Ending.COMPLETE),
        (50, 33, Ending.COMPLETE),
        (32, 33, Ending.UNQUALIFIED),
        (32, 50, Ending.UNQUALIFIED),
        (50, 32, Ending.UNQUALIFIED),  # 82% correct overall, but below the limit on fakes
        (0, 50, Ending.UNQUALIFIED),
    ],
)
def test_qualification_is_passed_with_33_of_50_on_both_sides(reals, fakes, ending):
    plan = session(block(Task.QUALIFICATION, 100), block(Task.INFINITY, 4))
    right = {Truth.REAL: reals, Truth.FAKE: fakes}
    earlier = {Truth.REAL: 0, Truth.FAKE: 0}

    def answer(trial: JudgementTrial, n: int) -> bool:
        earlier[trial.stimulus.truth] += 1
        return earlier[trial.stimulus.truth] <= right[trial.stimulus.truth]

    ended, station = run(plan, answers_correctly=answer)

    assert ended is ending
    assert len(station.rows) == (104 if ending is Ending.COMPLETE else 100)


@pytest.mark.parametrize(
    ("rate", "least"), [(0.55, 55), (0.65, 65), (0.29, 29), (0.58, 58), (1.0, 100), (0.0, 0)]
)
def test_a_rate_of_a_hundred_is_that_many_of_each_kind(rate, least):
    """In binary, 0.55, 0.29 and 0.58 times 100 are not whole numbers."""
    for correct, ending in ((least, Ending.COMPLETE), (least - 1, Ending.UNQUALIFIED)):
        if correct < 0:
            continue
        plan = session(block(Task.QUALIFICATION, 200), block(Task.INFINITY, 2), pass_rate=rate)
        ended, _ = run(plan, answers_correctly=lambda t, n, correct=correct: n < 2 * correct)
        assert ended is ending, correct


def test_who_fails_is_thanked_paid_the_base_and_asked_no_further():
    ended, station = run(TIME_SESSION, answers_correctly=lambda trial, n: False)

    assert ended is Ending.UNQUALIFIED
    assert station.steps[-1] == station.page(Page.UNQUALIFIED)
    assert station.page(Page.UNQUALIFIED).values == {"pay": "1.00", "currency": "$"}
    assert {t.task for t, _ in station.rows} == {Task.PRACTICE, Task.QUALIFICATION}


def test_practice_counts_neither_for_the_qualification_nor_for_score_and_pay():
    def answer(trial: JudgementTrial, n: int) -> bool:
        return trial.task is not Task.PRACTICE and not (trial.task is Task.TIME and n == 8)

    ended, station = run(TIME_SESSION, answers_correctly=answer)

    assert ended is Ending.COMPLETE
    assert station.page(Page.DEBRIEF).values == {
        "correct": 7,
        "shown": 8,
        "accuracy": 88,
        "pay": "1.14",  # 1.00 + 7 x 0.02
        "currency": "$",
    }
