"""The content of a real window, read from the X server and not from the program."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image
from prompted_window import Kept, press
from real_window import FLASHED as TRIAL
from real_window import Onlooker, Opened, watched_station

from hype.errors import SessionProblem
from hype.session.loop import Script, run_session
from hype.session.stage import Seating, appearance_of
from hype.session.steps import Ending, Page, Screen
from hype.station.frame_clock import (
    FrameClock,
    SoftwareClock,
    SwappedSurface,
    TimedPicture,
    VsyncClock,
    WaitingSurface,
)
from hype.station.layout import BAR_WIDTH
from hype.station.pictures import fit_picture
from hype.station.respondent import SimulatedInput
from hype.station.window import open_window, x_window_id

pytestmark = pytest.mark.usefixtures("display")


@pytest.fixture(scope="module")
def opened(opened_once):
    return opened_once


@pytest.mark.parametrize(("side", "mode"), [(96, "L"), (97, "RGB")])
def test_every_pixel_of_an_image_reaches_the_screen_unchanged(opened, side, mode):
    shape = (side, side, 3) if mode == "RGB" else (side, side)
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    draw = opened.layout(side).picture(fit_picture(Image.fromarray(pixels), side, cover=False))
    draw()
    opened.window.flip()
    screen = opened.seen()
    wanted = np.repeat(pixels[..., None], 3, axis=2) if mode == "L" else pixels
    top, left = (screen.shape[0] - side + 1) // 2, (screen.shape[1] - side + 1) // 2
    corners = [(top - i, left - j) for i in (0, 1) for j in (0, 1)]

    assert any(np.array_equal(screen[y : y + side, x : x + side], wanted) for y, x in corners)


@pytest.mark.parametrize("size", [None, (400, 400), (1200, 400)])
@pytest.mark.parametrize("name", ["welcome", "instructions_timed", "debrief", "rest"])
def test_no_text_runs_out_of_the_window_or_over_a_picture(opened, name, size):
    values = {"minutes": 60, "trials": 150, "done": 1, "blocks": 3, "block": 1}
    values |= {"pay": "10.00", "currency": "$", "correct": 1, "shown": 2, "accuracy": 50}
    layout, red = opened.layout(96), (255, 0, 0)
    picture = layout.page_picture(Image.new("RGB", size, red)) if size else None
    layout.message(name, values, None, picture)
    opened.window.flip()
    screen = opened.seen()
    if picture and size:
        height = round(picture[1] * layout.height)
        assert (screen == red).all(axis=2).sum() == height * round(height * size[0] / size[1])
    written = np.argwhere((screen != screen[0, 0]).any(axis=2))
    edge = 5

    assert len(written) > 500
    assert written.min() > edge
    assert (written.max(axis=0) < np.array(screen.shape[:2]) - edge).all()


CLOCKS: dict[str, Callable[[Any], FrameClock]] = {
    "waiting": lambda window: VsyncClock(WaitingSurface(window), 60.0),
    "swapped": lambda window: SoftwareClock(SwappedSurface(window), 60.0),
}


@pytest.mark.parametrize("kind", CLOCKS)
def test_pictures_come_on_in_order_and_are_all_drawn(opened, kind):
    drawn: list[int] = []
    pictures = [
        TimedPicture(lambda n=n: drawn.append(n), frames) for n, frames in enumerate((3, 2, 0))
    ]
    flips = CLOCKS[kind](opened.window).show(pictures)

    assert sorted(set(drawn)) == [0, 1, 2]
    assert drawn == sorted(drawn)
    assert all(later.at_s > earlier.at_s for earlier, later in pairwise(flips))
    assert all(flip.earliest_s <= flip.at_s <= flip.latest_s for flip in flips)


def test_no_frame_is_timed_to_come_too_early(opened):
    """How late a frame comes depends on the machine, and other tests measure it."""
    clock = CLOCKS["swapped"](opened.window)
    pictures = [TimedPicture(lambda: None, frames) for frames in (6, 2, 0)]
    clock.show(pictures)  # for warming up
    first, second, third = clock.show(pictures)

    assert 1000 * (second.latest_s - first.at_s) > 90
    assert 1000 * (third.latest_s - second.at_s) > 25


def test_a_trial_is_shown_in_its_order_and_nothing_is_decoded_meanwhile(opened, monkeypatch):
    station, watched = watched_station(opened, monkeypatch)
    station.present(TRIAL)

    assert watched.log == [
        *("flip", "take", "take", "take"),  # while the first numeral is shown
        *("flip", "flip", "pause"),  # the last numeral
        *("pause", "flip"),  # the lead
        *("flip", "image on"),
        *("flip", "image off"),
        *("flip", "flip", "resume"),
    ]


@pytest.mark.parametrize("flashed", [True, False])
def test_after_a_pause_a_flashed_image_comes_from_its_countdown_and_others_with_the_question(
    opened, monkeypatch, flashed
):
    respondent = Onlooker([partial(press, key) for key in ("Escape", "f", "f")], apart_s=0.4)
    station, watched = watched_station(opened, monkeypatch, respondent=respondent)
    trial = TRIAL if flashed else replace(TRIAL, exposure_ms=None, masks=())
    kept = Kept()

    def script() -> Script:
        yield trial
        return Ending.COMPLETE

    run_session(script(), station, station, kept)
    ((step, shown, response),) = kept.rows
    assert (step, response.answer) == (trial, "real")
    assert kept.interrupted == ([trial] if flashed else [])
    assert watched.log.count("image on") == (2 if flashed else 0)
    if flashed:
        assert shown.spoiled
    else:
        first, _paused, _blank, again = watched.screens
        assert np.array_equal(first, again), "the image is shown again"


def test_a_screen_that_is_not_there_is_refused(make_study):
    look = replace(appearance_of(make_study(), Seating(simulated=True)), screen=7)
    with pytest.raises(SessionProblem, match=r"display\.screen = 7, but this display has 1 screen"):
        open_window(look, virtual=True)


def test_a_virtual_display_is_found_to_let_flips_through(opened, display):
    if not display:
        pytest.skip("this machine has a display of another kind")
    facts = opened.facts

    assert facts.sync == "software"
    assert facts.window_px == opened.study.settings.display.window_px


def test_pages_are_left_by_the_arrows_the_study_s_keys_or_the_mouse(opened, monkeypatch):
    """This is true for HYPE as for all protocols, but its trials are answered only by keys."""
    layout, hands = opened.layout(96), SimulatedInput(x_window_id(opened.window))
    yes, _ = layout.legend_boxes(*(layout.fill(name, {}) for name in ("yes", "no")))
    ways = (
        (partial(hands.click, layout.hint_box()), partial(hands.click, yes)),
        (partial(press, "space"), partial(press, "Left")),
        (partial(press, "space"), partial(press, "f")),
    )
    for deeds in ways:
        station, _ = watched_station(opened, monkeypatch, respondent=Onlooker([*deeds]))
        for step, answer in (WELCOME, ""), (Screen(page=Page.CONSENT, choice=True), "yes"):
            station.present(step)
            assert opened.window.mouseVisible
            assert station.respond(step).answer == answer
        station.present(TRIAL)
        assert not opened.window.mouseVisible
    hands.leave()


WELCOME = Screen(page=Page.WELCOME, values={"minutes": 5})
NEXT = {
    "feedback": Screen(page=Page.CORRECT, duration_ms=40.0),
    "rest": Screen(page=Page.REST, values={"done": 1, "blocks": 3}),
    "trial": replace(TRIAL, number=2),
}


@pytest.mark.parametrize("wanted", [True, False])
def test_a_bar_tells_of_progress_between_trials_only_and_where_it_is_wanted(
    opened, monkeypatch, wanted
):
    config = opened.config()
    shown = replace(config, appearance=replace(config.appearance, progress=wanted))
    monkeypatch.setattr(Opened, "config", lambda *_: shown)
    look, (width, height) = config.appearance, opened.size_px
    strip = slice(round(0.97 * height), round(0.99 * height))
    for name, follows in NEXT.items():
        respondent = Onlooker([partial(press, "f")], apart_s=0.1)
        station, watched = watched_station(opened, monkeypatch, respondent=respondent)
        trial = replace(TRIAL, exposure_ms=None, masks=(), done=0.5)
        station.present(trial)
        station.respond(trial)
        watched.screens.clear()
        station.present(follows)
        strips = [screen[strip] for screen in watched.screens]
        filled_px = int((strips[0] == look.text_rgb).all(axis=2).any(axis=0).sum())

        assert filled_px == (round(BAR_WIDTH * width / 2) if wanted and name != "rest" else 0)
        for later in strips[1:]:
            assert (later == look.background_rgb).all(), "never during a trial"
