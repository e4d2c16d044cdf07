"""Commands of `hype` that the page has started: programs of their own, whose output it shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Annotated, Any, Final, Literal, get_args

from pydantic import Field

from hype.console import printable
from hype.errors import SessionProblem
from hype.session.enrol import check_evaluator_id
from hype.web.wire import Body

Json = dict[str, Any]
MOST_LINES: Final = 400
"""Of one program's output that are kept: the last ones."""
LONGEST_RESULT: Final = 8 << 20
READ_BYTES: Final = 1 << 16
END_S: Final = 20.0
"""How long a program may take to end on request; a session saves what it has."""
CONTROL: Final = re.compile(r"(\x1b\[[0-?]*[ -/]*[@-~])|(\r\n?|\n)")
TERMINAL: Final[Mapping[str, str]] = {
    "FORCE_COLOR": "1",  # progress is drawn for the page as it would be in a window
    "NO_COLOR": "1",
    "TERM": "xterm",
    "COLUMNS": "100",
    "PYTHONUNBUFFERED": "1",
    "PYTHONIOENCODING": "utf-8",
}

Task = Literal["check", "simulate", "power", "session", "serve", "report", "export", "backup"]
TASKS: Final[tuple[str, ...]] = get_args(Task)
REPORTS: Final = {False: "report.html", True: "report-simulated.html"}


class CommandRequest(Body):
    """A command of a form, with its options; a task takes only its own."""

    task: Task
    evaluators: Annotated[int, Field(ge=1)] | None = None
    evaluator: Annotated[str, Field(max_length=512)] = ""
    simulated: bool = False
    pilot: bool = False
    windowed: bool = False
    unsynced: bool = False
    display: bool = True
    difference: Annotated[float, Field(ge=0)] | None = None
    network: bool = False
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    format: Annotated[str, Field(pattern=r"^[a-z-]+$")] = "csv"


def command_of(asked: CommandRequest, path: Path, folder: Path) -> list[str]:
    """Return the words of the command that a form is for.

    ``folder``: the study's own, in which what is made goes.

    Raises InputError: no evaluator can have this code.
    """
    simulated = ["--simulated"] if asked.simulated else []
    options: Sequence[str] = ()
    if asked.task == "check":
        options = ["--json"] if asked.display else ["--json", "--no-display"]
    elif asked.task == "simulate":
        number = [f"--evaluators={asked.evaluators}"] if asked.evaluators else []
        options = ["--json", "--fresh", *number]
    elif asked.task == "power" and asked.difference is not None:
        options = [f"--difference={asked.difference:g}"]
    elif asked.task == "serve":
        host = "0.0.0.0" if asked.network else "127.0.0.1"  # noqa: S104  as the user wants
        options = [f"--host={host}", f"--port={asked.port}"]
    elif asked.task == "report":
        options = [f"--out={folder / REPORTS[asked.simulated]}", *simulated]
    elif asked.task == "export":
        name = f"{datetime.now():%Y-%m-%d-%H%M%S}-{asked.format}"
        options = [f"--format={asked.format}", f"--out={folder / 'exports' / name}", *simulated]
    elif asked.task == "session":
        check_evaluator_id(asked.evaluator)
        wishes = {
            "--simulate": asked.simulated,
            "--pilot": asked.pilot,
            "--windowed": asked.windowed,
            "--allow-unsynced": asked.unsynced,
        }
        given = (option for option, wanted in wishes.items() if wanted)
        options = [f"--evaluator={asked.evaluator}", *given]
    return [{"session": "run"}.get(asked.task, asked.task), str(path), *options]


