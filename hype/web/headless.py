"""Simulated participants at real pages: Chromium without a window, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from hype.errors import SessionProblem
from hype.protocols.studies import AnyStudy
from hype.store import people
from hype.store.record import RECORD_FILE, reading_record
from hype.store.update import version_at
from hype.web.tokens import ServerKey

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS: Final = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--window-size=1366,768"),
)
"""No sandbox: it shows pages of our own, and root may have none."""
LOOK_S: Final = 0.5


def browser() -> str | None:
    """Find Chromium; None where it is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def hold_sessions(
    program: str,
    study: AnyStudy,
    port: int,
    key: ServerKey,
    codes: Sequence[str],
    patience_s: float,
) -> None:
    """Let simulated participants go through their sessions at pages of their own.

    Raises SessionProblem: one did not come to its end in time.
    """
    with ExitStack() as stack:
        for code in codes:
            profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            door = f"http://127.0.0.1:{port}/simulated/{code}/{key.name('simulated', code)}"
            shown = subprocess.Popen(
                [program, *FLAGS, f"--user-data-dir={profile}", door],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(shown.wait)
            stack.callback(shown.terminate)
        until_s = time.monotonic() + patience_s
        while not set(codes) <= at_their_end(study):
            if time.monotonic() > until_s:
                raise SessionProblem(f"sessions in {program} did not come to their end")
            time.sleep(LOOK_S)


def at_their_end(study: AnyStudy) -> set[str]:
    """List the simulated evaluators whose part is over."""
    path: Path = study.folder / RECORD_FILE
    if not version_at(path):
        return set()
    with reading_record(path) as record, record.connect() as connection:
        everybody = people.list_evaluators(connection, simulated=True)
    return {who.evaluator for who in everybody if who.status in people.PARTS_END}
