"""How far a study of any kind is and what is owed, as `hype status` shows it and platforms pay."""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Protocol

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from sqlalchemy import Connection

from hype.console import out, warn
from hype.errors import InputError
from hype.files import write_bytes, write_table
from hype.people_file import people_in, refuse_in_study
from hype.session.participation import Owed, total_due
from hype.session.steps import LEFT_OUT, Ending
from hype.store.people import COMING, IN_DESIGN, LEFT
from hype.study.assignment import Cell
from hype.study.studies import AnyStudy
from hype.study.web_settings import PLATFORMS, Platform
from hype.tables.spreadsheet_text import guarded
from hype.web.arrivals import ASSIGNMENT, id_of, platform_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Evaluators of one place of the design, or of several together."""

    wanted: int  # how many the study asks for
    # complete, active, unqualified, declined, full: how many are done, have begun and are not done,
    # did not qualify, did not want to, are of a group that was full; left: have no place any more;
    # left_out: whom the study file leaves out
    complete: int
    active: int
    left: int = 0
    unqualified: int
    declined: int
    full: int = 0
    left_out: int = 0
    needed: int  # how many more must finish; some of them may have begun
    judgements: int  # answers that are scored, judgements or votes, of whoever gave them

    @property
    def came(self) -> int:
        return self.complete + self.active + self.left + self.left_out + self.turned_away

    @property
    def turned_away(self) -> int:
        return self.unqualified + self.declined + self.full


@dataclass(frozen=True, slots=True, kw_only=True)
class CellProgress:
    """How far one place of the design is."""

    cell: Cell
    places: Places


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """What is still to be done."""

    evaluators: int  # how many must still finish
    begun: int  # how many of these have begun
    # About how many people must come for the others, as many being turned away as so far; None
    # where nobody came who was not
    newcomers: int | None
    # What all of ``evaluators`` cost if they earn what the complete ones with the same methods did
    # on average; None where nobody has completed some of these methods
    cost: float | None


def cell_of(standing: Owed, share: int = 0) -> Cell:
    return Cell(condition=standing.condition, methods=standing.methods, share=share)


def places_of(standings: Collection[Owed], wanted: int) -> Places:
    count = Counter(standing.status for standing in standings)
    return Places(
        wanted=wanted,
        complete=count["complete"],
        active=count["active"] + count[COMING],
        left=count[LEFT],
        unqualified=count["unqualified"],
        declined=count["declined"],
        full=count["full"],
        left_out=count[LEFT_OUT],
        needed=max(0, wanted - count["complete"]),
        judgements=sum(standing.trials for standing in standings),
    )


def together(some: Collection[Places]) -> Places:
    names = [field.name for field in fields(Places)]
    return Places(**{name: sum(getattr(places, name) for places in some) for name in names})


def remaining_of(standings: Sequence[Owed], cells: Sequence[CellProgress]) -> Remaining:
    needed = sum(cell.places.needed for cell in cells)
    begun = sum(min(cell.places.active, cell.places.needed) for cell in cells)
    return Remaining(
        evaluators=needed,
        begun=begun,
        newcomers=newcomers_for(needed - begun, standings),
        cost=cost_of(standings, cells),
    )


def newcomers_for(places: int, standings: Sequence[Owed]) -> int | None:
    """Expect how many must come to fill some places; None where nobody knows."""
    if not places:
        return 0
    stayed = sum(standing.status in IN_DESIGN for standing in standings)
    return math.ceil(places * len(standings) / stayed) if stayed else None


def cost_of(standings: Sequence[Owed], cells: Sequence[CellProgress]) -> float | None:
    """Expect what those who must still finish will be paid."""
    cost = 0.0
    for cell in cells:
        if not cell.places.needed:
            continue
        done = [s for s in standings if s.status == "complete" and s.methods == cell.cell.methods]
        if not done:
            return None
        cost += cell.places.needed * fmean(standing.pay for standing in done)
    return round(cost, 2)


PAY_COLUMNS: Final = ("evaluator", "status", "base", "bonus", "pay", "currency")


def check_pay_file(path: Path, *, simulated: bool, watch: bool) -> None:
    """Refuse to pay those who are not people, again and again, or over anything but a table.

    Raises InputError: the table is asked for together with what it cannot be of, or is no CSV file.
    """
    if watch:
        raise InputError("--pay --watch", "both given", "a table to pay from is written once")
    if simulated:
        raise InputError("--pay --simulated", "both given", "only people are paid")
    if path.suffix.lower() != ".csv":
        raise InputError("--pay", f"{str(path)!r} is not allowed", "a file that ends in .csv")


def owed(evaluators: Sequence[Owed]) -> list[Owed]:
    return [standing for standing in evaluators if standing.pay]


def write_pay(path: Path, study: AnyStudy, evaluators_owed: Sequence[Owed]) -> None:
    rows = (
        {
            "evaluator": guarded(standing.evaluator),
            "status": guarded(standing.status),
            "base": f"{standing.base:.2f}",
            "bonus": f"{standing.bonus:.2f}",
            "pay": f"{standing.pay:.2f}",
            "currency": guarded(study.settings.pay.currency),
        }
        for standing in owed(evaluators_owed)
    )
    write_table(path, PAY_COLUMNS, rows)


def pay_in_words(path: Path, study: AnyStudy, evaluators_owed: Sequence[Owed]) -> str:
    number, due = len(owed(evaluators_owed)), total_due(evaluators_owed)
    if not number:
        return f"{path}: nobody is owed anything"
    people = "1 evaluator is" if number == 1 else f"{number} evaluators are"
    return f"{path}: {people} owed {study.settings.pay.currency}{due.pay:.2f} in all"


def due_object(study: AnyStudy, evaluators_owed: Sequence[Owed]) -> dict[str, object]:
    due = total_due(evaluators_owed)
    return {
        "base_due": due.base,
        "bonus_due": due.bonus,
        "pay_due": due.pay,
        "currency": study.settings.pay.currency,
    }


def lines_of_money(
    study: AnyStudy,
    evaluators_owed: Sequence[Owed],
    left: Remaining,
    whole: Places,
    *,
    simulated: bool,
) -> Iterator[str]:
    """Say what is still needed, what that will cost, and what is owed."""
    currency, due = study.settings.pay.currency, total_due(evaluators_owed)
    if left.evaluators:
        yield f"Still needed: {need_in_words(left, whole)}"
    if left.evaluators and left.cost and not simulated:
        yield f"Still to pay: about {currency}{left.cost:,.0f}, at what is earned on average"
    words = "Nobody is paid; people would be owed" if simulated else "Pay due:"
    yield (
        f"{words} {currency}{due.pay:.2f} "
        f"(base {currency}{due.base:.2f}, bonus {currency}{due.bonus:.2f})"
    )


def need_in_words(left: Remaining, whole: Places) -> str:
    """Say how many must still finish, how many of them have begun, and how many must come."""
    sentence = f"{left.evaluators} to finish"
    if left.begun:
        sentence += f", {left.begun} begun"
    if left.newcomers and left.newcomers != left.evaluators - left.begun:
        away = f"{whole.turned_away} of {whole.came} turned away"
        away += f", {whole.left} left" if whole.left else ""
        sentence += f"; about {left.newcomers} must come ({away})"
    return sentence


Shown = str | Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A column of a `Listing`."""

    name: str  # what stands above it
    number: bool = False  # whether it stands on the right
    # How narrow it may become where the terminal is narrow, its cells being folded; never narrower
    # than its cells where this is 0
    least: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A long table, of which a part can be shown."""

    headings: tuple[Heading, ...]
    rows: tuple[tuple[Shown, ...], ...]

    def table(self, rows: Sequence[int] | None = None) -> Table:
        """Make a table of some rows, in this order; of all without any."""
        table = new_table()
        for place, heading in enumerate(self.headings):
            table.add_column(
                heading.name,
                justify="right" if heading.number else "left",
                overflow="fold" if heading.least else "ellipsis",
                no_wrap=not heading.least,
                min_width=heading.least or self._width(place),
            )
        for row in range(len(self.rows)) if rows is None else rows:
            table.add_row(*self.rows[row])
        return table

    def _width(self, place: int) -> int | None:
        return max((cell_len(str(row[place])) for row in self.rows), default=None)


def new_table() -> Table:
    return Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)


def counts(numbers: Iterable[int]) -> tuple[str, ...]:
    """Write numbers; a dot where there is none, so that what there is stands out."""
    return tuple(f"{number:,}" if number else "·" for number in numbers)


SIMULATED: Final = "[bold yellow]SIMULATED EVALUATORS: nobody real was asked[/]"
NOBODY: Final = "Nobody has come yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How far a study is, for people."""

    name: str  # the study's
    simulated: bool  # whether nobody real was asked
    whole: Places  # all places of the design together
    places: Table  # the table of these
    lines: tuple[str, ...]  # what is said below
    # The table of evaluators, in the order of their arrival; None before anybody came
    people: Listing | None
    last_first: tuple[int, ...] = ()  # its rows, who answered last being the first
    warnings: tuple[str, ...] = ()  # what is not as it should be


