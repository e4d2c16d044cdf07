"""Tables of comparisons: read, checked, and every column of its proper type."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.protocols.comparison.rows import (
    ALIASES,
    ANSWERS,
    NEEDED,
    SCORED_TASK,
    TASKS,
    VOTE_COLUMNS,
)
from hype.statistics.arrays import BoolArray
from hype.tables.answers import (
    CheckedTable,
    TableReader,
    answered_rows,
    blank_missing,
    drop_unused_names,
    empty_columns,
    parsed_answers,
    people_or_simulated,
    refuse_copies,
    refuse_repeated_trials,
    share_conditions,
    with_rows,
)
from hype.tables.cells import refuse_cell
from hype.tables.columns import (
    shortened,
    with_names,
)
from hype.tables.distinct import Codes


def by_known_names(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give the columns the names of `VOTE_COLUMNS`.

    Raises InputError: a needed column is missing, or could be either of two.
    """
    aliases = {alias: name for alias, name in ALIASES.items() if name not in frame}
    table = frame.rename(columns=aliases)
    names = [column.name for column in VOTE_COLUMNS]
    needed = NEEDED if "chosen" in table else (*NEEDED, "answer")
    return with_names(table, names, needed, where, said="left, right, and answer or chosen")


_UNKNOWN: Final = -1


def with_answers(table: pd.DataFrame, where: object) -> pd.DataFrame:
    """Make the answers of what was chosen, or see that the two agree; ``chosen`` goes.

    Parameters
    ----------
    table
        Parsed; changed in place.
    where
        What a message calls it.

    Raises
    ------
    InputError
        What was chosen was not shown; answer and chosen contradict each other.
    """
    if "chosen" not in table:
        return table
    codes = _sides(table)
    _refuse_not_shown(table, codes, where)
    if "answer" in table:
        _refuse_contradiction(table, codes, where)
    else:
        values = pd.Categorical.from_codes(codes, categories=pd.Index(ANSWERS))
        table["answer"] = pd.Series(values, index=table.index)
    return table.drop(columns="chosen")


def _sides(table: pd.DataFrame) -> npt.NDArray[np.int8]:
    """Give each row the position of its answer in `ANSWERS`, -1 where it has none."""
    chosen = table["chosen"].cat
    codes = chosen.codes.to_numpy()
    names = chosen.categories
    # A condition may be called tie: what was shown comes before what the word means.
    words = np.array([ANSWERS.index(n) if n in ("tie", "none") else _UNKNOWN for n in names])
    chosen_codes = words[codes].astype(np.int8)
    chosen_codes[_same(table["right"], codes, names)] = ANSWERS.index("right")
    chosen_codes[_same(table["left"], codes, names)] = ANSWERS.index("left")
    return chosen_codes


def _same(side: pd.Series, codes: Codes, names: pd.Index[Any]) -> BoolArray:
    place = names.get_indexer(side.cat.categories)  # -1 for a condition that was never chosen
    same: BoolArray = place[side.cat.codes.to_numpy()] == codes
    return same


def _refuse_not_shown(table: pd.DataFrame, codes: npt.NDArray[np.int8], where: object) -> None:
    wrong = codes == _UNKNOWN
    if wrong.any():
        first = table.iloc[int(wrong.argmax())]
        left, right = (repr(shortened(str(first[side]))) for side in ("left", "right"))
        problem = f"{shortened(str(first['chosen']))!r} was not shown"
        allowed = f"allowed is {left}, {right}, tie or none"
        raise InputError(f"{where}, row {first.name}, column chosen", problem, allowed)


def _refuse_contradiction(table: pd.DataFrame, codes: npt.NDArray[np.int8], where: object) -> None:
    # Where both sides are of one condition, as in a validation, its name tells no side.
    scored = table["task"].eq(SCORED_TASK).to_numpy()
    wrong = scored & (table["answer"].cat.codes.to_numpy() != codes)
    if wrong.any():
        first = table.iloc[int(wrong.argmax())]
        problem = f"the answer is {first['answer']}, and {shortened(str(first['chosen']))!r} chosen"
        allowed = "answer and chosen say the same, or one of them is left out"
        raise InputError(f"{where}, row {first.name}", problem, allowed)


_ANSWERING: Final = ("answer", "chosen")
_ANSWER_COLUMNS: Final = [column for column in VOTE_COLUMNS if column.name in _ANSWERING]


