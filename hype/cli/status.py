"""`hype status`: how far the study is, who has done what, and what is owed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from hype.cli.money import check_pay_file, due_object, lines_of_money, said_of_pay, write_pay
from hype.cli.options import Json, Simulated, StudyPath, out, print_json, warn
from hype.cli.status_tables import counts, new_table
from hype.errors import InputError
from hype.protocol.timing import Verdict
from hype.sessions.materials import Conditions, conditions_at_hand
from hype.sessions.progress import CellProgress, Places, Progress, cell_of, progress_of
from hype.sessions.status import Owed, Standing, standings
from hype.store.record import RECORD_FILE, reading_record
from hype.study.assignment import Cell
from hype.study.load import load_any
from hype.study.studies import AnyStudy, ComparisonStudy, RankingStudy, RatingStudy, Study

if TYPE_CHECKING:
    from sqlalchemy import Connection

QUALIFIED = {True: "yes", False: "no", None: "–"}
PLACES = (
    *("Wanted", "Done", "Begun", "Not\nqual.", "De-\nclined", "Still\nneeded", "Judge-\nments"),
)


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
    loaded = load_any(study)
    with reading_record(loaded.folder / RECORD_FILE) as engine, engine.connect() as connection:
        tell = telling_of(connection, loaded, simulated=simulated)
    if pay:
        write_pay(pay, loaded, tell.found)
        if not as_json:
            out.print(said_of_pay(pay, loaded, tell.found), markup=False)
            return
    if as_json:
        print_json(tell.as_object())
    else:
        tell.print()


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is known of a study, and the two ways of telling it: to programs, and to people."""

    found: Sequence[Owed]
    as_object: Callable[[], dict[str, object]]
    print: Callable[[], None]


def telling_of(connection: Connection, study: AnyStudy, *, simulated: bool) -> Telling:
    """Look at a study of whatever kind."""
    match study:
        case Study():
            return of_judgements(connection, study, simulated=simulated)
        case ComparisonStudy():
            return of_comparisons(connection, study, simulated=simulated)
        case RatingStudy():
            return of_ratings(connection, study, simulated=simulated)
        case RankingStudy():
            return of_rankings(connection, study, simulated=simulated)
    raise InputError(study.path, "is a study of an unknown kind")


def of_judgements(connection: Connection, study: Study, *, simulated: bool) -> Telling:
    """Look at a study of HYPE's methods."""
    found = standings(connection, study, simulated=simulated)
    conditions = conditions_at_hand(study, (standing.condition for standing in found))
    progress = progress_of(found, study.settings, conditions.names)
    what = (study, found, progress, conditions)
    return Telling(
        found=found,
        as_object=partial(as_object, *what, simulated=simulated),
        print=partial(print_status, *what, simulated=simulated),
    )


def of_comparisons(connection: Connection, study: ComparisonStudy, *, simulated: bool) -> Telling:
    """Look at a study of comparisons."""
    from hype.cli.comparing_status import comparing_object, print_comparing
    from hype.sessions.comparers import comparers
    from hype.sessions.comparing_progress import comparing_progress, design_at_hand

    found = comparers(connection, study, simulated=simulated)
    design = design_at_hand(connection, study)
    progress = comparing_progress(connection, study, design, found, simulated=simulated)
    what = (study, design, found, progress)
    return Telling(
        found=found,
        as_object=partial(comparing_object, *what, simulated=simulated),
        print=partial(print_comparing, *what, simulated=simulated),
    )


def of_ratings(connection: Connection, study: RatingStudy, *, simulated: bool) -> Telling:
    """Look at a study of ratings."""
    from hype.cli.rating_status import print_rating, rating_object
    from hype.sessions.raters import answers_counted, raters
    from hype.sessions.rating_progress import rating_design, rating_progress

    counted = answers_counted(connection, simulated=simulated)
    found = raters(connection, study, counted, simulated=simulated)
    design = rating_design(study)
    what = (study, design, found, rating_progress(study, design, found, counted))
    return Telling(
        found=found,
        as_object=partial(rating_object, *what, simulated=simulated),
        print=partial(print_rating, *what, simulated=simulated),
    )


def of_rankings(connection: Connection, study: RankingStudy, *, simulated: bool) -> Telling:
    """Look at a study of rankings, and hold its evaluators against its checkers."""
    from hype.cli.ranking_status import print_ranking, ranking_object, screened
    from hype.sessions.rankers import rankers
    from hype.sessions.ranking_progress import ranking_design, ranking_progress

    found = rankers(connection, study, simulated=simulated)
    design = ranking_design(study)
    progress = ranking_progress(connection, study, design, found, simulated=simulated)
    checked = any(one.tested or one.checked for one in found if one.checker)
    known = screened(study, simulated=simulated) if checked else {}
    what = (study, design, found, progress, known)
    return Telling(
        found=found,
        as_object=partial(ranking_object, *what, simulated=simulated),
        print=partial(print_ranking, *what, simulated=simulated),
    )


def as_object(
    study: Study,
    found: Sequence[Standing],
    progress: Progress,
    conditions: Conditions,
    *,
    simulated: bool,
) -> dict[str, object]:
    """Give everything for programs."""
    qualification = progress.qualification
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
        **due_object(study, found),
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
    money = lines_of_money(study, found, progress.remaining, progress.whole, simulated=simulated)
    for line in (*lines_of(progress), *money):
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
    """Give a row's numbers."""
    came = (places.complete, places.active, places.unqualified, places.declined)
    return counts((places.wanted, *came, places.needed, places.judgements))


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
