"""A session of comparisons: which screens and trials come, in which order, and how it ends."""

from dataclasses import replace

import pytest
from builders import candidate
from paper_comparer import PaperComparer
from paper_station import as_answered

from hype.protocols.comparison.trial import (
    FEEDBACK_MS,
    ComparisonBlock,
    ComparisonPlan,
    ComparisonTask,
    ComparisonTrial,
    Planned,
    comparison_session,
)
from hype.protocols.prompted.trial import Choice
from hype.session.loop import replay, run_session
from hype.session.steps import Ending, Page, Pay, Question, Response, Screen, TrialName

AGE = Question(page=Page.ABOUT_YOU, name="age", text="How old?", options=("young", "old", "none"))


def compared(number: int, task: ComparisonTask = ComparisonTask.COMPARISON) -> Planned:
    obvious = None if task is ComparisonTask.COMPARISON else Choice.LEFT
    return Planned(
        task=task,
        prompt="a red bag",
        left=candidate(number, "a"),
        right=candidate(number, "b"),
        obvious=obvious,
    )


def block(number: int, first: int, practice: bool = False) -> ComparisonBlock:
    task = ComparisonTask.PRACTICE if practice else ComparisonTask.COMPARISON
    some = [compared(n, task) for n in range(first, first + 2)]
    if not practice:
        some.insert(1, compared(first + 50, ComparisonTask.VALIDATION))
    return ComparisonBlock(number=number, planned=tuple(some), practice=practice)


PLAN = ComparisonPlan(
    evaluator="p01",
    blocks=(block(1, 0, practice=True), block(1, 10), block(2, 20)),
    questions=(AGE,),
    ties=True,
    word_ms=200.0,
    hasty_ms=500.0,
    wait_ms=5000.0,
    limit_ms=8000.0,
    pay=Pay(base=1.0, per_correct=0.03, currency="$"),
    minutes=3,
    consent=True,
    breaks=True,
)
LEFT = Response("left", "f", 900.0)


def answering(**by_number: Response):
    """Answer trials by their number in the session, ``n3`` the fourth; the others with left."""
    return lambda trial, n: by_number.get(f"n{n}", LEFT)


def run(plan: ComparisonPlan = PLAN, **station: object) -> tuple[Ending, PaperComparer]:
    paper = PaperComparer(**{"chooses": answering()} | station)
    return run_session(comparison_session(plan), paper, paper, paper), paper


def test_the_whole_of_it():
    ended, station = run()

    assert ended is Ending.COMPLETE
    assert " ".join(station.pages) == (
        "welcome consent about_you instructions "
        "practice <practice> correct <practice> correct "
        "block <comparison> <validation> <comparison> "
        "rest block <comparison> <validation> <comparison> debrief"
    )
    assert [trial.name for trial, _ in station.rows] == [
        TrialName("practice", 1, 1),
        TrialName("practice", 1, 2),
        TrialName("comparison", 1, 1),
        TrialName("validation", 1, 2),
        TrialName("comparison", 1, 3),
        TrialName("comparison", 2, 1),
        TrialName("validation", 2, 2),
        TrialName("comparison", 2, 3),
    ]


def test_without_consent_questions_breaks_or_practice():
    plain = replace(PLAN, consent=False, questions=(), breaks=False, blocks=PLAN.blocks[1:])
    _, station = run(plain)

    assert " ".join(station.pages) == (
        "welcome instructions block <comparison> <validation> <comparison> "
        "block <comparison> <validation> <comparison> debrief"
    )


def test_a_hasty_answer_costs_a_wait():
    _, station = run(chooses=answering(n2=Response("right", "j", 499.0)))
    after = station.steps[station.steps.index(station.rows[2][0]) + 1]

    assert isinstance(after, Screen)
    assert (after.page, after.duration_ms) == (Page.HASTY, 5000.0)
    assert station.pages.count("hasty") == 1
    assert station.rows[2][0].hasty("right", 499.0)
    assert not station.rows[2][0].hasty("right", 500.0)


def test_a_miss_of_what_is_obvious_costs_a_wait_and_is_not_told_as_one_if_hasty():
    _, station = run(
        chooses=answering(n3=Response("right", "j", 900.0), n6=Response("tie", " ", 100.0))
    )

    assert [page for page in station.pages if page in ("missed", "hasty")] == ["missed", "hasty"]


@pytest.mark.parametrize(("answer", "page"), [("left", Page.CORRECT), ("right", Page.WRONG)])
def test_practice_is_told_right_and_wrong_and_costs_no_wait(answer, page):
    _, station = run(chooses=answering(n0=Response(answer, "f", 10.0)))
    after = station.steps[station.steps.index(station.rows[0][0]) + 1]

    assert (after.page, after.duration_ms) == (page, FEEDBACK_MS)
    assert "hasty" not in station.pages


def test_no_answer_in_time_is_not_hasty_and_not_paid():
    none = Response("none", "", 8000.0)
    _, station = run(chooses=answering(n2=none, n3=none))
    values = station.page(Page.DEBRIEF).values

    assert "hasty" not in station.pages
    assert station.pages.count("missed") == 1
    assert values == {"answers": 4, "pay": "1.12", "currency": "$"}


def test_progress_between_blocks_does_not_count_practice():
    _, station = run()
    blocks = [s.values for s in station.steps if isinstance(s, Screen) and s.page is Page.BLOCK]

    assert [(v["block"], v["blocks"], v["trials"]) for v in blocks] == [(1, 2, 3), (2, 2, 3)]
    assert station.page(Page.REST).values["done"] == 1
    assert station.page(Page.PRACTICE).values == {"trials": 2}


def test_a_trial_knows_what_its_answer_says():
    _, station = run()
    trials = [trial for trial, _ in station.rows]

    assert [trial.correct("left") for trial in trials[:4]] == [True, True, None, True]
    assert trials[3].correct("tie") is False
    assert trials[3].correct("none") is False
    assert {trial.words_ms for trial in trials} == {600.0}
    assert {trial.shown_ms for trial in trials} == {600.0}


def test_the_sides_are_a_part_of_what_a_trial_is():
    """A plan that has the same images the other way round is another plan."""
    _, station = run()
    trial: ComparisonTrial = station.rows[2][0]
    turned = replace(trial, left=trial.right, right=trial.left)

    assert turned.name == trial.name
    assert turned.fingerprint != trial.fingerprint


def test_a_wait_is_not_served_again_by_who_comes_back():
    hasty = answering(n2=Response("right", "j", 10.0))
    whole = run(chooses=hasty)[1].rows
    ahead = replay(comparison_session(PLAN), as_answered(whole[:3]))

    assert ahead == whole[3][0]
