"""Comparisons and demographics are stored and read again; votes are counted."""

from typing import Any

import pytest
from builders import candidate
from entered import enter
from paper_station import rows_of
from sqlalchemy import Engine, select

from hype.protocols.comparison.arena import count_votes
from hype.protocols.comparison.record import comparisons
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.prompted.trial import Candidate, Choice
from hype.session.loop import Presentation
from hype.session.steps import Page, Question, Response
from hype.store.recorder import DurableRecorder
from hype.store.schema import demographics, evaluators, events, sessions

SHOWN = Presentation(1.7e9, 12.5)
AGE = Question(page=Page.ABOUT_YOU, name="age", text="How old?", options=("young", "old", "none"))


def compared(number: int, left: str = "a", right: str = "b", **cells: Any) -> ComparisonTrial:
    usual: dict[str, Any] = {"task": ComparisonTask.COMPARISON, "block": 1, "prompt": "a bag"}
    usual["criterion"] = "preference"
    images: dict[str, Candidate] = {
        "left": candidate(number, left),
        "right": candidate(number, right),
    }
    return ComparisonTrial(**usual | images | {"number": number, "hasty_ms": 500.0} | cells)


def test_a_comparison_is_kept_as_it_was(engine):
    owner = enter(engine)
    recorder = DurableRecorder(engine, owner)
    recorder.begin(compared(1))
    with engine.connect() as connection:
        assert connection.execute(select(sessions.c.showing)).scalar() == "comparison 1 1"
    recorder.record(compared(1), SHOWN, Response("right", "mouse", 499.5))
    (row,) = rows_of(engine, comparisons)

    assert row._asdict() == {
        "id": 1,
        "evaluator_id": owner["evaluator_id"],
        "session_id": owner["session_id"],
        "simulated": False,
        "task": "comparison",
        "block": 1,
        "trial": 1,
        "prompt": "a bag",
        "criterion": "preference",
        "left_image": "fake/a/a-bag-01.png",
        "left_sha256": candidate(1, "a").sha256,
        "left": "a",
        "right_image": "fake/b/a-bag-01.png",
        "right_sha256": candidate(1, "b").sha256,
        "right": "b",
        "obvious": None,
        "answer": "right",
        "correct": None,
        "hasty": True,
        "rt_ms": 499.5,
        "key": "mouse",
        "onset_unix_s": 1.7e9,
        "onset_monotonic_s": 12.5,
        "confidence": None,
        "why": None,
    }
    with engine.connect() as connection:
        assert connection.execute(select(sessions.c.showing)).scalar() is None


@pytest.mark.parametrize(
    ("answer", "rt_ms", "correct", "hasty"),
    [
        ("left", 900.0, True, False),
        ("right", 900.0, False, False),
        ("tie", 100.0, False, True),
        ("none", 100.0, False, False),
    ],
)
def test_what_is_obvious_is_right_or_wrong_and_no_answer_is_never_hasty(
    answer, rt_ms, correct, hasty, engine
):
    recorder = DurableRecorder(engine, enter(engine))
    asked = compared(1, task=ComparisonTask.VALIDATION, obvious=Choice.LEFT)
    recorder.record(asked, SHOWN, Response(answer, "f", rt_ms))
    (row,) = rows_of(engine, comparisons)

    assert (row.obvious, row.correct, row.hasty) == ("left", correct, hasty)


def test_what_people_say_of_themselves_is_in_no_event(engine):
    recorder = DurableRecorder(engine, enter(engine))
    recorder.record(AGE, SHOWN, Response("old", "2", 900.0))
    (row,) = rows_of(engine, demographics)
    (event,) = rows_of(engine, events)

    assert (row.question, row.answer) == ("age", "old")
    assert (event.event, event.answer, event.rt_ms) == ("about_you", "", 900.0)


def test_whoever_is_asked_again_has_answered_anew(engine):
    recorder = DurableRecorder(engine, enter(engine))
    other = DurableRecorder(engine, enter(engine, "p02"))
    for each in (recorder, other):
        each.record(AGE, SHOWN, Response("old"))
    recorder.record(AGE, SHOWN, Response(""))

    assert sorted((row.evaluator_id, row.answer) for row in rows_of(engine, demographics)) == [
        (1, ""),
        (2, "old"),
    ]


def vote(engine: Engine, owner: dict[str, object], *said: tuple[int, str, str, str]) -> None:
    recorder = DurableRecorder(engine, owner)
    for number, left, right, answer in said:
        recorder.record(compared(number, left, right), SHOWN, Response(answer, "f", 700.0))


def test_votes_are_counted_by_evaluator(engine):
    one, other = enter(engine), enter(engine, "p02")
    vote(engine, one, (1, "a", "b", "left"), (2, "b", "a", "left"), (3, "b", "a", "right"))
    vote(engine, one, (4, "a", "c", "tie"), (5, "a", "c", "none"), (6, "gone", "a", "left"))
    vote(engine, other, (1, "c", "b", "right"))
    vote(engine, enter(engine, "sim", simulated=True), (1, "a", "b", "left"))
    validation = compared(7, task=ComparisonTask.VALIDATION, obvious=Choice.LEFT)
    DurableRecorder(engine, one).record(validation, SHOWN, Response("left"))
    with engine.connect() as connection:
        people_ = count_votes(connection, "abc", simulated=False)
        robots = count_votes(connection, "abc", simulated=True)

    assert people_.points.tolist() == [[0, 2, 0.5], [1, 0, 1], [0.5, 0, 0]]
    assert people_.finished.number == 0
    assert robots.points.sum() == 1


def test_only_who_has_finished_is_looked_at_in_the_order_of_finishing(engine):
    late, soon, still = (enter(engine, code) for code in ("late", "soon", "still"))
    vote(engine, late, (1, "a", "b", "left"))
    vote(engine, soon, (1, "b", "c", "left"))
    vote(engine, still, (1, "a", "c", "left"))
    vote(engine, late, (2, "a", "b", "right"))
    with engine.begin() as connection:
        done = evaluators.update().where(evaluators.c.evaluator != "still")
        connection.execute(done.values(status="complete"))
        found = count_votes(connection, "abc", simulated=False)

    assert found.points.sum() == 4
    assert found.finished.people.tolist() == [1, 0, 1]
    assert found.finished.items is None, "with so few images nothing is known about others"
