"""How far a study of ratings is, for `hype status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Final

from rich.text import Text

from hype.cli.money import due_object, lines_of_money
from hype.cli.share_status import said_of_shares, shared_view, shares_object, study_object
from hype.cli.status_tables import Cell, Heading, Listing, counts
from hype.cli.status_view import View
from hype.sessions.raters import Rater
from hype.sessions.rating_progress import AxisProgress, RatingDesign, RatingProgress
from hype.study.studies import RatingStudy

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


def row_of(one: Rater) -> tuple[Cell, ...]:
    """Give the cells of an evaluator."""
    return (
        Text(one.evaluator),
        str(one.share or "–"),
        Text(one.status),
        *counts((one.trials, one.not_relevant)),
        "–" if one.same is None else f"{one.same:.0%}{'!' if one.one_level else ''}",
        *(f"{amount:.2f}" for amount in (one.base, one.bonus, one.pay)),
    )
