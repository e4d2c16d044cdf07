"""Why rows of a table of answers are not scored: each for one reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.session.steps import Ending

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    BoolArray = npt.NDArray[np.bool_]

COMPLETE: Final = Ending.COMPLETE.value
DECLINED: Final = Ending.DECLINED.value
UNFINISHED: Final = "unfinished"
SCORED: Final = ""
"""Stands where there is no reason."""


def reason_of_status(status: str) -> str:
    """Say why nothing of an evaluator is scored, by how far they came; "" where it may be."""
    if status == COMPLETE:
        return SCORED
    return DECLINED if status == DECLINED else UNFINISHED


def first_reasons(
    found: Iterable[tuple[str, BoolArray]], known: Sequence[str], index: pd.Index
) -> pd.Series:
    """Give each row the first of the reasons that hold; `SCORED` where none does.

    ``found``: reasons, and the rows of which each holds; the first one counts.
    ``known``: those that are always categories, before all others.
    """
    import numpy as np
    import pandas as pd

    reasons = [SCORED, *known]
    codes = np.zeros(len(index), dtype=np.int16)
    for reason, rows in found:
        if reason not in reasons:
            reasons.append(reason)
        codes[rows & (codes == 0)] = reasons.index(reason)
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(reasons)), index)


def of_excluded(table: pd.DataFrame) -> Iterator[tuple[str, BoolArray]]:
    """Give what the table itself says in its column excluded, where there is one, and its rows."""
    if "excluded" in table:
        cells = table["excluded"]
        for reason in filter(None, map(str, cells.cat.categories)):
            yield reason, cells.eq(reason).to_numpy()


def rows_by_reason(reasons: pd.Series, known: Sequence[str]) -> Iterator[tuple[str, BoolArray]]:
    """Give each reason that holds of any row, in the order of the known ones, and those rows."""
    order = {reason: place for place, reason in enumerate(known)}
    names = map(str, reasons.cat.categories)
    for reason in sorted(names, key=lambda name: (order.get(name, len(order)), name)):
        rows = reasons.eq(reason).to_numpy()
        if reason != SCORED and rows.any():
            yield reason, rows
