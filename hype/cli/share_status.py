"""What `hype status` says of any study in which everybody is given a share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

from rich.table import Table

from hype.cli.status_tables import Listing, counts, new_table
from hype.cli.status_view import View, named, said_of_stimuli
from hype.sessions.progress import CellProgress, Places
from hype.study.studies import AnyStudy

PLACES: Final = ("Wanted", "Done", "Begun", "De-\nclined", "Still\nneeded")
MOST_SHARES: Final = 12
"""That are printed one by one; --json has all."""


def study_object(study: AnyStudy, *, simulated: bool) -> dict[str, object]:
    """Say for programs whose standing it is."""
    (method,) = study.settings.study.methods
    return {"study": named(study), "simulated": simulated, "method": method}


def shares_object(cells: Sequence[CellProgress], whole: Places, answers: str) -> dict[str, object]:
    """Give the numbers of each share and of all, with what is counted as ``answers``."""
    return {
        "shares": [
            {"share": one.cell.share or None} | places_object(one.places, answers) for one in cells
        ],
        "whole": places_object(whole, answers),
    }


def places_object(places: Places, answers: str) -> dict[str, object]:
    """Give the numbers of a share, or of all; nobody is turned away by a qualification."""
    found = asdict(places)
    number = found.pop("judgements")
    found.pop("unqualified")
    return found | {answers: number}


def shared_view(
    study: AnyStudy,
    cells: Sequence[CellProgress],
    whole: Places,
    *,
    answers: str,
    problem: str,
    simulated: bool,
    lines: Iterable[str],
    people: Listing | None,
) -> View:
    """Give everything for people; ``lines`` and ``people`` where anybody came."""
    missing = "conditions and shares that nobody met may be missing below"
    return View(
        name=study.settings.study.name,
        simulated=simulated,
        warnings=said_of_stimuli(study, problem, missing),
        whole=whole,
        places=table_of_shares(cells, whole, answers.capitalize()),
        lines=tuple(lines),
        people=people,
    )


def said_of_shares(cells: Sequence[CellProgress]) -> Iterator[str]:
    """Say how far shares are that are too many for a table."""
    if len(cells) <= MOST_SHARES:
        return
    done = [one.places.complete for one in cells]
    wanted = max(one.places.wanted for one in cells)
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
        for one in cells:
            table.add_row(str(one.cell.share or "–"), *numbers_of(one.places))
        table.add_section()
    table.add_row(*(["all"] if several else []), *numbers_of(whole))
    return table


def numbers_of(places: Places) -> tuple[str, ...]:
    """Give a row's numbers."""
    some = (places.wanted, places.complete, places.active, places.declined, places.needed)
    return counts((*some, places.judgements))
