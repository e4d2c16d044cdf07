"""The column chosen, which names a condition, as the column answer, which names a side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.pairwise.vote_columns import ANSWERS, SCORED_TASK
from hype.analysis.tables.shortened import shortened
from hype.errors import InputError

if TYPE_CHECKING:
    from hype.analysis.tables.distinct import Codes

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
    found = words[codes].astype(np.int8)
    found[_same(table["right"], codes, names)] = ANSWERS.index("right")
    found[_same(table["left"], codes, names)] = ANSWERS.index("left")
    return found


def _same(side: pd.Series, codes: Codes, names: pd.Index[Any]) -> npt.NDArray[np.bool_]:
    place = names.get_indexer(side.cat.categories)  # -1 for a condition that was never chosen
    same: npt.NDArray[np.bool_] = place[side.cat.codes.to_numpy()] == codes
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
    told = table["task"].eq(SCORED_TASK).to_numpy()
    wrong = told & (table["answer"].cat.codes.to_numpy() != codes)
    if wrong.any():
        first = table.iloc[int(wrong.argmax())]
        problem = f"the answer is {first['answer']}, and {shortened(str(first['chosen']))!r} chosen"
        allowed = "answer and chosen say the same, or one of them is left out"
        raise InputError(f"{where}, row {first.name}", problem, allowed)