def print_view(view: View) -> None:
    for warning in view.warnings:
        warn(warning)
    for part in parts_of(view):
        out.print(part)


def parts_of(view: View, order: Sequence[int] | None = None) -> Iterator[RenderableType]:
    """Yield the study first, then each evaluator, if anybody came, in this order."""
    if view.simulated:
        yield Text.from_markup(SIMULATED)
    yield Text(view.name, style="bold")
    yield view.places
    if view.people is None:
        yield NOBODY
        return
    yield from map(Text, view.lines)
    yield ""
    yield view.people.table(order)


def stimuli_in_words(problem: str, missing: str) -> tuple[str, ...]:
    """Say that a study's stimuli cannot be read, if so, and what that leads to."""
    return (f"{problem}; {missing}",) if problem else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is known of a study, and the two ways of telling it: to programs, and to people."""

    found: Sequence[Owed]
    as_object: Callable[[], dict[str, object]]
    view: Callable[[], View]


SUBMITTED: Final = (Ending.COMPLETE.value, Ending.UNQUALIFIED.value)
"""Whose submissions a platform has, so that it can pay them something more."""
DOLLARS: Final = ("$", "US$", "USD")
"""How a study may write the money in which Mechanical Turk pays."""
TURK_COLUMNS: Final = (
    *("WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken"),
)
"""What Mechanical Turk's SendBonus asks for; one token is never paid twice."""


