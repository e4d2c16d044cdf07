"""How large an image is shown."""

from dataclasses import replace

import pytest

from hype.errors import SessionProblem
from hype.station.config import Appearance, image_side_px

LOOK = Appearance(
    size_px=None,
    size_deg=None,
    monitor_cm=(53.0, 57.0),
    screen=0,
    fullscreen=True,
    window_px=(1920, 1080),
    refresh_hz=60.0,
    background_rgb=(128, 128, 128),
    text_rgb=(255, 255, 255),
    font="DejaVu Sans",
)


SCREEN = {"window_px": (1920, 1080), "screen_px": (1920, 1080)}


def test_one_degree_at_57_cm_is_a_centimetre():
    # The rule of thumb of every lab: at 57 cm, 1 cm spans 1 degree (0.995 cm exactly).
    assert image_side_px(replace(LOOK, size_deg=1.0), **SCREEN) == round(0.99486 / 53 * 1920)


def test_large_angles_grow_faster_than_in_proportion():
    small = image_side_px(replace(LOOK, size_deg=5.0), **SCREEN)
    large = image_side_px(replace(LOOK, size_deg=25.0), **SCREEN)
    assert large > 5 * small


def test_pixels_are_taken_as_they_are():
    assert image_side_px(replace(LOOK, size_px=321.0), **SCREEN) == 321


@pytest.mark.parametrize("height", [600, 1080])
def test_without_a_size_half_the_height(height):
    assert image_side_px(LOOK, window_px=(1920, height), screen_px=(1920, 1080)) == height // 2


def test_a_degree_is_the_same_in_a_small_window():
    look = replace(LOOK, size_deg=5.0)
    small = image_side_px(look, window_px=(800, 600), screen_px=(1920, 1080))
    assert small == image_side_px(look, **SCREEN)


def test_an_image_that_does_not_fit_is_refused():
    with pytest.raises(SessionProblem, match="to be 900 px high and wide, and the window has 800"):
        image_side_px(replace(LOOK, size_px=900.0), window_px=(800, 600), screen_px=(1920, 1080))
