"""What a real window shows, seen through the X server and not through the program."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageGrab

from hype.errors import SessionProblem
from hype.sessions.live import Seating, appearance_of
from hype.station.config import Keys, StationConfig
from hype.station.frameclock import Picture, SoftwareClock, VsyncClock
from hype.station.layout import Layout
from hype.station.window import open_window, x_window_id

pytestmark = pytest.mark.usefixtures("display")


def layout_of(window, study, side_px):
    """Make a layout that shows images at ``side_px``."""
    look = appearance_of(study, Seating(simulated=True))
    keys = Keys(left="f", right="j", go_on="space", pause="escape", left_means="real")
    config = StationConfig(
        keys=keys,
        appearance=look,
        texts=study.settings.texts.model_dump(),
        load_stimulus=Image.open,
        load_mask=Image.open,
        countdown_from=3,
        countdown_ms=500.0,
    )
    return Layout(window, config, side_px)


def on_screen(window) -> np.ndarray:
    """Give the window's pixels as the X server has them."""
    from Xlib import display

    server = display.Display()
    found = server.create_resource_object("window", x_window_id(window))
    at = found.translate_coords(found.query_tree().root, 0, 0)
    server.close()
    width, height = (int(side) for side in window.size)
    x, y = -at.x, -at.y
    return np.asarray(ImageGrab.grab(bbox=(x, y, x + width, y + height)).convert("RGB"))


@pytest.mark.parametrize("side", [96, 97])
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_every_pixel_of_an_image_reaches_the_screen_unchanged(window, side, mode):
    opened, study = window
    shape = (side, side, 3) if mode == "RGB" else (side, side)
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    draw = layout_of(opened, study, side).picture(Image.fromarray(pixels))
    draw()
    opened.flip()
    screen = on_screen(opened)
    wanted = np.repeat(pixels[..., None], 3, axis=2) if mode == "L" else pixels
    top, left = (screen.shape[0] - side + 1) // 2, (screen.shape[1] - side + 1) // 2
    corners = [(top - i, left - j) for i in (0, 1) for j in (0, 1)]
    assert any(np.array_equal(screen[y : y + side, x : x + side], wanted) for y, x in corners)


def test_a_wide_image_keeps_its_shape_and_a_mask_covers_the_square(window):
    opened, study = window
    layout = layout_of(opened, study, 100)
    wide = Image.new("RGB", (50, 20), (255, 0, 0))
    layout.picture(wide)()
    opened.flip()
    red = np.argwhere(on_screen(opened)[..., 0] == 255)
    assert tuple(np.ptp(red, axis=0) + 1) == (40, 100)
    layout.picture(wide, cover=True)()
    opened.flip()
    red = np.argwhere(on_screen(opened)[..., 0] == 255)
    assert tuple(np.ptp(red, axis=0) + 1) == (100, 100)


@pytest.mark.parametrize("name", ["welcome", "instructions_timed", "debrief", "rest"])
def test_no_text_runs_out_of_the_window(window, name):
    opened, study = window
    values = {"minutes": 60, "trials": 150, "done": 1, "blocks": 3, "block": 1}
    values |= {"pay": "10.00", "currency": "$", "correct": 1, "shown": 2, "accuracy": 50}
    layout_of(opened, study, 96).message(name, values, None)
    opened.flip()
    screen = on_screen(opened)
    written = np.argwhere((screen != screen[0, 0]).any(axis=2))
    assert len(written) > 500
    edge = 5
    assert written.min() > edge
    assert (written.max(axis=0) < np.array(screen.shape[:2]) - edge).all()


@pytest.mark.parametrize("make", [VsyncClock, lambda w: SoftwareClock(w, 60.0)])
def test_pictures_come_on_in_order_and_are_all_drawn(window, make):
    opened, _ = window
    drawn: list[int] = []
    pictures = [Picture(lambda n=n: drawn.append(n), frames) for n, frames in enumerate((3, 2, 0))]
    onsets = make(opened).show(pictures)
    assert sorted(set(drawn)) == [0, 1, 2]
    assert drawn == sorted(drawn)
    assert all(later > earlier for earlier, later in pairwise(onsets))


def test_software_frames_last_at_least_nearly_their_time(window):
    opened, _ = window
    clock = SoftwareClock(opened, 60.0)
    pictures = [Picture(lambda: None, frames) for frames in (6, 2, 0)]
    clock.show(pictures)  # the first time warms up
    onsets = clock.show(pictures)
    # Never much too short; how much too long is the machine's affair and is measured elsewhere.
    assert 1000 * (onsets[1] - onsets[0]) > 90
    assert 1000 * (onsets[2] - onsets[1]) > 25


def test_a_screen_that_is_not_there_is_refused(make_study):
    from dataclasses import replace

    look = replace(appearance_of(make_study(), Seating(simulated=True)), screen=7)
    with pytest.raises(SessionProblem, match=r"display\.screen = 7: this display has 1"):
        open_window(look, virtual=True)


def test_a_virtual_display_is_found_to_let_flips_through(make_study, display):
    if not display:
        pytest.skip("there is a display of another kind here")
    look = appearance_of(make_study(), Seating(simulated=True))
    opened, facts = open_window(look, virtual=True)
    opened.close()
    assert facts.sync == "software"
    assert facts.flip_hz > 3 * facts.refresh_hz
    assert facts.window_px == look.window_px
