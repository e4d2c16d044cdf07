"""The columns of a table of ratings: what their cells mean and may hold.

`RATING_COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.tables.columns import (
    BLOCK,
    RT_MS,
    SESSION,
    SIMULATED,
    STATUS,
    Column,
    Kind,
    Prose,
    Words,
    label,
    refuse_names,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from hype.tables.columns import Declared

TASKS: Final = ("rating", "practice")
"""The categories of task; the first alone is scored."""
SCORED_TASK: Final = TASKS[0]
SIDES: Final = ("", "left", "right")
"""Those of first_side."""
NEEDED: Final = ("item", "axis", "answer", "first")
"""Columns without which there is no rating."""
RATING_COLUMNS: Final[tuple[Declared, ...]] = (
    label(
        "item",
        "what was rated: a pair of images, or one; the same label is the same images; needed",
        gaps=False,
    ),
    label("axis", "what it was rated on, such as anatomy or overall; needed", gaps=False),
    label(
        "answer",
        "of a pair a level, 1 where the first image is much better and the highest where the "
        "second is; of a single image a number of the scale, yes or no; or not-relevant, which is "
        "missing and never zero; needed",
        gaps=False,
    ),
    label(
        "first",
        "the condition that made the first image; of single images also called condition; needed",
        gaps=False,
    ),
    label("second", "the condition that made the second image; absent for single images"),
    label("evaluator", "who answered; without it nothing is known of agreement", gaps=False),
    Prose(name="prompt", meaning="what the images show"),
    label("first_image", "path or name of the first image; also called image"),
    label("second_image", "path or name of the second image"),
    Words(name="first_side", words=SIDES, meaning="where the first image of a pair stood"),
    label(
        "truth",
        "of single images: the right answer, yes or no, or a number; empty where it is not known",
    ),
    SESSION,
    Words(
        name="task",
        words=TASKS,
        meaning="rating, which is scored, or practice, which is not; rating where the column is "
        "missing",
    ),
    BLOCK,
    Column(name="trial", kind=Kind.WHOLE, gaps=True, meaning="position of the rating in its block"),
    RT_MS,
    STATUS,
    label("excluded", "why the rating is not scored; empty where it is"),
    SIMULATED,
)
"""The columns that scoring looks at; any others pass through unread."""
ALIASES: Final = {"condition": "first", "image": "first_image"}
"""What single images, which have no second, call two of them."""


def with_known_columns(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give the columns the names of `RATING_COLUMNS`, or say which one is missing or doubtful.

    Raises
    ------
    InputError
        A needed column is missing; one is there twice; or one is missing, and another has its
        name but for case, spaces and signs, so that it would be passed over in silence.
    """
    aliases = {alias: name for alias, name in ALIASES.items() if name not in frame}
    table = frame.rename(columns=aliases)
    known = [column.name for column in RATING_COLUMNS]
    refuse_names(table, known, NEEDED, where, said="item, axis, answer, and first or condition")
    return table


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

    def values(self, kind: AnswerKind) -> FloatArray:
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


def values_of(answers: Sequence[str], scale: Scale, *, pairs: bool) -> FloatArray:
    """Give the numbers that several answers stand for; shape (answers,), NaN where they do not."""
    return np.array([scale.value(answer, pairs=pairs) for answer in answers], dtype=np.float64)
