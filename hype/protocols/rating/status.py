"""How far a study of ratings is: its evaluators, and the answers of each axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Final

from rich.text import Text
from sqlalchemy import Row

from hype.errors import InputError
from hype.protocols.prompted.shares import (
    cells_by_share,
    said_of_shares,
    shared_view,
    shares_object,
    study_object,
)
from hype.protocols.rating.conduct import RatingProtocol
from hype.protocols.rating.evaluators import Rater, by_axis
from hype.protocols.studies import RatingStudy
from hype.status.kit import Heading, Listing, Shown, View, counts
from hype.status.money import due_object, lines_of_money
from hype.status.progress import CellProgress, Places, Remaining, remaining_of, together
from hype.study.assignment import Cell


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


ANSWERS: Final = "answers"

MOST_LISTED: Final = 5

"""Evaluators who are named in one line."""


def rating_object(
    study: RatingStudy,
    design: RatingDesign,
    found: Sequence[Rater],
    progress: RatingProgress,
    *,
    simulated: bool,
) -> dict[str, object]:
    """Give everything for programs."""
    return {
        **study_object(study, simulated=simulated),
        "stimuli_problem": design.problem or None,
        **shares_object(progress.cells, progress.whole, ANSWERS),
        "axes": [
            asdict(axis) | {"share_not_relevant": axis.share_not_relevant} for axis in progress.axes
        ],
        "remaining": asdict(progress.remaining),
        "evaluators": [rater_object(one) for one in found],
        **due_object(study, found),
    }


def rater_object(one: Rater) -> dict[str, object]:
    """Give one evaluator."""
    found = asdict(one)
    return {
        "evaluator": found.pop("evaluator"),
        "methods": found.pop("methods"),
        "status": found.pop("status"),
        "share": found.pop("share") or None,
        ANSWERS: found.pop("trials"),
        **found,
    }


def rating_view(
    study: RatingStudy,
    design: RatingDesign,
    found: Sequence[Rater],
    progress: RatingProgress,
    *,
    simulated: bool,
) -> View:
    """Give everything for people."""
    money = lines_of_money(study, found, progress.remaining, progress.whole, simulated=simulated)
    return shared_view(
        study,
        progress.cells,
        progress.whole,
        answers=ANSWERS,
        problem=design.problem,
        simulated=simulated,
        lines=chain(lines_of(found, progress), money) if found else (),
        people=list_of_raters(found) if found else None,
    )


def lines_of(found: Sequence[Rater], progress: RatingProgress) -> Iterator[str]:
    """Say how many answers there are, of each axis, and who may not have looked."""
    yield from said_of_shares(progress.cells)
    given = sum(axis.answers for axis in progress.axes)
    of = "" if progress.wanted is None else f" of {progress.wanted:,}"
    each = {axis.answers for axis in progress.axes}
    spread = f"{min(each):,}" if len(each) == 1 else f"{min(each):,} to {max(each):,}"
    yield f"Answers: {given:,}{of}; {spread} on each axis"
    if said := [said_of_axis(axis) for axis in progress.axes if axis.not_relevant]:
        yield f"Not relevant: {', '.join(said)}"
    if alike := [one for one in found if one.one_level]:
        some = ", ".join(f"{one.evaluator} ({one.same:.0%})" for one in alike[:MOST_LISTED])
        more = f" and {len(alike) - MOST_LISTED} more" if len(alike) > MOST_LISTED else ""
        yield f"Look at: {some}{more}: one answer to nearly everything"


def said_of_axis(axis: AxisProgress) -> str:
    """Say how often an axis was said not to apply."""
    return f"{axis.axis} {axis.share_not_relevant:.0%}"


def list_of_raters(found: Sequence[Rater]) -> Listing:
    """Make the table of evaluators."""
    numbers = ("Answers", "Not re-\nlevant", "One\nlevel", "Base", "Bonus", "Pay")
    return Listing(
        headings=(
            Heading(name="Evaluator", least=9),
            *(Heading(name="Share", number=True), Heading(name="Status")),
            *(Heading(name=name, number=True) for name in numbers),
        ),
        rows=tuple(map(row_of, found)),
    )


def row_of(one: Rater) -> tuple[Shown, ...]:
    """Give the cells of an evaluator."""
    return (
        Text(one.evaluator),
        str(one.share or "–"),
        Text(one.status),
        *counts((one.trials, one.not_relevant)),
        "–" if one.same is None else f"{one.same:.0%}{'!' if one.one_level else ''}",
        *(f"{amount:.2f}" for amount in (one.base, one.bonus, one.pay)),
    )
