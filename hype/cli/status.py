"""`hype status`: how far the study is, who has done what, and what is owed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hype.cli.options import Json, Simulated, StudyPath, out, print_json, warn
from hype.errors import InputError
from hype.files import write_table
from hype.protocol.timing import Verdict
from hype.sessions.materials import Conditions, conditions_at_hand
from hype.sessions.progress import CellProgress, Places, Progress, cell_of, progress_of
from hype.sessions.status import Standing, standings, total_due
from hype.store.record import RECORD_FILE, reading_record
from hype.study.assignment import Cell
from hype.study.load import Study, load_study

QUALIFIED = {True: "yes", False: "no", None: "–"}
PLACES = (
    *("Wanted", "Done", "Begun", "Not\nqual.", "De-\nclined", "Still\nneeded", "Judge-\nments"),
)
PAY_COLUMNS = ("evaluator", "status", "base", "bonus", "pay", "currency")


def status(
    study: StudyPath,
    simulated: Simulated = False,
    as_json: Json = False,
    pay: Annotated[
        Path | None,
        typer.Option("--pay", metavar="CSV", help="write what each person is owed to this table"),
    ] = None,
) -> None:
    """Say who has done what, who is qualified, and what pay is due."""
    if pay:
        check_pay_file(pay, simulated=simulated)
    loaded = load_study(study)
    with reading_record(loaded.folder / RECORD_FILE) as engine, engine.connect() as connection:
        found = standings(connection, loaded, simulated=simulated)
    if pay:
        write_pay(pay, loaded, found)
        if not as_json:
            out.print(said_of_pay(pay, loaded, found), markup=False)
            return
    conditions = conditions_at_hand(loaded, (standing.condition for standing in found))
    progress = progress_of(found, loaded.settings, conditions.names)
    if as_json:
        print_json(as_object(loaded, found, progress, conditions, simulated=simulated))
    else:
        print_status(loaded, found, progress, conditions, simulated=simulated)


def check_pay_file(path: Path, *, simulated: bool) -> None:
    """Refuse to pay those who are not people, and to write over anything but a table."""
    if simulated:
        raise InputError("--pay --simulated", "both given", "only people are paid")
    if path.suffix.lower() != ".csv":
        raise InputError("--pay", f"{str(path)!r} is not allowed", "a file that ends in .csv")


def owed(found: Sequence[Standing]) -> list[Standing]:
    """List those who are owed anything."""
    return [standing for standing in found if standing.pay]


def write_pay(path: Path, study: Study, found: Sequence[Standing]) -> None:
    """Write the table from which people are paid."""
    from hype.analysis.tables.spreadsheet_text import guarded

    rows = (
        {
            "evaluator": guarded(standing.evaluator),
            "status": guarded(standing.status),
            "base": f"{standing.base:.2f}",
            "bonus": f"{standing.bonus:.2f}",
            "pay": f"{standing.pay:.2f}",
            "currency": guarded(study.settings.pay.currency),
        }
        for standing in owed(found)
    )
    write_table(path, PAY_COLUMNS, rows)


def said_of_pay(path: Path, study: Study, found: Sequence[Standing]) -> str:
    """Say what the table comes to."""
    number, due = len(owed(found)), total_due(found)
    if not number:
        return f"{path}: nobody is owed anything"
    people = "1 evaluator is" if number == 1 else f"{number} evaluators are"
    return f"{path}: {people} owed {study.settings.pay.currency}{due.pay:.2f} in all"


def as_object(
    study: Study,
    found: Sequence[Standing],
    progress: Progress,
    conditions: Conditions,
    *,
    simulated: bool,
) -> dict[str, object]:
    """Give everything for programs."""
    due, qualification = total_due(found), progress.qualification
    return {
        "study": str(study.path),
        "simulated": simulated,
        "stimuli_problem": conditions.problem or None,
        "cells": [cell_object(one) for one in progress.cells],
        "whole": asdict(progress.whole),
        "qualification": asdict(qualification)
        | {"taken": qualification.taken, "share": qualification.share},
        "timing": progress.verdicts,
        "remaining": asdict(progress.remaining),
        "evaluators": [asdict(standing) for standing in found],
        "base_due": due.base,
        "bonus_due": due.bonus,
        "pay_due": due.pay,
        "currency": study.settings.pay.currency,
    }


def cell_object(one: CellProgress) -> dict[str, object]:
    """Give one cell's progress for programs."""
    named = {"condition": one.cell.condition, "methods": one.cell.methods}
    return named | asdict(one.places)


def print_status(
    study: Study,
    found: Sequence[Standing],
    progress: Progress,
    conditions: Conditions,
    *,
    simulated: bool,
) -> None:
    """Print everything for people: the study first, then each evaluator."""
    if simulated:
        out.print("[bold yellow]SIMULATED EVALUATORS: nobody real was asked[/]")
    if conditions.problem:
        warn(f"{conditions.problem}; conditions that nobody has come to may be missing below")
    out.print(study.settings.study.name, style="bold", markup=False)
    out.print(table_of_cells(progress))
    if not found:
        out.print("Nobody has come yet.")
        return
    for line in (*lines_of(progress), *lines_of_money(study, found, progress, simulated=simulated)):
        out.print(line, markup=False)
    out.print()
    out.print(table_of_evaluators(found))


