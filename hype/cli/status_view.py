"""What `hype status` shows people, of whatever kind of study, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.table import Table

from hype.cli.options import out, warn
from hype.cli.status_tables import Listing
from hype.sessions.progress import Places
from hype.sessions.records import NO_FOLDER
from hype.study.studies import AnyStudy

SIMULATED: Final = "[bold yellow]SIMULATED EVALUATORS: nobody real was asked[/]"
NOBODY: Final = "Nobody has come yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How far a study is, for people.

    Attributes
    ----------
    name
        The study's.
    simulated
        Whether nobody real was asked.
    whole
        All places of the design together.
    places
        The table of these.
    lines
        What is said below.
    people
        The table of evaluators, in the order of their arrival; None before anybody came.
    last_first
        Its rows, who answered last being the first.
    warnings
        What is not as it should be.
    stations
        The table of stations, where several may share the study.
    """

    name: str
    simulated: bool
    whole: Places
    places: Table
    lines: tuple[str, ...]
    people: Listing | None
    last_first: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    stations: Table | None = None


def print_view(view: View) -> None:
    """Print everything: the study first, then each evaluator, if anybody came."""
    if view.simulated:
        out.print(SIMULATED)
    for warning in view.warnings:
        warn(warning)
    out.print(view.name, style="bold", markup=False)
    out.print(view.places)
    if view.people is None:
        out.print(NOBODY)
        return
    for line in view.lines:
        out.print(line, markup=False)
    for table in (view.stations, view.people.table()):
        if table is not None:
            out.print()
            out.print(table)


def named(study: AnyStudy) -> str:
    """Name a study to programs: by its file, or by the central store that alone tells of it."""
    return study.read_from if study.folder == NO_FOLDER else str(study.path)


def said_of_stimuli(study: AnyStudy, problem: str, missing: str) -> tuple[str, ...]:
    """Say that a study's stimuli cannot be read, if so, and what that leads to."""
    if problem and study.folder == NO_FOLDER:
        problem = "stimuli are not at hand where only the URL of a central store is given"
    return (f"{problem}; {missing}",) if problem else ()
