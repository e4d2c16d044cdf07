"""Ratings at a real window, as the X server shows it: what is seen, and what is taken."""

from dataclasses import replace

import numpy as np
import pytest
from prompted_window import (
    LOOK,
    PAY,
    Told,
    answers_of,
    candidate,
    changed,
    hold,
    later,
    opened_window,
    picture_of,
    press,
    seated,
    station_at,
)
from real_window import InVain, Onlooker

from hype.protocols.rating.course import RatingLook
from hype.protocols.rating.screen import CHOSEN_MS, rating_places
from hype.protocols.rating.settings import RatingTexts
from hype.protocols.rating.trial import (
    Axis,
    PlannedItem,
    RatedItem,
    RatingBlock,
    RatingPlan,
    RatingTask,
    RatingTrial,
    rating_session,
)

LEVELS = ("1", "2", "3", "4", "5")
AXES = tuple(
    Axis(name=name, question=f"Which is better in {name}?", levels=LEVELS, optional=name != "all")
    for name in ("style", "anatomy", "all")
)
YES_NO = Axis(name="anatomy", question="Right?", levels=("yes", "no"), optional=True)
SCALE = replace(YES_NO, name="beauty", levels=tuple(map(str, range(1, 11))))
PAIRS = RatingLook(pairs=True, prompt=True, mouse=True)
SINGLE = replace(PAIRS, pairs=False)
TEXTS = RatingTexts().model_dump() | {"axes": "3"}


def item(number: int, *, swapped: bool = False, single: bool = False) -> PlannedItem:
    """Plan an item of images of its own."""
    images = tuple(candidate(f"{name}{number}") for name in ("flow", "pca")[: 1 if single else 2])
    return PlannedItem(item=RatedItem(prompt="a bag", images=images), swapped=swapped)


def trial_of(planned: PlannedItem, axis: Axis = AXES[0], number: int = 1) -> RatingTrial:
    """Ask about an axis of an item."""
    return RatingTrial(task=RatingTask.RATING, block=1, number=number, planned=planned, axis=axis)


@pytest.fixture(scope="module")
def pair(display):
    """Open one window for all."""
    yield from opened_window(virtual=display)


def test_a_session_of_two_items_on_three_axes(pair, monkeypatch):
    plan = RatingPlan(
        evaluator="p01",
        blocks=(RatingBlock(number=1, items=(item(1), item(2, swapped=True))),),
        axes=AXES,
        questions=(),
        pay=PAY,
        minutes=1,
        consent=False,
        breaks=False,
    )
    told = ["3", "not-relevant", "1", "1", "5", "2"]
    with seated(pair, Told(told)) as robot:
        at = station_at(pair, monkeypatch, robot, PAIRS, TEXTS)
        kept = hold(at, rating_session(plan))
    responses = kept.responses(RatingTrial)

    assert [response.answer for response in responses] == told
    assert {response.key for response in responses} > {"mouse"}
    assert at.shelf.taken == list(plan.upcoming()), "each item's images once, from left to right"
    done = answers_of(kept)[:4]
    with seated(pair, Told(told[4:])) as robot:
        again = station_at(pair, monkeypatch, robot, PAIRS, TEXTS)
        rest = hold(again, rating_session(plan), done)
    assert answers_of(rest)[0].name == ("rating", 1, 5), "in the middle of an item"
    assert [one.response.answer for one in answers_of(rest)] == told[4:]
    assert again.shelf.taken == list(plan.upcoming(done))


def test_from_axis_to_axis_only_words_and_keys_change(pair, monkeypatch):
    shown = item(1, swapped=True)
    respondent = Onlooker([later(press, "2"), later(press, "4")])
    at = station_at(pair, monkeypatch, respondent, PAIRS, TEXTS)
    first, _ = at.answered(trial_of(shown))
    second, _ = at.answered(trial_of(shown, AXES[2], 2))
    before, framed, after = at.watched.screens
    side_px = pair.facts.image_side_px
    places = rating_places(pair.facts.window_px, side_px, pairs=True, prompt=True)

    for screen in at.watched.screens:
        for box, name in zip(places.images, ("pca1", "flow1"), strict=True):
            assert np.array_equal(pair.cut(screen, box), picture_of(f"{name}.png", side_px))
        assert not changed(pair.cut(before, places.prompt), pair.cut(screen, places.prompt)).any()
    assert changed(pair.cut(before, places.question), pair.cut(after, places.question)).any()
    assert changed(pair.cut(before, places.progress), pair.cut(after, places.progress)).any()
    assert pair.cut(before, places.not_relevant).max() > 200
    assert pair.cut(after, places.not_relevant).max() == LOOK.background_rgb[0]
    marked = np.argwhere(changed(before, framed))
    assert len(marked) > 50, "what was pressed is framed"
    assert (marked[:, 0] > 300 - places.levels.top - 10).all()
    assert marked[:, 1].max() < 400, "on the left of the middle"
    assert 1000 * (second.onset_monotonic_s - first.onset_monotonic_s) > CHOSEN_MS


@pytest.mark.parametrize(
    ("swapped", "key", "answer"),
    [
        (False, "1", "1"),
        (True, "KP_4", "2"),
        (False, "n", "not-relevant"),
    ],
)
def test_an_answer_is_about_the_first_image_wherever_it_stands(
    pair, monkeypatch, swapped, key, answer
):
    respondent = Onlooker([InVain(press, "6"), InVain(press, "f"), later(press, key)])
    at = station_at(pair, monkeypatch, respondent, PAIRS, TEXTS)
    trial = trial_of(item(1, swapped=swapped))
    assert at.answered(trial)[1].answer == answer
    assert {offer.answer for offer in respondent.offers} == set(trial.axis.answers)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_key_on_the_left_of_the_screen_favours_the_image_on_the_left(
    pair, monkeypatch, swapped
):
    respondent = Onlooker()
    respondent.deeds = [
        lambda: pair.click(min((o.areas[0] for o in respondent.offers), key=lambda b: b.x))
    ]
    at = station_at(pair, monkeypatch, respondent, PAIRS, TEXTS)
    _, response = at.answered(trial_of(item(1, swapped=swapped), AXES[2]))
    assert (response.answer, response.key) == ("5" if swapped else "1", "mouse")


@pytest.mark.parametrize(
    ("axis", "key", "answer"),
    [(YES_NO, "f", "yes"), (YES_NO, "j", "no"), (SCALE, "0", "10"), (SCALE, "KP_1", "1")],
)
def test_one_image_is_rated_by_two_keys_or_by_digits(pair, monkeypatch, axis, key, answer):
    at = station_at(pair, monkeypatch, Onlooker([later(press, key)]), SINGLE, TEXTS)
    _, response = at.answered(trial_of(item(1, single=True), axis))
    assert response.answer == answer
