"""The columns of a table of ratings: what their cells mean and may hold.

`RATING_COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.analysis.pairwise.vote_columns import Prose, Words
from hype.analysis.tables.column_names import listed, refuse_doubtful
from hype.analysis.tables.columns import Column, Kind
from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

TASKS: Final = ("rating", "practice")
"""The categories of task; the first alone is scored."""

SCORED_TASK: Final = TASKS[0]

SIDES: Final = ("", "left", "right")
"""Those of first_side."""

NEEDED: Final = ("item", "axis", "answer", "first")
"""Columns without which there is no rating."""


def _label(name: str, meaning: str, *, gaps: bool = True) -> Column:
    return Column(name=name, kind=Kind.LABEL, meaning=meaning, gaps=gaps)


RATING_COLUMNS: Final[tuple[Column | Words | Prose, ...]] = (
    _label(
        "item",
        "what was rated: a pair of images, or one; the same label is the same images; needed",
        gaps=False,
    ),
    _label("axis", "what it was rated on, such as anatomy or overall; needed", gaps=False),
    _label(
        "answer",
        "of a pair a level, 1 where the first image is much better and the highest where the "
        "second is; of a single image a number of the scale, yes or no; or not-relevant, which is "
        "missing and never zero; needed",
        gaps=False,
    ),
    _label(
        "first",
        "the condition that made the first image; of single images also called condition; needed",
        gaps=False,
    ),
    _label("second", "the condition that made the second image; absent for single images"),
    _label("evaluator", "who answered; without it nothing is known of agreement", gaps=False),
    Prose(name="prompt", meaning="what the images show"),
    _label("first_image", "path or name of the first image; also called image"),
    _label("second_image", "path or name of the second image"),
    Words(name="first_side", words=SIDES, meaning="where the first image of a pair stood"),
    _label(
        "truth",
        "of single images: the right answer, yes or no, or a number; empty where it is not known",
    ),
    _label("session", "which session of the evaluator"),
    Words(
        name="task",
        words=TASKS,
        meaning="rating, which is scored, or practice, which is not; rating where the column is "
        "missing",
    ),
    _label("block", "which block of the session"),
    Column(name="trial", kind=Kind.WHOLE, gaps=True, meaning="position of the rating in its block"),
    Column(name="rt_ms", kind=Kind.NUMBER, gaps=True, meaning="time to the answer, in ms"),
    _label(
        "status",
        "how far the evaluator came; where the column is there, only complete ones are scored",
        gaps=False,
    ),
    _label("excluded", "why the rating is not scored; empty where it is"),
    Column(
        name="simulated",
        kind=Kind.FLAG,
        meaning="whether the evaluator is a simulated one; false where the column is missing",
    ),
)
"""The columns that scoring looks at; any others pass through unread."""

ALIASES: Final = {"condition": "first", "image": "first_image"}
"""What single images, which have no second, call two of them."""


def by_known_names(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give the columns the names of `RATING_COLUMNS`, or say which one is missing or doubtful.

    Raises
    ------
    InputError
        A needed column is missing; one is there twice; or one is missing, and another has its
        name but for case, spaces and signs, so that it would be passed over in silence.
    """
    aliases = {alias: name for alias, name in ALIASES.items() if name not in frame}
    table = frame.rename(columns=aliases)
    given = [str(name) for name in table.columns]
    refuse_doubtful(given, [column.name for column in RATING_COLUMNS], where)
    missing = next((name for name in NEEDED if name not in given), None)
    if missing is not None:
        needed = "item, axis, answer, and first or condition"
        allowed = f"needed are {needed}; found are {listed(given)}"
        raise InputError(where, f"the column {missing!r} is missing", allowed)
    return table
