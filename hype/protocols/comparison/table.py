"""Tables of comparisons, and their checks."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.comparison.rows import ANSWER_LEVELS, ROW, SCORED_TASK
from hype.protocols.comparison.trial import ComparisonTask
from hype.tables.answers import TableReader, share_conditions
from hype.tables.cells import refuse_cell
from hype.tables.columns import shorten

ANSWERS: Final = tuple(ANSWER_LEVELS)
"""The categories of the column answer; "none" means that the time limit passed."""
_UNKNOWN: Final = -1


def complete_comparisons(table: pd.DataFrame, where: object) -> pd.DataFrame:
    """Complete comparisons: compute answers from ``chosen``; give left and right equal categories.

    Raises InputError: the chosen condition was not shown, or contradicts the answer; a condition is
    compared with itself; a validation comparison has no obvious side.

    A comparison of two images of one condition shows nothing about conditions. It is allowed only
    in tasks that are not scored, such as validation and practice.
    """
    table = find_answers(table, where)
    share_conditions(table, ("left", "right"))
    refuse_same_condition(table, where)
    refuse_no_obvious(table, where)
    return table


def find_answers(table: pd.DataFrame, where: object) -> pd.DataFrame:
    """Compute or check answers with the column ``chosen``, then drop that column.

    Raises InputError: a chosen condition was not shown; answer and chosen contradict each other.
    """
    if "chosen" not in table:
        return table
    chosen = table["chosen"].cat
    names = chosen.categories
    # A condition may be named "tie", so the names of the two conditions override answer words.
    words = np.array([ANSWERS.index(n) if n in ANSWERS[2:] else _UNKNOWN for n in names])
    codes = words[chosen.codes.to_numpy()].astype(np.int8)
    for side in ("right", "left"):
        # Each category's index in the chosen names; -1 if the condition was never chosen
        place = names.get_indexer(table[side].cat.categories)
        is_side = place[table[side].cat.codes.to_numpy()] == chosen.codes.to_numpy()
        codes[is_side] = ANSWERS.index(side)
    if (codes == _UNKNOWN).any():
        first = table.iloc[int((codes == _UNKNOWN).argmax())]
        left, right = (repr(shorten(str(first[side]))) for side in ("left", "right"))
        problem = f"{shorten(str(first['chosen']))!r} was not shown"
        allowed = f"it must be {left}, {right}, tie, both-bad or none"
        raise InputError(f"{where}, row {first.name}, column chosen", problem, allowed)
    if "answer" not in table:
        values = pd.Categorical.from_codes(codes, categories=pd.Index(ANSWERS))
        table["answer"] = pd.Series(values, index=table.index)
    # In other tasks, both images may be of one condition, whose name does not identify the side.
    scored = table["task"].eq(SCORED_TASK).to_numpy()
    wrong = scored & (table["answer"].cat.codes.to_numpy() != codes)
    if wrong.any():
        first = table.iloc[int(wrong.argmax())]
        problem = (
            f"the answer is {first['answer']}, but {shorten(str(first['chosen']))!r} was chosen"
        )
        allowed = "equal values in 'answer' and 'chosen', or only one of these columns"
        raise InputError(f"{where}, row {first.name}", problem, allowed)
    return table.drop(columns="chosen")


def refuse_same_condition(table: pd.DataFrame, where: object) -> None:
    same = table["left"].cat.codes.to_numpy() == table["right"].cat.codes.to_numpy()
    same &= table["task"].eq(SCORED_TASK).to_numpy()
    if not same.any():
        return
    first = table.iloc[int(same.argmax())]
    images = [first.get("left_image", ""), first.get("right_image", "")]
    problem = f"compares {shorten(str(first['left']))!r} with itself"
    if images[0] and images[0] == images[1]:
        problem = f"compares the image {shorten(str(images[0]))!r} with itself"
    allowed = (
        "left and right must be two conditions; two images of one condition show nothing "
        "about conditions"
    )
    raise InputError(f"{where}, row {first.name}", problem, allowed)


def refuse_no_obvious(table: pd.DataFrame, where: object) -> None:
    validation = table["task"].eq(ComparisonTask.VALIDATION.value).to_numpy()
    if not validation.any():
        return
    if "obvious" not in table:
        problem = "the column 'obvious' is missing"
        raise InputError(
            where, problem, "every row of the task 'validation' needs the obviously right side"
        )
    empty = validation & table["obvious"].eq("").to_numpy()
    if empty.any():
        allowed = "every row of the task 'validation' needs left or right"
        refuse_cell(table["obvious"], empty, where, "obvious", allowed)


TABLE: Final = TableReader(
    row=ROW,
    own_checks=complete_comparisons,
    key=("evaluator", "session", "task", "block", "criterion", "trial"),
)
check_comparisons: Final = TABLE.check
