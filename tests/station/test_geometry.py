"""How large an image is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

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


def test_one_degree_at_57_cm_is_a_centimetre():
    # The rule of thumb of every lab: at 57 cm, 1 cm spans 1 degree (0.995 cm exactly).
    assert image_side_px(replace(LOOK, size_deg=1.0), (1920, 1080)) == round(0.99486 / 53 * 1920)


def test_large_angles_grow_faster_than_in_proportion():
    small = image_side_px(replace(LOOK, size_deg=10.0), (1920, 1080))
    large = image_side_px(replace(LOOK, size_deg=60.0), (1920, 1080))
    assert large > 6 * small


def test_pixels_are_taken_as_they_are():
    assert image_side_px(replace(LOOK, size_px=321.0), (1920, 1080)) == 321


@pytest.mark.parametrize("height", [600, 1080])
def test_without_a_size_half_the_height(height: int):
    assert image_side_px(LOOK, (1920, height)) == height // 2
