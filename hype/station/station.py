"""The station: presenter and responder of a session at a window."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from hype.protocol.frames import frames_of
from hype.protocol.loop import Presentation, SessionStopped
from hype.protocol.steps import GO_ON, JudgementTrial, Page, Response, Screen, Step
from hype.protocol.timing import Request, Timing, judge_timing
from hype.station.calls import Calls, window_events
from hype.station.config import StationConfig
from hype.station.frameclock import LEAD_FRAMES, Draw, Picture
from hype.station.keyboard import Keyboard
from hype.station.layout import Layout
from hype.station.patch import Patch
from hype.station.person import Person
from hype.station.pictures import Pictures, wants_of
from hype.station.surface import frame_clock
from hype.station.window import DisplayFacts

CHOICES = {Page.CONSENT.value: ("yes", "no"), "paused": ("resume", "quit")}
"""Texts of the left and the right key on the screens that ask for a choice."""


class Triggers(Protocol):
    """Whom to tell that an image came on or was covered, at the flip that did it."""

    def image_on(self) -> None:
        """The image is on the screen."""
        ...

    def image_off(self) -> None:
        """It is not any more."""
        ...


class WindowStation:
    """Shows steps in a PsychoPy window and takes the answers from its keyboard.

    ``on_pause`` is told of each pause: when it began, and how it was left. Where the station waits,
    it looks whether ``calls`` from outside came, and stops the session if so.
    """

    def __init__(
        self,
        window: Any,
        facts: DisplayFacts,
        config: StationConfig,
        keyboard: Keyboard,
        person: Person,
        pictures: Pictures,
        triggers: Triggers,
        *,
        on_pause: Callable[[Presentation, Response], None],
        calls: Calls | None = None,
    ) -> None:
        self._config = config
        self._hz = facts.refresh_hz
        self._clock = frame_clock(window, facts)
        self._layout = Layout(window, config, facts.image_side_px)
        self._patch = Patch(window, config.patch) if config.patch else None
        self._pictures = pictures
        self._triggers = triggers
        self._keyboard = keyboard
        self._person = person
        self._on_pause = on_pause
        self._calls = calls or Calls()
        self._take_in_events = window_events(window, self._calls)
        self._standing: Draw = self._layout.blank

    def present(self, step: Step) -> Presentation:
        """Show ``step`` up to the moment from which it can be answered."""
        if isinstance(step, Screen):
            return self._present_screen(step)
        if step.exposure_ms is None:
            return self._present_untimed(step)
        return self._present_timed(step, step.exposure_ms)

    def respond(self, step: Step) -> Response:
        """Wait for the answer. The pause key pauses; then the step is asked again."""
        if isinstance(step, Screen) and step.duration_ms is not None:
            return GO_ON
        keys = self._config.keys
        asks = not isinstance(step, Screen) or step.choice
        accepted = (keys.left, keys.right) if asks else (keys.go_on,)
        self._person.see(step)
        key, rt_ms = self._await_key((*accepted, keys.pause))
        while key == keys.pause:
            standing = self._standing
            self._pause()
            self._stand(standing)
            key, rt_ms = self._await_key((*accepted, keys.pause))
        return Response(self._meaning(step, key), key, rt_ms)

    def tell_trouble(self) -> None:
        """Say that the station has to stop, until a key is pressed or for long enough.

        It needs nothing from the disk, which may be what is in trouble.
        """
        self._show(self._layout.trouble)
        self._keyboard.listen()
        self._pressed_before(time.monotonic() + self._person.patience_s, self._config.keys.go_on)

    def _meaning(self, step: Step, key: str) -> str:
        """Say what a key answers to a step."""
        keys = self._config.keys
        if not isinstance(step, Screen):
            return keys.left_means if key == keys.left else keys.right_means
        if step.choice:
            return "yes" if key == keys.left else "no"
        return ""

    def _present_screen(self, screen: Screen) -> Presentation:
        """Show words; a screen with a duration for that long, then nothing."""
        layout, name = self._layout, screen.page.value
        if screen.duration_ms is None:
            choice = CHOICES[name] if screen.choice else None
            return self._show(partial(layout.message, name, screen.values, choice))
        shown = self._show(partial(layout.verdict, name))
        self._wait_until(time.monotonic() + screen.duration_ms / 1000)
        self._show(layout.blank)
        return shown

    def _present_untimed(self, trial: JudgementTrial) -> Presentation:
        """Show the image with its question, to stay until the answer."""
        (want,) = wants_of(trial)
        image = self._layout.picture(self._pictures.take(want))
        return self._show(partial(self._layout.with_question, image), place=0)

    def _present_timed(self, trial: JudgementTrial, exposure_ms: float) -> Presentation:
        """Count down, flash the image, cover it with the masks, ask."""
        durations_ms = [exposure_ms, *(trial.mask_ms for _ in trial.masks)]
        requests = [Request(ms, frames_of(ms, self._hz)) for ms in durations_ms]
        draws: list[Draw] = []

        def prepare() -> None:
            for place, want in enumerate(wants_of(trial)):
                draws.append(self._layout.picture(self._pictures.take(want), place))

        self._count_down(prepare)
        timing = self._flash(draws, requests)
        return presentation(timing.flips[0].at_s, timing)

    def _flash(self, draws: Sequence[Draw], requests: Sequence[Request]) -> Timing:
        """Show the image, the masks and the question; give the time each was on the screen."""
        lit = [self._with_patch(draw, place) for place, draw in enumerate(draws)]
        question = self._with_patch(self._layout.question)
        lead, *pictures = (
            Picture(self._standing, LEAD_FRAMES),
            *(Picture(draw, request.frames) for draw, request in zip(lit, requests, strict=True)),
            Picture(question, 0),
        )
        pictures[0] = replace(pictures[0], at_flip=self._triggers.image_on)
        pictures[1] = replace(pictures[1], at_flip=self._triggers.image_off)
        self._pictures.pause()
        try:
            flips = self._clock.show([lead, *pictures])[1:]
        finally:
            self._pictures.resume()
        self._standing = question
        return judge_timing(
            requests, flips, refresh_hz=self._hz, tolerance_ms=self._config.tolerance_ms
        )

    def _count_down(self, prepare: Callable[[], None]) -> None:
        """Show the numerals, and meanwhile ``prepare`` what follows. The pause key starts anew.

        During the last numeral nothing is decoded any more, and its last frames are left to the
        frame clock, which leads from them into the exposure.
        """
        todo, number = [prepare], self._config.countdown_from
        while number:
            self._keyboard.listen()
            end = time.monotonic() + self._config.countdown_ms / 1000
            self._show(partial(self._layout.numeral, number))
            while todo:
                todo.pop()()
            number -= 1
            if not number:
                self._pictures.pause()
                end -= LEAD_FRAMES / self._hz
            if self._pressed_before(end, self._config.keys.pause):
                self._pause()
                number = self._config.countdown_from
        while todo:
            todo.pop()()

    def _pressed_before(self, end_s: float, key: str) -> bool:
        """Wait until ``end_s``, or until ``key`` is pressed; say whether it was."""
        while time.monotonic() < end_s:
            if self._keyboard.pressed((key,)):
                return True
            self._rest()
        return False

    def _wait_until(self, end_s: float) -> None:
        """Let time pass until ``end_s``."""
        while time.monotonic() < end_s:
            self._rest()

    def _rest(self) -> None:
        """Wait a moment, unless a call came.

        Raises
        ------
        CalledAway
            The window was closed, or the program was told to end.
        """
        self._take_in_events()
        self._calls.heed()
        self._keyboard.rest()

    def _pause(self) -> None:
        """Ask whether to go on or to stop.

        Raises
        ------
        SessionStopped
            The evaluator chose to stop. All answered trials are in the record.
        """
        keys = self._config.keys
        shown = self._show(partial(self._layout.message, "paused", {}, CHOICES["paused"]))
        key, rt_ms = self._await_key((keys.left, keys.right))
        answer = "resume" if key == keys.left else "quit"
        self._on_pause(shown, Response(answer, key, rt_ms))
        if answer == "quit":
            raise SessionStopped
        self._show(self._layout.blank)

    def _show(self, draw: Draw, place: int | None = None) -> Presentation:
        """Show something that stays, with the patch as it is for a picture in ``place``."""
        return self._stand(self._with_patch(draw, place))

    def _stand(self, draw: Draw) -> Presentation:
        """Show something that stays, patch and all."""
        self._standing = draw
        return presentation(self._clock.show([Picture(draw, 0)])[0].at_s)

    def _with_patch(self, draw: Draw, place: int | None = None) -> Draw:
        """Add the patch, if there is one: lit for the image (0) or a mask (1 and so on), or off."""
        if self._patch is None:
            return draw
        return together(draw, self._patch.off if place is None else self._patch.light(place))

    def _await_key(self, keys: Collection[str]) -> tuple[str, float]:
        """Wait for one of ``keys``; give it and the time since the call, in ms."""
        self._keyboard.listen()
        while True:
            self._person.act()
            press = self._keyboard.pressed(keys)
            if press:
                return press
            self._rest()


def together(*draws: Draw) -> Draw:
    """Draw one thing after the other."""

    def draw() -> None:
        for part in draws:
            part()

    return draw


def presentation(onset_s: float, timing: Timing | None = None) -> Presentation:
    """Make a `Presentation` that came on at ``onset_s`` of the monotonic clock."""
    unix_s = time.time() - (time.monotonic() - onset_s)
    return Presentation(onset_unix_s=unix_s, onset_monotonic_s=onset_s, timing=timing)
