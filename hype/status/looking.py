"""How far a study is, whatever its protocol: its record against its design.

The places of the design are counted: how many evaluators each wants, has and still needs.
Pay: the sum that evaluators are owed, a table to pay from, and the bonus files of platforms.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from sqlalchemy import func, select

from hype.errors import InputError
from hype.files import guarded, write_bytes, write_table
from hype.session.enrol import groups_of
from hype.session.outgoing import of_version_alone, reading_all
from hype.session.participation import all_evaluators
from hype.session.steps import LEFT_OUT, Due, Ending
from hype.session.versions import (
    Version,
    change_in_words,
    current,
    lines_of,
    object_of,
    seen_version,
    versions_of,
)
from hype.status.design import Counted, Facts, OpenStudy, Status, StatusDesign, number_of
from hype.store.people import COMING, IN_DESIGN, LEFT
from hype.study.assignment import Cell
from hype.study.studies import AnyStudy
from hype.study.web_settings import PLATFORMS, Platform
from hype.web.arrivals import ASSIGNMENT, id_of, platform_of
from hype.web.desk import Rows, refuse_in_study

PAY_COLUMNS: Final = ("evaluator", "status", "base", "bonus", "pay", "currency")


def total_due(people: Collection[Facts]) -> dict[str, float]:
    return {
        f"{name}_due": round(sum(who[name] for who in people), 2)
        for name in ("base", "bonus", "pay")
    }


def check_pay_files(pay: Path | None, key: Path | None, *, simulated: bool, watch: bool) -> None:
    """Refuse to pay simulated evaluators, to pay repeatedly, or to write anything but a CSV table.

    ``key``: the file of people, without which no bonus file of a platform is written.

    Raises InputError: the table is asked for together with ``simulated`` or ``watch``, or is no CSV
    file; the file of people lies in a study.
    """
    if pay is None:
        if key:
            raise InputError("--key", "is given without --pay")
        return
    if watch:
        raise InputError("--pay --watch", "both given", "a table to pay from is written once")
    if simulated:
        raise InputError("--pay --simulated", "both given", "only people are paid")
    if pay.suffix.lower() != ".csv":
        raise InputError("--pay", f"{str(pay)!r} is not allowed", "a file that ends in .csv")
    if key:
        refuse_in_study(key)


def write_pay(path: Path, study: AnyStudy, people: Sequence[Facts]) -> str:
    """Write the table to pay from; give a sentence about it."""
    currency, owed = study.settings.pay.currency, [who for who in people if who["pay"]]
    rows = (
        {
            "evaluator": guarded(who["evaluator"]),
            "status": guarded(who["status"]),
            **{name: f"{who[name]:.2f}" for name in ("base", "bonus", "pay")},
            "currency": guarded(currency),
        }
        for who in owed
    )
    write_table(path, PAY_COLUMNS, rows)
    if not owed:
        return f"{path}: nobody is owed anything"
    number = "1 evaluator is" if len(owed) == 1 else f"{len(owed)} evaluators are"
    return f"{path}: {number} owed {currency}{total_due(owed)['pay_due']:.2f} in all"


SUBMITTED: Final = (Ending.COMPLETE.value, Ending.UNQUALIFIED.value)
"""Whose submissions a platform has, so that it can pay them something more."""
DOLLARS: Final = ("$", "US$", "USD")
"""How a study may write the money in which Mechanical Turk pays."""
TURK_COLUMNS: Final = (
    *("WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken"),
)
"""What Mechanical Turk's SendBonus asks for; one token is never paid twice."""
Bonus = tuple[Mapping[str, str], float]
"""A person, and their bonus on top of the reward."""


def write_bonuses(pay: Path, study: AnyStudy, people: Sequence[Facts], known: Rows) -> list[str]:
    """Write the bonuses of each platform next to a table of pay; return a sentence about each file.

    ``known`` says which person has which code.

    Raises InputError: a platform pays in another currency.
    """
    by_platform: dict[Platform, list[Bonus]] = {}
    for who in people:
        row = known.get(who["evaluator"])
        platform = platform_of(row["person"]) if row else None
        if not row or platform is None or platform not in FORMATS:
            continue
        if who["bonus"] > 0 and who["status"] in SUBMITTED:
            by_platform.setdefault(platform, []).append((row, who["bonus"]))
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


