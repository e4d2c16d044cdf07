"""The patch for a photodiode: its colours at the right moments, in its corner, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from real_window import FLASHED, watched_station

from hype.protocols.hype.trial import Task
from hype.session.stage import load_picture
from hype.session.steps import Page, PictureRequest, Screen
from hype.station.presenting import Patch
from hype.study.table import Corner, PatchSettings

LOOK = PatchSettings(
    corner="top-left",
    size_px=20,
    on_rgb=(255, 255, 255),
    masks_rgb=((160, 160, 160), (80, 80, 80)),
    off_rgb=(0, 0, 0),
)
COLOURED = PatchSettings(
    size_px=20, on_rgb=(250, 10, 20), masks_rgb=((30, 240, 40),), off_rgb=(50, 60, 230)
)
CORNERS: tuple[Corner, ...] = ("top-left", "top-right", "bottom-left", "bottom-right")
SIDE = slice(0, 20), slice(-20, None)
BLOCKS = dict(zip(CORNERS, ((y, x) for y in SIDE for x in SIDE), strict=True))
"""The rows and columns that the patch covers in each corner of the screen."""


@pytest.fixture(scope="module")
def opened(opened_once):
    return opened_once


def colours(pixels: np.ndarray) -> set[tuple[int, ...]]:
    """Return the colours of the pixels."""
    return {tuple(map(int, rgb)) for rgb in pixels.reshape(-1, 3)}


@pytest.mark.parametrize(
    ("corner", "centre_px"),
    [
        ("top-left", (24, 24)),
        ("top-right", (776, 24)),
        ("bottom-left", (24, 576)),
        ("bottom-right", (776, 576)),
    ],
)
def test_where_a_photodiode_is_to_be_put(corner, centre_px):
    assert PatchSettings(corner=corner, size_px=48).centre_px((800, 600)) == centre_px


def test_it_fills_its_corner_and_nothing_else(opened):
    background = opened.study.settings.display.background
    for corner in CORNERS:
        patch = Patch(opened.window, COLOURED.model_copy(update={"corner": corner}))
        for draw, rgb in ((patch.light(0), COLOURED.on_rgb), (patch.draw_off, COLOURED.off_rgb)):
            draw()
            opened.window.flip()
            screen = opened.seen()
            drawn = (screen != background).any(axis=2)

            assert colours(screen[BLOCKS[corner]]) == {rgb}
            assert drawn[BLOCKS[corner]].all()
            assert drawn.sum() == 20 * 20


TRIAL = replace(FLASHED, exposure_ms=50.0, masks=("00001.png", "00002.png", "00003.png"))


def test_it_is_lit_while_the_image_and_the_masks_are_shown_and_off_otherwise(opened, monkeypatch):
    for corner in CORNERS:
        station, watched = watched_station(
            opened, monkeypatch, LOOK.model_copy(update={"corner": corner})
        )
        station.present(TRIAL)
        first, second = LOOK.masks_rgb
        levels = [colours(screen[BLOCKS[corner]]) for screen in watched.screens]

        assert levels == [
            *({LOOK.off_rgb} for _ in range(4)),
            *({rgb} for rgb in (LOOK.on_rgb, first, second, first)),
            {LOOK.off_rgb},
        ]


def test_it_is_lit_while_an_image_without_a_time_limit_is_shown(opened, monkeypatch):
    station, watched = watched_station(opened, monkeypatch, LOOK)
    station.present(replace(TRIAL, task=Task.INFINITY, exposure_ms=None, masks=(), mask_ms=0.0))
    station.present(Screen(page=Page.CORRECT, duration_ms=20.0))
    levels = [colours(screen[BLOCKS[LOOK.corner]]) for screen in watched.screens]

    assert levels == [{LOOK.on_rgb}, {LOOK.off_rgb}, {LOOK.off_rgb}]


@pytest.mark.parametrize("look", [None, LOOK], ids=["without", "with"])
def test_image_and_masks_reach_the_screen_unchanged_with_and_without_it(opened, monkeypatch, look):
    side = opened.facts.image_side_px
    station, watched = watched_station(opened, monkeypatch, look)
    station.present(TRIAL)
    height, width = watched.screens[0].shape[:2]
    top, left = (height - side) // 2, (width - side) // 2
    requests = [
        PictureRequest(TRIAL.stimulus.path, mask=False),
        *(PictureRequest(m, mask=True) for m in TRIAL.masks),
    ]

    for screen, request in zip(watched.screens[4:8], requests, strict=True):
        wanted = np.asarray(load_picture(opened.study, side, request))
        assert np.array_equal(screen[top : top + side, left : left + side], wanted)
