"""Start a virtual display if there is none; import PsychoPy without writing to the home directory.

PsychoPy and its libraries make folders in the home directory when they are imported, and fail if
they cannot. So PsychoPy gets another home, in the user's cache folder. A virtual display ends when
this program ends.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Final

from hype.errors import SessionProblem, installing
from hype.files import cache_folder

SCREEN: Final = "1024x768x24"

START_TIMEOUT_S: Final = 20.0

ON_LINUX: Final = "sessions at a window need Linux with X11; hype serve runs sessions in a browser"


def ensure_display(*, virtual_allowed: bool) -> bool:
    """Make sure that there is a display, or start a virtual one; return whether it is virtual.

    Raises SessionProblem: there is no display, and a virtual one is not allowed or does not start.
    """
    if os.environ.get("DISPLAY"):
        return os.environ["DISPLAY"] == os.environ.get(VIRTUAL)
    if sys.platform != "linux":
        raise SessionProblem(ON_LINUX)
    if not virtual_allowed:
        raise SessionProblem("there is no display here (DISPLAY is not set)")
    os.environ[VIRTUAL] = os.environ["DISPLAY"] = start_xvfb()
    return True


VIRTUAL: Final = "HYPE_VIRTUAL_DISPLAY"
"""Environment variable with the virtual display that this program, or its parent, started."""


def start_xvfb() -> str:
    """Start Xvfb on a free display and return the display's name.

    This program does not stop Xvfb: psychtoolbox stays connected until the program ends, and the X
    library ends a program whose server disappears. The kernel stops Xvfb when the program is gone,
    even after a crash.
    """
    if sys.platform != "linux":
        raise SessionProblem(ON_LINUX)
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)
    command = ["setpriv", "--pdeathsig", "TERM", "Xvfb", "-displayfd", str(write_end)]
    options = ["-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    silence = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    try:
        # ``setsid`` keeps Ctrl+C in the terminal from ending Xvfb.
        os.posix_spawnp(
            command[0], [*command, *options], os.environ, file_actions=silence, setsid=True
        )
    except FileNotFoundError as error:
        raise SessionProblem(f"there is no display, and no {error.filename} to start one") from None
    finally:
        os.close(write_end)
    with os.fdopen(read_end) as answers:  # Xvfb writes the number of its display
        ready, _, _ = select.select([answers], [], [], START_TIMEOUT_S)
        number = answers.readline().strip() if ready else ""
    if not number:
        raise SessionProblem("Xvfb did not start; is the Debian package xvfb installed?")
    return f":{number}"


@cache
def import_psychopy() -> None:
    """Import PsychoPy's window and keyboard with another home directory. Needs a display.

    Raises SessionProblem: PsychoPy, or a system library it needs, is not installed.
    """
    os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
    with psychopy_home():
        try:
            from psychopy import logging

            logging.console.setLevel(logging.ERROR)
            require_display()
            import_module("psychopy.visual")
            import_module("psychopy.hardware.keyboard")
        except ImportError as error:
            raise SessionProblem(
                f"PsychoPy cannot be loaded ({error}); a station needs Python 3.10 to 3.12, the "
                f"extra: {installing('station')}, and libraries of the system (on Debian "
                "libgl1, libjack-jackd2-0 and libasound2 among others)"
            ) from None


def require_display() -> None:
    """Refuse a display that does not answer, before PsychoPy fails on it.

    Raises SessionProblem: the display does not answer.
    """
    from Xlib.display import Display
    from Xlib.error import DisplayError

    try:
        Display().close()
    except (DisplayError, OSError):
        name = os.environ.get("DISPLAY", "")
        raise SessionProblem(f"the display {name!r} does not answer") from None


@contextlib.contextmanager
def psychopy_home() -> Iterator[None]:
    """Use a folder in the user's cache as PsychoPy's home directory within this block.

    PsychoPy's warning about the library pytables, which hype does not need, is hidden.
    """
    home = cache_folder() / "psychopy-home"
    home.mkdir(parents=True, exist_ok=True)
    changed = {"HOME": str(home), "MPLCONFIGDIR": str(home / "matplotlib")}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    chatter = io.StringIO()
    try:
        with contextlib.redirect_stderr(chatter):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        lines = (line for line in chatter.getvalue().splitlines() if "pytables" not in line)
        sys.stderr.write("".join(f"{line}\n" for line in lines if line.strip()))
