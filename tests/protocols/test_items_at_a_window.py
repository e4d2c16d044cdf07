"""Ratings and rankings at a real window: pictures from the X server, keys and clicks."""

import time
from dataclasses import replace
from functools import partial

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
    opened_window,
    picture_of,
    press,
    seated,
    station_at,
)
from real_window import InVain, Onlooker

from hype.protocols.prompted.screen import CHOSEN_MS
from hype.protocols.prompted.trial import PlannedBlock, course
from hype.protocols.ranking.course import RankingLook
from hype.protocols.ranking.screen import ranking_places
from hype.protocols.ranking.settings import RankingTexts
from hype.protocols.ranking.trial import (
    Group,
    PartialRanking,
    RankingPlan,
    RankingTask,
    RankingTrial,
)
from hype.protocols.rating.course import RatingLook
from hype.protocols.rating.screen import rating_places
from hype.protocols.rating.settings import RatingTexts
from hype.protocols.rating.trial import (
    Axis,
    PlannedItem,
    RatedItem,
    RatingPlan,
    RatingTask,
    RatingTrial,
)
from hype.session.loop import SessionStopped

LEVELS = ("1", "2", "3", "4", "5")
AXES = tuple(
    Axis(name=name, question=f"Which is better in {name}?", levels=LEVELS, optional=name != "all")
    for name in ("style", "anatomy", "all")
)
YES_NO = Axis(name="anatomy", question="Right?", levels=("yes", "no"), optional=True)
SCALE = replace(YES_NO, name="beauty", levels=tuple(map(str, range(1, 11))))
SLIDER = replace(YES_NO, name="realism", levels=tuple(f"{n / 10:g}" for n in range(10, 101)))
PAIRS = RatingLook(pairs=True, prompt=True, mouse=True)
SINGLE = replace(PAIRS, pairs=False)
RATING_TEXTS = RatingTexts().model_dump() | {"axes": "3"}


def item(number: int, *, swapped: bool = False, single: bool = False) -> PlannedItem:
    """Plan an item with images that no other item has."""
    images = tuple(candidate(f"{name}{number}") for name in ("flow", "pca")[: 1 if single else 2])
    return PlannedItem(item=RatedItem(prompt="a bag", images=images), swapped=swapped)


def trial_of(planned: PlannedItem, axis: Axis = AXES[0], number: int = 1) -> RatingTrial:
    """Return a trial about an axis of an item."""
    return RatingTrial(task=RatingTask.RATING, block=1, number=number, planned=planned, axis=axis)


@pytest.fixture(scope="module")
def pair(display):
    """Open one window for all tests."""
    yield from opened_window(virtual=display)


def test_a_session_of_two_items_on_three_axes(pair, monkeypatch):
    plan = RatingPlan(
        evaluator="p01",
        blocks=(
            PlannedBlock(number=1, items=(item(1), item(2, swapped=True)), task=RatingTask.RATING),
        ),
        axes=AXES,
        questions=(),
        pay=PAY,
        minutes=1,
        consent=False,
        breaks=False,
    )
    told = ["3", "not-relevant", "1", "1", "5", "2"]
    with seated(pair, Told(told)) as robot:
        at = station_at(pair, monkeypatch, robot, PAIRS, RATING_TEXTS)
        kept = hold(at, course(plan))
    responses = kept.responses(RatingTrial)

    assert [response.answer for response in responses] == told
    assert {response.key for response in responses} > {"mouse"}
    assert at.shelf.taken == list(plan.upcoming()), "each item's images once, from left to right"
    done = answers_of(kept)[:4]
    with seated(pair, Told(told[4:])) as robot:
        again = station_at(pair, monkeypatch, robot, PAIRS, RATING_TEXTS)
        rest = hold(again, course(plan), done)
    assert answers_of(rest)[0].name == ("rating", 1, 5), "in the middle of an item"
    assert [one.response.answer for one in answers_of(rest)] == told[4:]
    assert again.shelf.taken == list(plan.upcoming(done))


def test_from_axis_to_axis_only_words_and_keys_change(pair, monkeypatch):
    shown = item(1, swapped=True)
    respondent = Onlooker([partial(press, "2"), partial(press, "4")])
    at = station_at(pair, monkeypatch, respondent, PAIRS, RATING_TEXTS)
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
    assert len(marked) > 50, "the pressed key has a frame"
    assert (marked[:, 0] > 300 - places.levels.top - 10).all()
    assert marked[:, 1].max() < 400, "on the left of the middle"
    assert 1000 * (second.onset_monotonic_s - first.onset_monotonic_s) > CHOSEN_MS


