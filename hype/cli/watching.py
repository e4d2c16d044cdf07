"""`hype status --watch`: the same as it goes on, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from queue import Empty, Full, Queue
from typing import Final, Generic, NoReturn, Protocol, TypeVar

from rich.console import Console
from sqlalchemy.exc import DBAPIError

from hype.cli.watch_screen import Seen, WatchScreen
from hype.console import out
from hype.errors import HypeError, InputError, NothingRecorded, SessionProblem
from hype.printable import printable_json
from hype.session.records import open_source
from hype.status.kit import Telling, print_view
from hype.status.looking import look

LOWER: Final = 10
"""Steps by which a session at this station comes before a look, where they share a processor."""
LEAVING_S: Final = 0.5
"""For a look that is under way when nobody wants it any more."""

FoundT = TypeVar("FoundT")


class Looker(Generic[FoundT]):
    """Looks in a thread of its own, so that a look that takes long holds nothing else up.

    Parameters
    ----------
    look
        Takes a look.
    every_s
        Seconds from one look to the next; at least as long as the look took, so that looking never
        takes more than half of a processor.
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
        """Look until it is over."""
        os.nice(LOWER)  # on Linux of this thread alone
        while not self._over.is_set():
            start = time.monotonic()
            self._hand_over(self._outcome())
            self._over.wait(max(self._every_s, time.monotonic() - start))

    def _outcome(self) -> FoundT | Exception:
        """Take a look."""
        try:
            return self._look()
        except Exception as error:
            return error

    def _hand_over(self, found: FoundT | Exception) -> None:
        """Leave it for `next`, as soon as the one before was taken."""
        while not self._over.is_set():
            try:
                self._found.put(found, timeout=LEAVING_S)
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

    Raises
    ------
    InputError
        What is given is wrong, as the first look finds.
    """
    look = partial(look_at, source, central=central, simulated=simulated)
    show = showing(as_json=as_json, every_s=every_s)
    with ended_by_signals(), Looker(look, every_s=every_s) as looker, show:
        watch(looker, show, patience_s=every_s + PATIENCE_S)


def look_at(source: str, *, central: bool, simulated: bool) -> Telling:
    """Look at a study once; its file is read each time, since it may be mended meanwhile.

    Raises
    ------
    InputError
        It, or where its answers are, is not as it should be.
    SessionProblem
        It cannot be read now.
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

    Raises
    ------
    InputError
        The first look found something wrong.
    """
    seen, looks, heard_s = Seen(), 0, time.monotonic()
    while True:
        found = looker.next(TICK_S)
        if found is not None:
            seen = seen.after(outcome_of(found, first=looks == 0), time.time())
            looks, heard_s = looks + 1, time.monotonic()
            show(seen)
        elif time.monotonic() - heard_s > patience_s and not seen.problem:
            seen = seen.after(SLOW, time.time())
            show(seen)
        else:
            show.again()


def outcome_of(found: Telling | Exception, *, first: bool) -> Telling | str:
    """Give what a look told, or why it told nothing, where that may pass.

    Raises
    ------
    InputError
        It is the first, and what was given is wrong.
    """
    if not isinstance(found, Exception):
        return found
    if (first and isinstance(found, InputError)) or not isinstance(found, HypeError):
        raise found
    return str(found)


def showing(*, as_json: bool, every_s: float) -> Showing:
    """Give what shows it: to a program, at a terminal, or where it is kept."""
    if as_json:
        return Printed(print_object)
    if sys.stdout.isatty() and not Console().is_dumb_terminal:
        return WatchScreen(every_s=every_s)
    return Printed(print_page)


class Printed:
    """Prints what is seen each time that something in it is new.

    Parameters
    ----------
    how
        Prints it.
    """

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
    told = seen.as_object()
    print(printable_json(told, separators=(",", ":")))


def print_page(seen: Seen) -> None:
    """Print what `hype status` does, or what is wrong, under the time."""
    out.print(f"{datetime.now():%Y-%m-%d %H:%M:%S}", style="bold")
    if seen.problem:
        out.print(seen.said_of_problem(), markup=False)
    elif seen.tell:
        print_view(seen.tell.view())
    out.print()
