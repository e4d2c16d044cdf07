"""Where things stand while a group is ranked: a window's size in, boxes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hype.station.boxes import Box
from hype.station.image_grid import FOOT, GAP, HEAD, LETTER, MARGIN, Grid, grid_for

COLUMN: Final = 0.88
"""Width of the words and of all keys; a share of the window's width."""
WIDEST_GAP: Final = 0.03
"""Between images of one row, where they are small; likewise."""
PROMPT: Final = 0.075
"""Height of the prompt, as a share of the window's. So are those that follow."""
AIR: Final = 0.015
"""Between words and images."""
EDGE: Final = 0.02
"""Above and beneath all."""
CAP: Final = 0.044
"""Of an image's letter: `LETTER` has a little air."""
ORDER: Final = 0.042
"""The order so far."""
KEYS: Final = 0.055
ROOMY: Final = 1.35
"""How much of its usual height the head may have, where images leave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPlaces:
    """All places of the screen. Each image has a letter under it; keys are undo, tie, accept."""

    prompt: Box | None
    question: Box
    images: tuple[Box, ...]
    letters: tuple[Box, ...]
    order: Box
    keys: tuple[Box, Box, Box]


def ranking_places(
    window_px: tuple[int, int], side_px: int, *, images: int, prompt: bool
) -> RankingPlaces:
    """Place a group of images of ``side_px``, the words above them and the keys under them.

    All is centred in the window. Images come first: what they leave is shared by the rest.
    """
    width, height = window_px
    grid = grid_for(window_px, images, side_px)
    pictures = grid.rows * side_px + (grid.rows - 1) * GAP * height
    usual = (HEAD + FOOT + grid.rows * LETTER) * height
    scale = min(1.0, (height - pictures) / usual)
    slack = max(0.0, height - pictures - usual)
    head = min(ROOMY * HEAD * height, scale * HEAD * height + slack)
    head -= 0 if prompt else PROMPT / HEAD * head
    foot = scale * FOOT * height
    letter = scale * LETTER * height
    total = head + pictures + grid.rows * letter + foot
    top = total / 2
    above, question = head_places(width, top, head, prompt=prompt)
    rows = list(image_places(width, grid, side_px, top - head, images, letter, GAP * height))
    order, keys = foot_places(width, top - total, foot)
    return RankingPlaces(
        prompt=above,
        question=question,
        images=tuple(rows),
        letters=tuple(under(image, letter) for image in rows),
        order=order,
        keys=keys,
    )


def head_places(width: float, top: float, head: float, *, prompt: bool) -> tuple[Box | None, Box]:
    """Share out what is above the images between prompt and question."""
    half = COLUMN * width / 2
    parts = HEAD if prompt else HEAD - PROMPT
    unit = head / parts
    upper, lower = top - EDGE * unit, top - head + AIR * unit
    if not prompt:
        return None, Box.between(-half, half, lower, upper)
    middle = upper - PROMPT * unit
    return Box.between(-half, half, middle, upper), Box.between(-half, half, lower, middle)


def image_places(
    width: float, grid: Grid, side: int, top: float, images: int, letter: float, gap_y: float
) -> Iterator[Box]:
    """Yield where images stand, row by row; a shorter row is centred."""
    free = ((1 - 2 * MARGIN) * width - grid.columns * side) / max(1, grid.columns - 1)
    step = side + min(WIDEST_GAP * width, free)
    for number in range(images):
        row, place = divmod(number, grid.columns)
        in_row = min(grid.columns, images - row * grid.columns)
        x = (place - (in_row - 1) / 2) * step
        y = top - side / 2 - row * (side + letter + gap_y)
        yield Box(x=int(x), y=round(y), width=side, height=side)


def under(image: Box, letter: float) -> Box:
    """Give where the letter of an image stands."""
    return Box.between(
        image.left, image.right, image.bottom - letter, image.bottom - letter * (1 - CAP / LETTER)
    )


def foot_places(width: float, bottom: float, foot: float) -> tuple[Box, tuple[Box, Box, Box]]:
    """Share out what is beneath the images between the order so far and three keys."""
    unit = foot / FOOT
    half = COLUMN * width / 2
    low = bottom + EDGE * unit
    order_low = low + (KEYS + AIR / 2) * unit
    third = 2 * half / 3
    slots = [
        Box.between(left + 0.01 * width, left + third - 0.01 * width, low, low + KEYS * unit)
        for left in (-half, -half + third, -half + 2 * third)
    ]
    order = Box.between(-half, half, order_low, order_low + ORDER * unit)
    return order, (slots[0], slots[1], slots[2])
