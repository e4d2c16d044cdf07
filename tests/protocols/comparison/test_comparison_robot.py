"""Whole little sessions of comparisons at a real window, by a robot that presses and clicks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import pytest
from prompted_window import (
    ASKED,
    TRIAL,
    PairWindow,
    Told,
    hold,
    opened_window,
    plan_of,
    planned,
    seated,
    station_at,
)

from hype.errors import SessionProblem
from hype.protocols.comparison.trial import (
    ComparisonTask,
    ComparisonTrial,
    comparison_session,
)
from hype.session.steps import Page, Question, Screen
from hype.station.boxes import Box
from hype.station.respondent import SimulatedInput
from hype.station.window import covered_by, x_window_id

QUESTIONS = (
    Question(
        page=Page.ABOUT_YOU,
        name="age",
        text="How old are you?",
        options=("18 to 29", "30 or older", "I prefer not to say"),
    ),
    Question(
        page=Page.ABOUT_YOU,
        name="work",
        text="Do you work with images?",
        options=("yes", "no", "I prefer not to say"),
    ),
)
TOLD = ["left", "right", "left", "right", "tie", "right"]
"""In practice, and then."""
STATEMENTS = {"age": "30 or older", "work": ""}
RT_MS = 30.0
PRACTICE = [planned(number, ComparisonTask.PRACTICE) for number in (8, 9)]
COUNTED = [*(planned(n) for n in range(3)), planned(3, ComparisonTask.VALIDATION)]
PLAN = plan_of(*COUNTED, practice=PRACTICE, questions=QUESTIONS)
EVERYTHING = [Page.WELCOME, Page.CONSENT, Page.ABOUT_YOU, Page.ABOUT_YOU, Page.INSTRUCTIONS]
EVERYTHING += [Page.PRACTICE, Page.CORRECT, Page.WRONG, Page.BLOCK, Page.MISSED, Page.DEBRIEF]


@pytest.fixture(scope="module")
def pair(display):
    """Open one window for all."""
    yield from opened_window(virtual=display)


@pytest.mark.parametrize(
    ("clicks", "keys"),
    [
        pytest.param(
            *("never", {"left", "f", "j", "space", "1", "2", "3"}), marks=pytest.mark.long
        ),
        pytest.param("always", {"mouse"}, marks=pytest.mark.long),
        ("alternate", {"left", "f", "j", "space", "1", "2", "3", "mouse"}),
    ],
)
def test_a_whole_session_by_keys_by_mouse_and_by_both(pair, monkeypatch, clicks, keys):
    with seated(pair, Told(TOLD, RT_MS, STATEMENTS), clicks) as robot:
        kept = hold(station_at(pair, monkeypatch, robot), comparison_session(PLAN))
    trials = kept.responses(ComparisonTrial)
    used = {response.key for _, _, response in kept.rows if response.key}
    onsets = [shown.onset_monotonic_s for _, shown, _ in kept.rows]

    assert [step.page for step, _, _ in kept.rows if isinstance(step, Screen)] == EVERYTHING
    assert [r.answer for r in trials] == TOLD
    assert [r.answer for r in kept.responses(Question)] == ["30 or older", ""]
    assert used <= keys
    assert ("mouse" in used) == (clicks != "never")
    assert (used == {"mouse"}) == (clicks == "always")
    assert all(response.rt_ms > 0.3 * RT_MS for response in trials)  # a busy window listens late
    assert all(before < after for before, after in pairwise(onsets))


def test_a_robot_without_a_mouse_presses_keys_however_it_was_told(pair, monkeypatch):
    with seated(pair, Told(["left", "right", "tie"]), "always") as robot:
        at = station_at(pair, monkeypatch, robot, replace(ASKED, mouse=False))
        kept = hold(at, comparison_session(plan_of(*COUNTED[:3])))
    assert [r.key for r in kept.responses(ComparisonTrial)] == ["f", "j", "space"]


def test_an_answer_that_is_too_late_is_none_and_is_not_taken_for_the_next(pair, monkeypatch):
    class Tardy(Told):
        def respond_to(self, step):
            response = super().respond_to(step)
            is_first = isinstance(step, ComparisonTrial) and step.number == 1
            return replace(response, rt_ms=250.0) if is_first else response

    plan = plan_of(planned(1), planned(2), limit_ms=150.0)
    with seated(pair, Tardy(["left", "right"]), "never") as robot:
        kept = hold(station_at(pair, monkeypatch, robot), comparison_session(plan))
    assert [r.answer for r in kept.responses(ComparisonTrial)] == ["none", "right"]


@pytest.mark.parametrize("answer", ["real", "tie"])
def test_an_answer_that_is_not_offered_is_a_fault(pair, monkeypatch, answer):
    with seated(pair, Told([answer]), "never") as robot:
        at = station_at(pair, monkeypatch, robot, replace(ASKED, ties=False))
        with pytest.raises(ValueError, match=f"'{answer}' is no answer"):
            at.answered(TRIAL)


@contextmanager
def covered(pair: PairWindow) -> Iterator[None]:
    """Lay another window over ours."""
    from Xlib import X, display

    server = display.Display()
    at = covered_by(pair.window)
    root = server.screen().root
    shape = (at.x_px, at.y_px, at.width_px, at.height_px, 0, X.CopyFromParent)
    other = root.create_window(*shape, override_redirect=True)
    other.map()
    server.sync()
    yield
    other.destroy()
    server.sync()
    server.close()


def test_simulated_clicks_stay_off_other_windows(pair):
    hands = SimulatedInput(x_window_id(pair.window))
    box = Box(x=0, y=0, width=10, height=10)
    with covered(pair), pytest.raises(SessionProblem, match="another window is under the pointer"):
        hands.click(box)
    hands.click(box)
    hands.leave()
