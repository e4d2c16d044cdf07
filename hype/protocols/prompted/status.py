"""How far the shares of a study are: the places of a design in which everybody does a part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from rich.table import Table
from rich.text import Text
from sqlalchemy import Row

from hype.session.participation import Owed
from hype.session.steps import Due
from hype.status.progress import (
    CellProgress,
    Heading,
    Listing,
    Places,
    Remaining,
    Shown,
    Telling,
    View,
    cell_of,
    counts,
    due_object,
    lines_of_money,
    new_table,
    places_of,
    remaining_of,
    stimuli_in_words,
    together,
)
from hype.study.assignment import Cell
from hype.study.studies import AnyStudy


def _cells_by_share(
    planned: Collection[Cell],
    sharers: Collection[AskedStanding],
    wanted: int,
    *,
    done: bool = False,
) -> tuple[CellProgress, ...]:
    """Give the places of the design in order, then those in which somebody is beside it.

    ``planned``: the places of the design; without any, those are that somebody came to. ``wanted``:
    evaluators for each of them. ``done``: whether nobody more is needed, wherever somebody lacks.
    """
    theirs: dict[Cell, list[AskedStanding]] = {cell: [] for cell in planned}
    for sharer in sharers:
        theirs.setdefault(cell_of(sharer, sharer.share), []).append(sharer)
    expected = {*planned} or {*theirs}

    def progress(cell: Cell) -> CellProgress:
        places = places_of(theirs[cell], wanted if cell in expected else 0)
        return CellProgress(cell=cell, places=replace(places, needed=0) if done else places)

    return tuple(progress(cell) for cell in sorted(theirs, key=lambda cell: cell.share))


PLACES: Final = ("Wanted", "Done", "Begun", "De-\nclined", "Still\nneeded")
MOST_SHARES: Final = 12
"""That are printed one by one; --json has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedProgress:
    """How far the places of a design are, each and all together, and what is still to come."""

    cells: tuple[CellProgress, ...]
    whole: Places
    remaining: Remaining


def shared_progress(
    planned: Collection[Cell],
    sharers: Collection[AskedStanding],
    wanted: int,
    *,
    done: bool = False,
) -> SharedProgress:
    """Give how far places are; what is asked for is as of `_cells_by_share`."""
    cells = _cells_by_share(planned, sharers, wanted, done=done)
    return SharedProgress(
        cells=cells,
        whole=together([cell.places for cell in cells]),
        remaining=remaining_of([*sharers], cells),
    )


def telling(
    study: AnyStudy,
    evaluators_owed: Sequence[Owed],
    progress: SharedProgress,
    *,
    answers: str,
    problem: str,
    simulated: bool,
    standing: Callable[[Any], Mapping[str, object]],
    members: Callable[[], Mapping[str, object]] = dict,
    lines: Callable[[], Iterable[str]] = tuple,
    people: Callable[[], Listing],
) -> Telling:
    """Say how far a study is, for programs and for people.

    ``answers``: what is counted. ``problem``: why the stimuli cannot be read, if so. ``members``,
    ``standing``: what there is to say of the study, and of an evaluator, for programs. ``lines``,
    ``people``: the same for people, where anybody came.
    """

    def as_object() -> dict[str, object]:
        (method,) = study.settings.study.methods
        return {
            "study": str(study.path),
            "simulated": simulated,
            "method": method,
            "stimuli_problem": problem or None,
            "shares": [
                {"share": cell.cell.share or None} | places_object(cell.places, answers)
                for cell in progress.cells
            ],
            "whole": places_object(progress.whole, answers),
            **members(),
            "remaining": asdict(progress.remaining),
            "evaluators": [standing(evaluator) for evaluator in evaluators_owed],
            **due_object(study, evaluators_owed),
        }

    def view() -> View:
        missing = "conditions and shares that nobody met may be missing below"
        left, whole = progress.remaining, progress.whole
        money = (
            lines_of_money(study, evaluators_owed, left, whole, simulated=simulated)
            if evaluators_owed
            else ()
        )
        return View(
            name=study.settings.study.name,
            simulated=simulated,
            warnings=stimuli_in_words(problem, missing),
            whole=whole,
            places=table_of_shares(progress.cells, whole, answers.capitalize()),
            lines=(*lines(), *money) if evaluators_owed else (),
            people=people() if evaluators_owed else None,
        )

    return Telling(found=evaluators_owed, as_object=as_object, view=view)


