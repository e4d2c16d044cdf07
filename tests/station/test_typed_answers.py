"""What somebody types about themselves at a real window: taken only if the study takes it."""

from functools import partial

import numpy as np
import pytest
from prompted_window import opened_window, press, station_at
from real_window import Onlooker

from hype.session.steps import Page, TypedQuestion
from hype.station.respondent import HumanRespondent
from hype.study.demographics import DemographicSettings

AGE = DemographicSettings(question="How old are you?", kind="number", lowest=18, highest=99)
WORK = DemographicSettings(question="What do you do?", kind="text", longest=6)


def entry(asked: DemographicSettings) -> TypedQuestion:
    return TypedQuestion(
        page=Page.ABOUT_YOU, name="asked", text=asked.question, options=("No answer",), asked=asked
    )


@pytest.fixture(scope="module")
def pair(display):
    """Open one window for all."""
    yield from opened_window(virtual=display)


@pytest.mark.parametrize(
    ("asked", "keys", "answer"),
    [
        pytest.param(AGE, "Return 1 7 Return BackSpace f 8 KP_Enter", "18", id="number"),
        pytest.param(WORK, "space P a space i n n Return", "Pa inn", id="text"),
        pytest.param(WORK, "A f j Tab", "", id="withheld"),
    ],
)
def test_what_is_typed_is_taken_once_it_is_an_answer(asked, keys, answer, pair, monkeypatch):
    respondent = Onlooker([partial(press, key) for key in keys.split()], apart_s=0.06)
    at = station_at(pair, monkeypatch, respondent)
    shown, response = at.answered(entry(asked))

    assert response.answer == answer
    assert response.key == ("return" if answer else "tab")
    assert response.rt_ms > 60 * (len(keys.split()) - 1)
    assert shown.timing is None


def test_it_can_be_withheld_by_a_click_and_pausing_keeps_what_was_typed(pair, monkeypatch):
    respondent = Onlooker(apart_s=0.06)
    respondent.deeds = [
        *(partial(press, key) for key in ("4", "Escape", "Left")),
        lambda: pair.click(respondent.offers[0].areas[0]),
    ]
    at = station_at(pair, monkeypatch, respondent)
    _, response = at.answered(entry(AGE))
    typed, _, resumed = (screen for screen in at.watched.screens[1:4])

    assert at.pauses == ["resume"]
    assert (response.answer, response.key) == ("", "mouse")
    assert np.array_equal(typed, at.watched.screens[-1]) or np.array_equal(typed, resumed)


def test_the_longest_answer_stays_in_its_box(pair, monkeypatch):
    long = DemographicSettings(question="Long? " * 20, kind="text", longest=500)
    at = station_at(pair, monkeypatch, HumanRespondent())
    at.station.present(entry(long))
    at.station._presenters[TypedQuestion]._draw_entry(entry(long), "Word " * 60, True)
    screen = at.watched.screens[-1]
    written = np.argwhere((screen != screen[0, 0]).any(axis=2))

    assert written.min() > 5
    assert (written.max(axis=0) < np.array([600, 800]) - 5).all()