def lines_of(progress: Progress) -> Iterator[str]:
    """Say what became of the qualification and of the exposures."""
    tested = progress.qualification
    if tested.enabled or tested.taken or tested.under_way:
        parts = [f"{tested.taken} taken"]
        if tested.share is not None:
            parts = [f"{tested.passed} of {tested.taken} passed ({tested.share:.0%})"]
        if tested.under_way:
            parts.append(f"{tested.under_way} under way")
        if tested.elsewhere:
            parts.append(f"{tested.elsewhere} passed in another study")
        yield f"Qualification: {', '.join(parts)}"
    if progress.verdicts:
        counts = ", ".join(f"{number:,} {verdict}" for verdict, number in progress.verdicts.items())
        yield f"Timing of {sum(progress.verdicts.values()):,} measured trials: {counts}"


def lines_of_money(
    study: Study, found: Sequence[Standing], progress: Progress, *, simulated: bool
) -> Iterator[str]:
    """Say what is still needed, what that will cost, and what is owed."""
    currency, due, left = study.settings.pay.currency, total_due(found), progress.remaining
    if left.evaluators:
        yield f"Still needed: {said_of_need(progress)}"
    if left.evaluators and left.cost and not simulated:
        yield f"Still to pay: about {currency}{left.cost:,.0f}, at what is earned on average"
    words = "Nobody is paid; people would be owed" if simulated else "Pay due:"
    yield (
        f"{words} {currency}{due.pay:.2f} "
        f"(base {currency}{due.base:.2f}, bonus {currency}{due.bonus:.2f})"
    )


def said_of_need(progress: Progress) -> str:
    """Say how many must still finish, how many of them have begun, and how many must come."""
    left = progress.remaining
    said = f"{left.evaluators} to finish"
    if left.begun:
        said += f", {left.begun} begun"
    if left.newcomers and left.newcomers != left.evaluators - left.begun:
        whole = progress.whole
        away = whole.unqualified + whole.declined
        said += f"; about {left.newcomers} must come ({away} of {whole.came} turned away)"
    return said


def new_table() -> Table:
    """Make an empty table."""
    return Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)


def table_of_cells(progress: Progress) -> Table:
    """Make the table of conditions and methods."""
    differ = len({one.cell.methods for one in progress.cells}) > 1
    table = new_table()
    table.add_column("Condition", overflow="fold", min_width=9)
    if differ:
        table.add_column("Method", overflow="fold", min_width=8)
    for name in PLACES:
        table.add_column(name, justify="right", no_wrap=True)
    for one in progress.cells:
        table.add_row(*names_of(one.cell, differ=differ), *numbers_of(one.places))
    if len(progress.cells) > 1:
        table.add_section()
        table.add_row("all", *([""] if differ else []), *numbers_of(progress.whole))
    return table


def names_of(cell: Cell, *, differ: bool) -> tuple[Text, ...]:
    """Name a place of the design; its methods only where there are different ones."""
    # Text, not str: a condition called [b] must not switch on bold.
    names = Text(cell.condition), Text(" + ".join(cell.methods))
    return names if differ else names[:1]


def numbers_of(places: Places) -> tuple[str, ...]:
    """Give a row's numbers; a dot where there is none, so that what there is stands out."""
    numbers = (
        *(places.wanted, places.complete, places.active, places.unqualified, places.declined),
        *(places.needed, places.judgements),
    )
    return tuple(f"{number:,}" if number else "·" for number in numbers)


def table_of_evaluators(found: Sequence[Standing]) -> Table:
    """Make the table of evaluators; methods and verdicts only where they tell anything."""
    differ = len({standing.methods for standing in found}) > 1
    measured = any(standing.verdicts for standing in found)
    table = new_table()
    table.add_column("Evaluator", overflow="fold", min_width=9)
    table.add_column("Condition", overflow="fold", min_width=9)
    if differ:
        table.add_column("Method", overflow="fold", min_width=8)
    table.add_column("Status", no_wrap=True)
    table.add_column("Quali-\nfied", no_wrap=True)
    for name in ("Correct", *(("Spoi-\nled",) if measured else ()), "Base", "Bonus", "Pay"):
        table.add_column(name, justify="right", no_wrap=True)
    for standing in found:
        table.add_row(
            *(Text(standing.evaluator), *names_of(cell_of(standing), differ=differ)),
            *(Text(standing.status), QUALIFIED[standing.qualified]),
            f"{standing.correct}/{standing.trials}" if standing.trials else "–",
            *((spoiled_of(standing),) if measured else ()),
            *(f"{amount:.2f}" for amount in (standing.base, standing.bonus, standing.pay)),
        )
    return table


def spoiled_of(standing: Standing) -> str:
    """Give how many trials the screen spoiled; a dash where none was measured."""
    if standing.verdicts is None:
        return "–"
    return str(sum(standing.verdicts.values()) - standing.verdicts[Verdict.OK.value])
