"""The columns of a table of comparisons: what their cells mean and may hold.

`VOTE_COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
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

ANSWERS: Final = ("left", "right", "tie", "none")
"""The categories of the column answer, in this order; none: the time limit passed."""
TASKS: Final = ("comparison", "validation", "practice")
"""Those of task; the first alone is scored."""
OBVIOUS: Final = ("", "left", "right")
"""Those of obvious."""
SCORED_TASK: Final = TASKS[0]
NEEDED: Final = ("left", "right")
"""Columns without which there is no comparison; and answer, or chosen instead of it."""
VOTE_COLUMNS: Final[tuple[Declared, ...]] = (
    label("left", "the condition whose image was on the left; needed", gaps=False),
    label("right", "the condition whose image was on the right; needed", gaps=False),
    Words(
        name="answer",
        words=ANSWERS,
        meaning="the side that was chosen, tie, or none where the time limit passed; needed, or "
        "chosen instead of it",
    ),
    label(
        "chosen",
        "the condition that was chosen, tie or none; where answer is there as well, both must "
        "say the same",
        gaps=False,
    ),
    label("evaluator", "who answered; without it nothing is known of agreement", gaps=False),
    Prose(name="prompt", meaning="what both images show"),
    label("left_image", "path or name of the image on the left"),
    label("right_image", "path or name of the image on the right"),
    Words(
        name="task",
        words=TASKS,
        meaning="comparison, which is scored, or validation or practice, which are not; "
        "comparison where the column is missing",
    ),
    Words(
        name="obvious",
        words=OBVIOUS,
        meaning="the obviously right side of a validation comparison",
    ),
    Column(
        name="hasty",
        kind=Kind.FLAG,
        meaning="whether the answer came faster than the study's minimum",
    ),
    RT_MS,
    label("criterion", "the question that was asked, the same in every row", gaps=False),
    SESSION,
    BLOCK,
    Column(
        name="trial", kind=Kind.WHOLE, gaps=True, meaning="position of the comparison in its block"
    ),
    STATUS,
    label("excluded", "why the comparison is not scored; empty where it is"),
    SIMULATED,
)
"""The columns that scoring looks at; any others pass through unread."""
ALIASES: Final = {"left_source": "left", "right_source": "right"}
"""What a study's record calls two of them."""
