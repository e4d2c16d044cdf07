"""The columns of a table of rankings: what their cells mean and may hold.

`RANKING_COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.tables.columns import (
    BLOCK,
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

TASKS: Final = ("ranking", "test", "check", "practice")
"""The categories of the column task; the first alone is scored."""
SPLITS: Final = ("", "train", "test")
"""Those of split."""
SCORED_TASK: Final = TASKS[0]
NEEDED: Final = ("group", "condition", "rank")


RANKING_COLUMNS: Final[tuple[Declared, ...]] = (
    label(
        "group",
        "which images were put in order: the same name, the same images; needed",
        gaps=False,
    ),
    label("condition", "what made the image; needed", gaps=False),
    Column(
        name="rank",
        kind=Kind.COUNT,
        gaps=True,
        meaning="1 is the best, equal ranks are a tie (1, 1, 2 and 1, 1, 3 mean the same), empty "
        "where the image was not placed, which leaves the whole ranking out; needed",
    ),
    label(
        "evaluator",
        "who put the images in order; without it nothing is known of agreement",
        gaps=False,
    ),
    Prose(name="prompt", meaning="what all images of the group show"),
    label("image", "path or name of the image; without it a condition has one image a group"),
    Words(
        name="split",
        words=SPLITS,
        meaning="train or test; where the column is there, only test counts for preference models",
    ),
    Column(
        name="checker",
        kind=Kind.FLAG,
        meaning="whether the ranking is a checker's, whom others are screened against; such "
        "rankings are not scored; false where the column is missing",
    ),
    SESSION,
    Words(
        name="task",
        words=TASKS,
        meaning="ranking, which is scored, or test, check or practice, which are not; ranking "
        "where the column is missing",
    ),
    BLOCK,
    STATUS,
    label("excluded", "why the ranking is not scored; empty where it is"),
    SIMULATED,
)
"""The columns that scoring looks at, one row per image of a ranking; others pass through unread."""
