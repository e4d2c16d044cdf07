"""What `hype status` shows people, of whatever kind of study, and how it is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from hype.console import out, warn
from hype.protocols.studies import AnyStudy
from hype.session.records import NO_FOLDER
from hype.session.standings import Owed
from hype.status.progress import Places

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
        """Make a table of some rows, in this order; of all without any.

        Columns are as wide whichever rows are shown.
        """
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
    stations: Table | None = None  # the table of stations, where several may share the study


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is known of a study, and the two ways of telling it: to programs, and to people."""

    found: Sequence[Owed]
    as_object: Callable[[], dict[str, object]]
    view: Callable[[], View]
