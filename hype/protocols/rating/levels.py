"""The levels of a rating: which keys give them, and what stands under each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hype.protocols.rating.trial import YES_NO, RatingTrial
from hype.station.config import Keys

MEANINGS: Final[Mapping[int, tuple[str, ...]]] = {
    3: ("left", "equal", "right"),
    5: ("left_much", "left", "equal", "right", "right_much"),
}
"""Texts of a pair's levels from left to right. With more levels only ends and middle have one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelKey:
    """An answer and its keys, the first of which is on the screen.

    ``text`` is the name of the text under it ("" where there is none), and ``number`` stands before
    that: the place on a scale.
    """

    answer: str
    keys: tuple[str, ...]
    text: str = ""
    number: str = ""


def level_keys(trial: RatingTrial, keys: Keys) -> tuple[LevelKey, ...]:
    """Give the keys of a trial's levels from left to right.

    Those of a pair are counted on the screen, whichever image is the first; on a scale 10 has the
    key 0, which is next to 9 on the keyboard.
    """
    levels = trial.levels
    if len(trial.shown) > 1:
        return tuple(
            LevelKey(answer=level, keys=digit_keys(str(number)), text=text)
            for number, (level, text) in enumerate(
                zip(levels, meanings(len(levels)), strict=True), start=1
            )
        )
    if trial.axis.levels == YES_NO:
        return tuple(
            LevelKey(answer=level, keys=(key,), text=f"answer_{level}")
            for level, key in zip(levels, (keys.left, keys.right), strict=True)
        )
    ends = {levels[0]: "lowest", levels[-1]: "highest"}
    return tuple(
        LevelKey(
            answer=level,
            keys=digit_keys(level[-1]),
            text=ends.get(level, ""),
            number=level if level in ends else "",
        )
        for level in levels
    )


def digit_keys(digit: str) -> tuple[str, str]:
    """Give both keys of a digit: above the letters, and on the number pad."""
    return digit, f"num_{digit}"


def meanings(levels: int) -> tuple[str, ...]:
    """Give the names of the texts of a pair's levels, from left to right."""
    if levels in MEANINGS:
        return MEANINGS[levels]
    aside = ("",) * ((levels - 3) // 2)
    return ("left_much", *aside, "equal", *aside, "right_much")


def said_of(level: LevelKey, fill: Callable[[str, Mapping[str, object]], str]) -> str:
    """Give what stands under a key: on a scale its number first, for 10 has the key 0.

    ``fill`` fills the text of a name.
    """
    text = fill(level.text, {}) if level.text else ""
    return f"{level.number}: {text}" if text and level.number else text
