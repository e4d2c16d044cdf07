"""A display for machines without one: a virtual X server that ends with this program."""

from __future__ import annotations

import os
import select
from typing import Final

from hype.errors import SessionProblem

SCREEN: Final = "1024x768x24"
START_TIMEOUT_S: Final = 20.0


def ensure_display(*, virtual_allowed: bool) -> bool:
    """Make sure that there is a display, a virtual one if need be; say whether it is virtual.

    Raises
    ------
    SessionProblem
        There is none, and a person could not see a virtual one; or it does not start.
    """
    if os.environ.get("DISPLAY"):
        return os.environ["DISPLAY"] == os.environ.get(VIRTUAL)
    if not virtual_allowed:
        raise SessionProblem("there is no display here (DISPLAY is not set)")
    os.environ[VIRTUAL] = os.environ["DISPLAY"] = start_xvfb()
    return True


VIRTUAL: Final = "HYPE_VIRTUAL_DISPLAY"
"""Environment variable that names the display this program, or its parent, started."""


def start_xvfb() -> str:
    """Start Xvfb on a free display and return the display's name.

    It is not stopped here: psychtoolbox keeps a connection for as long as the program lives, and
    the X library ends a program whose server goes away. The kernel ends Xvfb when the program is
    gone, however it went.
    """
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)
    command = ["setpriv", "--pdeathsig", "TERM", "Xvfb", "-displayfd", str(write_end)]
    options = ["-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    silence = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    try:
        # Its own session: an interrupt from the terminal is for us, not for the server.
        os.posix_spawnp(
            command[0], [*command, *options], os.environ, file_actions=silence, setsid=True
        )
    except FileNotFoundError as error:
        raise SessionProblem(f"there is no display, and no {error.filename} to make one") from None
    finally:
        os.close(write_end)
    return f":{display_number(read_end)}"


def display_number(read_end: int) -> str:
    """Wait for Xvfb to say which display it serves."""
    with os.fdopen(read_end) as answers:
        ready, _, _ = select.select([answers], [], [], START_TIMEOUT_S)
        number = answers.readline().strip() if ready else ""
    if not number:
        raise SessionProblem("Xvfb did not start; is the Debian package xvfb installed?")
    return number