@pytest.mark.parametrize(
    ("swapped", "key", "answer"),
    [(False, "1", "1"), (True, "KP_4", "2"), (False, "n", "not-relevant")],
)
def test_an_answer_is_about_the_first_image_wherever_it_stands(
    pair, monkeypatch, swapped, key, answer
):
    respondent = Onlooker([InVain(press, "6"), InVain(press, "f"), partial(press, key)])
    at = station_at(pair, monkeypatch, respondent, PAIRS, RATING_TEXTS)
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
    at = station_at(pair, monkeypatch, respondent, PAIRS, RATING_TEXTS)
    _, response = at.answered(trial_of(item(1, swapped=swapped), AXES[2]))
    assert (response.answer, response.key) == ("5" if swapped else "1", "mouse")


@pytest.mark.parametrize(
    ("axis", "key", "answer"),
    [(YES_NO, "f", "yes"), (YES_NO, "j", "no"), (SCALE, "0", "10"), (SCALE, "KP_1", "1")],
)
def test_one_image_is_rated_by_two_keys_or_by_digits(pair, monkeypatch, axis, key, answer):
    at = station_at(pair, monkeypatch, Onlooker([partial(press, key)]), SINGLE, RATING_TEXTS)
    _, response = at.answered(trial_of(item(1, single=True), axis))
    assert response.answer == answer


@pytest.mark.parametrize(
    ("dragged", "keys", "answer"),
    [
        ((), ("Right",), "5.6"),
        ((), ("Left",), "5.4"),
        ((), ("Up", "Up", "Left"), "5.6"),
        (("2.5", "10"), (), "10"),
        (("9", "2"), ("Down",), "1.9"),
    ],
)
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_slider_sends_what_keys_and_drags_marked_and_nothing_before(
    pair, monkeypatch, mirrored, dragged, keys, answer
):
    def drag():
        places = {offer.answer: offer.areas for offer in respondent.offers}
        (start,), (end,) = (places[at] for at in dragged)
        assert (end.x < start.x) == (mirrored == (float(dragged[0]) < float(dragged[1])))
        beyond = {"10": -50 if mirrored else 50}.get(dragged[1], 0)
        pair.drag(start, replace(end, x=end.x + beyond, y=end.y + 80))

    mirror = {"Left": "Right", "Right": "Left"} if mirrored else {}
    marking = [drag] if dragged else []
    marking += [partial(press, mirror.get(key, key)) for key in keys]
    respondent = Onlooker([InVain(press, "space"), *marking, partial(press, "space")])
    texts = RATING_TEXTS | ({"trouble": "توقفت المحطة"} if mirrored else {})
    at = station_at(pair, monkeypatch, respondent, SINGLE, texts)
    _, response = at.answered(trial_of(item(1, single=True), SLIDER))
    assert (response.answer, response.key) == (answer, "space")


ASKED = RankingLook(question="The best one first", prompt=True, mouse=True)
RANKING_TEXTS = RankingTexts().model_dump()


def group(number: int, images: int = 4) -> Group:
    """Return a group with images that no other group has."""
    names = [f"{name}{number}" for name in ("flow", "pca", "vae", "real")[:images]]
    return Group(prompt="a bag", images=tuple(map(candidate, names)))


TRIAL = RankingTrial(
    task=RankingTask.RANKING,
    block=1,
    number=1,
    group=group(1),
    standing=PartialRanking(),
    ties=True,
)


def test_a_session_of_groups_with_a_tie_and_with_what_is_taken_back(pair, monkeypatch):
    plan = RankingPlan(
        evaluator="p01",
        blocks=(
            PlannedBlock(number=1, items=(group(8, 2),), task=RankingTask.TEST),
            PlannedBlock(number=1, items=(group(1),), task=RankingTask.RANKING),
        ),
        questions=(),
        ties=True,
        pay=PAY,
        minutes=1,
        consent=False,
        breaks=False,
    )
    told = ["B", "A", "accept"]
    told += ["C", "A", "undo", "tie", "undo", "tie", "B", "A", "D", "accept"]
    mind = Told(told)
    with seated(pair, mind) as robot:
        at = station_at(pair, monkeypatch, robot, ASKED, RANKING_TEXTS)
        kept = hold(at, course(plan))
    responses = kept.responses(RankingTrial)
    standings = [str(trial.standing) for trial in mind.seen if trial.group == group(1)]

    assert [response.answer for response in responses] == told
    assert {response.key for response in responses} > {"mouse"}
    assert standings[3:] == ["C", "C=", "C", "C=", "CB", "CB>A", "CB>A>D"]
    assert at.shelf.taken == list(plan.upcoming()), "each group's images once"
    done = answers_of(kept)[:8]
    with seated(pair, Told(told[8:])) as robot:
        again = station_at(pair, monkeypatch, robot, ASKED, RANKING_TEXTS)
        rest = hold(again, course(plan), done)
    assert [one.response.answer for one in answers_of(rest)] == told[8:], "in the middle of a group"
    assert again.shelf.taken == list(plan.upcoming(done))


