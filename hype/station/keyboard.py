"""Keys as PsychoPy's psychtoolbox backend sees them, time-stamped when they went down.

Which of them a name means is for `hype.station.keymap` to say.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from typing import Any, Final

from hype.errors import SessionProblem
from hype.station.home import contained, import_psychopy
from hype.station.keymap import keymap_here

POLL_S: Final = 0.001


class Keyboard:
    """The station's keyboard.

    Raises
    ------
    SessionProblem
        PsychoPy fell back to another backend, whose times cannot be trusted. It does so without
        a word where system libraries are missing.
    """

    def __init__(self) -> None:
        import_psychopy()
        from psychopy.hardware import keyboard

        with contained():
            self._keyboard: Any = keyboard.Keyboard()
        backend = self._keyboard.getBackend()
        if backend != "ptb":
            raise SessionProblem(
                f"the keyboard backend is {backend!r} and must be 'ptb'; install the Debian "
                "packages in setup/debian-packages.txt (libjack-jackd2-0 and libasound2)"
            )

        self._keymap = keymap_here()
        self._since_s = self._after_s = 0.0
        self.listen()

    def require(self, keys: Iterable[str]) -> None:
        """Refuse keys that this keyboard does not have.

        Raises
        ------
        SessionProblem
            Names the first of them.
        """
        if missing := [key for key in keys if self._keymap.number_of(key) is None]:
            raise SessionProblem(
                f"{missing[0]!r} is on no key of this keyboard; switch to a layout that has it, or "
                "name another key in [keys]"
            )

    def listen(self) -> None:
        """Forget what was pressed; response times count from now."""
        self._presses()
        self._since_s = self._after_s = self._now_s()

    def pressed(self, keys: Collection[str]) -> tuple[str, float] | None:
        """Give the first of ``keys`` pressed since, and its time in ms; others are forgotten."""
        wanted = {self._keymap.number_of(key): key for key in keys}
        for press in self._presses():
            if press.tDown > self._after_s:
                self._after_s = press.tDown
                if press.code in wanted:
                    return wanted[press.code], 1000 * float(press.tDown - self._since_s)
        return None

    def _presses(self) -> list[Any]:
        """Take the presses that PsychoPy has collected, in the order of their times.

        PsychoPy's own ``getKeys(waitRelease=False)`` leaves out a key that was released before it
        was asked, and lists one that was released later a second time. So its list is taken
        whole, and a press is known by its time.
        """
        device = self._keyboard.device
        device.dispatchMessages()
        presses = sorted(device.responses, key=lambda press: float(press.tDown))
        device.responses.clear()
        return presses

    def _now_s(self) -> float:
        """The present on the clock of the presses."""
        from psychopy import logging

        return float(logging.defaultClock.getTime())

    def rest(self) -> None:
        """Wait a moment, between two looks at the keys."""
        time.sleep(POLL_S)