class Lines:
    """What stands on a terminal after all that was written to it: bars are drawn over themselves.

    Of what steers a terminal it knows what Rich uses: up by some lines, erase the line, return.
    """

    def __init__(self) -> None:
        self._lines, self._row, self._rest = [""], 0, ""
        self._over = False

    def write(self, text: str) -> None:
        """Take what comes next, which may end anywhere but within a character."""
        whole, begun, rest = (self._rest + text).rpartition("\x1b")
        ended = not begun or CONTROL.match(begun + rest)
        text, self._rest = (self._rest + text, "") if ended else (whole, begun + rest)
        at = 0
        for match in CONTROL.finditer(text):
            self._put(text[at : match.start()])
            self._obey(match[0])
            at = match.end()
        self._put(text[at:])

    def _put(self, text: str) -> None:
        if text:
            before = "" if self._over else self._lines[self._row]
            self._lines[self._row], self._over = before + text, False

    def _obey(self, control: str) -> None:
        if control.endswith("\n"):
            self._row, self._over = self._row + 1, False
            if self._row == len(self._lines):
                self._lines.append("")
            if spare := len(self._lines) - MOST_LINES:
                self._lines, self._row = self._lines[max(spare, 0) :], self._row - max(spare, 0)
        elif control == "\r":
            self._over = True
        elif control.endswith("A"):
            self._row = max(0, self._row - int(control[2:-1] or 1))
        elif control.endswith("K"):
            self._lines[self._row] = ""

    def show(self) -> list[str]:
        return [printable(line.rstrip()) for line in self._lines if line.strip()]


@dataclass(slots=True, kw_only=True)
class Program:
    """A command that was started."""

    process: subprocess.Popen[bytes]
    began_unix_s: float
    shorten: tuple[str, ...]  # left out of its output: the folders that hold dropped files
    lines: Lines = field(default_factory=Lines)
    result: list[str] = field(default_factory=list)
    stopped: bool = False  # on request
    ended: bool = False
    follower: Thread = field(default_factory=Thread)

    def state(self) -> Json:
        """Return what it has said so far, how it ended (None: not yet), and its result as JSON."""
        result = None
        if self.ended:
            with suppress(ValueError):
                result = json.loads("".join(self.result))
        lines = self.lines.show()
        for folder in self.shorten:
            lines = [line.replace(folder, "") for line in lines]
        code = self.process.returncode if self.ended else None
        return {
            "lines": lines,
            "code": code,
            "stopped": self.stopped,
            "result": result,
            "began_unix_s": self.began_unix_s,
        }


class Programs:
    """The programs of this page, each by its name: of one name there runs one at a time."""

    def __init__(self) -> None:
        self._programs: dict[str, Program] = {}
        self._lock = Lock()

    def start(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        shorten: tuple[str, ...] = (),
        after: Callable[[], None] | None = None,
    ) -> None:
        """Start `hype` with these arguments; ``after`` is called if it succeeds.

        With ``--json`` among them its standard output is the result, else it is shown as well.

        Raises SessionProblem: it runs already.
        """
        with self._lock:
            running = self._programs.get(name)
            if running and not running.ended:
                raise SessionProblem(f"{name} runs already")
            process = subprocess.Popen(
                [sys.executable, "-m", "hype", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if "--json" in arguments else subprocess.STDOUT,
                env={**os.environ, **TERMINAL},
            )
            program = Program(process=process, began_unix_s=time.time(), shorten=shorten)
            program.follower = Thread(target=follow, args=(program, after), daemon=True)
            program.follower.start()
            self._programs[name] = program

    def state(self, name: str) -> Json | None:
        program = self._programs.get(name)
        return program.state() if program else None

    def stop(self, name: str) -> None:
        """Ask a program to end; a session saves first."""
        program = self._programs.get(name)
        if program and not program.ended:
            program.stopped = True
            program.process.terminate()

    def end(self) -> None:
        """End all running programs, and wait for them."""
        for name in self._programs:
            self.stop(name)
        for program in self._programs.values():
            program.follower.join(END_S)
            if not program.ended:
                program.process.kill()
                program.follower.join()


def follow(program: Program, after: Callable[[], None] | None) -> None:
    """Take what a program says until it ends."""
    with program.process as process:
        if process.stderr:
            result = Thread(target=take, args=(process.stdout, program.result.append), daemon=True)
            result.start()
            take(process.stderr, program.lines.write)
            result.join()
        else:
            take(process.stdout, program.lines.write)
    if after and process.returncode == 0:
        after()
    program.ended = True


def take(stream: IO[bytes] | None, put: Callable[[str], None]) -> None:
    """Give what a stream brings on, as soon as there is anything; what is too much is passed by."""
    decoder, taken = getincrementaldecoder("utf-8")("replace"), 0
    while stream and (part := os.read(stream.fileno(), READ_BYTES)):
        taken += len(part)
        if taken < LONGEST_RESULT:
            put(decoder.decode(part))
