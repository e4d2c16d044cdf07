"""Commands of `hype`: the page starts them as separate programs, and shows their output."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Annotated, Final

from pydantic import Field

from hype.console import printable
from hype.errors import InputError, SessionProblem
from hype.web.wire import Body, Json

MOST_LINES: Final = 400
"""The page shows at most this many of the last lines of a program's output."""
MOST_BYTES: Final = 1 << 20
"""At most this many bytes are read from the end of a program's output."""
END_S: Final = 20.0
"""A program that was asked to end is killed after this time; a session saves before it ends."""
CONTROL: Final = re.compile(r"(\x1b\[[0-?]*[ -/]*[@-~]|\r\n|\r|\n)")
TERMINAL: Final[Mapping[str, str]] = {
    "FORCE_COLOR": "1",  # show progress as in a terminal
    "NO_COLOR": "1",
    "TERM": "xterm",
    "COLUMNS": "100",
    "PYTHONUNBUFFERED": "1",
    "PYTHONIOENCODING": "utf-8",
}
TICKED: Final = "on"
"""What a form sends for a ticked box; in the command, the option has no value."""
SIMULATED: Final = "--simulated"
REPORTS: Final = {False: "report.html", True: "report-simulated.html"}
COMMANDS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "new": (
        "new",
        (
            *("--template", "--method", "--masks", "--language", "--web"),
            *("--size", "--skip-smaller", "--match-compression", "--keep"),
        ),
    ),
    "check": ("check --json", ("--no-display",)),
    "simulate": ("simulate --fresh", ("--evaluators",)),
    "power": ("power --json", ("--difference",)),
    "session": ("run", ("--evaluator", "--simulate", "--pilot", "--windowed", "--allow-unsynced")),
    "serve": ("serve", ("--host", "--port")),
    "report": ("report", (SIMULATED,)),
    "export": ("export", ("--format", SIMULATED)),
    "backup": ("backup", ()),
}
"""The command of each form, and the options that the form may set."""


Options = dict[str, Annotated[str, Field(max_length=512)]]


class CommandRequest(Body):
    """A form of the page, with the options that were filled in."""

    task: str
    options: Options = Field(default_factory=dict)


def command_of(asked: CommandRequest, path: Path, folder: Path) -> list[str]:
    """Return a form's command line as a list of words.

    ``folder``: the study's folder, for files that the command writes.

    Raises InputError: the page has no such form, or the form has no such option.
    """
    words, known = COMMANDS.get(asked.task, ("", ()))
    if not words or set(asked.options) - set(known):
        raise InputError(asked.task, f"has no form with {', '.join(asked.options) or 'no option'}")
    given = {option: value.strip() for option, value in asked.options.items() if value.strip()}
    if asked.task == "report":
        given["--out"] = str(folder / REPORTS[SIMULATED in given])
    elif asked.task == "export":
        name = f"{datetime.now():%Y-%m-%d-%H%M%S}-{given['--format']}"
        given["--out"] = str(folder / "exports" / name)
    command, *rest = words.split()
    options = [name if value == TICKED else f"{name}={value}" for name, value in given.items()]
    return [command, str(path), *rest, *options]


def read_terminal(output: str) -> list[str]:
    """Return the lines that a terminal would show after this output, without empty lines.

    Rich draws progress bars with three control codes: carriage return, cursor up, and erase.
    """
    lines, is_over = deque([""], maxlen=MOST_LINES), False
    for part in CONTROL.split(output):
        if part == "\r":
            is_over = True
        elif part.endswith("\n"):
            lines.append("")
            is_over = False
        elif not part.startswith("\x1b["):
            lines[-1] = part if is_over and part else lines[-1] + part
            is_over = is_over and not part
        elif part.endswith("A") and len(lines) > 1:
            lines.pop()
        elif part.endswith("K"):
            lines[-1] = ""
    return [printable(line.rstrip()) for line in lines if line.strip()]


@dataclass(slots=True, kw_only=True)
class Program:
    """A running or ended command, and the files of its output."""

    process: subprocess.Popen[bytes]
    output: Path
    result: Path | None  # The file of the command's JSON output.
    is_stopped: bool = False  # Whether the user stopped it.


class Programs:
    """The programs of this page, by name; only one program of each name runs at a time.

    ``shorten``: removes from a line the paths that the user did not type.
    """

    def __init__(self, shorten: Callable[[str], str] = str) -> None:
        self._shorten = shorten
        self._programs: dict[str, Program] = {}
        self._lock = Lock()
        self._outputs = TemporaryDirectory(prefix="hype-open-", ignore_cleanup_errors=True)

    def start(self, name: str, arguments: Sequence[str]) -> None:
        """Start `hype` with these arguments.

        With ``--json``, standard output is the result; without it, the page shows standard output.

        Raises InputError: an argument cannot be printed.
        Raises SessionProblem: a program of this name is running.
        """
        for text in arguments:
            if printable(text) != text:
                raise InputError("what was typed", "has a character that cannot be printed")
        with self._lock:
            if name in self._programs and self._programs[name].process.poll() is None:
                raise SessionProblem(f"{name} is running already")
            output = Path(self._outputs.name) / f"{time.monotonic_ns()}"
            result = output.with_suffix(".json") if "--json" in arguments else None
            with output.open("ab") as said, (result or output).open("ab") as printed:
                process = subprocess.Popen(
                    [sys.executable, "-m", "hype", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=said,
                    env={**os.environ, **TERMINAL},
                )
            self._programs[name] = Program(process=process, output=output, result=result)

    def state(self, name: str) -> Json | None:
        """Return a program's output so far, its exit code (None while it runs), and its result."""
        program = self._programs.get(name)
        if program is None:
            return None
        code = program.process.poll()
        result = None
        if code is not None and program.result:
            with suppress(ValueError):
                result = json.loads(program.result.read_bytes())
        with program.output.open("rb") as file:
            file.seek(max(0, program.output.stat().st_size - MOST_BYTES))
            output = file.read().decode("utf-8", "replace")
        return {
            "lines": [self._shorten(line) for line in read_terminal(output)],
            "code": code,
            "stopped": program.is_stopped,
            "result": result,
        }

    def stop(self, name: str) -> None:
        """Ask a program to end; a session saves first."""
        program = self._programs.get(name)
        if program and program.process.poll() is None:
            program.is_stopped = True
            program.process.terminate()

    def end(self) -> None:
        """End all running programs, and wait for them."""
        for name in self._programs:
            self.stop(name)
        for program in self._programs.values():
            try:
                program.process.wait(END_S)
            except subprocess.TimeoutExpired:
                program.process.kill()
                program.process.wait()
        self._outputs.cleanup()