TURNED_AWAY: Final = ("unqualified", "declined", "full")
"""How people end who take no place: ``full`` where their group was full."""


def named_place(cell: Cell) -> Facts:
    return {
        "condition": cell.condition or None,
        "methods": cell.methods,
        "share": cell.share or None,
    }


def cells_of_design(
    people: Collection[Facts], planned: Collection[Cell], each: int, *, is_enough: bool
) -> list[Facts]:
    """Count evaluators in the places of the design, then where somebody is although it is none.

    ``each``: how many evaluators each place of the design wants. ``is_enough``: whether nobody more
    is needed all the same.
    """
    theirs: dict[Cell, list[Facts]] = {cell: [] for cell in planned}
    for who in people:
        theirs.setdefault(cell_of(who), []).append(who)
    others = sorted_cells({*theirs} - {*planned})
    return [
        {**named_place(cell), **places_of(theirs[cell], wanted, is_enough=is_enough)}
        for cells, wanted in ((planned, each), (others, 0))
        for cell in cells
    ]


def cell_of(who: Facts) -> Cell:
    return Cell(condition=who["condition"] or "", methods=who["methods"], share=who["share"] or 0)


def sorted_cells(cells: Iterable[Cell]) -> list[Cell]:
    return sorted({*cells}, key=lambda cell: (cell.methods, cell.condition, cell.share))


def places_of(people: Collection[Facts], wanted: int, *, is_enough: bool = False) -> Facts:
    """Count evaluators by what became of them.

    ``active`` have begun and are not done, ``left`` have no place any more. ``needed``: how many
    more must finish; some of them may have begun. ``answers``: those that count.
    """
    count = Counter(who["status"] for who in people)
    return {
        "wanted": wanted,
        "came": len(people),
        "complete": count["complete"],
        "active": count["active"] + count[COMING],
        "left": count[LEFT],
        **{status: count[status] for status in TURNED_AWAY},
        "left_out": count[LEFT_OUT],
        "needed": 0 if is_enough else max(0, wanted - count["complete"]),
        "answers": sum(who["answers"] for who in people),
    }


def together(cells: Sequence[Facts]) -> Facts:
    names = places_of((), 0)
    return {name: sum(cell[name] for cell in cells) for name in names}


def turned_away(places: Facts) -> int:
    return sum(places[status] for status in TURNED_AWAY)


def remaining_of(people: Sequence[Facts], cells: Sequence[Facts]) -> Facts:
    """Say what is still to be done.

    ``evaluators``: how many must still finish; some of them have ``begun``. ``newcomers``: about
    how many must come for the others, if the share turned away stays the same; None if everybody
    was. ``cost``: what all of them cost if they earn the average of the complete ones with the same
    methods; None if nobody has completed some of these methods.
    """
    needed = sum(cell["needed"] for cell in cells)
    begun = sum(min(cell["active"], cell["needed"]) for cell in cells)
    stayed = sum(who["status"] in IN_DESIGN for who in people)
    newcomers = math.ceil((needed - begun) * len(people) / stayed) if stayed else None
    costs: list[float | None] = []
    for cell in (cell for cell in cells if cell["needed"]):
        alike = (who for who in people if who["methods"] == cell["methods"])
        paid = [who["pay"] for who in alike if who["status"] == "complete"]
        costs.append(cell["needed"] * fmean(paid) if paid else None)
    return {
        "evaluators": needed,
        "begun": begun,
        "newcomers": newcomers if needed > begun else 0,
        "cost": None if None in costs else round(sum(filter(None, costs)), 2),
    }


