"""Who sits at the station: a person, or a simulated evaluator whose presses are real."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, Literal, Protocol

from hype.protocol.comparison import Choice
from hype.protocol.steps import Response, Screen, Step
from hype.station.hands import Hands
from hype.station.offers import Offer

Clicks = Literal["never", "alternate", "always"]


class Person(Protocol):
    """Whoever answers. A person needs none of this; what they do comes by keyboard and mouse."""

    @property
    def patience_s(self) -> float:
        """How long a last screen stays for them, if they press nothing."""
        ...

    def see(self, step: Step, offers: Sequence[Offer]) -> None:
        """Be shown a step that can now be answered, and with what."""
        ...

    def act(self) -> None:
        """Do what is due, while the station waits."""
        ...


class Somebody:
    """A person: the program leaves them alone."""

    patience_s: Final = 300.0

    def see(self, step: Step, offers: Sequence[Offer]) -> None:
        """See a step."""

    def act(self) -> None:
        """Press keys whenever they like."""


class Mind(Protocol):
    """What a simulated evaluator answers, and after what time."""

    def respond_to(self, step: Step) -> Response:
        """Answer a step."""
        ...


class Robot:
    """A simulated evaluator at a real window.

    It presses keys and buttons through the X server's XTEST extension, so a press takes the whole
    way that a person's takes: server, input device, psychtoolbox or pyglet, PsychoPy. What may be
    clicked on it clicks on ``always``, ``never``, or every other time (``alternate``).
    """

    def __init__(
        self,
        mind: Mind,
        *,
        window_id: int,
        reading_ms: float,
        clicks: Clicks = "alternate",
    ) -> None:
        self._mind = mind
        self._hands = Hands(window_id)
        self._reading_ms = reading_ms
        self._clicks = clicks
        self._clicked = True
        self._due: tuple[float, Offer] | None = None

    @property
    def patience_s(self) -> float:
        """As long as any screen."""
        return self._reading_ms / 1000

    def see(self, step: Step, offers: Sequence[Offer]) -> None:
        """Decide, and set the time at which to press; nothing is pressed where time is to run out.

        Raises
        ------
        ValueError
            The answer cannot be given.
        """
        response = self._mind.respond_to(step)
        wait_ms = self._reading_ms if isinstance(step, Screen) else response.rt_ms
        offer = next((o for o in offers if o.answer == response.answer), None)
        if offer is None and response.answer != Choice.NONE.value:
            raise ValueError(f"{response.answer!r} is no answer to this step")
        self._due = (time.monotonic() + wait_ms / 1000, offer) if offer else None

    def act(self) -> None:
        """Press the key, or click, once its time has come."""
        if self._due and time.monotonic() >= self._due[0]:
            offer, self._due = self._due[1], None
            if offer.areas and self._wants_to_click():
                self._hands.click(offer.areas[0])
            else:
                self._hands.press(offer.keys[0])

    def leave(self) -> None:
        """Close the connection to the X server."""
        self._hands.leave()

    def _wants_to_click(self) -> bool:
        """Whether it clicks this time."""
        self._clicked = self._clicks == "always" or (
            self._clicks == "alternate" and not self._clicked
        )
        return self._clicked
