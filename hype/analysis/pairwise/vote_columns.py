"""The columns of a table of comparisons: what their cells mean and may hold.

`VOTE_COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.analysis.tables.cells import parse_column, refuse_cell
from hype.analysis.tables.column_names import listed, refuse_doubtful
from hype.analysis.tables.columns import Column, Kind
from hype.analysis.tables.distinct import as_categories, distinct, with_categories
from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

ANSWERS: Final = ("left", "right", "tie", "none")
"""The categories of the column answer, in this order; none: the time limit passed."""

TASKS: Final = ("comparison", "validation", "practice")
"""Those of task; the first alone is scored."""

OBVIOUS: Final = ("", "left", "right")
"""Those of obvious."""

SCORED_TASK: Final = TASKS[0]

_MOST_SHOWN: Final = 20


@dataclass(frozen=True, kw_only=True)
class Words:
    """A column whose cells hold one of a few words.

    Parameters
    ----------
    name, meaning
        As of `Column`.
    words
        The categories; an empty one says that a cell may be empty.
    """

    name: str
    meaning: str
    words: tuple[str, ...]

    @property
    def said(self) -> str:
        """The words as a message says them."""
        named = [word or "nothing" for word in sorted(self.words, key=lambda word: not word)]
        return f"{', '.join(named[:-1])} or {named[-1]}"


@dataclass(frozen=True, kw_only=True)
class Prose:
    """A column of any text, which is looked at only to tell one from another."""

    name: str
    meaning: str


def _label(name: str, meaning: str, *, gaps: bool = True) -> Column:
    return Column(name=name, kind=Kind.LABEL, meaning=meaning, gaps=gaps)


VOTE_COLUMNS: Final[tuple[Column | Words | Prose, ...]] = (
    _label("left", "the condition whose image was on the left; needed", gaps=False),
    _label("right", "the condition whose image was on the right; needed", gaps=False),
    Words(
        name="answer",
        words=ANSWERS,
        meaning="the side that was chosen, tie, or none where the time limit passed; needed, or "
        "chosen instead of it",
    ),
    _label(
        "chosen",
        "the condition that was chosen, tie or none; where answer is there as well, both must "
        "say the same",
        gaps=False,
    ),
    _label("evaluator", "who answered; without it nothing is known of agreement", gaps=False),
    Prose(name="prompt", meaning="what both images show"),
    _label("left_image", "path or name of the image on the left"),
    _label("right_image", "path or name of the image on the right"),
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
    Column(name="rt_ms", kind=Kind.NUMBER, gaps=True, meaning="time to the answer, in ms"),
    _label("criterion", "the question that was asked, the same in every row", gaps=False),
    _label("session", "which session of the evaluator"),
    _label("block", "which block of the session"),
    Column(
        name="trial", kind=Kind.WHOLE, gaps=True, meaning="position of the comparison in its block"
    ),
    _label(
        "status",
        "how far the evaluator came; where the column is there, only complete ones are scored",
        gaps=False,
    ),
    _label("excluded", "why the comparison is not scored; empty where it is"),
    Column(
        name="simulated",
        kind=Kind.FLAG,
        meaning="whether the evaluator is a simulated one; false where the column is missing",
    ),
)
"""The columns that scoring looks at; any others pass through unread."""

ALIASES: Final = {"left_source": "left", "right_source": "right"}
"""What a study's record calls two of them."""


def by_known_names(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give the columns the names of `VOTE_COLUMNS`, or say which one is missing or doubtful.

    Raises
    ------
    InputError
        A needed column is missing; one is there twice; or one is missing, and another has its
        name but for case, spaces and signs, so that it would be passed over in silence.
    """
    aliases = {alias: name for alias, name in ALIASES.items() if name not in frame}
    table = frame.rename(columns=aliases)
    given = [str(name) for name in table.columns]
    refuse_doubtful(given, [column.name for column in VOTE_COLUMNS], where)
    _refuse_missing(given, where)
    return table


def _refuse_missing(given: list[str], where: object) -> None:
    missing = next((name for name in ("left", "right") if name not in given), None)
    if missing is None and not {"answer", "chosen"} & set(given):
        missing = "answer"
    if missing is not None:
        allowed = f"needed are left, right, and answer or chosen; found are {listed(given)}"
        raise InputError(where, f"the column {missing!r} is missing", allowed)


def parse_vote_column(cells: pd.Series, column: Column | Words | Prose, where: object) -> pd.Series:
    """Give a column its proper type, or raise `InputError` for the first cell that has none."""
    if isinstance(column, Column):
        return parse_column(cells, column, where)
    values = distinct(cells)
    texts = ["" if not text.strip() else text for text in values.texts]
    if isinstance(column, Prose):
        return as_categories(values.codes, texts, cells.index)
    fine = values.rows(np.array([text in column.words for text in texts]), "" in column.words)
    if not fine.all():
        refuse_cell(cells, ~fine.astype(bool), where, column.name, f"allowed is {column.said}")
    return with_categories(values.codes, texts, column.words, cells.index)