def look(
    study: AnyStudy, design: StatusDesign, *, simulated: bool, version: int | None = None
) -> Status:
    """Look at a study once: at the version of a number, or that of the last evaluators.

    Raises InputError, SessionProblem: there is no such version; or as from
    `hype.session.outgoing.reading_all`.
    """
    with reading_all(study) as engine:
        versions, seen = seen_version(engine, study, version, simulated=simulated)
        course, problem = None, ""
        try:
            course = design.course(seen)
        except InputError as error:
            problem = str(error)
        with of_version_alone(engine, seen) as answers, answers.connect() as connection:
            here = OpenStudy(connection=connection, study=seen, course=course, simulated=simulated)
            people = standings(here, design)
            own = design.facts_of_study(here, people)
            quotas = seen.settings.study.quotas
            groups = [*groups_of(connection, seen, quotas, None, simulated=simulated)]
    placed = [who for who in people if cell_of(who) not in design.course.other_cells]
    cells = cells_of_design(
        placed,
        course.cells if course else sorted_cells(map(cell_of, placed)),
        seen.settings.evaluators_per_cell,
        is_enough=design.is_enough(own),
    )
    facts = {
        "study": str(seen.path),
        "simulated": simulated,
        "version": seen.version.number if seen.version else len(versions) or None,
        "versions": [object_of(versions, each, simulated=simulated) for each in versions],
        "stimuli_problem": problem or None,
        "cells": cells,
        "whole": together(cells),
        "remaining": remaining_of(placed, cells),
        "quotas": [asdict(group) for group in groups],
        "left_out": seen.settings.study.left_out,
        **own,
        "evaluators": people,
        **total_due(people),
        "currency": seen.settings.pay.currency,
    }
    warnings = [*lines_of_versions(study, seen, versions, simulated=simulated)]
    if problem:
        warnings = [f"{problem}; places that nobody has come to are missing below", *warnings]
    return Status(study=seen, design=design, facts=facts, warnings=warnings)


def standings(here: OpenStudy, design: StatusDesign) -> list[Facts]:
    """Return the status of every evaluator, in the order of their arrival."""
    answers = design.table.c
    whose = (answers.evaluator_id, *design.by)
    sums = {"scored": number_of(design.scored), "paid": number_of(design.paid), **design.counted}
    query = (
        select(
            *whose,
            *(each.label(name) for name, each in sums.items()),
            func.max(answers.onset_unix_s).label("last_unix_s"),
        )
        .where(answers.simulated == here.simulated)
        .group_by(*whose)
        .order_by(answers.evaluator_id, func.min(answers.id))
    )
    rows = here.connection.execute(query)
    by_evaluator = groupby(rows, key=lambda row: row.evaluator_id)
    theirs: dict[int, list[Any]] = {who: [*own] for who, own in by_evaluator}
    people = []
    for who in all_evaluators(here.connection, here.study, simulated=here.simulated):
        own = theirs.get(who.id, [])
        counts = {name: sum(getattr(row, name) for row in own) for name in sums}
        methods = tuple(who.methods.split())
        cell = Cell(condition=who.condition, methods=methods, share=who.share or 0)
        people.append(Counted(who, cell, counts, own))

    def standing(one: Counted, known: Facts) -> Facts:
        # The base is due once they answered anything
        due = here.study.settings.pay.pay().parts(one.counts["paid"]) if one.rows else Due()
        return {
            "evaluator": one.who.evaluator,
            **named_place(one.cell),
            "status": one.who.status,
            "answers": one.counts["scored"],
            "base": due.base,
            "bonus": due.bonus,
            "pay": due.pay,
            "came_unix_s": one.who.assigned_unix_s,
            "last_answered_unix_s": max((row.last_unix_s for row in one.rows), default=None),
            **known,
        }

    return [*map(standing, people, design.facts(here, people))]


def lines_of_versions(
    today: AnyStudy, seen: AnyStudy, versions: Sequence[Version], *, simulated: bool
) -> Iterator[str]:
    """Say which versions there are, where there are several, and whether the file is another."""
    if seen.version:
        yield f"this is version {seen.version} of the study:"
        yield from lines_of(versions, simulated=simulated)
    last = current(versions)
    if last and not last.is_that_of(today, simulated=simulated):
        yield f"{today.path}: {change_in_words(last, today, simulated)}; nobody new is admitted"


def people_of_all_versions(study: AnyStudy, design: StatusDesign) -> list[Facts]:
    """Say where the people of all versions of a study stand.

    Raises InputError: they are owed different currencies.
    """
    with reading_all(study) as engine, engine.connect() as connection:
        versions = versions_of(connection, study, simulated=False)
    numbers: Sequence[int | None] = [version.number for version in versions] or [None]
    looks = [look(study, design, simulated=False, version=number).facts for number in numbers]
    if len({facts["currency"] for facts in looks}) > 1:
        raise InputError("--pay", "people are owed different currencies", "choose a --version")
    return [who for facts in looks for who in facts["evaluators"]]