@pytest.mark.parametrize(
    ("standing", "ties"),
    [
        (PartialRanking(), True),
        (PartialRanking(("B",)), False),
        (PartialRanking(("B",), tying=True), True),
        (PartialRanking(("BD", "A", "C")), True),
    ],
    ids=str,
)
def test_what_can_be_done_is_offered_and_shown_and_nothing_else(pair, monkeypatch, standing, ties):
    trial = replace(TRIAL, standing=standing, ties=ties)
    respondent = Onlooker([partial(press, "Escape"), partial(press, "j")])
    at = station_at(pair, monkeypatch, respondent, ASKED, RANKING_TEXTS)
    with pytest.raises(SessionStopped):
        at.answered(trial)
    screen = at.watched.screens[0]
    side_px = pair.facts.image_side_px
    places = ranking_places(pair.facts.window_px, side_px, images=4, prompt=True)
    lit = [int(pair.cut(screen, key).max()) > 200 for key in places.keys]

    ups = tuple(standing.steps_up().values())
    acts = tuple(act for act in trial.acts if act not in standing.moves())
    assert tuple(offer.answer for offer in respondent.offers) == acts + ups
    keys = {offer.answer: offer.keys for offer in respondent.offers}
    assert keys == {act: (KEY_OF.get(act, act[:1].lower()),) for act in acts + ups}
    assert lit == [act in trial.acts or (act == "tie" and standing.tying) for act in KEY_OF]
    for letter, box, cap in zip("ABCD", places.images, places.letters, strict=True):
        picture = np.asarray(picture_of(trial.group.image(letter).path, side_px))
        free = letter in trial.unplaced
        assert np.array_equal(pair.cut(screen, box), picture) == free
        assert (pair.cut(screen, cap)[:3].max() > 200) == free, "the outline is faint"
        assert pair.cut(screen, cap).max() > 200, "the letter can be read"
    assert len({id(offer.areas[0]) for offer in respondent.offers}) == len(respondent.offers)


KEY_OF = {"undo": "backspace", "tie": "t", "accept": "space"}


def test_an_image_is_placed_by_its_letter_or_a_click_and_placed_ones_stay_put(pair, monkeypatch):
    side_px = pair.facts.image_side_px
    places = ranking_places(pair.facts.window_px, side_px, images=4, prompt=True)
    respondent = Onlooker()
    respondent.deeds = [
        *(InVain(press, key) for key in ("space", "BackSpace", "t")),
        partial(press, "b"),
        InVain(pair.click, places.images[1]),
        partial(pair.click, places.images[3]),
        partial(pair.click, places.letters[0]),
    ]
    at = station_at(pair, monkeypatch, respondent, ASKED, RANKING_TEXTS)
    trial, answers = TRIAL, []
    for number in range(1, 4):
        _, response = at.answered(trial)
        answers.append((response.answer, response.key))
        standing = trial.after(response.answer)
        trial = replace(trial, standing=standing, number=number + 1)
    one, two, three = at.watched.screens
    boxes = places.images

    assert answers == [("B", "b"), ("D", "mouse"), ("A", "mouse")]
    assert len(at.shelf.taken) == 4
    for before, after, placed in ((one, two, 1), (two, three, 3)):
        differs = [changed(pair.cut(before, box), pair.cut(after, box)) for box in boxes]
        assert [one.any() for one in differs] == [number == placed for number in range(4)]
        assert differs[placed].mean() < 0.1, "a placed image stays visible"


def test_the_order_changes_by_the_letter_or_a_click_on_its_place(pair, monkeypatch):
    side_px = pair.facts.image_side_px
    slots = ranking_places(pair.facts.window_px, side_px, images=4, prompt=True).order
    respondent = Onlooker()
    respondent.deeds = [
        InVain(press, "a"),
        InVain(pair.click, slots[0]),
        partial(press, "b"),
        partial(pair.click, slots[2]),
    ]
    at = station_at(pair, monkeypatch, respondent, ASKED, RANKING_TEXTS)
    trial = replace(TRIAL, standing=PartialRanking(("A", "B", "C")))
    for number, stands in enumerate(("B>A>C", "B>C>A"), start=2):
        _, response = at.answered(trial)
        trial = replace(trial, standing=trial.after(response.answer), number=number)
        assert str(trial.standing) == stands


def test_time_for_an_act_counts_from_the_last_one_and_a_pause_loses_nothing(pair, monkeypatch):
    deeds = [partial(press, key) for key in ("Escape", "f", "t")]
    at = station_at(pair, monkeypatch, Onlooker(deeds, apart_s=0.12), ASKED, RANKING_TEXTS)
    began_s = time.monotonic()
    _, response = at.answered(replace(TRIAL, standing=PartialRanking(("B",))))
    took_ms = 1000 * (time.monotonic() - began_s)
    first, _paused, _blank, last = at.watched.screens

    assert (response.answer, at.pauses) == ("tie", ["resume"])
    assert 50 < response.rt_ms < took_ms - 200, "the time before the pause does not count"
    assert not changed(first, last).any()
