"""The set-up for measuring exposures: a virtual screen, its witness, and a busy machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hype.study.table import PatchSettings

WITNESS: Final = Path(__file__).with_name("watch.py")
SCREEN_PX: Final = (1024, 768)
PATCH_MIDDLE_PX: Final = (PatchSettings().size_px // 2,) * 2


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualScreen:
    """An X server's display name, and the file of its frame buffer."""

    display: str
    framebuffer: Path

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of a program on this screen."""
        return os.environ | {"DISPLAY": self.display}


@contextmanager
def virtual_screen(folder: Path) -> Iterator[VirtualScreen]:
    """Start Xvfb with a mapped frame buffer."""
    read_end, write_end = os.pipe()
    geometry = f"{SCREEN_PX[0]}x{SCREEN_PX[1]}x24"
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", geometry]
    command += ["-fbdir", str(folder), "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=(write_end,), stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()
        if not number:
            sys.exit("Xvfb did not start")
        yield VirtualScreen(display=f":{number}", framebuffer=folder / "Xvfb_screen0")
    finally:
        server.terminate()
        server.wait()


@contextmanager
def watched(
    screen: VirtualScreen, log: Path, at_px: tuple[int, int] = PATCH_MIDDLE_PX
) -> Iterator[None]:
    """Let the witness watch the pixel in the patch's middle, and write its log."""
    where = [screen.framebuffer, *map(str, at_px), log]
    witness = subprocess.Popen([sys.executable, WITNESS, *where], stdout=subprocess.PIPE, text=True)
    if not (witness.stdout and witness.stdout.readline()):
        sys.exit("the witness did not start")
    try:
        yield
    finally:
        witness.send_signal(signal.SIGTERM)
        said, _ = witness.communicate()
        print(f"  witness: {said.strip()}", file=sys.stderr)


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Keep ``number`` cores busy."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run(screen: VirtualScreen, *command: object) -> str:
    """Run a program on a screen, and return its output."""
    done = subprocess.run(
        list(map(str, command)),
        env=screen.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
