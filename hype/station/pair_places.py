"""Where things stand on the screen of a comparison: a window's size in, boxes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hype.station.boxes import Box

MARGIN: Final = 0.03
"""Free at the window's edges; this and all that follows as shares of its height or width."""
COLUMN: Final = 0.88
"""Width of the question and the prompt."""
QUESTION: Final = 0.095
PROMPT: Final = 0.14
"""Heights of the question and the prompt, where images leave them as much."""
AIR: Final = 0.02
"""Between the prompt, the images and the keys."""
CAP: Final = 0.062
MEANING: Final = 0.042
"""Heights of a key and of what it means."""
GAP: Final = 0.04
"""Between the images, where they leave as much."""
LEAST_GAP: Final = 0.015
LEAST_ASIDE: Final = 0.14
"""From the middle to the outer keys, where images are small."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPlace:
    """Where a key stands, and under it what it means."""

    cap: Box
    meaning: Box

    @property
    def whole(self) -> Box:
        """Both."""
        return Box.between(self.cap.left, self.cap.right, self.meaning.bottom, self.cap.top)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPlaces:
    """All places of the screen. Only what is to be there has one."""

    question: Box
    prompt: Box | None
    left: Box
    right: Box
    left_key: KeyPlace
    right_key: KeyPlace
    tie_key: KeyPlace | None


def pair_places(
    window_px: tuple[int, int], side_px: int, *, prompt: bool, ties: bool
) -> PairPlaces:
    """Place two images of ``side_px``, the words above them and the keys under them.

    All is centred in the window. Images come first: what they leave is shared by the words.
    """
    width, height = window_px
    words = (QUESTION + (AIR + PROMPT if prompt else 0)) * height
    beneath = (AIR + CAP + MEANING) * height
    words = min(words, height - 2 * MARGIN * height - AIR * height - side_px - beneath)
    total = words + AIR * height + side_px + beneath
    top = total / 2
    middle_y = round(top - words - AIR * height - side_px / 2)
    aside = round((side_px + gap_px(width, side_px)) / 2)
    question, above = words_places(width, height, top, words, prompt=prompt)
    keys_top = middle_y - side_px / 2 - AIR * height
    outer = key_places(width, height, max(aside, LEAST_ASIDE * width), keys_top, ties=ties)
    return PairPlaces(
        question=question,
        prompt=above,
        left=Box(x=-aside, y=middle_y, width=side_px, height=side_px),
        right=Box(x=aside, y=middle_y, width=side_px, height=side_px),
        left_key=outer[0],
        right_key=outer[1],
        tie_key=outer[2],
    )


def gap_px(width: float, side_px: float) -> float:
    """Give what lies between the images."""
    return max(LEAST_GAP * width, min(GAP * width, width - 2 * MARGIN * width - 2 * side_px))


def words_places(
    width: float, height: float, top: float, words: float, *, prompt: bool
) -> tuple[Box, Box | None]:
    """Share out what is above the images between question and prompt."""
    half = COLUMN * width / 2
    if not prompt:
        return Box.between(-half, half, top - words, top), None
    air = min(AIR * height, 0.1 * words)
    share = QUESTION / (QUESTION + PROMPT)
    middle = top - share * (words - air)
    return (
        Box.between(-half, half, middle, top),
        Box.between(-half, half, top - words, middle - air),
    )


def key_places(
    width: float, height: float, aside: float, top: float, *, ties: bool
) -> tuple[KeyPlace, KeyPlace, KeyPlace | None]:
    """Place the keys of both sides, each under its image, and that of a tie between them."""
    to_edge = (0.5 - MARGIN) * width - aside
    half = min(to_edge, (aside / 2 if ties else aside) - 0.01 * width)

    def key(x: float, half: float) -> KeyPlace:
        foot = top - CAP * height
        return KeyPlace(
            cap=Box.between(x - half, x + half, foot, top),
            meaning=Box.between(x - half, x + half, foot - MEANING * height, foot),
        )

    tie = key(0, aside - half - 0.01 * width) if ties else None
    return key(-aside, half), key(aside, half), tie