def check_comparisons(
    frame: pd.DataFrame, *, where: object = "comparisons", simulated: bool | None = None
) -> pd.DataFrame:
    """Check a table of comparisons and give every column its proper type.

    ``frame``: one row per answer; messages name rows by its index. ``where``: what messages call
    the table, usually its file. ``simulated``: True keeps the simulated evaluators, False people,
    None all, and refuses a table that mixes the two.

    Returns
    -------
    DataFrame
        A new frame, rows in the given order under a fresh index, with left, right, answer, task
        and simulated (bool) always there. Left and right are categories over the same sorted
        conditions; answer has the categories `ANSWERS`, task `TASKS`, obvious `OBVIOUS`. Numbers
        are float, NaN where empty; other columns of `VOTE_COLUMNS` are categories, empty text
        where there is none. Optional columns that are empty are gone; columns outside of
        `VOTE_COLUMNS` are kept as they are. Checking it again changes nothing.

    Raises
    ------
    InputError
        A needed column is missing; there is no row at all or none of the task comparison; a value
        is not allowed; a condition meets itself; what was chosen was not shown; a validation
        comparison has no obvious side; two rows are alike or claim the same trial of an
        evaluator; answers come again under another code; there are several criteria; no row has an
        answer; people and simulated evaluators are mixed, or none of the wanted left.

    Warns
    -----
    UserWarning
        Rows have no answer (empty, NA and the like): they are left out.

    Notes
    -----
    Two images of one condition say nothing about conditions, so they are refused too, but not in
    validation and practice, where anything may stand beside anything.
    """
    return checked_comparisons(frame, where=where, simulated=simulated).rows_with_warning()


def checked_comparisons(
    frame: pd.DataFrame, *, where: object = "comparisons", simulated: bool | None = None
) -> CheckedTable:
    """Check comparisons as `check_comparisons`, and tell which rows have no answer."""
    given = blank_missing(by_known_names(frame, where), "answer", words=ANSWERS)
    table = _parsed(_present(given, where), where)
    table = people_or_simulated(table, where, simulated, answers="comparisons")
    table, missing = answered_rows(table, _ANSWERING, where)
    table = with_answers(parsed_answers(table, _ANSWER_COLUMNS, TASKS, where), where)
    drop_unused_names(table, VOTE_COLUMNS)
    share_conditions(table, ("left", "right"))
    _refuse_selves(table, where)
    _refuse_no_obvious(table, where)
    _refuse_several_criteria(table, where)
    refuse_copies(table, where)
    refuse_repeated_trials(table, where, ("evaluator", "session", "task", "block", "trial"))
    return CheckedTable.of(table, missing)


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row; drop the optional columns that are empty."""
    frame = with_rows(frame, where, answers="comparisons", row="one row per answer")
    optional = [column.name for column in VOTE_COLUMNS if column.name not in NEEDED]
    empty = empty_columns(frame, optional)
    if {"answer", "chosen"} & set(frame.columns) <= set(empty):
        raise InputError(where, "no answer is given", "the column answer or chosen says it")
    return frame.drop(columns=empty)


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    others = [column for column in VOTE_COLUMNS if column.name not in _ANSWERING]
    parsed = parsed_answers(table, others, TASKS, where)
    if not parsed["task"].eq(SCORED_TASK).any():
        problem = "holds only practice and validation, which are never scored"
        raise InputError(where, problem, "rows of the task comparison")
    return parsed


def _refuse_selves(table: pd.DataFrame, where: object) -> None:
    same = table["left"].cat.codes.to_numpy() == table["right"].cat.codes.to_numpy()
    same &= table["task"].eq(SCORED_TASK).to_numpy()
    if not same.any():
        return
    first = table.iloc[int(same.argmax())]
    name = shortened(str(first["left"]))
    images = [first.get("left_image", ""), first.get("right_image", "")]
    problem = f"compares {name!r} with itself"
    if images[0] and images[0] == images[1]:
        problem = f"compares the image {shortened(str(images[0]))!r} with itself"
    allowed = "left and right are two conditions; two images of one say nothing about conditions"
    raise InputError(f"{where}, row {first.name}", problem, allowed)


def _refuse_no_obvious(table: pd.DataFrame, where: object) -> None:
    validation = table["task"].eq("validation").to_numpy()
    if not validation.any():
        return
    if "obvious" not in table:
        problem = "the column 'obvious' is missing"
        raise InputError(where, problem, "the task validation needs the obviously right side")
    empty = validation & table["obvious"].eq("").to_numpy()
    if empty.any():
        allowed = "every row of the task validation needs left or right"
        refuse_cell(table["obvious"], empty, where, "obvious", allowed)


def _refuse_several_criteria(table: pd.DataFrame, where: object) -> None:
    if "criterion" in table and len(table["criterion"].cat.categories) > 1:
        two = " and ".join(repr(shortened(name)) for name in table["criterion"].cat.categories[:2])
        problem = f"holds answers to several questions, such as {two}"
        raise InputError(where, problem, "one criterion at a time; keep the rows of one")


TABLE: Final = TableReader(
    columns=VOTE_COLUMNS,
    never_missing=("evaluator", "left", "right"),
    checked=checked_comparisons,
    aliases=ALIASES,
    renamed=by_known_names,
    chosen="chosen",
)
load_comparisons: Final = TABLE.load
