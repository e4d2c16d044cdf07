"""`hype status --watch` as a program of its own, what it prints, and a terminal for it."""

from __future__ import annotations

import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import pseudo_terminal

fcntl = pytest.importorskip("fcntl", reason="terminals of this kind need POSIX")
termios = pytest.importorskip("termios")
PATIENCE_S = 60.0


class Watching:
    """The program, which ends with the block. ``stdout`` is a pipe unless something is given."""

    def __init__(self, *arguments: object, stdout: int = subprocess.PIPE) -> None:
        program = Path(sys.executable).parent / "hype"
        self.lines: list[str] = []
        self.errors = ""
        self.process = subprocess.Popen(
            # who is started in the background is deaf to interrupts, and so are its children
            ["env", "--default-signal=INT", program, "status", "--watch", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),  # else with a size of the terminal that readline may have set
        )
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Watching:
        if self.process.stdout:
            self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self._reader.join()
            self.process.stdout.close()
        if self.process.stderr:
            self.errors = self.process.stderr.read()
            self.process.stderr.close()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)

    @property
    def told(self) -> list[Any]:
        """What was printed so far, as JSON."""
        return [json.loads(line) for line in list(self.lines)]

    def until(self, so: Callable[[Any], object]) -> Any:
        """Wait until what was told last is so, and give it."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            told = self.told
            if told and so(told[-1]):
                return told[-1]
            assert self.process.poll() is None, (self.lines, self.process.returncode)
            time.sleep(0.02)
        raise AssertionError(self.lines)

    def until_problem(self, text: str) -> Any:
        """Wait for a problem that says so; while a look takes long, there is another."""
        return self.until(lambda told: text in (told["problem"] or ""))

    def said(self, text: str) -> None:
        """Wait until something is said."""
        end = time.monotonic() + PATIENCE_S
        while text not in "".join(list(self.lines)):
            assert time.monotonic() < end, self.lines
            assert self.process.poll() is None, (self.lines, self.process.returncode)
            time.sleep(0.02)

    def interrupted(self) -> int:
        """Press Ctrl-C, and give its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_S)


class Terminal:
    """A terminal at which the program is run."""

    def __init__(self, columns: int, rows: int) -> None:
        self.far, self.near = pseudo_terminal()
        self.resize(columns, rows)
        os.set_blocking(self.far, False)
        self.seen = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.far)
        os.close(self.near)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self) -> str:
        """Read on, and give all that was drawn; the kernel hands it out in pieces."""
        while True:
            try:
                self.seen += os.read(self.far, 1 << 20).decode(errors="ignore")
            except BlockingIOError:
                time.sleep(0.02)
                return self.seen

    def frames(self) -> Iterator[list[str]]:
        """Give the lines of each frame that was drawn whole."""
        for drawn in self.read().split("\x1b[H")[1:-1]:
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn)
            yield plain.replace("\r", "").split("\n")

    def until(self, lines: int, text: str) -> list[str]:
        """Wait for a frame of so many lines in which something stands."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for one in self.frames():
                if len(one) == lines and text in "\n".join(one):
                    return one
        raise AssertionError(self.seen)
