"""Screens of words: read until somebody goes on, chosen on, or shown for a while."""

from __future__ import annotations

import time
from functools import partial
from typing import Final

from hype.protocol.loop import Presentation
from hype.protocol.steps import GO_ON, Page, Response, Screen
from hype.station.desk import Desk
from hype.station.layout import Layout
from hype.station.offers import Offer

CHOICES: Final = {Page.CONSENT.value: ("yes", "no")}
"""Texts of the left and the right key on the screens that ask for a choice."""
WAITS: Final = (Page.HASTY, Page.MISSED)
"""Pages that have to be waited out, and say how long still."""
WAIT_STEP_S: Final = 0.05
"""How often the time that is left is shown anew."""


class Reading:
    """Shows screens and waits for what leaves them."""

    def __init__(self, desk: Desk, layout: Layout) -> None:
        self._desk = desk
        self._layout = layout

    def present(self, screen: Screen) -> Presentation:
        """Show words; a screen with a duration for that long, then nothing."""
        name = screen.page.value
        if screen.duration_ms is None:
            choice = CHOICES[name] if screen.choice else None
            return self._desk.show(partial(self._layout.message, name, screen.values, choice))
        if screen.page in WAITS:
            shown = self._wait_out(name, screen.duration_ms)
        else:
            said = partial(self._layout.verdict, name)
            shown = self._desk.show(self._desk.with_progress(said))
            self._desk.wait_until(time.monotonic() + screen.duration_ms / 1000)
        self._desk.show(self._layout.blank)
        return shown

    def respond(self, screen: Screen) -> Response:
        """Wait for the key that goes on, or for a choice."""
        if screen.duration_ms is not None:
            return GO_ON
        if screen.choice:
            texts = CHOICES[screen.page.value]
            return self._desk.ask(screen, self._desk.two_keys(("yes", "no"), texts))
        hint = self._layout.hint_box()
        go_on = Offer(answer="", keys=(self._desk.keys.go_on,), areas=(hint,))
        return self._desk.ask(screen, (go_on,))

    def _wait_out(self, name: str, duration_ms: float) -> Presentation:
        """Show words, and how much of the time is left."""
        shown = self._desk.show(partial(self._layout.waiting, name, 1.0))
        end_s = time.monotonic() + duration_ms / 1000
        while (left_s := end_s - time.monotonic()) > 0:
            self._desk.wait_until(time.monotonic() + min(left_s, WAIT_STEP_S))
            left = max(0.0, 1000 * (end_s - time.monotonic()) / duration_ms)
            self._desk.show(partial(self._layout.waiting, name, left))
        return shown