def standing_object(evaluator: AskedStanding, answers: str) -> dict[str, object]:
    """Give one evaluator for programs."""
    members = asdict(evaluator)
    return {
        "evaluator": members.pop("evaluator"),
        "methods": members.pop("methods"),
        "status": members.pop("status"),
        "share": members.pop("share") or None,
        answers: members.pop("trials"),
        **members,
    }


def listing(
    rows: Iterable[tuple[AskedStanding, Sequence[Shown]]],
    numbers: Sequence[str],
    share: Callable[[Any], str] | None,
) -> Listing:
    """Make the table of evaluators: who, their share (where they have one), and some numbers."""
    return Listing(
        headings=(
            Heading(name="Evaluator", least=9),
            *((Heading(name="Share", number=True),) if share else ()),
            Heading(name="Status"),
            *(Heading(name=name, number=True) for name in numbers),
        ),
        rows=tuple(
            (
                Text(evaluator.evaluator),
                *((share(evaluator),) if share else ()),
                Text(evaluator.status),
                *cells,
            )
            for evaluator, cells in rows
        ),
    )


def share_of(evaluator: AskedStanding) -> str:
    return str(evaluator.share or "–")


def in_money(*amounts: float) -> tuple[str, ...]:
    return tuple(f"{amount:.2f}" for amount in amounts)


def places_object(places: Places, answers: str) -> dict[str, object]:
    """Give the numbers of a share, or of all; nobody is turned away by a qualification."""
    members = asdict(places)
    number = members.pop("judgements")
    members.pop("unqualified")
    return members | {answers: number}


def shares_in_words(cells: Sequence[CellProgress]) -> Iterator[str]:
    """Say how far shares are that are too many for a table."""
    if len(cells) <= MOST_SHARES:
        return
    done = [cell.places.complete for cell in cells]
    wanted = max(cell.places.wanted for cell in cells)
    least, most = min(done), max(done)
    each = f"{least}" if least == most else f"{least} to {most}"
    yield f"Shares: {len(cells):,}, each done by {each} of {wanted} evaluators"


def table_of_shares(cells: Sequence[CellProgress], whole: Places, answers: str) -> Table:
    """Make the table of shares, as long as they are few, and of all together."""
    several = 1 < len(cells) <= MOST_SHARES
    table = new_table()
    if several:
        table.add_column("Share", no_wrap=True)
    for name in (*PLACES, answers):
        table.add_column(name, justify="right", no_wrap=True)
    if several:
        for cell in cells:
            table.add_row(str(cell.cell.share or "–"), *numbers_of(cell.places))
        table.add_section()
    table.add_row(*(["all"] if several else []), *numbers_of(whole))
    return table


def numbers_of(places: Places) -> tuple[str, ...]:
    some = (places.wanted, places.complete, places.active, places.declined, places.needed)
    return counts((*some, places.judgements))


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedStanding:
    """Where one evaluator stands.

    ``share``: which part of what is asked they were given; 0 where nothing is shared out to them.
    ``trials``: their answers that count. ``pay``, ``base``, ``bonus``: what is due as of now: both
    parts together, and each. ``came_unix_s``, ``last_answered_unix_s``: when they were assigned,
    and when they were last asked what they answered.
    """

    evaluator: str
    methods: tuple[str, ...]
    status: str
    share: int
    trials: int
    pay: float
    base: float
    bonus: float
    came_unix_s: float
    last_answered_unix_s: float | None

    @property
    def condition(self) -> str:
        """Nothing: they are asked about all of them."""
        return ""


def of_anybody(who: Row[Any], due: Due, last_unix_s: float | None) -> dict[str, Any]:
    """Give what is known of a row of evaluators, whatever they are asked, but for `trials`."""
    return {
        "evaluator": who.evaluator,
        "methods": tuple(who.methods.split()),
        "status": who.status,
        "share": who.share or 0,
        "pay": due.pay,
        "base": due.base,
        "bonus": due.bonus,
        "came_unix_s": who.assigned_unix_s,
        "last_answered_unix_s": last_unix_s,
    }
