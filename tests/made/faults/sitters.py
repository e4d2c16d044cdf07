"""Starting sitters, and watching them from outside."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from faults.sitter import Sitting

LONGEST_S = 60.0
LONGEST_MESSAGE = 1_000_000
MADE = Path(__file__).parents[1]


class Sitters:
    """Starts a new process for each session; ``enter``: the command that enters a namespace."""

    def __init__(self, *enter: str) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(LONGEST_S)
        number = str(theirs.fileno())
        self._server = subprocess.Popen(
            [*enter, sys.executable, "-m", "faults.server", number],
            pass_fds=[theirs.fileno()],
            # forks of a process with threads are fragile
            env=os.environ | {"PYTHONPATH": str(MADE), "OPENBLAS_NUM_THREADS": "1"},
        )
        theirs.close()

    def __enter__(self) -> "Sitters":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
        self._server.kill()  # this also ends every sitter
        self._server.wait()

    def ask(self, message: object, *pipes: int) -> Any:
        """Send a request to the server, and return its answer."""
        socket.send_fds(self._socket, [json.dumps(message).encode()], pipes)
        return json.loads(self._socket.recv(LONGEST_MESSAGE))

    def sit(self, folder: Path, **options: object) -> "Sitter":
        """Let a new process start a session."""
        sitting = Sitting(folder=str(folder), **options)
        (shows, pipe), (said, says) = os.pipe(), os.pipe()
        number = self.ask({"sit": asdict(sitting)}, pipe, says)
        os.close(pipe)
        os.close(says)
        return Sitter(self, number, shows, said)

    def run(self, *command: object) -> str:
        """Run a command in the sitters' namespace; return its output, or fail if it fails."""
        code, said = self.ended(*command)
        if code:
            raise RuntimeError(f"{command}: {said}")
        return said

    def ended(self, *command: object) -> tuple[int, str]:
        """Run a command in the sitters' namespace; return its exit code and its output."""
        code, said = self.ask({"run": [str(word) for word in command]})
        return int(code), str(said)

    def seen(self, path: Path) -> Path:
        """Return the path under which this process sees the sitters' ``path``."""
        return Path(f"/proc/{self._server.pid}/root{path}")


@dataclass
class Sitter:
    """A process with a session, and what is known about it."""

    sitters: Sitters
    number: int
    shows: int
    said: int
    lines: list[str] = field(default_factory=list)
    says: str = ""
    code: int | None = None
    _rest: bytes = b""
    _ended: bool = False

    def read(self, wait_s: float) -> bool:
        """Read the sitter's reports for up to ``wait_s``; False when it has closed its pipe."""
        if self._ended or not select.select([self.shows], [], [], wait_s)[0]:
            return not self._ended
        told = os.read(self.shows, 65_536)
        self._ended = not told
        *whole, self._rest = (self._rest + told).split(b"\n")
        self.lines += [line.decode() for line in whole]
        return not self._ended

    def read_until(self, enough: Callable[[list[str]], bool]) -> "Sitter":
        """Read until the reports are ``enough``, or the sitter has ended."""
        end = time.monotonic() + LONGEST_S
        while not enough(self.lines) and self.read(1.0):
            if time.monotonic() > end:
                self.kill()
                raise TimeoutError(f"the sitter reports nothing more after {self.lines[-3:]}")
        return self

    def read_for(self, wait_s: float) -> "Sitter":
        """Read the sitter's reports for some time."""
        end = time.monotonic() + wait_s
        while (left := end - time.monotonic()) > 0 and self.read(left):
            pass
        return self

    def kill(self) -> "Sitter":
        """Kill the sitter; its process number stays valid until somebody waits for it."""
        os.kill(self.number, signal.SIGKILL)
        return self

    def wait(self) -> "Sitter":
        """Wait for the sitter's end; its code is negative if a signal ended it."""
        if self.code is not None:
            return self
        self.read_until(lambda _: False)
        self.code = os.waitstatus_to_exitcode(self.sitters.ask({"wait": self.number}))
        with os.fdopen(self.said, errors="replace") as said:
            self.says = said.read()
        os.close(self.shows)
        return self

    @property
    def killed(self) -> bool:
        """Whether the sitter was killed before it ended by itself."""
        return self.code == -signal.SIGKILL

    @property
    def occasions(self) -> int:
        """The number of occasions that the sitter had for its fault."""
        (line,) = (line for line in self.lines if line.startswith("occasions"))
        return int(line.split()[1])
