"""The axes of ratings, and the scales of their answers.

Pairs are rated with levels; single images with numbers, or with yes and no.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
NOT_RELEVANT: Final = "not-relevant"
"""The answer if an axis does not apply to an image; as a number, it is missing, not zero."""
YES: Final = "yes"
NO: Final = "no"
AnswerKind = Literal["levels", "numbers", "yes-no"]
"""The answers of an axis: levels for pairs; numbers, or yes and no, for single images."""
_ALIASES: Final = {"not relevant": NOT_RELEVANT}
MOST_LEVELS: Final = 11
"""A scale with more whole numbers than this is continuous: any number on it is an answer."""
_PARTS: Final = 10
"""A continuous scale is divided into this many equal parts to count answers."""
_WHOLE: Final = re.compile(r"[+-]?\d{1,9}(?:\.0*)?")
"""A whole number. Other programs write 5 as 5.0 if the column has gaps."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The levels and numbers that a study offers.

    ``levels``: the number of levels on which a pair is rated; odd, so that one is in the middle.
    ``lowest``, ``highest``: the lowest and highest number that a single image may get.
    ``decimals``: whether decimals between them are allowed even on a short scale.
    ``axes``: the axes that have their own scale, which must lie within ``lowest`` and ``highest``.

    Raises InputError: a value that is not allowed.
    """

    levels: int = 5
    lowest: float = 1
    highest: float = 10
    decimals: bool = False
    axes: Mapping[str, Scale] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse an impossible scale."""
        if self.levels < 3 or not self.levels % 2:
            raise InputError("levels", f"{self.levels}", "it must be an odd number, 3 or more")
        if self.lowest >= self.highest:
            allowed = "the lowest number must be below the highest"
            raise InputError("scale", f"{self.lowest:g} to {self.highest:g}", allowed)

    def on(self, axis: str) -> Scale:
        return self.axes.get(axis, self)

    @property
    def is_continuous(self) -> bool:
        return self.decimals or self.highest - self.lowest + 1 > MOST_LEVELS

    def ends(self, kind: AnswerKind) -> tuple[float, float] | None:
        """Return the ends of the scale of mean ratings; None for yes and no."""
        if kind == "yes-no":
            return None
        half = self.levels // 2
        return (-half, half) if kind == "levels" else (self.lowest, self.highest)

    def allowed(self, *, pairs: bool) -> str:
        """Describe the possible answers, for messages."""
        low, high = (1, self.levels) if pairs else (self.lowest, self.highest)
        words = "" if pairs else f", {YES}, {NO}"
        number = "number" if self.is_continuous and not pairs else "whole number"
        return f"it must be a {number} from {low:g} to {high:g}{words} or {NOT_RELEVANT}"

    def answers(self, kind: AnswerKind) -> tuple[str, ...]:
        """Return the answers of a kind in their order, without `NOT_RELEVANT`.

        On a continuous scale, these are ranges such as "0 to 10".
        """
        if kind == "yes-no":
            return (YES, NO)
        if kind == "levels":
            return tuple(map(str, range(1, self.levels + 1)))
        if self.is_continuous:
            ends = np.linspace(self.lowest, self.highest, _PARTS + 1)
            return tuple(f"{low:g} to {high:g}" for low, high in pairwise(ends))
        return tuple(map(str, range(int(self.lowest), int(self.highest) + 1)))

    def places(self, values: npt.NDArray[np.float64], kind: AnswerKind) -> npt.NDArray[np.int64]:
        """Return the index of each value among the possible values; the lowest has index 0."""
        if kind == "numbers" and self.is_continuous:
            part = (self.highest - self.lowest) / _PARTS
            return np.minimum((values - self.lowest) // part, _PARTS - 1).astype(np.int64)
        lowest = {"yes-no": 0, "levels": -(self.levels // 2), "numbers": self.lowest}[kind]
        return np.rint(values - lowest).astype(np.int64)

    def fits(self, answer: str, kind: AnswerKind) -> bool:
        """Return whether an answer from `plain_answer` belongs to a kind."""
        if kind == "numbers" and self.is_continuous:
            number = self.value(answer, pairs=False)
            return self.lowest <= number <= self.highest and answer not in (YES, NO)
        return answer in self.answers(kind)

    def value(self, answer: str, *, pairs: bool) -> float:
        """Return the number that an answer from `plain_answer` stands for; NaN if there is none."""
        if answer in (YES, NO):
            return float(answer == YES)
        if pairs:
            return (self.levels + 1) / 2 - int(answer) if _WHOLE.fullmatch(answer) else math.nan
        number = _number(answer)
        return math.nan if number is None else number

    def plain_answer(self, text: str, *, pairs: bool) -> str | None:
        """Return an answer in its standard form; None if it is not on this scale."""
        text = text.strip().casefold()
        text = _ALIASES.get(text, text)
        if text == NOT_RELEVANT or (not pairs and text in (YES, NO)):
            return text
        number = _number(text)
        low, high = (1, self.levels) if pairs else (self.lowest, self.highest)
        if number is None or not low <= number <= high:
            return None
        if pairs or not self.is_continuous:
            return f"{number:.0f}" if _WHOLE.fullmatch(text) else None
        return f"{number:.12g}"


def read_scale(text: str) -> Scale:
    """Read the ends of a scale: "1-7" for whole numbers or levels, "0:1" for any numbers.

    Raises InputError: the text is not a scale.
    """
    found = re.fullmatch(rf"({_END.pattern})(-|:)({_END.pattern})", text.strip())
    allowed = "two whole numbers, such as 1-5; or any two numbers, such as -100:100"
    if not found:
        raise InputError("--scale", f"{text!r} is not a scale", allowed)
    low, high = float(found[1]), float(found[3])
    whole = found[2] == "-"
    if low >= high or (whole and not (low.is_integer() and high.is_integer())):
        raise InputError("--scale", f"{text!r} is not a scale", allowed)
    scale = Scale(lowest=low, highest=high, decimals=not whole)
    is_of_pairs = whole and low == 1 and high % 2 and high >= 3
    return replace(scale, levels=int(high)) if is_of_pairs else scale


_END: Final = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,9})?")


def _number(text: str) -> float | None:
    """Read a finite number; None if the text is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def is_pairs(ratings: pd.DataFrame) -> bool:
    return "second" in ratings


OVERALL = "overall"


def axes_in_order(ratings: pd.DataFrame, first: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the axes that were rated: first those in ``first``, then the others."""
    rated = [str(name) for name in ratings["axis"].unique()]
    return (*(name for name in first if name in rated), *(n for n in rated if n not in first))


def band_confidence(confidence: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Put slider marks (0-100) into ten bands, named by their lowest mark; keep steps unchanged."""
    if confidence.max(initial=0) <= MOST_LEVELS:
        return confidence
    return np.minimum(confidence // 10, _PARTS - 1) * 10
