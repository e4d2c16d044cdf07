"""Who sits at the station: a person, or a simulated evaluator whose presses are real."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from hype.errors import InputError, SessionProblem
from hype.session.loop import SimulatedEvaluator
from hype.session.steps import NO_ANSWER, Screen, Step, TypedQuestion
from hype.station.boxes import Box
from hype.station.input_devices import CHARACTERS, FROM_X, keymap_here


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One answer: ``keys`` that give it, and ``areas`` of the window that may be clicked on.

    An answer that is ``typed`` takes all the keys, one after the other.
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
    """Turn errors of requests to the X server, which may be gone, into a SessionProblem."""
    from Xlib.error import ConnectionClosedError

    try:
        yield
    except ConnectionClosedError:
        raise SessionProblem("the display does not answer any more") from None


class SimulatedInput:
    """Presses and clicks through the X server, provided that they will reach our own window."""

    def __init__(self, window_id: int) -> None:
        from Xlib import display

        self._window_id = window_id
        self._display: Any = display.Display()
        self._keymap = keymap_here()

    @translate_errors()
    def press(self, key: str) -> None:
        """Press and release a key.

        Raises SessionProblem: another window has the keyboard, or the display is gone.
        """
        from Xlib import X

        focus = self._display.get_input_focus().focus
        if getattr(focus, "id", self._window_id) != self._window_id:
            raise SessionProblem(
                "another window has the keyboard focus, so simulated keys were not sent"
            )
        number = self._keymap.number_of(key)
        if number is None:
            raise InputError("keys", f"{key!r} is on no key of this keyboard")
        self._fake((X.KeyPress, X.KeyRelease), number - FROM_X)

    @translate_errors()
    def click(self, box: Box) -> None:
        """Click on the middle of a box.

        Raises SessionProblem: another window lies there, or the display is gone.
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
        while under and under.id != self._window_id:  # our window, or a frame around it
            under = under.query_pointer().child
        if not under:
            raise SessionProblem(
                "another window is under the pointer; simulated clicks stay off it"
            )
        self._fake((X.ButtonPress, X.ButtonRelease), LEFT_BUTTON)

    def leave(self) -> None:
        self._display.close()

    def _fake(self, events: tuple[int, int], detail: int) -> None:
        """Ask the X server for a press and its release."""
        from Xlib.ext import xtest

        for event in events:
            xtest.fake_input(self._display, event, detail)
        self._display.sync()


def keys_typing(text: str) -> tuple[str, ...]:
    """Name the keys that type a text, and the one that sends it."""
    names = {character: name for name, character in CHARACTERS.items()} | {" ": "space"}
    return (*(names.get(character, character) for character in text), "return")


Clicks = Literal["never", "alternate", "always"]


class HumanRespondent:
    """A person: the program leaves them alone."""

    patience_s: Final = 300.0
    """How long a last screen stays for them, if they press nothing."""

    def see(self, step: Step, offers: Sequence[Offer]) -> None:
        """See a step that can now be answered, and the possible answers."""

    def act(self) -> None:
        """Do what is due, while the station waits; a person presses keys when they like."""


class SimulatedRespondent:
    """A simulated evaluator at a real window.

    It presses keys and buttons through the X server's XTEST extension, so a press takes the whole
    way that a person's takes: server, input device, psychtoolbox or pyglet, PsychoPy. What may be
    clicked on it clicks on ``always``, ``never``, or every other time (``alternate``).
    """

    def __init__(
        self,
        simulated_evaluator: SimulatedEvaluator,
        *,
        window_id: int,
        reading_ms: float,
        clicks: Clicks = "alternate",
    ) -> None:
        self._evaluator = simulated_evaluator
        self._input = SimulatedInput(window_id)
        self._reading_ms = reading_ms
        self._clicks = clicks
        self._clicked = True
        self._due: tuple[float, Offer] | None = None

    @property
    def patience_s(self) -> float:
        return self._reading_ms / 1000

    def see(self, step: Step, offers: Sequence[Offer]) -> None:
        """Choose an answer and the time to press; nothing is pressed if the time should run out.

        Raises ValueError: the answer cannot be given.
        """
        response = self._evaluator.respond_to(step)
        wait_ms = self._reading_ms if isinstance(step, Screen) else response.rt_ms
        offer = next((o for o in offers if o.answer == response.answer), None)
        if isinstance(step, TypedQuestion) and response.answer:
            offer = Offer(answer=response.answer, keys=keys_typing(response.answer), typed=True)
        if offer is None and response.answer != NO_ANSWER:
            raise ValueError(f"{response.answer!r} is no answer to this step")
        self._due = (time.monotonic() + wait_ms / 1000, offer) if offer else None

    def act(self) -> None:
        """Press the key, or click, once its time has come."""
        if self._due and time.monotonic() >= self._due[0]:
            offer, self._due = self._due[1], None
            if offer.typed:
                for key in offer.keys:
                    self._input.press(key)
                return
            alternates = self._clicks == "alternate"
            if offer.areas:
                self._clicked = not self._clicked if alternates else self._clicks == "always"
            if offer.areas and self._clicked:
                self._input.click(offer.areas[0])
            else:
                self._input.press(offer.keys[0])

    def leave(self) -> None:
        self._input.leave()


Respondent = HumanRespondent | SimulatedRespondent
"""The one who answers."""
