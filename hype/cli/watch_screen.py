"""A study as it goes on, at a terminal: drawn in place, cut to what fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from hype.console import PrintableConsole
from hype.status.kit import NOBODY, SIMULATED, Listing, Telling, View
from hype.status.progress import Places


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen last, and what is wrong since.

    Attributes
    ----------
    tell
        The last look that succeeded; None before one did.
    told
        What it tells programs.
    looked_unix_s
        When that was; 0 before.
    tried_unix_s
        When the last look ended, whether or not it succeeded; 0 before any did.
    problem
        Why a later look did not; empty where it did.
    since_unix_s
        When looks began to fail.
    """

    tell: Telling | None = None
    told: dict[str, object] | None = None
    looked_unix_s: float = 0.0
    tried_unix_s: float = 0.0
    problem: str = ""
    since_unix_s: float = 0.0

    def after(self, outcome: Telling | str, unix_s: float) -> Seen:
        """Give what is known after another look: what it told, or why it told nothing."""
        if isinstance(outcome, str):
            since = self.since_unix_s if self.problem else unix_s
            return replace(self, problem=outcome, since_unix_s=since, tried_unix_s=unix_s)
        told = self.told if outcome is self.tell else outcome.as_object()
        return Seen(tell=outcome, told=told, looked_unix_s=unix_s, tried_unix_s=unix_s)

    def differs(self, before: Seen) -> bool:
        return (self.told, self.problem) != (before.told, before.problem)

    def as_object(self) -> dict[str, object]:
        """Give everything for programs: what was told last, and what is wrong."""
        return (self.told or {}) | {
            "looked_unix_s": self.looked_unix_s or None,
            "problem": self.problem or None,
            "problem_since_unix_s": self.since_unix_s if self.problem else None,
        }

    def said_of_problem(self) -> str:
        """Say what is wrong, since when, and of when is what is shown; nothing if all is well."""
        if not self.problem:
            return ""
        said = f"since {clock(self.since_unix_s, self.tried_unix_s)}: {self.problem}"
        if self.tell is None:
            return said
        return f"{said}; what is shown is of {clock(self.looked_unix_s, self.tried_unix_s)}"


def clock(unix_s: float, now_unix_s: float) -> str:
    when, now = datetime.fromtimestamp(unix_s), datetime.fromtimestamp(now_unix_s)
    return f"{when:%H:%M:%S}" if when.date() == now.date() else f"{when:%Y-%m-%d %H:%M:%S}"


def rows_that_fit(room: int, rows: int) -> int:
    """Say how many rows of a table are shown where there is room for so many lines.

    Where they do not all fit, a line is left in which the others are counted.
    """
    return rows if rows <= room else max(0, room - 1)


BAR: Final = 40
"""Columns of the bar, where the terminal is as wide."""
TITLE: Final = "Evaluators, those who answered last first"
MOST_NAMED: Final = 8
"""Evaluators of whom only the codes are shown."""

Drawn = list[list[Segment]]
"""Lines of a terminal."""


