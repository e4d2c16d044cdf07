"""`hype status --watch`: the status at a terminal, drawn anew every few seconds until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from rich.console import Group
from rich.live import Live
from rich.text import Text
from sqlalchemy.exc import DBAPIError

from hype.console import PrintableConsole
from hype.errors import HypeError, InputError, NothingRecorded
from hype.protocols.load import load_any
from hype.status.looking import look
from hype.status.progress import View, parts_of
from hype.system import put_last

EACH_S: Final = 2.0
"""Between two looks."""
LOWER: Final = 10
"""Niceness, so that a session at the same machine has the processor first."""


def watch_study(source: Path, *, simulated: bool) -> None:
    """Show the status of a study until Ctrl-C.

    The study file is read each time, since it may change meanwhile. If it or the record cannot be
    read, the reason is shown above the last status.

    Raises InputError: this is no terminal, or the first look finds the input wrong.
    """
    console = PrintableConsole(highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        raise InputError("--watch", "needs a terminal", "without it the status is printed once")
    view: View | None = None
    with (
        suppress(KeyboardInterrupt),
        Live(console=console, screen=True, auto_refresh=False) as live,
    ):
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # leave the screen as it was
        put_last(os.getpid(), LOWER)
        while True:
            problem = ""
            try:
                study = load_any(source)
                view = look(study, simulated=simulated).view()
            except (HypeError, DBAPIError, sqlite3.Error) as error:
                wrong = isinstance(error, InputError) and not isinstance(error, NothingRecorded)
                if view is None and wrong:
                    raise
                problem = f"cannot be read now: {error}"
            live.update(status_screen(view, problem), refresh=True)
            time.sleep(EACH_S)


def status_screen(view: View | None, problem: str) -> Group:
    """Lay out one screen; the terminal cuts it at the bottom."""
    now = f"{datetime.now():%H:%M:%S} · every {EACH_S:g} s · Ctrl-C ends"
    parts = [Text(now, style="dim")]
    if problem:
        parts.append(Text(problem, style="bold red"))
    if view is None:
        return Group(*parts)
    parts += [Text(f"warning {warning}", style="yellow") for warning in view.warnings]
    return Group(*parts, *parts_of(view, view.last_first))
