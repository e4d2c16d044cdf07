"""Correlations between axes as a square table: each cell a number on a ground of its colour."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from hype.protocols.prompted.report import SHADES, scale, shade_class
from hype.report import wording
from hype.report.parts import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hype.judges.results import JudgeAgreement, MatrixAgreement
    from hype.protocols.rating.results import AxisCorrelations

MOST_ROOMY: Final = 9
"""With more axes than these a cell has room for a number only."""
MOST_MAPS: Final = 8
"""Judges whose square stands beside people's; of more the first."""


@dataclass(frozen=True, kw_only=True)
class HeatCell:
    """How two axes go together.

    Parameters
    ----------
    r, ends
        The correlation and its interval, in words; the latter empty where it is unknown.
    css_class
        Which colour, and how much of it.
    said
        All of it in one sentence.
    """

    r: str
    ends: str
    css_class: str
    said: str


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """A square of axes.

    Parameters
    ----------
    title
        Whose correlations.
    said
        What is said of it; may be empty.
    names
        The axes, of the rows and of the columns.
    rows
        Each axis with one cell for each column, None on the diagonal.
    roomy
        Whether columns have names and cells intervals.
    """

    title: str
    said: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]
    roomy: bool


@dataclass(frozen=True, kw_only=True)
class HeatMaps(Block):
    """People's square, and beside it those of judges.

    Parameters
    ----------
    people
        What people said.
    judges
        What judges said, on what people answered as well.
    note
        What is to be read with those of judges; may be empty.
    """

    template: ClassVar[str] = "heat_maps.html"

    people: HeatMap
    judges: tuple[HeatMap, ...] = ()
    note: str = ""

    @property
    def scale(self) -> tuple[str, ...]:
        """Classes of a legend, from −1 to 1."""
        return scale()


def heat_maps(found: AxisCorrelations, judges: Sequence[JudgeAgreement]) -> HeatMaps:
    """Arrange correlations.

    Parameters
    ----------
    found
        Of people.
    judges
        Those that are held against people; empty without any.
    """
    of_judges = [judge for judge in judges if judge.matrix and judge.matrix.distance is not None]
    more = len(of_judges) - MOST_MAPS
    note = (
        f"The first {MOST_MAPS} of {len(of_judges):,} judges; the table has all."
        if more > 0
        else ""
    )
    return HeatMaps(
        people=of_people(found),
        judges=tuple(
            of_judge(judge, judge.matrix) for judge in of_judges[:MOST_MAPS] if judge.matrix
        ),
        note=note,
    )


def of_people(found: AxisCorrelations) -> HeatMap:
    """Arrange what people said, with intervals."""
    matrix = found.matrix
    return HeatMap(
        title="People",
        said="",
        names=found.axes,
        rows=tuple(
            (
                a,
                tuple(
                    _cell(a, b, matrix.r[i, j], (matrix.low[i, j], matrix.high[i, j]))
                    if i != j
                    else None
                    for j, b in enumerate(found.axes)
                ),
            )
            for i, a in enumerate(found.axes)
        ),
        roomy=len(found.axes) <= MOST_ROOMY,
    )


def of_judge(judge: JudgeAgreement, matrix: MatrixAgreement) -> HeatMap:
    """Arrange what a judge said, and say how far it is from people's."""
    return HeatMap(
        title=judge.judge,
        said=distance_said(matrix),
        names=matrix.axes,
        rows=tuple(
            (
                a,
                tuple(
                    _cell(a, b, matrix.judge[i][j], None) if i != j else None
                    for j, b in enumerate(matrix.axes)
                ),
            )
            for i, a in enumerate(matrix.axes)
        ),
        roomy=False,
    )


def distance_said(matrix: MatrixAgreement) -> str:
    """Say how far a judge's correlations are from people's, and what would be expected."""
    if matrix.distance is None:
        return ""
    ends = "" if matrix.low is None else f" ({wording.interval(matrix.low, matrix.high, 2)})"
    said = f"{wording.number(matrix.distance, 2)}{ends} from people’s"
    if matrix.floor is None:
        return said
    return f"{said}, where {wording.number(matrix.floor, 2)} is to be expected"


def _cell(a: str, b: str, r: float, ends: tuple[float, float] | None) -> HeatCell:
    if math.isnan(r):
        said = f"{a} and {b}: not known"
        return HeatCell(r=wording.NOT_KNOWN, ends="", css_class="unmet", said=said)
    known = ends is not None and not any(map(math.isnan, ends))
    written = wording.interval(*ends, 2) if ends is not None and known else ""
    shown = wording.number(r, 2)
    return HeatCell(
        r=shown,
        ends=written,
        css_class=shade_class(round(r * SHADES)),
        said=f"{a} and {b}: {shown}" + (f" ({written})" if written else ""),
    )
