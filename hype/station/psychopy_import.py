"""Importing PsychoPy so that it writes nothing into the user's home and says nothing of its own.

PsychoPy and its libraries make folders in the home directory when they are imported, and fail
where they cannot. They are given a home in the user's cache folder instead.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from hype.errors import SessionProblem
from hype.files import cache_folder


@cache
def import_psychopy() -> None:
    """Import PsychoPy's window and keyboard in a contained home. Needs a display.

    Raises
    ------
    SessionProblem
        PsychoPy, or a system library it needs, is not installed.
    """
    os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")
    with contained():
        try:
            from psychopy import logging

            logging.console.setLevel(logging.ERROR)
            require_display()
            import_module("psychopy.visual")
            import_module("psychopy.hardware.keyboard")
        except ImportError as error:
            raise SessionProblem(
                f"PsychoPy cannot be loaded ({error}); a station needs the extra: "
                "pip install 'hype[station]', and the Debian packages in setup/debian-packages.txt"
            ) from None


def require_display() -> None:
    """Refuse a display that does not answer, before PsychoPy trips over it.

    Raises
    ------
    SessionProblem
        Names the display.
    """
    from Xlib.display import Display
    from Xlib.error import DisplayError

    try:
        Display().close()
    except (DisplayError, OSError):
        name = os.environ.get("DISPLAY", "")
        raise SessionProblem(f"the display {name!r} does not answer") from None


@contextlib.contextmanager
def contained() -> Iterator[None]:
    """Give PsychoPy the contained home, and drop its remark on a library that hype leaves out."""
    chatter = io.StringIO()
    try:
        with contained_home(), contextlib.redirect_stderr(chatter):
            yield
    finally:
        lines = (line for line in chatter.getvalue().splitlines() if "pytables" not in line)
        sys.stderr.write("".join(f"{line}\n" for line in lines if line.strip()))


@contextlib.contextmanager
def contained_home() -> Iterator[Path]:
    """Make the home directory a folder in the user's cache for a while."""
    home = cache_folder() / "psychopy-home"
    home.mkdir(parents=True, exist_ok=True)
    changed = {"HOME": str(home), "MPLCONFIGDIR": str(home / "matplotlib")}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield home
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
