"""A station in a separate program, and faults that are caused from outside."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hype.protocols.hype.settings import Study

if TYPE_CHECKING:
    from Xlib.display import Display
    from Xlib.xobject.drawable import Window

HYPE = Path(sys.executable).parent / "hype"
LONGEST_S = 120
UNSYNCED = "--allow-unsynced"
"""A virtual display never makes flips wait, so `hype run` needs this option."""


def rows(study: Study, query: str) -> list[sqlite3.Row]:
    """Query the record."""
    with (
        closing(sqlite3.connect(study.folder / "data.sqlite", timeout=LONGEST_S)) as connection,
        connection,
    ):
        connection.row_factory = sqlite3.Row
        return connection.execute(query).fetchall()


def one(study: Study, query: str) -> object:
    """Query one value of the record; None if the record does not exist yet or has no rows."""
    if not (study.folder / "data.sqlite").exists():
        return None
    if not rows(study, "select 1 from sqlite_master"):
        return None
    found = rows(study, query)
    return found[0][0] if found else None


def answered(study: Study) -> int:
    """Count the judgements in the record."""
    return int(str(one(study, "select count(*) from judgements") or 0))


def start(study: Study, *options: str, display: str | None = None) -> subprocess.Popen[str]:
    """Start `hype run` with the options that a virtual display needs."""
    # Processes started in the background or by nohup ignore signals, and so do their children.
    command = [
        "env",
        "--default-signal=INT,HUP",
        str(HYPE),
        "run",
        str(study.folder),
        "--evaluator",
        "p01",
        "--windowed",
    ]
    command += options or (UNSYNCED,)
    environment = os.environ | ({"DISPLAY": display} if display else {})
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def press_until(
    process: subprocess.Popen[str],
    keys: Sequence[str],
    done: Callable[[], bool] = lambda: False,
    display: str | None = None,
) -> None:
    """Press keys from outside again and again until the program ends or ``done`` is true."""
    from Xlib import XK, X
    from Xlib.display import Display
    from Xlib.ext.xtest import fake_input

    end = time.monotonic() + LONGEST_S
    with closing(Display(display)) as server:
        codes = [server.keysym_to_keycode(XK.string_to_keysym(key)) for key in keys]
        while process.poll() is None and not done() and time.monotonic() < end:
            for code in codes:
                fake_input(server, X.KeyPress, code)
                fake_input(server, X.KeyRelease, code)
                server.sync()
                time.sleep(0.05)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end of the program; return its exit code, output and errors as one line each."""
    out, err = process.communicate(timeout=LONGEST_S)
    return process.returncode, " ".join(out.split()), " ".join(err.split())


@contextmanager
def seen_by_another() -> Iterator[tuple[Display, list[Window]]]:
    """Yield another connection to the X server, and the program's windows as it sees them."""
    from Xlib import display

    server = display.Display()
    try:
        children = server.screen().root.query_tree().children
        yield server, [window for window in children if window.get_wm_name() == "hype"]
        server.sync()
    finally:
        server.close()


def close_window() -> None:
    """Ask the program to close its window, as a window manager does."""
    from Xlib import X
    from Xlib.protocol.event import ClientMessage

    with seen_by_another() as (server, windows):
        protocols, delete = map(server.intern_atom, ("WM_PROTOCOLS", "WM_DELETE_WINDOW"))
        for window in windows:
            data = (32, [delete, X.CurrentTime, 0, 0, 0])
            window.send_event(ClientMessage(window=window, client_type=protocols, data=data))


def destroy_window() -> None:
    """Destroy the program's window without asking the program."""
    with seen_by_another() as (_, windows):
        for window in windows:
            window.destroy()
