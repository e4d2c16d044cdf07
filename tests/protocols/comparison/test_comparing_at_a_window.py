"""Comparisons and questions at a real window: pictures from the X server, keys and clicks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from long import long_but
from prompted_window import (
    ASKED,
    TRIAL,
    Kept,
    PairWindow,
    Told,
    hold,
    opened_window,
    picture_of,
    plan_of,
    planned,
    press,
    seated,
    station_at,
)
from real_window import InVain, Onlooker

from hype.errors import SessionProblem
from hype.protocols.comparison.trial import ComparisonTask, ComparisonTrial
from hype.protocols.prompted.trial import Choice, course
from hype.session.loop import Script, run_session
from hype.session.steps import Comprehension, Ending, Page, Question, Screen, TypedQuestion
from hype.station.boxes import Box
from hype.station.respondent import HumanRespondent, SimulatedInput
from hype.station.window import window_place, x_window_id
from hype.study.demographics import DemographicSettings

NOWHERE = Box(x=0, y=290, width=2, height=2)
LONG = "a dress with short sleeves, seen from the front, on a hanger that hangs from a nail in wood"
WORDS = replace(ASKED, prompt="words", word_ms=40.0)
SLOWLY = replace(TRIAL, prompt=LONG, words_ms=40.0 * len(LONG.split()))


@pytest.fixture(scope="module")
def pair(display):
    """Open one window for all tests."""
    yield from opened_window(virtual=display)


def test_both_images_stand_where_the_trial_says_pixel_for_pixel(pair, monkeypatch):
    at = station_at(pair, monkeypatch, HumanRespondent())
    shown = at.station.present(TRIAL)
    places, side_px = pair.places(), pair.facts.image_side_px
    screen = at.watched.screens[-1]

    assert at.watched.log == ["take", "take", "flip"]
    assert np.array_equal(pair.cut(screen, places.left), picture_of(TRIAL.left.path, side_px))
    assert np.array_equal(pair.cut(screen, places.right), picture_of(TRIAL.right.path, side_px))
    assert shown.timing is None


def ink(screen: np.ndarray) -> np.ndarray:
    """Return which pixels differ from the background."""
    return (screen != screen[0, 0]).any(axis=2)


@pytest.mark.parametrize("prompt", ["hidden", "shown"])
def test_the_question_is_always_there_and_the_prompt_only_if_shown(pair, monkeypatch, prompt):
    asked = replace(ASKED, prompt=prompt)
    at = station_at(pair, monkeypatch, HumanRespondent(), asked)
    at.station.present(TRIAL)
    places = pair.places(asked)
    (screen,) = at.watched.screens
    above = screen[: round(300 - places.left.top)]

    assert ink(pair.cut(screen, places.question)).sum() > 300
    if places.prompt:
        assert ink(pair.cut(screen, places.prompt)).sum() > 50
    rows = ink(above).any(axis=1)
    bands = np.flatnonzero(np.diff(rows.astype(int)) == 1)
    assert len(bands) == (2 if prompt == "shown" else 1)


@pytest.mark.parametrize(
    ("neither", "answer", "key"),
    [
        ((), "left", "f"),
        ((Choice.TIE,), "tie", "space"),
        ((Choice.TIE, Choice.BOTH_BAD), "both-bad", "b"),
    ],
)
def test_there_is_a_key_for_neither_image_only_where_it_is_on(
    pair, monkeypatch, neither, answer, key
):
    respondent = Onlooker([InVain(press, key if neither else "b"), partial(press, "f")])
    asked = replace(ASKED, neither=neither)
    at = station_at(pair, monkeypatch, respondent, asked)
    _, response = at.answered(TRIAL)
    between = pair.places(replace(asked, neither=neither or (Choice.TIE,))).neither_keys

    for each in between:
        assert ink(pair.cut(at.watched.screens[0], each.cap)).any() == bool(neither)
    assert (response.answer, response.key) == (answer, key)


@pytest.mark.parametrize("place", ["above", "beside"])
def test_a_reference_stands_there_with_its_label_and_is_no_answer(pair, monkeypatch, place):
    asked = replace(ASKED, reference=place)
    places = pair.places(asked)
    steps = [InVain(pair.click, places.reference), partial(pair.click, places.right)]
    at = station_at(pair, monkeypatch, Onlooker(steps), asked)
    _, response = at.answered(replace(TRIAL, reference=replace(TRIAL.left, path="real/0.png")))
    screen = at.watched.screens[0]

    assert response.answer == "right"
    assert ink(pair.cut(screen, places.label)).any()
    for box in (places.left, places.right, places.reference):
        assert pair.cut(screen, box).std() > 1, "a picture"


def test_only_the_question_changes_where_a_pair_has_several(pair, monkeypatch):
    asked = replace(ASKED, questions={**ASKED.questions, "coherence": f"{LONG}?"}, prompt="shown")
    at = station_at(pair, monkeypatch, HumanRespondent(), asked)
    at.station.present(TRIAL)
    at.station.present(replace(TRIAL, number=2, criterion="coherence"))
    before, after = at.watched.screens
    question = pair.places(asked).question
    top, bottom = (round(300 - edge) for edge in (question.top, question.bottom))
    rows = np.flatnonzero((before != after).any(axis=(1, 2)))

    assert top <= rows.min() <= rows.max() <= bottom


def test_words_come_one_by_one_and_none_that_stands_moves(pair, monkeypatch):
    at = station_at(pair, monkeypatch, Onlooker(), WORDS)
    shown = at.station.present(SLOWLY)
    places = pair.places(WORDS)
    prompts = [ink(pair.cut(screen, places.prompt)) for screen in at.watched.screens]
    images = [pair.cut(screen, places.left) for screen in at.watched.screens]

    assert len(prompts) == len(LONG.split()) + 1, "the last screen shows that answers are accepted"
    for before, after in pairwise(prompts[:-1]):
        assert after.sum() > before.sum()
        assert (after | before == after).all()
    assert np.array_equal(prompts[-1], prompts[-2])
    assert prompts[0].any(), "the first word comes with the images"
    assert all(np.array_equal(image, images[0]) for image in images)
    assert len(np.flatnonzero(np.diff(prompts[-1].any(axis=1).astype(int)) == 1)) >= 2
    assert shown.onset_monotonic_s > 0


def test_a_comparison_can_be_answered_once_its_prompt_is_complete_and_that_is_seen(
    pair, monkeypatch
):
    respondent = Onlooker([partial(press, "j")])
    at = station_at(pair, monkeypatch, respondent, WORDS)
    press("f")  # before the question is shown
    pair.click(pair.places(WORDS).left)
    shown, response = at.answered(SLOWLY)
    cap = pair.places(WORDS).left_key.cap
    keys = [pair.cut(screen, cap) for screen in at.watched.screens]

    assert response.answer == "right"
    assert 50 < response.rt_ms < 5000
    assert keys[0].max() < 200 < keys[-1].max()
    assert all(np.array_equal(key, keys[0]) for key in keys[:-1])
    assert shown.onset_unix_s > 1e9


def test_pausing_while_words_come_begins_anew(pair, monkeypatch):
    at = station_at(pair, monkeypatch, Onlooker([partial(press, "f"), partial(press, "j")]), WORDS)
    flip = at.watched.flip

    def pausing_flip() -> None:
        flip()
        if len(at.watched.screens) == 3:
            press("Escape")
            time.sleep(1.0)  # the key arrives before the words end, even on a busy machine

    monkeypatch.setattr(at.watched, "flip", pausing_flip)
    _, response = at.answered(SLOWLY)
    places = pair.places(WORDS)
    amounts = [ink(pair.cut(screen, places.prompt)).sum() for screen in at.watched.screens]

    assert at.pauses == ["resume"]
    assert response.answer == "right"
    assert amounts.count(amounts[0]) >= 2, "the first word comes a second time"
    assert at.watched.log.count("take") == 2


def test_no_answer_in_time_is_none_and_leaves_no_frame(pair, monkeypatch):
    at = station_at(pair, monkeypatch, Onlooker())
    _, response = at.answered(replace(TRIAL, limit_ms=120.0))
    flips = at.watched.log.count("flip")
    at.station.present(Screen(page=Page.REST, values={"done": 1, "blocks": 2}))

    assert (response.answer, response.key, response.rt_ms) == ("none", "", 120.0)
    assert at.watched.log.count("flip") == flips + 1


def test_a_pause_gives_the_whole_time_anew_and_is_marked(pair, monkeypatch):
    """With two pauses, the trial lasts much longer than the limit."""
    trial, kept = replace(TRIAL, limit_ms=900.0), Kept()

    def script() -> Script:
        yield trial
        return Ending.COMPLETE

    deeds = [partial(press, key) for key in ("Escape", "f", "Escape", "f", "j")]
    at = station_at(pair, monkeypatch, Onlooker(deeds, apart_s=0.3))
    run_session(script(), at.station, at.station, kept)
    ((_, _, response),) = kept.rows
    first, *_, last = at.watched.screens

    assert kept.interrupted == [trial, trial]
    assert at.pauses == ["resume", "resume"]
    assert response.answer == "right"
    assert response.rt_ms < 900
    assert np.array_equal(first, last), "after a pause the same pair is shown"


@pytest.mark.parametrize("answer", long_but(["left"], ["left", "tie"]))
def test_what_is_clicked_on_is_the_answer(pair, monkeypatch, answer):
    places = pair.places()
    box = {"left": places.left, "right": places.right, "tie": places.neither_keys[0].cap}[answer]
    respondent = Onlooker(
        [InVain(pair.click, NOWHERE), InVain(pair.click, box, 3), partial(pair.click, box)]
    )
    at = station_at(pair, monkeypatch, respondent)
    _, response = at.answered(TRIAL)

    assert (response.answer, response.key) == (answer, "mouse")
    assert response.rt_ms > 170, "a click next to it or with the right button does not count"


def test_without_a_mouse_there_is_no_pointer_and_no_click(pair, monkeypatch):
    pair.window.mouseVisible = False
    respondent = Onlooker([InVain(pair.click, pair.places().left), partial(press, "j")])
    at = station_at(pair, monkeypatch, respondent, replace(ASKED, mouse=False))
    _, response = at.answered(TRIAL)

    assert (response.answer, response.key) == ("right", "j")
    assert not pair.window.mouseVisible
    assert not any(offer.areas for offer in respondent.offers)
    at.station.present(
        Screen(page=Page.DEBRIEF, values={"answers": 1, "pay": "1", "currency": "$"})
    )
    assert pair.window.mouseVisible, "a page can always be clicked on"
    station_at(pair, monkeypatch, respondent).station.present(TRIAL)
    assert pair.window.mouseVisible


@pytest.mark.parametrize(
    ("key", "answer"), [("j", "right"), pytest.param("space", "tie", marks=pytest.mark.long)]
)
def test_what_was_chosen_is_framed_once_the_answer_is_kept(pair, monkeypatch, key, answer):
    """The frame appears with the next step, when the answer is already in the record."""
    at = station_at(pair, monkeypatch, Onlooker([partial(press, key)]))
    _, response = at.answered(TRIAL)
    assert at.watched.log.count("flip") == 1
    shown = at.station.present(replace(TRIAL, number=2))
    before, framed, _ = at.watched.screens
    changed = np.argwhere((before != framed).any(axis=2))
    places, (width, _) = pair.places(), pair.facts.window_px
    box = {"left": places.left, "right": places.right, "tie": places.neither_keys[0].cap}[answer]

    assert response.answer == answer
    assert len(changed) > 100
    assert abs((changed[:, 1].min() + changed[:, 1].max() + 1 - width) / 2 - box.x) <= 1
    for place in (places.left, places.right):
        assert np.array_equal(pair.cut(before, place), pair.cut(framed, place))
    assert shown.onset_monotonic_s > 0


@pytest.mark.parametrize("page", long_but([Page.HASTY], [Page.HASTY, Page.MISSED]))
def test_a_wait_shows_how_much_of_it_is_left(pair, monkeypatch, page):
    at = station_at(pair, monkeypatch, HumanRespondent())
    step = Screen(page=page, duration_ms=400.0)
    shown, response = at.answered(step)
    *waiting, blank = at.watched.screens
    bright = [int((screen[340:380] > 240).all(axis=2).sum()) for screen in waiting]

    assert len(waiting) >= 4
    assert bright == sorted(bright, reverse=True)
    assert bright[0] > bright[-1]
    assert not ink(blank).any()
    assert (response.answer, shown.timing) == ("", None)


AGE = Question(
    page=Page.ABOUT_YOU,
    name="age",
    text="How old are you?",
    options=("18 to 29", "30 to 44", "45 or older", "I prefer not to say"),
)


UNDERSTOOD = Comprehension(text="What is it?", options=("this", "that"), right="2", paid=False)


@pytest.mark.parametrize(
    ("asked", "key", "answer"),
    [(AGE, "4", ""), (AGE, "KP_2", "30 to 44"), (UNDERSTOOD, "2", "2")],
)
def test_a_question_is_answered_by_its_number(pair, monkeypatch, asked, key, answer):
    respondent = Onlooker(
        [InVain(press, "9"), InVain(press, "f"), partial(press, key)], apart_s=0.06
    )
    at = station_at(pair, monkeypatch, respondent)
    _, response = at.answered(asked)
    assert response.answer == answer
    assert [offer.answer for offer in respondent.offers] == [*asked.answers]


@pytest.mark.parametrize("number", long_but([3], [0, 3]))
def test_a_question_is_answered_by_a_click(pair, monkeypatch, number):
    respondent = Onlooker()
    respondent.deeds = [lambda: pair.click(respondent.offers[number].areas[0])]
    at = station_at(pair, monkeypatch, respondent)
    _, response = at.answered(AGE)
    assert (response.answer, response.key) == ((*AGE.options[:-1], "")[number], "mouse")


def test_all_of_a_question_is_in_the_window(pair, monkeypatch):
    options = tuple(f"{n}: {LONG}" for n in range(8))
    long = replace(AGE, text=f"{LONG}? {LONG}?", options=(*options, "I prefer not to say"))
    at = station_at(pair, monkeypatch, HumanRespondent())
    at.station.present(long)
    written = np.argwhere(ink(at.watched.screens[0]))

    assert written.min() > 5
    assert (written.max(axis=0) < np.array([600, 800]) - 5).all()


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
"""Answers in practice, and then in the scored trials."""
STATEMENTS = {"age": "30 or older", "work": ""}
RT_MS = 30.0
PRACTICE = [planned(number, ComparisonTask.PRACTICE) for number in (8, 9)]
COUNTED = [*(planned(n) for n in range(3)), planned(3, ComparisonTask.VALIDATION)]
PLAN = plan_of(*COUNTED, practice=PRACTICE, questions=QUESTIONS)
EVERYTHING = [Page.WELCOME, Page.CONSENT, Page.ABOUT_YOU, Page.ABOUT_YOU, Page.INSTRUCTIONS]
EVERYTHING += [Page.PRACTICE, Page.CORRECT, Page.WRONG, Page.BLOCK, Page.MISSED, Page.DEBRIEF]


def test_a_whole_session_by_keys_and_by_mouse_in_turn(pair, monkeypatch):
    with seated(pair, Told(TOLD, RT_MS, STATEMENTS)) as robot:
        kept = hold(station_at(pair, monkeypatch, robot), course(PLAN))
    trials = kept.responses(ComparisonTrial)
    used = {response.key for _, _, response in kept.rows if response.key}
    onsets = [shown.onset_monotonic_s for _, shown, _ in kept.rows]

    assert [step.page for step, _, _ in kept.rows if isinstance(step, Screen)] == EVERYTHING
    assert [r.answer for r in trials] == TOLD
    assert [r.answer for r in kept.responses(Question)] == ["30 or older", ""]
    assert {"mouse"} < used <= {"left", "f", "j", "space", "1", "2", "3", "mouse"}
    assert all(response.rt_ms > 0.3 * RT_MS for response in trials)  # a busy window starts late
    assert all(before < after for before, after in pairwise(onsets))


def test_an_answer_that_is_too_late_is_none_and_is_not_taken_for_the_next(pair, monkeypatch):
    class Tardy(Told):
        def respond_to(self, step):
            response = super().respond_to(step)
            is_first = isinstance(step, ComparisonTrial) and step.number == 1
            return replace(response, rt_ms=250.0) if is_first else response

    plan = plan_of(planned(1), planned(2), limit_ms=150.0)
    with seated(pair, Tardy(["left", "right"])) as robot:
        kept = hold(station_at(pair, monkeypatch, robot), course(plan))
    assert [r.answer for r in kept.responses(ComparisonTrial)] == ["none", "right"]


@pytest.mark.parametrize("answer", ["real", "tie"])
def test_an_answer_that_is_not_offered_is_a_fault(pair, monkeypatch, answer):
    with seated(pair, Told([answer])) as robot:
        at = station_at(pair, monkeypatch, robot, replace(ASKED, neither=()))
        with pytest.raises(ValueError, match=f"'{answer}' is not an answer"):
            at.answered(TRIAL)


@contextmanager
def covered(pair: PairWindow) -> Iterator[None]:
    """Cover our window with another one."""
    from Xlib import X, display

    server = display.Display()
    at = window_place(pair.window)
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


YEARS = DemographicSettings(question="How old are you?", kind="number", lowest=18, highest=99)
WORK = DemographicSettings(question="What do you do?", kind="text", longest=6)


def entry(asked: DemographicSettings) -> TypedQuestion:
    return TypedQuestion(
        page=Page.ABOUT_YOU, name="asked", text=asked.question, options=("No answer",), asked=asked
    )


@pytest.mark.parametrize(
    ("asked", "keys", "answer"),
    [
        pytest.param(YEARS, "Return 1 7 Return BackSpace f 8 KP_Enter", "18", id="number"),
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
    _, response = at.answered(entry(YEARS))
    typed, _, resumed = (screen for screen in at.watched.screens[1:4])

    assert at.pauses == ["resume"]
    assert (response.answer, response.key) == ("", "mouse")
    assert np.array_equal(typed, at.watched.screens[-1]) or np.array_equal(typed, resumed)


def test_the_longest_answer_stays_in_its_box(pair, monkeypatch):
    long = DemographicSettings(question="Long? " * 20, kind="text", longest=500)
    at = station_at(pair, monkeypatch, HumanRespondent())
    at.station.present(entry(long))
    at.station._presenters[TypedQuestion].draw(entry(long), None, "Word " * 60, True)
    screen = at.watched.screens[-1]
    written = np.argwhere((screen != screen[0, 0]).any(axis=2))

    assert written.min() > 5
    assert (written.max(axis=0) < np.array([600, 800]) - 5).all()
