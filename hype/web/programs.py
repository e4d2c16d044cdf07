"""Commands of ours as programs of their own, which let participants go first."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import Final

from hype.console import printable
from hype.errors import SessionProblem
from hype.system import put_last

PATIENCE_S: Final = 1800.0
NICENESS: Final = 10


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