Bonus = tuple[Mapping[str, str], float]
"""Somebody's row of the file of people, and what they get on top of their reward."""


def check_bonus_key(key: Path | None, pay: Path | None) -> None:
    """Refuse a file of people without a table to write beside, or beside which no names may lie."""
    if key is None:
        return
    if pay is None:
        raise InputError("--key", "is given without --pay")
    refuse_in_study(key)
    refuse_in_study(pay)


def write_bonuses(
    pay: Path, study: AnyStudy, evaluators_owed: Sequence[Owed], key: Path
) -> list[str]:
    """Write beside a table of pay the bonuses of each platform, as it takes them; say so.

    Raises InputError: the file of people is none, or a platform pays in another currency.
    """
    by_platform: dict[Platform, list[Bonus]] = {}
    people = people_in(key)
    for evaluator in evaluators_owed:
        row = people.get(evaluator.evaluator)
        platform = platform_of(row["person"]) if row else None
        if not row or platform is None or platform not in FORMATS:
            continue
        if evaluator.bonus > 0 and evaluator.status in SUBMITTED:
            by_platform.setdefault(platform, []).append((row, evaluator.bonus))
    if not by_platform:
        return ["nobody from a platform is owed a bonus"]
    lines = []
    for platform, bonuses in sorted(by_platform.items()):
        path = pay.with_name(f"{pay.stem}-{platform}.csv")
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(FORMATS[platform](study, bonuses))
        write_bytes(path, text.getvalue().encode())
        number = "1 bonus" if len(bonuses) == 1 else f"{len(bonuses)} bonuses"
        total = f"{study.settings.pay.currency}{sum(amount for _, amount in bonuses):.2f}"
        lines.append(f"{path}: {number} of {total} in all, for {PLATFORMS[platform]}")
    return lines


def prolific_rows(_study: AnyStudy, bonuses: Iterable[Bonus]) -> Iterable[Sequence[str]]:
    """Yield what is pasted into "Bulk bonus payment": a name and an amount, without a header."""
    return ((id_of(person["person"]), f"{amount:.2f}") for person, amount in bonuses)


def turk_rows(study: AnyStudy, bonuses: Iterable[Bonus]) -> Iterable[Sequence[str]]:
    """Yield what SendBonus asks for, assignment by assignment.

    Raises InputError: the study pays in another currency than dollars.
    """
    currency = study.settings.pay.currency
    if currency not in DOLLARS:
        problem = f"pay.currency = {currency!r}, and Mechanical Turk pays in dollars"
        raise InputError(study.path, problem, ", ".join(DOLLARS))
    yield TURK_COLUMNS
    for person, amount in bonuses:
        assignment = person.get(ASSIGNMENT, "")
        token = hashlib.sha256(f"{assignment} {person['code']}".encode()).hexdigest()[:32]
        reason = "Thank you for your answers."
        yield id_of(person["person"]), assignment, f"{amount:.2f}", reason, token


FORMATS: Final[Mapping[Platform, Callable[[AnyStudy, list[Bonus]], Iterable[Sequence[str]]]]] = {
    "prolific": prolific_rows,
    "mturk": turk_rows,
}
"""Of platforms that pay in money."""


class LookAt(Protocol):
    """Look at how far a study is."""

    def __call__(self, connection: Connection, study: Any, *, simulated: bool) -> Telling: ...
