"""How far a study of ratings is: its evaluators, and the answers of each axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from hype.errors import InputError
from hype.sessions.progress import CellProgress, Places, Remaining, remaining_of, together
from hype.sessions.protocols.rating import RatingProtocol
from hype.sessions.raters import Rater, by_axis
from hype.sessions.shares import cells_by_share
from hype.study.assignment import Cell
from hype.study.studies import RatingStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingDesign:
    """What a study asks for, as far as its stimuli can be read.

    Attributes
    ----------
    cells
        The places of the design.
    items
        How many there are; None where nobody can say.
    problem
        Why the stimuli do not say, if so.
    """

    cells: tuple[Cell, ...] = ()
    items: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisProgress:
    """Answers on an axis, how many are planned, and how many say that it does not apply."""

    axis: str
    answers: int
    wanted: int | None
    not_relevant: int

    @property
    def share_not_relevant(self) -> float | None:
        """The last as a share of the first; None without answers."""
        return self.not_relevant / self.answers if self.answers else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingProgress:
    """How far a study is."""

    cells: tuple[CellProgress, ...]
    whole: Places
    axes: tuple[AxisProgress, ...]
    remaining: Remaining

    @property
    def wanted(self) -> int | None:
        """Answers that are planned in all; None where nobody can say."""
        planned = [axis.wanted for axis in self.axes]
        return None if None in planned else sum(filter(None, planned))


def rating_design(study: RatingStudy) -> RatingDesign:
    """Give what a study asks for, whether or not its stimuli can be read."""
    try:
        protocol = RatingProtocol(study)
    except InputError as error:
        return RatingDesign(problem=str(error))
    return RatingDesign(cells=protocol.cells, items=sum(map(len, protocol.pools.shares)))


def rating_progress(
    study: RatingStudy,
    design: RatingDesign,
    found: Sequence[Rater],
    counted: Iterable[Row[Any]],
) -> RatingProgress:
    """Compare what was done with the plan."""
    each = study.settings.rating.ratings
    cells = cells_by_share(design.cells, found, each)
    counts = by_axis(counted)
    names = dict.fromkeys((*study.settings.axis_names, *sorted(counts)))
    wanted = None if design.items is None else design.items * each

    def axis_of(name: str) -> AxisProgress:
        given = counts.get(name, Counter[bool]())
        planned = wanted if name in study.settings.axis_names else 0
        return AxisProgress(
            axis=name, answers=given.total(), wanted=planned, not_relevant=given[True]
        )

    return RatingProgress(
        cells=cells,
        whole=together([one.places for one in cells]),
        axes=tuple(map(axis_of, names)),
        remaining=remaining_of(found, cells),
    )
