"""The columns of a table of ratings: what their cells mean and may hold.

`RATING_COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
)

if TYPE_CHECKING:
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
NOT_RELEVANT: Final = "not-relevant"
"""The axis does not apply; as a number it is missing, never zero."""
YES: Final = "yes"
NO: Final = "no"
