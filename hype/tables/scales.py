"""Axes that something is rated on, and the scale that answers on them are given.

What a pair is rated with are levels; a single image gets numbers, or yes and no.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


NOT_RELEVANT: Final = "not-relevant"
"""The axis does not apply; as a number it is missing, never zero."""


YES: Final = "yes"


NO: Final = "no"


AnswerKind = Literal["levels", "numbers", "yes-no"]
"""What an axis is answered with: levels of a pair; numbers, or yes and no, of a single image."""


_ALIASES: Final = {"not relevant": NOT_RELEVANT}


_WHOLE: Final = re.compile(r"[+-]?\d{1,9}(?:\.0*)?")
"""Where a column has gaps too, other programs write 5 as 5.0."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The levels and numbers that a study offers.

    Parameters
    ----------
    levels
        Of a pair; odd, so that one is in the middle.
    lowest, highest
        The numbers that a single image may get.

    Raises
    ------
    InputError
        A value that is not allowed.
    """

    levels: int = 5
    lowest: int = 1
    highest: int = 10

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if self.levels < 3 or not self.levels % 2:
            raise InputError("levels", f"{self.levels}", "allowed is an odd number, 3 or more")
        if self.lowest >= self.highest:
            allowed = "the lowest number must be below the highest"
            raise InputError("scale", f"{self.lowest} to {self.highest}", allowed)

    def ends(self, kind: AnswerKind) -> tuple[float, float] | None:
        """Give the ends of the scale on which means lie; None of yes and no."""
        if kind == "yes-no":
            return None
        half = self.levels // 2
        return (-half, half) if kind == "levels" else (self.lowest, self.highest)

    def allowed(self, *, pairs: bool) -> str:
        """Say what may be answered, as a message does."""
        low, high = (1, self.levels) if pairs else (self.lowest, self.highest)
        words = "" if pairs else f", {YES}, {NO}"
        return f"allowed is a whole number from {low} to {high}{words} or {NOT_RELEVANT}"

    def answers(self, kind: AnswerKind) -> tuple[str, ...]:
        """Give the answers of a kind in their order, without `NOT_RELEVANT`."""
        if kind == "yes-no":
            return (YES, NO)
        low, high = (1, self.levels) if kind == "levels" else (self.lowest, self.highest)
        return tuple(map(str, range(low, high + 1)))

    def values(self, kind: AnswerKind) -> npt.NDArray[np.float64]:
        """Give the numbers that the answers of a kind stand for, ascending."""
        values = [self.value(answer, pairs=kind == "levels") for answer in self.answers(kind)]
        return np.sort(np.array(values))

    def value(self, answer: str, *, pairs: bool) -> float:
        """Give the number that an answer as of `plain_answer` stands for; else NaN."""
        if answer in (YES, NO):
            return float(answer == YES)
        if not _WHOLE.fullmatch(answer):
            return math.nan
        return (self.levels + 1) / 2 - int(answer) if pairs else float(answer)

    def plain_answer(self, text: str, *, pairs: bool) -> str | None:
        """Give an answer as it is written here; None for what is none on this scale."""
        text = text.strip().casefold()
        text = _ALIASES.get(text, text)
        if text == NOT_RELEVANT or (not pairs and text in (YES, NO)):
            return text
        if not _WHOLE.fullmatch(text):
            return None
        number, (low, high) = int(float(text)), (1, self.levels)
        if not pairs:
            low, high = self.lowest, self.highest
        return str(number) if low <= number <= high else None


def is_pairs(ratings: pd.DataFrame) -> bool:
    return "second" in ratings


OVERALL = "overall"


def axes_in_order(ratings: pd.DataFrame, first: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Give the axes that were rated: those named first in their order, then as they appear."""
    rated = [str(name) for name in ratings["axis"].unique()]
    return (*(name for name in first if name in rated), *(n for n in rated if n not in first))
