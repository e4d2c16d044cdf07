"""The evaluator at a station: a person, or a simulated evaluator who presses real keys."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from hype.errors import InputError, SessionProblem
from hype.session.loop import SimulatedEvaluator
from hype.session.steps import NO_ANSWER, Screen, Step, TypedQuestion
from hype.station.boxes import Box
from hype.station.input_devices import CHARACTERS, FROM_X, keymap_here


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An answer that can be given, by any of ``keys`` or by a click into any of ``areas``.

    A ``typed`` answer needs all the keys, one after the other, or a click and the last key.
    """

    answer: str
    keys: tuple[str, ...]
    areas: tuple[Box, ...] = ()
    typed: bool = False

    def holds(self, x: float, y: float) -> bool:
        return any(area.holds(x, y) for area in self.areas)


LEFT_BUTTON: Final = 1


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn the error of a lost X server into a SessionProblem."""
    from Xlib.error import ConnectionClosedError

    try:
        yield
    except ConnectionClosedError:
        raise SessionProblem("the display does not answer any more") from None


class SimulatedInput:
    """Presses keys and clicks through the X server, but only if our own window receives them."""

    def __init__(self, window_id: int) -> None:
        from Xlib import display

        self._window_id = window_id
        self._display: Any = display.Display()
        self._keymap = keymap_here()

    @translate_errors()
    def press(self, key: str) -> None:
        """Press and release a key.

        Raises SessionProblem: another window has the keyboard focus, or the display is gone.
        """
        from Xlib import X

        focus = self._display.get_input_focus().focus
        if getattr(focus, "id", self._window_id) != self._window_id:
            raise SessionProblem(
                "another window has the keyboard focus, so simulated keys would go there"
            )
        number = self._keymap.number_of(key)
        if number is None:
            raise InputError("keys", f"this keyboard has no key {key!r}")
        self._fake((X.KeyPress, X.KeyRelease), number - FROM_X)

    @translate_errors()
    def click(self, box: Box) -> None:
        """Click on the middle of a box.

        Raises SessionProblem: another window covers it, or the display is gone.
        """
        from Xlib import X
        from Xlib.ext import xtest

        window = self._display.create_resource_object("window", self._window_id)
        size, root = window.get_geometry(), window.query_tree().root
        corner = root.translate_coords(window, 0, 0)
        x_px = corner.x + round(size.width / 2 + box.x)
        y_px = corner.y + round(size.height / 2 - box.y)
        xtest.fake_input(self._display, X.MotionNotify, x=x_px, y=y_px)
        self._display.sync()
        under = root
        while under and under.id != self._window_id:  # our window may be inside a frame
            under = under.query_pointer().child
        if not under:
            raise SessionProblem(
                "another window is under the pointer, so simulated clicks would go there"
            )
        self._fake((X.ButtonPress, X.ButtonRelease), LEFT_BUTTON)

    def leave(self) -> None:
        self._display.close()

    def _fake(self, events: tuple[int, int], detail: int) -> None:
        """Ask the X server to simulate a press and its release."""
        from Xlib.ext import xtest

        for event in events:
            xtest.fake_input(self._display, event, detail)
        self._display.sync()


def keys_typing(text: str) -> tuple[str, ...]:
    """List the keys that type a text, and the key that sends it."""
    names = {character: name for name, character in CHARACTERS.items()} | {" ": "space"}
    return (*(names.get(character, character) for character in text), "return")


class HumanRespondent:
    """A person, who looks at the screen and uses the keyboard and the mouse."""

    patience_s: Final = 300.0
    """Time for which the last screen stays if the person presses no key."""

    def see(self, step: Step, offers: Iterable[Offer]) -> None:
        """Do nothing: a person sees on the screen what can be answered."""

    def act(self) -> None:
        """Do nothing. A station calls this while it waits, so that simulated evaluators can act."""


class SimulatedRespondent:
    """A simulated evaluator at a real window.

    It presses keys and buttons through the X server's XTEST extension, so that a press passes
    through the same software as a person's: X server, psychtoolbox or pyglet, and PsychoPy.
    Every second answer that has an area is given by a click.
    """

    def __init__(
        self,
        simulated_evaluator: SimulatedEvaluator,
        *,
        window_id: int,
        reading_ms: float,
    ) -> None:
        self._evaluator = simulated_evaluator
        self._input = SimulatedInput(window_id)
        self._reading_ms = reading_ms
        self._clicked = True
        self._due: tuple[float, Offer] | None = None

    @property
    def patience_s(self) -> float:
        return self._reading_ms / 1000

    def see(self, step: Step, offers: Iterable[Offer]) -> None:
        """Choose an answer and its time; for `NO_ANSWER`, let the time limit pass.

        Raises ValueError: the step has no such answer.
        """
        response = self._evaluator.respond_to(step)
        wait_ms = self._reading_ms if isinstance(step, Screen) else response.rt_ms
        offer = next((o for o in offers if o.answer == response.answer), None)
        if isinstance(step, TypedQuestion) and response.answer:
            offer = Offer(answer=response.answer, keys=keys_typing(response.answer), typed=True)
        if offer is None and response.answer != NO_ANSWER:
            raise ValueError(f"{response.answer!r} is not an answer to this step")
        self._due = (time.monotonic() + wait_ms / 1000, offer) if offer else None

    def act(self) -> None:
        """Press the key, or click, when it is time."""
        if self._due and time.monotonic() >= self._due[0]:
            offer, self._due = self._due[1], None
            keys = offer.keys
            if offer.areas:
                self._clicked = not self._clicked
            if offer.areas and self._clicked:
                self._input.click(offer.areas[0])
                keys = keys[-1:] if offer.typed else ()
            for key in keys if offer.typed else keys[:1]:
                self._input.press(key)

    def leave(self) -> None:
        self._input.leave()


Respondent = HumanRespondent | SimulatedRespondent
"""Gives the answers at a station."""
