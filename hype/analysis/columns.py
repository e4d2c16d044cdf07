"""The columns of a table of judgements: what their cells mean and may hold.

`COLUMNS` is the one declaration of a row; reading, checking and documentation follow it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocol.timing import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

SCORED_TASKS = ("time", "infinity")
"""The protocols that have a score, in the order in which they are reported."""

UNSCORED_TASKS = ("practice", "qualification")


class Kind(Enum):
    """What the cells of a column may hold; the value is how a message says it."""

    LABEL = "a printable name"
    KIND = "real or fake"
    TASK = "practice, qualification, time or infinity"
    FLAG = "true or false"
    VERDICT = "ok, late, dropped or nothing"
    WHOLE = "a whole number, 0 or more"
    COUNT = "a whole number, 1 or more"
    POSITIVE = "a number above 0"
    NUMBER = "a number, 0 or more"
    NUMBERS = "numbers, 0 or more, separated by spaces"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of the table of judgements."""

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    gaps: bool = False
    """Whether a single cell may be empty. An optional column that is empty from top to bottom
    always counts as absent."""


COLUMNS = (
    Column(
        name="evaluator",
        kind=Kind.LABEL,
        required=True,
        meaning="who judged",
    ),
    Column(
        name="condition",
        kind=Kind.LABEL,
        required=True,
        meaning="what the evaluator was judging, usually a generative model; rows of real images "
        "carry it too",
    ),
    Column(
        name="truth",
        kind=Kind.KIND,
        required=True,
        meaning="what the image was",
    ),
    Column(
        name="answer",
        kind=Kind.KIND,
        required=True,
        meaning="what the evaluator called it",
    ),
    Column(
        name="task",
        kind=Kind.TASK,
        meaning="which protocol the trial belongs to; where the column is missing, time if any "
        "exposure is given, else infinity",
    ),
    Column(
        name="block",
        kind=Kind.LABEL,
        gaps=True,
        meaning="which staircase of the evaluator; where missing, all trials form one block",
    ),
    Column(
        name="trial",
        kind=Kind.WHOLE,
        gaps=True,
        meaning="position of the trial in its block",
    ),
    Column(
        name="exposure_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="requested exposure (the level of the staircase) in ms",
    ),
    Column(
        name="rt_ms",
        kind=Kind.NUMBER,
        gaps=True,
        meaning="response time in ms",
    ),
    Column(
        name="verdict",
        kind=Kind.VERDICT,
        gaps=True,
        meaning="whether image and masks lasted as long as they should: ok, late (off by less than "
        "a frame) or dropped (by a frame or more); empty where nothing was measured",
    ),
    Column(
        name="repeats",
        kind=Kind.WHOLE,
        gaps=True,
        meaning="the trial of the block, spoiled by the screen, that is shown again here",
    ),
    Column(
        name="exposure_frames",
        kind=Kind.COUNT,
        gaps=True,
        meaning="frames for which the image was to be shown",
    ),
    Column(
        name="exposure_nominal_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="what those frames last, in ms",
    ),
    Column(
        name="exposure_measured_ms",
        kind=Kind.NUMBER,
        gaps=True,
        meaning="how long the image was shown, in ms",
    ),
    Column(
        name="mask_ms",
        kind=Kind.NUMBER,
        gaps=True,
        meaning="duration requested of each mask, in ms",
    ),
    Column(
        name="mask_frames",
        kind=Kind.COUNT,
        gaps=True,
        meaning="frames for which each mask was to be shown",
    ),
    Column(
        name="mask_nominal_ms",
        kind=Kind.POSITIVE,
        gaps=True,
        meaning="what those frames last, in ms",
    ),
    Column(
        name="mask_measured_ms",
        kind=Kind.NUMBERS,
        gaps=True,
        meaning="how long each mask was shown, in ms",
    ),
    Column(
        name="status",
        kind=Kind.LABEL,
        meaning="how far the evaluator came; where the column is there, only complete ones are "
        "scored",
    ),
    Column(
        name="simulated",
        kind=Kind.FLAG,
        meaning="whether the evaluator is a simulated one; false where the column is missing",
    ),
)
"""The columns that scoring looks at; `image`, `session` and any others pass through unread."""


def filled(cells: pd.Series) -> pd.Series:
    """Tell which cells hold anything."""
    return cells.notna() & cells.astype(str).str.strip().ne("")


def parse_column(cells: pd.Series, column: Column, where: object) -> pd.Series:
    """Give a column its proper type, or raise `InputError` for the first cell that has none.

    Parameters
    ----------
    cells
        The column as read; its index names the rows.
    column
        What it should be.
    where
        What a message calls the table.
    """
    values, valid = _PARSERS[column.kind](cells)
    refused = filled(cells) & ~valid if column.gaps else ~(filled(cells) & valid)
    if refused.any():
        refuse_cell(cells, refused, where, column.name, _allowed(column))
    return values


def refuse_cell(
    cells: pd.Series, refused: pd.Series, where: object, name: str, allowed: str
) -> NoReturn:
    """Raise `InputError` for the first refused cell of a column."""
    first = int(refused.to_numpy().argmax())
    value = cells.iloc[first]
    problem = f"{str(value)!r} is not allowed" if filled(cells).iloc[first] else "is empty"
    raise InputError(f"{where}, row {cells.index[first]}, column {name}", problem, allowed)


def _allowed(column: Column) -> str:
    hint = "; rows of real images too carry the condition" if column.name == "condition" else ""
    return f"allowed is {column.kind.value}{hint}"


def _label(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
    values = cells.astype(object).map(_plain, na_action="ignore").astype(str)
    values = values.where(filled(cells), "")
    # Names end up on terminals and in figures: no control characters, no line breaks.
    printable = {name: name.isprintable() for name in values.unique()}
    return values, values.map(printable).astype(bool)


def _one_of(*allowed: str) -> Callable[[pd.Series], tuple[pd.Series, pd.Series]]:
    def parse(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
        values = cells.astype(str).where(filled(cells), "")
        return values, values.isin(allowed)

    return parse


def _flag(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
    # Spreadsheets and pandas spell the two words True, TRUE and true.
    words = cells.astype(str).str.lower()
    return words.eq("true"), words.isin(("true", "false"))


def _number(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
    values = pd.to_numeric(cells, errors="coerce").astype(float)
    return values, values.ge(0) & values.lt(np.inf)


def _positive(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
    values, valid = _number(cells)
    return values, valid & values.gt(0)


def _whole(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
    values, valid = _number(cells)
    return values, valid & values.mod(1).eq(0)


def _count(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
    values, valid = _whole(cells)
    return values, valid & values.gt(0)


def _numbers(cells: pd.Series) -> tuple[pd.Series, pd.Series]:
    values = cells.astype(str).where(filled(cells), "")
    each = _number(values.str.split().explode())[1]
    return values, each.groupby(level=0, sort=False).all()


def _plain(value: object) -> str:
    # A whole number becomes a float in pandas when some other cell of its column is empty.
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value)


_PARSERS: dict[Kind, Callable[[pd.Series], tuple[pd.Series, pd.Series]]] = {
    Kind.LABEL: _label,
    Kind.KIND: _one_of("real", "fake"),
    Kind.TASK: _one_of(*UNSCORED_TASKS, *SCORED_TASKS),
    Kind.FLAG: _flag,
    Kind.VERDICT: _one_of(*(verdict.value for verdict in Verdict)),
    Kind.WHOLE: _whole,
    Kind.COUNT: _count,
    Kind.POSITIVE: _positive,
    Kind.NUMBER: _number,
    Kind.NUMBERS: _numbers,
}
