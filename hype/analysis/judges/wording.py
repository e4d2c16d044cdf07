"""Numbers and lists as sentences about judges have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.analysis.judges.scores import AxisAgreement, MatrixAgreement

_MOST_LISTED: Final = 4


def number(value: float) -> str:
    """Write a correlation, with a minus sign that is one."""
    return f"{value + 0.0:.2f}".replace("-0.00", "0.00").replace("-", "−")


def percent(share: float) -> str:
    """Write a share; all and nothing only where they are meant."""
    text = f"{share:.0%}"
    if (text == "100%" and share < 1) or (text == "0%" and share > 0):
        text = f"{share:.1%}"
    return text


def tenths(share: float) -> str:
    """Write an accuracy with one decimal of a percent, as 004 recommends."""
    return f"{share:.1%}"


def p_said(p: float) -> str:
    """Write a p."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def and_listed(names: Sequence[str]) -> str:
    """Join names with commas and a last and."""
    if len(names) > _MOST_LISTED:
        names = [*names[:_MOST_LISTED], f"{len(names) - _MOST_LISTED} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def r_said(row: AxisAgreement) -> str:
    """Write the r of an axis with its interval."""
    found = row.correlation
    if found.r is None:
        return f"{row.axis} r unknown"
    ends = ""
    if found.low is not None and found.high is not None:
        ends = f", {number(found.low)} to {number(found.high)}"
    return f"{row.axis} r = {number(found.r)}{ends}"


def of_axes(some: Sequence[AxisAgreement], every: Sequence[AxisAgreement]) -> str:
    """Say how many of the axes are meant."""
    if len(every) == 1:
        return f"its one axis, {every[0].axis}"
    if len(some) == len(every):
        return f"all {len(every)} axes"
    return f"{len(some)} of {len(every)} axes"


def least_agreed(rows: Sequence[AxisAgreement]) -> AxisAgreement:
    """Give the axis with the lowest r."""
    return min(rows, key=lambda row: row.correlation.r if row.correlation.r is not None else 2.0)


def means_said(matrix: MatrixAgreement) -> str:
    """Say whether a judge's axes go together more or less than people's."""
    off = np.triu_indices(len(matrix.axes), 1)
    own, people = (float(np.nanmean(np.array(each)[off])) for each in (matrix.judge, matrix.people))
    more = "more closely" if own > people else "less closely"
    return f"they are {more} related, with a mean r of {number(own)}; people's is {number(people)}"


def side_said(
    side: str, share: float, people: float, decided: int, p: float, *, most: float
) -> str:
    """Say that a judge prefers one side, in `most` of its answers or in fewer."""
    how = f"takes the {side} image more often than people do"
    if share >= most:
        how = f"{'always' if share == 1 else 'nearly always'} prefers the {side} image"
    return (
        f"It {how}: in {percent(share)} of its {decided:,} decided answers, where people do in "
        f"{percent(people)} ({p_said(p)})."
    )
