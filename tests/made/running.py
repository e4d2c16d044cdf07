"""Running the program: quickly in this process, or as a separate process."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from hype.cli.main import COMMANDS, main, program
from hype.session import stage


@cache
def built(commands: frozenset[str]) -> typer.core.TyperGroup:
    return typer.main.get_command(program(commands))


# Each run in this process would otherwise build the same commands again, for 10 ms.
sys.modules[main.__module__].program = lambda words: built(frozenset(COMMANDS) & {*words})


@dataclass(frozen=True)
class Ran:
    """The exit code and the output of a run of the program."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def refused(self) -> str:
        """Return the one message of a run that refused wrong input."""
        assert (self.code, self.out) == (2, ""), self
        return self._message()

    def failed(self) -> str:
        """Return the one message of a run that met a problem."""
        assert (self.code, self.out) == (1, ""), self
        return self._message()

    def _message(self) -> str:
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line.startswith("hype: ")]
        assert len(lines) == 1, self.err
        return lines[0]


Program = Callable[..., Ran]


def run_here(*arguments: object) -> Ran:
    """Run `hype` in this process for several tests; a single test uses the fixture below."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["hype", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    return Ran(int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def hype(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """Run `hype` with these arguments in this process."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["hype", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Ran(int(ended.value.code or 0), said.out, said.err)

    return run


@pytest.fixture
def installed() -> Program:
    """Run the installed program as its own process; without a display unless one is given."""

    def run(*arguments: object, **variables: str) -> Ran:
        environment = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | variables
        program = Path(sys.executable).parent / "hype"
        done = subprocess.run(
            [program, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop `hype run` when it opens its window."""

    def open_window(*_: object, **__: object) -> None:
        raise AssertionError("the program tried to open a window")

    monkeypatch.setenv("DISPLAY", ":no-such-display")
    monkeypatch.setattr(stage, "open_window", open_window)
