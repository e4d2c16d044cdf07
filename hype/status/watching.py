"""A study as it goes on, at a terminal: drawn in place, cut to what fits, until Ctrl-C."""

from __future__ import annotations

import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from queue import Empty, Full, Queue
from typing import Final, Generic, NoReturn, Protocol, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from sqlalchemy.exc import DBAPIError

from hype.console import PrintableConsole, out, printable_json
from hype.errors import HypeError, InputError, NothingRecorded, SessionProblem
from hype.session.records import open_source
from hype.status.looking import look
from hype.status.progress import NOBODY, SIMULATED, Listing, Places, Telling, View, print_view
from hype.system import step_back


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen last, and what is wrong since."""

    tell: Telling | None = None  # the last look that succeeded; None before one did
    told: dict[str, object] | None = None  # what it tells programs
    looked_unix_s: float = 0.0  # when that was; 0 before
    # When the last look ended, whether or not it succeeded; 0 before any did
    tried_unix_s: float = 0.0
    problem: str = ""  # why a later look did not; empty where it did
    since_unix_s: float = 0.0  # when looks began to fail

    def after(self, outcome: Telling | str, unix_s: float) -> Seen:
        """Give what is known after another look: what it told, or why it told nothing."""
        if isinstance(outcome, str):
            since = self.since_unix_s if self.problem else unix_s
            return replace(self, problem=outcome, since_unix_s=since, tried_unix_s=unix_s)
        content = self.told if outcome is self.tell else outcome.as_object()
        return Seen(tell=outcome, told=content, looked_unix_s=unix_s, tried_unix_s=unix_s)

    def differs(self, before: Seen) -> bool:
        return (self.told, self.problem) != (before.told, before.problem)

    def as_object(self) -> dict[str, object]:
        return (self.told or {}) | {
            "looked_unix_s": self.looked_unix_s or None,
            "problem": self.problem or None,
            "problem_since_unix_s": self.since_unix_s if self.problem else None,
        }

    def problem_in_words(self) -> str:
        """Say what is wrong, since when, and of when is what is shown; nothing if all is well."""
        if not self.problem:
            return ""
        sentence = f"since {clock(self.since_unix_s, self.tried_unix_s)}: {self.problem}"
        if self.tell is None:
            return sentence
        return f"{sentence}; what is shown is of {clock(self.looked_unix_s, self.tried_unix_s)}"


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

    ``every_s``: seconds between two looks, which it tells.
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
        if problem := seen.problem_in_words():
            yield Text(problem[:1].upper() + problem[1:], style="bold red")
        last = clock(seen.tried_unix_s, seen.tried_unix_s) if seen.tried_unix_s else "first look"
        yield Text(f"{last} · {every} · Ctrl-C ends", style="dim", no_wrap=True)

    def _above(self, console: Console, room: int) -> Drawn:
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
    sentence = f"{len(order):,} evaluators; last answered: {names}"
    return drawn(console, Text(sentence, no_wrap=True, overflow="ellipsis"))


def cut(console: Console, lines: Drawn, room: int) -> Drawn:
    return [*lines[: max(0, room - 1)], *drawn(console, "…")][: max(0, room)]


def drawn(console: Console, part: RenderableType) -> Drawn:
    return console.render_lines(part, console.options.update(height=None), pad=False)


def joined(lines: Drawn) -> Iterator[Segment]:
    for number, line in enumerate(lines):
        if number:
            yield Segment.line()
        yield from line


LOWER: Final = 10
"""Steps by which a session at this station comes before a look, where they share a processor."""
LEAVING_S: Final = 0.5
"""For a look that is under way when nobody wants it any more."""

FoundT = TypeVar("FoundT")


class Looker(Generic[FoundT]):
    """Looks in a thread of its own, so that a look that takes long holds nothing else up.

    ``every_s``: seconds from one look to the next; at least as long as the look took, so that
        looking never takes more than half of a processor.
    """

    def __init__(self, look: Callable[[], FoundT], *, every_s: float) -> None:
        self._look = look
        self._every_s = every_s
        self._found: Queue[FoundT | Exception] = Queue(maxsize=1)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Looker[FoundT]:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(LEAVING_S)

    def next(self, patience_s: float) -> FoundT | Exception | None:
        """Wait for the next look; give what it found or met; None if it takes longer."""
        try:
            return self._found.get(timeout=patience_s)
        except Empty:
            return None

    def _work(self) -> None:
        step_back(LOWER)
        while not self._over.is_set():
            start = time.monotonic()
            self._hand_over(self._outcome())
            self._over.wait(max(self._every_s, time.monotonic() - start))

    def _outcome(self) -> FoundT | Exception:
        try:
            return self._look()
        except Exception as error:
            return error

    def _hand_over(self, outcome: FoundT | Exception) -> None:
        """Leave it for `next`, as soon as the one before was taken."""
        while not self._over.is_set():
            try:
                self._found.put(outcome, timeout=LEAVING_S)
            except Full:
                continue
            return


TICK_S: Final = 0.25
"""For what is shown to follow the size of a terminal."""
PATIENCE_S: Final = 5.0
"""With a look, before it is said that it takes long."""

SLOW: Final = (
    "no answer yet; the network may be away, or another program may have the record for itself"
)


class Showing(Protocol):
    """Shows what is seen, in the place of what was or after it."""

    def __enter__(self) -> Showing: ...

    def __exit__(self, *_: object) -> None: ...

    def __call__(self, seen: Seen) -> None:
        """Show what is seen now."""

    def again(self) -> None:
        """Show the same once more, if it may look otherwise."""


def watch_study(
    source: str, *, central: bool, simulated: bool, as_json: bool, every_s: float
) -> None:
    """Look at a study again and again, and show what is seen, until Ctrl-C.

    Raises InputError: what is given is wrong, as the first look finds.
    """
    look = partial(look_at, source, central=central, simulated=simulated)
    show = showing(as_json=as_json, every_s=every_s)
    with ended_by_signals(), Looker(look, every_s=every_s) as looker, show:
        watch(looker, show, patience_s=every_s + PATIENCE_S)


def look_at(source: str, *, central: bool, simulated: bool) -> Telling:
    """Look at a study once; its file is read each time, since it may be mended meanwhile.

    Raises InputError: it, or where its answers are, is not as it should be.
    Raises SessionProblem: it cannot be read now.
    """
    try:
        study = open_source(source, central=central)
        return look(study, simulated=simulated)
    except NothingRecorded as error:
        raise SessionProblem(str(error)) from None
    except DBAPIError as error:
        raise SessionProblem(f"{source}: cannot be read now ({error.orig})") from None
    except sqlite3.Error as error:
        raise SessionProblem(f"{source}: cannot be read now ({error})") from None


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let Ctrl-C end what is in the block, and nothing else; and leave a terminal as it was."""
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def leave(number: int, _frame: object) -> NoReturn:
    sys.exit(128 + number)


