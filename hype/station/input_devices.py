"""Keyboard and mouse: presses and clicks with their times, and keys by name."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from hype.errors import SessionProblem
from hype.session.steps import MOVES
from hype.station.display import import_psychopy, psychopy_home

CHARACTERS: Final = {"comma": ",", "period": ".", "slash": "/", "semicolon": ";", "minus": "-"}
"""Keys that have a name and also write a character."""
CHARSETS: Final = {
    0x00: "latin-1",
    0x01: "iso8859-2",
    0x02: "iso8859-3",
    0x03: "iso8859-4",
    0x05: "iso8859-6",
    0x06: "koi8-u",
    0x07: "iso8859-7",
    0x0C: "iso8859-8",
    0x0D: "tis-620",
    0x12: "iso8859-14",
    0x13: "iso8859-15",
}
"""Character sets of X11's older keysyms: the first byte names the set, the second the character."""
UNICODE: Final = 0x0100_0000
"""A newer keysym is the Unicode number of a character plus this number."""
FROM_X: Final = 1
"""The number that psychtoolbox (and therefore PsychoPy) adds to the X server's key numbers."""
LEVELS: Final = (0, 2, 1, 3)
"""The order of a key's characters: without shift in both layouts, then with shift in both."""


def character_of(keysym: int) -> str:
    """Return the character of a keysym; empty if it has none."""
    if keysym & ~0x00FF_FFFF == UNICODE:
        return chr(keysym - UNICODE)
    charset = CHARSETS.get(keysym >> 8)
    if charset is None or not keysym & 0xFF:
        return ""
    return bytes([keysym & 0xFF]).decode(charset, errors="ignore")


class Keymap:
    """Finds the keys of a keyboard by their names.

    ``places``: PsychoPy's name of each key, by PsychoPy's key number. ``layout``: the keysyms of
    each key, by the X server's key number; empty if the layout is not known.
    """

    def __init__(self, places: Mapping[int, str], layout: Mapping[int, Sequence[int]]) -> None:
        self._by_place = {name: number for number, name in places.items()}
        self._by_character: dict[str, int] = {}
        for level in LEVELS:
            for number, keysyms in layout.items():
                if level < len(keysyms) and (character := character_of(keysyms[level]).lower()):
                    self._by_character.setdefault(character, number + FROM_X)

    def number_of(self, key: str) -> int | None:
        """Return PsychoPy's number of a key; None if this keyboard has no key of that name."""
        character = key if len(key) == 1 else CHARACTERS.get(key)
        number = self._by_character.get(character) if character else None
        return self._by_place.get(key) if number is None else number


def keymap_here() -> Keymap:
    """Read the layout of the keyboard that is in use."""
    from psychopy.hardware.keyboard import keyNamesLinux
    from Xlib import display

    server: Any = display.Display()
    try:
        first, last = server.display.info.min_keycode, server.display.info.max_keycode
        rows = server.get_keyboard_mapping(first, last - first + 1)
    finally:
        server.close()
    return Keymap(keyNamesLinux, dict(enumerate(map(tuple, rows), start=first)))


POLL_S: Final = 0.001


class Keyboard:
    """The station's keyboard.

    Raises SessionProblem: PsychoPy does not use ``ptb``, its only backend with exact times. If
    system libraries are missing, PsychoPy silently uses another one.
    """

    def __init__(self) -> None:
        import_psychopy()
        from psychopy.hardware import keyboard

        with psychopy_home():
            self._keyboard: Any = keyboard.Keyboard()
        backend = self._keyboard.getBackend()
        if backend != "ptb":
            raise SessionProblem(
                f"the keyboard backend is {backend!r} and must be 'ptb'; install the Debian "
                "packages libjack-jackd2-0 and libasound2"
            )

        self._keymap = keymap_here()
        self._since_s = self._after_s = 0.0
        self.listen()

    def require(self, keys: Iterable[str]) -> None:
        """Refuse keys that this keyboard does not have.

        Raises SessionProblem: some keys are missing; the message names the first.
        """
        if missing := [key for key in keys if self._keymap.number_of(key) is None]:
            raise SessionProblem(
                f"this keyboard has no key {missing[0]!r}; switch to a layout that has it, or "
                "choose another key in [keys]"
            )

    def listen(self) -> None:
        """Drop earlier presses; response times count from now."""
        self._presses()
        self._since_s = self._after_s = self._now_s()

    def take_press(self, keys: Collection[str]) -> tuple[str, float] | None:
        """Return the first of ``keys`` pressed since `listen`, with its time in ms; drop others."""
        wanted = {self._keymap.number_of(key): key for key in keys}
        for press in self._presses():
            if press.tDown > self._after_s:
                self._after_s = press.tDown
                if press.code in wanted:
                    return wanted[press.code], 1000 * float(press.tDown - self._since_s)
        return None

    def _presses(self) -> list[Any]:
        """Read the presses that PsychoPy has collected, in the order of their times.

        PsychoPy's own ``getKeys(waitRelease=False)`` misses a key that is released before the call,
        and lists a key twice if it is released later. So this function reads PsychoPy's whole list,
        and identifies a press by its time.
        """
        device = self._keyboard.device
        device.dispatchMessages()
        presses = sorted(device.responses, key=lambda press: float(press.tDown))
        device.responses.clear()
        return presses

    def _now_s(self) -> float:
        from psychopy import logging

        return float(logging.defaultClock.getTime())

    def rest(self) -> None:
        time.sleep(POLL_S)


