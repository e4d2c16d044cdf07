"""What may be answered to a rating, and which number it stands for.

Answers on a pair are about its first image: of L levels "1" says that the first is much better,
the one in the middle that both are alike, and L that the second is. As numbers they are turned, so
that higher is better for the first: (L + 1)/2 less the level, +2 to -2 of five. A single image gets
a number of the scale, or yes, which counts as 1, or no, which counts as 0.
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
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]

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

    def said(self, *, pairs: bool) -> str:
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

    def values(self, kind: AnswerKind) -> FloatArray:
        """Give the numbers that the answers of a kind stand for, ascending."""
        found = [self.value(answer, pairs=kind == "levels") for answer in self.answers(kind)]
        return np.sort(np.array(found))

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


def values_of(answers: Sequence[str], scale: Scale, *, pairs: bool) -> FloatArray:
    """Give the numbers that several answers stand for; shape (answers,), NaN where they do not."""
    return np.array([scale.value(answer, pairs=pairs) for answer in answers], dtype=np.float64)