def watch(looker: Looker[Telling], show: Showing, *, patience_s: float) -> NoReturn:
    """Show what each look finds, and say so where one takes longer than ``patience_s``.

    Raises InputError: the first look found something wrong.
    """
    seen, looks, heard_s = Seen(), 0, time.monotonic()
    while True:
        outcome = looker.next(TICK_S)
        if outcome is not None:
            seen = seen.after(outcome_of(outcome, first=looks == 0), time.time())
            looks, heard_s = looks + 1, time.monotonic()
            show(seen)
        elif time.monotonic() - heard_s > patience_s and not seen.problem:
            seen = seen.after(SLOW, time.time())
            show(seen)
        else:
            show.again()


def outcome_of(outcome: Telling | Exception, *, first: bool) -> Telling | str:
    """Give what a look told, or why it told nothing, where that may pass.

    Raises InputError: it is the first, and what was given is wrong.
    """
    if not isinstance(outcome, Exception):
        return outcome
    if (first and isinstance(outcome, InputError)) or not isinstance(outcome, HypeError):
        raise outcome
    return str(outcome)


def showing(*, as_json: bool, every_s: float) -> Showing:
    if as_json:
        return Printed(print_object)
    if sys.stdout.isatty() and not Console().is_dumb_terminal:
        return WatchScreen(every_s=every_s)
    return Printed(print_page)


class Printed:
    """Prints what is seen each time that something in it is new."""

    def __init__(self, how: Callable[[Seen], None]) -> None:
        self._how = how
        self._before = Seen()

    def __enter__(self) -> Printed:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, seen: Seen) -> None:
        """Print it, if there is anything new."""
        if seen.differs(self._before):
            self._how(seen)
            sys.stdout.flush()
        self._before = seen

    def again(self) -> None:
        """Say nothing twice."""


def print_object(seen: Seen) -> None:
    content = seen.as_object()
    print(printable_json(content, separators=(",", ":")))


def print_page(seen: Seen) -> None:
    """Print what `hype status` does, or what is wrong, under the time."""
    out.print(f"{datetime.now():%Y-%m-%d %H:%M:%S}", style="bold")
    if seen.problem:
        out.print(seen.problem_in_words(), markup=False)
    elif seen.tell:
        print_view(seen.tell.view())
    out.print()