class WatchScreen:
    """The alternate screen of a terminal, on which what is seen takes the place of what was.

    Parameters
    ----------
    every_s
        Seconds between two looks, which it tells.
    """

    def __init__(self, *, every_s: float, console: Console | None = None) -> None:
        self._console = console or PrintableConsole(highlight=False)
        self._live = Live(console=self._console, screen=True, auto_refresh=False)
        self._every_s = every_s
        self._seen = Seen()
        self._drawn: tuple[object, ...] = ()

    def __enter__(self) -> WatchScreen:
        self._live.start()
        self.again()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, seen: Seen) -> None:
        self._seen = seen
        self.again()

    def again(self) -> None:
        """Draw what is seen, unless it is drawn already at this size."""
        now = (self._seen, self._console.size)
        if now != self._drawn:
            self._drawn = now
            frame = WatchFrame(seen=self._seen, every_s=self._every_s)
            self._live.update(frame, refresh=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchFrame:
    """A screen full."""

    seen: Seen
    every_s: float

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw exactly as many lines as the terminal has: what is last stands at its bottom."""
        height = options.height or console.height
        below = [line for part in self._below() for line in drawn(console, part)][:height]
        lines = self._above(console, height - len(below))
        lines += [[] for _ in range(height - len(below) - len(lines))]
        yield from joined([*lines, *below])

    def _below(self) -> Iterator[RenderableType]:
        """Say what is wrong, when it was looked, and how this ends."""
        seen, every = self.seen, f"looks every {self.every_s:g} s"
        if problem := seen.said_of_problem():
            yield Text(problem[:1].upper() + problem[1:], style="bold red")
        last = clock(seen.tried_unix_s, seen.tried_unix_s) if seen.tried_unix_s else "first look"
        yield Text(f"{last} · {every} · Ctrl-C ends", style="dim", no_wrap=True)

    def _above(self, console: Console, room: int) -> Drawn:
        """Draw the study, and as many of its evaluators as there is room for."""
        if self.seen.tell is None:
            return []
        view = self.seen.tell.view()
        lines = [line for part in of_study(view) for line in drawn(console, part)]
        if len(lines) > room:
            return cut(console, lines, room)
        if view.people is None:
            return lines
        return lines + list_cut(console, view.people, view.last_first, room - len(lines))


def of_study(view: View) -> Iterator[RenderableType]:
    """Give what is shown of the whole study."""
    if view.simulated:
        yield Text.from_markup(SIMULATED)
    yield Text(view.name, style="bold")
    if view.whole.wanted:
        yield bar_of(view.whole)
    for warning in view.warnings:
        yield Text(f"warning {warning}", style="yellow")
    yield view.places
    if view.people is None:
        yield NOBODY
    yield from map(Text, view.lines)
    if view.stations is not None:
        yield ""
        yield view.stations


def bar_of(whole: Places) -> Table:
    """Draw how full the study is."""
    done = whole.wanted - whole.needed
    bar = ProgressBar(total=whole.wanted, completed=done, width=BAR)
    line = Table.grid(padding=(0, 1, 0, 0))
    line.add_row(bar, f"{done:,} of {whole.wanted:,} evaluators")
    return line


def list_cut(console: Console, people: Listing, order: Sequence[int], room: int) -> Drawn:
    """Draw as many evaluators as there is room for, from the first, and count the others."""
    title = drawn(console, Text(f"\n{TITLE}", style="bold"))
    head = len(drawn(console, people.table(())))
    number = rows_that_fit(room - len(title) - head, len(order))
    while number > 0:
        lines = [*title, *drawn(console, people.table(order[:number]))]
        if number < len(order):
            lines += drawn(console, f"… and {len(order) - number:,} more")
        if len(lines) <= room:
            return lines
        number -= len(lines) - room  # codes that are folded take more than a line
    return last_named(console, people, order)[: max(0, room)]


def last_named(console: Console, people: Listing, order: Sequence[int]) -> Drawn:
    """Name those who answered last, where there is no room for a table."""
    names = ", ".join(str(people.rows[place][0]) for place in order[:MOST_NAMED])
    said = f"{len(order):,} evaluators; last answered: {names}"
    return drawn(console, Text(said, no_wrap=True, overflow="ellipsis"))


def cut(console: Console, lines: Drawn, room: int) -> Drawn:
    """Leave out the last lines, for which there is no room."""
    return [*lines[: max(0, room - 1)], *drawn(console, "…")][: max(0, room)]


def drawn(console: Console, part: RenderableType) -> Drawn:
    return console.render_lines(part, console.options.update(height=None), pad=False)


def joined(lines: Drawn) -> Iterator[Segment]:
    """Give lines one below the other."""
    for number, line in enumerate(lines):
        if number:
            yield Segment.line()
        yield from line
