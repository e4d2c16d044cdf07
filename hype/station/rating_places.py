"""Where things stand while an item is rated: a window's size in, boxes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hype.station.boxes import Box
from hype.station.pair_places import LEAST_ASIDE, MARGIN, KeyPlace, gap_px

COLUMN: Final = 0.88
"""Width of the words; a share of the window's width."""
EDGE: Final = 0.02
"""Above and beneath all; this and what follows as shares of the window's height."""
PROMPT: Final = 0.095
PROGRESS: Final = 0.034
"""How far one is through the axes, with the air around it."""
QUESTION: Final = 0.085
AIR: Final = 0.018
"""Between words, images and keys."""
CAP: Final = 0.058
MEANING: Final = 0.06
"""Heights of a level's key and of what it means."""
APART: Final = 0.014
ASIDE: Final = 0.046
"""Height of the key that stands apart, and how far below the others."""
LEAST_COLUMN: Final = 0.165
"""Width of a level's key and its meaning, at least: a share of the window's width, unless there are
many levels."""
BESIDE: Final = 0.6
"""Free beside all keys, in columns: meanings may be wider than keys."""
FULL: Final = 0.95
"""How much of what there is a key or a meaning fills."""
WIDEST: Final = 0.3
"""A meaning, where nothing is next to it; a share of the window's width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPlaces:
    """All places of the screen. ``levels`` is the row that the keys of the levels share."""

    prompt: Box | None
    progress: Box
    question: Box
    images: tuple[Box, ...]
    levels: Box
    not_relevant: Box


def rating_places(
    window_px: tuple[int, int], side_px: int, *, pairs: bool, prompt: bool
) -> RatingPlaces:
    """Place one or two images of ``side_px``, the words above them and the keys under them.

    All is centred in the window. Images come first: what they leave is shared by the rest, which
    has its place whether or not it is there, so that nothing moves from axis to axis.
    """
    width, height = window_px
    words = (PROMPT if prompt else 0) + PROGRESS + QUESTION + AIR
    keys = AIR + CAP + MEANING + APART + ASIDE
    unit = min(float(height), (height - side_px) / (words + keys + 2 * EDGE))
    total = (words + keys) * unit + side_px
    heights = [PROMPT if prompt else 0, PROGRESS, QUESTION]
    above, progress, question = stacked(COLUMN * width, total / 2, [unit * h for h in heights])
    middle_y = round(total / 2 - words * unit - side_px / 2)
    aside = round((side_px + gap_px(width, side_px)) / 2)
    keys_top = middle_y - side_px / 2 - AIR * unit
    levels, _, apart = stacked(
        (1 - 2 * MARGIN) * width, keys_top, [(CAP + MEANING) * unit, APART * unit, ASIDE * unit]
    )
    return RatingPlaces(
        prompt=above if prompt else None,
        progress=progress,
        question=question,
        images=tuple(
            Box(x=x, y=middle_y, width=side_px, height=side_px)
            for x in ((-aside, aside) if pairs else (0,))
        ),
        levels=levels,
        not_relevant=apart,
    )


def stacked(width: float, top: float, heights: Sequence[float]) -> list[Box]:
    """Place boxes one under the other."""
    edges = [top - sum(heights[:number]) for number in range(len(heights) + 1)]
    return [Box.between(-width / 2, width / 2, low, high) for high, low in pairwise(edges)]


def level_places(
    row: Box, number: int, reach_px: float, named: Sequence[int]
) -> tuple[KeyPlace, ...]:
    """Place the keys of so many levels in a row.

    The outer ones stand ``reach_px`` from the middle, unless the keys would be too narrow or have
    no room. Those that are ``named`` have as much room for their meaning as others leave.
    """
    column = column_px(row.width, number, reach_px)
    foot = row.top - row.height * CAP / (CAP + MEANING)

    def key(place: int) -> KeyPlace:
        x = row.x + (place - (number - 1) / 2) * column
        half = FULL * column / 2
        wide = meaning_px(row, x, min_distance(place, named) * column) / 2
        return KeyPlace(
            cap=Box.between(x - half, x + half, foot, row.top),
            meaning=Box.between(x - wide, x + wide, row.bottom, foot),
        )

    return tuple(key(place) for place in range(number))


def column_px(row_px: float, number: int, reach_px: float) -> float:
    """Give what lies from one key to the next."""
    window_px = row_px / (1 - 2 * MARGIN)
    most = row_px / (number + BESIDE)
    return min(max(LEAST_COLUMN * window_px, 2 * reach_px / (number - 1)), most)


def min_distance(place: int, named: Sequence[int]) -> int:
    """Count the columns to the next key that has a meaning."""
    return min((abs(place - other) for other in named if other != place), default=2 * len(named))


def meaning_px(row: Box, x: float, free_px: float) -> float:
    """Give how wide a meaning may be around a point."""
    to_edge = 2 * min(x - row.left, row.right - x)
    return min(FULL * free_px, to_edge, WIDEST * row.width)


def reach_px(window_px: float, images: Sequence[Box]) -> float:
    """Give how far from the middle the outer keys belong: under two images, or a little apart."""
    return max(LEAST_ASIDE * window_px, images[-1].x)
