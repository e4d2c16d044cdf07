"""`hype serve` as its own program, which is killed, and whose clock is set."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from programs import missing
from public import free_port
from served import HOST

from hype.protocols.load import load_any
from hype.web.desk import FileDesk
from hype.web.simulated import await_server

SERVE = (Path(sys.executable).with_name("hype"), "serve")
WITH_US = ("setpriv", "--pdeathsig", "KILL")
OPEN = b"Open to participants"
PATIENCE_S = 60.0


def clock_library() -> Path:
    """Find the library that makes a program's wall clock go ahead or behind."""
    found = Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")
    return next(found, None) or missing("faketime")


class RealServer:
    """A study's server. Use it in a ``with`` statement."""

    def __init__(self, study: Path) -> None:
        self.study, self.port = load_any(study), free_port()
        self.key = FileDesk.of(self.study).key()
        self.said = study.parent / "said"
        self.clock = study.parent / "clock"
        self.set_clock(0)
        self.environment = os.environ | {
            "LD_PRELOAD": str(clock_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }

    def __enter__(self) -> "RealServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, as somebody would who does so until it listens."""
        until_s = time.monotonic() + PATIENCE_S
        while not self.has_started():
            assert time.monotonic() < until_s, self.said.read_text()

    def has_started(self) -> bool:
        """Start it, and tell whether it listens; not yet, if another one does."""
        with self.said.open("ab") as said:
            before = said.tell()
            self.program = subprocess.Popen(
                [*WITH_US, *SERVE, self.study.folder, "--port", str(self.port)],
                env=self.environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        while self.program.poll() is None:
            if OPEN in self.said.read_bytes()[before:]:
                await_server(HOST, self.port)
                return True
            time.sleep(0.05)
        return False

    def end(self) -> None:
        """Tell it to end, and wait until it has done so."""
        self.program.terminate()
        assert self.program.wait(PATIENCE_S) == 0, self.said.read_text()

    def kill(self) -> None:
        """Kill it and all that it began."""
        with suppress(ProcessLookupError):
            os.killpg(self.program.pid, signal.SIGKILL)
        self.program.wait()

    def set_clock(self, ahead_s: int) -> None:
        """Let its wall clock go ahead, or behind."""
        written = self.clock.with_suffix(".new")
        written.write_text(f"{ahead_s:+d}\n")
        written.replace(self.clock)