WRITING: Final = frozenset(
    (*"abcdefghijklmnopqrstuvwxyz0123456789", "space", "backspace", "return", *CHARACTERS)
)
"""Keys that write, erase or send something while the evaluator types an answer."""
ERASED: Final = "\b"
SENT: Final = "\r"


class Typing:
    """Typed characters, after the system has applied shift, accents and the keyboard's layout.

    A character's time is the moment when the window received it, as with a `Click`. A key that is
    held down types its character again and again.
    """

    def __init__(self, window: Any) -> None:
        from pyglet.window import key

        moves = {getattr(key, f"MOTION_{name.upper()}"): name for name in MOVES}
        self._motions: dict[int, str] = moves | {key.MOTION_BACKSPACE: ERASED}
        self._handle = window.winHandle
        self._since_s = 0.0
        self._typed: list[tuple[str, float]] = []
        self._handle.set_handler("on_text", self._note)
        self._handle.set_handler("on_text_motion", self._note_motion)

    def listen(self) -> None:
        """Drop what was typed; times count from now."""
        self._handle.dispatch_events()
        self._typed.clear()
        self._since_s = time.monotonic()

    def take_characters(self) -> list[tuple[str, float]]:
        """Return the characters typed since `listen` or the last call, and their times in ms.

        `ERASED`, `SENT` and the names in `MOVES` stand for keys that erase, send or move something.
        """
        taken, self._typed = self._typed, []
        return taken

    def _note(self, typed: Iterable[str]) -> bool:
        after_ms = 1000 * (time.monotonic() - self._since_s)
        self._typed += [(SENT if c == "\n" else c, after_ms) for c in typed]
        return True  # pyglet then calls no other handler

    def _note_motion(self, motion: int) -> bool:
        return self._note([self._motions[motion]] if motion in self._motions else [])


class Click(NamedTuple):
    """A press of the left button: place (from the window's middle; y points up) and time."""

    x: float
    y: float
    after_ms: float


class Pointer:
    """The station's mouse.

    pyglet does not report the X server's time of a press, so the time is the moment when the window
    received the press. The window checks for events every millisecond, so the time is at most a
    millisecond late; if the press comes during a flip, it may be late by the duration of the flip.
    """

    def __init__(self, window: Any) -> None:
        from pyglet.libs.x11 import xlib
        from pyglet.window import mouse

        self._left_button: int = mouse.LEFT
        self._window = window
        self._handle = window.winHandle
        self._middle = tuple(int(side) / 2 for side in window.size)
        self._sync: Any = xlib.XSync
        self._since_s = 0.0
        self._seen: list[Click] = []
        self._held: tuple[float, float] | None = None
        self._pressed_y = 0.0
        self._handle.set_handler("on_mouse_press", self._note)
        self._handle.set_handler("on_mouse_drag", self._note_drag)
        self.is_visible = False
        self.listen()

    @property
    def is_visible(self) -> bool:
        return bool(self._window.mouseVisible)

    @is_visible.setter
    def is_visible(self, is_visible: bool) -> None:
        self._window.mouseVisible = is_visible

    def listen(self) -> None:
        """Drop earlier clicks; response times count from now."""
        self._sync(self._handle._x_display, 0)  # wait for clicks that are still on their way
        self._handle.dispatch_events()
        self._seen.clear()
        self._held = None
        self._since_s = time.monotonic()

    def take_clicks(self) -> list[Click]:
        """Return the clicks since `listen` or the last call."""
        taken, self._seen = self._seen, []
        return taken

    def take_held(self) -> tuple[float, float] | None:
        """Return the pointer's latest x while the left button is held, and the y of the press.

        None if there was no press or drag since `listen` or the last call.
        """
        held, self._held = self._held, None
        return held

    def _note(self, x: float, y: float, button: int, _modifiers: int) -> bool:
        """Store a press; pyglet counts pixels from the window's lower left corner."""
        if button == self._left_button:
            after_ms = 1000 * (time.monotonic() - self._since_s)
            across, up = self._middle
            self._seen.append(Click(x + 0.5 - across, y + 0.5 - up, after_ms))
            self._pressed_y, self._held = self._seen[-1].y, self._seen[-1][:2]
        return True  # pyglet then calls no other handler

    def _note_drag(self, x: float, _y: float, _dx: float, _dy: float, buttons: int, _: int) -> bool:
        if buttons & self._left_button:
            self._held = x + 0.5 - self._middle[0], self._pressed_y
        return True
