"""How far a study of ratings is: its evaluators, and the answers of each axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from hype.errors import InputError, few
from hype.protocols.prompted.status import (
    AskedStanding,
    in_money,
    listing,
    of_anybody,
    share_of,
    shared_progress,
    shares_in_words,
    standing_object,
    telling,
)
from hype.protocols.rating.course import RatingCourse
from hype.protocols.rating.rows import ratings
from hype.protocols.rating.settings import RatingStudy
from hype.protocols.rating.trial import NOT_RELEVANT, RatingTask
from hype.session.participation import all_evaluators
from hype.session.steps import Due
from hype.status.progress import Listing, Shown, Telling, counts
from hype.study.assignment import Cell

ALL_BUT_NONE: Final = 0.95
"""Who gives one answer to so much of what is asked may not have looked."""
RIGHT: Final = "right"
"""The side on which the first image of a pair may have stood."""
ENOUGH: Final = 20
"""With fewer answers nobody can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater(AskedStanding):
    """Where one evaluator stands.

    Attributes
    ----------
    share
        Which part of the items they were given.
    trials, not_relevant
        Answers that count, and those of them that say that an axis does not apply.
    """

    not_relevant: int
    # Share of the answers that are the one that they gave most on its axis, as it stood on the
    # screen; None without answers
    same: float | None
    # Whether that is nearly everything; None where there is too little to tell
    one_level: bool | None


def answers_counted(connection: Connection, *, simulated: bool) -> Sequence[Row[Any]]:
    """Count answers by who gave them, to what, and where the first image stood."""
    columns = ratings.c
    what = (columns.evaluator_id, columns.task, columns.axis, columns.answer, columns.first_side)
    query = (
        select(*what, func.count().label("times"), func.max(columns.onset_unix_s).label("last"))
        .where(columns.simulated == simulated)
        .group_by(*what)
        .order_by(columns.evaluator_id)
    )
    return connection.execute(query).all()


def raters(
    connection: Connection, study: RatingStudy, counted: Iterable[Row[Any]], *, simulated: bool
) -> list[Rater]:
    theirs = {who: list(rows) for who, rows in groupby(counted, lambda row: row.evaluator_id)}
    everybody = all_evaluators(connection, study, simulated=simulated)
    return [rater_of(row, study, theirs.get(row.id, [])) for row in everybody]


def rater_of(who: Row[Any], study: RatingStudy, rows: Sequence[Row[Any]]) -> Rater:
    """Give the standing of a row of evaluators. The base is due once they rated anything."""
    scored = [row for row in rows if row.task == RatingTask.RATING.value]
    answers = sum(row.times for row in scored)
    due = study.settings.pay.pay().parts(answers) if rows else Due()
    same = sameness(scored, study.settings.rating.levels)
    last = max((row.last for row in rows), default=None)
    return Rater(
        **of_anybody(who, due, last),
        trials=answers,
        not_relevant=sum(row.times for row in scored if row.answer == NOT_RELEVANT),
        same=same,
        one_level=None if same is None or answers < ENOUGH else same >= ALL_BUT_NONE,
    )


def sameness(rows: Iterable[Row[Any]], levels: int) -> float | None:
    """Give the share of answers that are the commonest on their axis, as people saw them.

    Answers of pairs are about the first image; whoever always presses one key says one thing of it
    where it stands on the left, and the opposite where it stands on the right.
    """
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.axis, Counter())[on_screen(row, levels)] += row.times
    total = sum(map(Counter.total, counts.values())) if counts else 0
    return sum(max(answers.values()) for answers in counts.values()) / total if total else None


def on_screen(row: Row[Any], levels: int) -> str:
    """Say which of the answers it was from left to right, of a pair; otherwise the answer."""
    answer = str(row.answer)
    mirrored = row.first_side == RIGHT and answer.isdecimal()
    return str(levels + 1 - int(answer)) if mirrored else answer


def by_axis(rows: Iterable[Row[Any]]) -> Mapping[str, Counter[bool]]:
    """Count the answers of each axis that count, by whether they say that it does not apply."""
    counts: dict[str, Counter[bool]] = {}
    for row in rows:
        if row.task == RatingTask.RATING.value:
            counts.setdefault(row.axis, Counter())[row.answer == NOT_RELEVANT] += row.times
    return counts


Facts = Mapping[str, Any]
ANSWERS: Final = "answers"


def axes_of(
    study: RatingStudy, counts: Mapping[str, Counter[bool]], wanted: int | None
) -> Iterator[Facts]:
    """Give the answers on each axis, how many are planned, and how many say that it is none.

    ``wanted``: how many are planned on each axis of the study; None where nobody can say.
    """
    for name in dict.fromkeys((*study.settings.axis_names, *sorted(counts))):
        given = counts.get(name, Counter[bool]())
        answers, not_relevant = given.total(), given[True]
        yield {
            "axis": name,
            "answers": answers,
            "wanted": wanted if name in study.settings.axis_names else 0,
            "not_relevant": not_relevant,
            "share_not_relevant": not_relevant / answers if answers else None,
        }


def lines_of(people: Sequence[Rater], axes: Sequence[Facts]) -> Iterator[str]:
    """Say how many answers there are, of each axis, and who may not have looked."""
    each = [axis["answers"] for axis in axes]
    wanted = [axis["wanted"] for axis in axes]
    of = "" if None in wanted else f" of {sum(wanted):,}"
    spread = f"{min(each):,}" if min(each) == max(each) else f"{min(each):,} to {max(each):,}"
    yield f"Answers: {sum(each):,}{of}; {spread} on each axis"
    if some := [axis for axis in axes if axis["not_relevant"]]:
        shares = (f"{axis['axis']} {axis['share_not_relevant']:.0%}" for axis in some)
        yield f"Not relevant: {', '.join(shares)}"
    if alike := [f"{one.evaluator} ({one.same:.0%})" for one in people if one.one_level]:
        yield f"Look at: {few(alike)}: one answer to nearly everything"


def list_of_raters(people: Sequence[Rater]) -> Listing:
    def cells(rater: Rater) -> tuple[Shown, ...]:
        return (
            *counts((rater.trials, rater.not_relevant)),
            "–" if rater.same is None else f"{rater.same:.0%}{'!' if rater.one_level else ''}",
            *in_money(rater.base, rater.bonus, rater.pay),
        )

    numbers = ("Answers", "Not re-\nlevant", "One\nlevel", "Base", "Bonus", "Pay")
    return listing([(rater, cells(rater)) for rater in people], numbers, share_of)


def look_at_ratings(connection: Connection, study: RatingStudy, *, simulated: bool) -> Telling:
    counted = answers_counted(connection, simulated=simulated)
    people = raters(connection, study, counted, simulated=simulated)
    each = study.settings.rating.ratings
    cells: tuple[Cell, ...] = ()
    wanted, problem = None, ""
    try:
        course = RatingCourse(study)
    except InputError as error:
        problem = str(error)
    else:
        cells, wanted = course.cells, each * sum(map(len, course.pools.shares))
    progress = shared_progress(cells, people, each)
    axes = list(axes_of(study, by_axis(counted), wanted))
    return telling(
        study,
        people,
        progress,
        answers=ANSWERS,
        problem=problem,
        simulated=simulated,
        members=lambda: {"axes": axes},
        standing=lambda rater: standing_object(rater, ANSWERS),
        lines=lambda: (*shares_in_words(progress.cells), *lines_of(people, axes)),
        people=lambda: list_of_raters(people),
    )
