"""The station: presenter and responder of a session at a window."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import partial
from itertools import pairwise
from typing import Any

from hype.protocol.frames import frames_of
from hype.protocol.loop import Presentation, SessionStopped
from hype.protocol.steps import GO_ON, JudgementTrial, Page, Response, Screen, Step
from hype.station.config import StationConfig
from hype.station.frameclock import Draw, FrameClock, Picture, SoftwareClock, VsyncClock
from hype.station.keyboard import Keyboard
from hype.station.layout import Layout
from hype.station.person import Person
from hype.station.window import DisplayFacts

CHOICES = {Page.CONSENT.value: ("yes", "no"), "paused": ("resume", "quit")}
"""Texts of the left and the right key on the screens that ask for a choice."""


class WindowStation:
    """Shows steps in a PsychoPy window and takes the answers from its keyboard.

    ``on_pause`` is told of each pause: when it began, and how it was left.
    """

    def __init__(
        self,
        window: Any,
        facts: DisplayFacts,
        config: StationConfig,
        keyboard: Keyboard,
        person: Person,
        *,
        on_pause: Callable[[Presentation, Response], None],
    ) -> None:
        self._config = config
        self._hz = facts.refresh_hz
        self._clock: FrameClock = (
            VsyncClock(window) if facts.sync == "vsync" else SoftwareClock(window, self._hz)
        )
        self._layout = Layout(window, config, facts.image_side_px)
        self._keyboard = keyboard
        self._person = person
        self._on_pause = on_pause
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
            self._show(standing)
            key, rt_ms = self._await_key((*accepted, keys.pause))
        return Response(self._meaning(step, key), key, rt_ms)

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
        time.sleep(screen.duration_ms / 1000)
        self._show(layout.blank)
        return shown

    def _present_untimed(self, trial: JudgementTrial) -> Presentation:
        """Show the image with its question, to stay until the answer."""
        image = self._layout.picture(self._config.load_stimulus(trial.stimulus.path))
        return self._show(partial(self._layout.with_question, image))

    def _present_timed(self, trial: JudgementTrial, exposure_ms: float) -> Presentation:
        """Count down, flash the image, cover it with the masks, ask."""
        pictures: list[Picture] = []

        def prepare() -> None:
            pictures.extend(self._flash(trial, exposure_ms))

        self._count_down(prepare)
        self._standing = pictures[-1].draw
        onsets = self._clock.show(pictures)
        exposure, *masks = (1000 * (end - start) for start, end in pairwise(onsets))
        return presentation(
            onsets[0],
            exposure_frames=pictures[0].frames,
            exposure_measured_ms=exposure,
            mask_measured_ms=tuple(masks),
        )

    def _flash(self, trial: JudgementTrial, exposure_ms: float) -> list[Picture]:
        """Decode and upload a trial's pictures: image, masks, question, in order."""
        layout, config = self._layout, self._config
        image = layout.picture(config.load_stimulus(trial.stimulus.path))
        masks = [layout.picture(config.load_mask(name), cover=True) for name in trial.masks]
        mask_frames = frames_of(trial.mask_ms, self._hz) if masks else 0
        return [
            Picture(image, frames_of(exposure_ms, self._hz)),
            *(Picture(mask, mask_frames) for mask in masks),
            Picture(layout.question, 0),
        ]

    def _count_down(self, prepare: Callable[[], None]) -> None:
        """Show the numerals, and meanwhile ``prepare`` what follows. The pause key starts anew."""
        todo, number = [prepare], self._config.countdown_from
        while number:
            self._keyboard.listen()
            end = time.monotonic() + self._config.countdown_ms / 1000
            self._show(partial(self._layout.numeral, number))
            while todo:
                todo.pop()()
            number -= 1
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
            self._keyboard.rest()
        return False

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

    def _show(self, draw: Draw) -> Presentation:
        """Show something that stays."""
        self._standing = draw
        return presentation(self._clock.show([Picture(draw, 0)])[0])

    def _await_key(self, keys: Collection[str]) -> tuple[str, float]:
        """Wait for one of ``keys``; give it and the time since the call, in ms."""
        self._keyboard.listen()
        while True:
            self._person.act()
            press = self._keyboard.pressed(keys)
            if press:
                return press
            self._keyboard.rest()


def presentation(onset_s: float, **measured: Any) -> Presentation:
    """Make a `Presentation` that came on at ``onset_s`` of the monotonic clock."""
    unix_s = time.time() - (time.monotonic() - onset_s)
    return Presentation(onset_unix_s=unix_s, onset_monotonic_s=onset_s, **measured)
