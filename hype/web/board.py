"""The leaderboard of a study that is served: made anew when answers have come, not too often."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final

from hype.console import printable
from hype.errors import InputError, SessionProblem
from hype.files import read_bytes
from hype.store.record import RECORD_FILE
from hype.system import put_last

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hype.protocols.studies import AnyStudy

SITES: Final[Mapping[str, tuple[str, ...]]] = {
    "leaderboard": (),
    "leaderboard-simulated": ("--simulated",),
}
"""Folders beside a study file, which addresses name too, each with the options that make it."""
INDEX: Final = "index.html"
FILES: Final = re.compile(r"index\.html|models/[A-Za-z0-9-]+\.html|(standings|history)\.[a-z]+")
KINDS: Final = {"html": "text/html", "csv": "text/csv", "json": "application/json"}
BOARD_POLICY: Final = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
LARGEST_BYTES: Final = 64 << 20
LEAST_S: Final = 30.0
"""Between two times at which it is made, and after which a page that is open asks again."""
PATIENCE: Final = 10
"""Making it takes at most one such part of the time: participants go first."""
PATIENCE_S: Final = 1800.0
NICENESS: Final = 10
"""Of programs that write pages: participants go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFile:
    """A file of a site, as it is served."""

    content: bytes
    kind: str
    headers: Mapping[str, str] = field(default_factory=dict)


class LiveBoard:
    """A leaderboard that follows the answers of a study."""

    def __init__(self, study: AnyStudy, site: str) -> None:
        self._study, self._folder, self._options = study, study.folder / site, SITES[site]
        self._turn = Lock()
        self._made_of: tuple[tuple[int, int], ...] | None = None
        self._until_s = 0.0

    def file(self, name: str) -> SiteFile | None:
        """Give a file of the site; None where it has none of this name.

        Raises SessionProblem: there is no site, and none can be made.
        """
        name = name or INDEX
        if not FILES.fullmatch(name):
            return None
        if name == INDEX:
            self._follow()
        with suppress(OSError, InputError):
            content = read_bytes(self._folder / name, most_bytes=LARGEST_BYTES)
            headers = {"Refresh": f"{LEAST_S:.0f}"} if name == INDEX else {}
            kind = KINDS.get(name.rpartition(".")[2], "text/plain")
            return SiteFile(content=content, kind=kind, headers=headers)
        return None

    def _follow(self) -> None:
        """Make the site anew, if the record has changed and it was not made a moment ago."""
        with self._turn:
            began_s, now = time.monotonic(), self._record_now()
            if began_s < self._until_s or now == self._made_of:
                return
            try:
                out = ("--out", str(self._folder), "--title", self._study.settings.study.name)
                run_behind("leaderboard", str(self._study.path), *out, *self._options)
                self._made_of = now
            except SessionProblem:
                if not (self._folder / INDEX).exists():
                    raise
            took_s = time.monotonic() - began_s
            self._until_s = began_s + max(LEAST_S, PATIENCE * took_s)

    def _record_now(self) -> tuple[tuple[int, int], ...]:
        """Give time and size of the record's files, which change with every answer."""
        states = []
        for path in (self._study.folder / RECORD_FILE, self._study.folder / f"{RECORD_FILE}-wal"):
            with suppress(FileNotFoundError):
                state = path.stat()
                states.append((state.st_mtime_ns, state.st_size))
        return tuple(states)


def run_behind(*arguments: str) -> None:
    """Run a command of ours as a program of its own that lets others go first.

    Raises SessionProblem: it fails, or takes too long.
    """
    with started_behind(*arguments) as program:
        try:
            _, message = program.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            program.kill()
            raise SessionProblem(f"it took more than {PATIENCE_S / 60:.0f} minutes") from None
    if program.returncode:
        raise SessionProblem(on_one_line(message))


def started_behind(*arguments: str) -> subprocess.Popen[str]:
    program = subprocess.Popen(
        [sys.executable, "-m", "hype", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with suppress(OSError):  # it has ended
        put_last(program.pid, NICENESS)
    return program


def on_one_line(message: str) -> str:
    """Give what a command of ours said was wrong."""
    return printable(" ".join(message.removeprefix("hype: ").split()))
