"""The station: presenter and responder of a session at a window."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from hype.session.loop import Presentation
from hype.session.steps import Question, Response, Screen, Step, Trial
from hype.station.config import ExposureTriggers, Stage, StationConfig, StepPresenter
from hype.station.frame_clock import frame_clock
from hype.station.input_devices import Keyboard
from hype.station.interrupts import Interrupts
from hype.station.layout import Layout
from hype.station.pictures import PictureSource
from hype.station.presenting import StationWindow
from hype.station.questions import Questioning, QuestionLayout, Reading
from hype.station.respondent import Respondent
from hype.station.window import DisplayFacts


class WindowStation:
    """Shows steps in a PsychoPy window and takes the answers from its keyboard and mouse.

    What it does whatever it shows is the `StationWindow`; what it does with a step depends on its
    kind. ``on_pause`` is told of each pause: when it began, and how it was left. Where the station
    waits, it looks whether ``interrupts`` from outside came, and stops the session if so.
    """

    def __init__(
        self,
        window: Any,
        facts: DisplayFacts,
        config: StationConfig,
        keyboard: Keyboard,
        respondent: Respondent,
        pictures: PictureSource,
        triggers: ExposureTriggers,
        *,
        on_pause: Callable[[Presentation, Response], None],
        interrupts: Interrupts | None = None,
    ) -> None:
        self._layout = Layout(window, config, facts.image_side_px)
        self._window = StationWindow(
            *(window, frame_clock(window, facts), config, self._layout, keyboard, respondent),
            on_pause=on_pause,
            refresh_hz=facts.refresh_hz,
            interrupts=interrupts or Interrupts(),
        )
        self._respondent = respondent
        self._presenters: Mapping[type[Step], StepPresenter] = {
            Screen: Reading(self._window, self._layout),
            Question: Questioning(self._window, QuestionLayout(self._layout)),
            **config.trials.presenters(
                Stage(
                    window=self._window,
                    layout=self._layout,
                    pictures=pictures,
                    triggers=triggers,
                    refresh_hz=facts.refresh_hz,
                )
            ),
        }

    def present(self, step: Step) -> Presentation:
        """Show ``step`` up to the moment from which it can be answered."""
        with self._window.unless_closed():
            self._window.settle(step)
            self._window.point(step)
            return self._presenters[type(step)].present(step)

    def respond(self, step: Step) -> Response:
        """Wait for the answer. The pause key pauses; then the step is asked or shown anew."""
        with self._window.unless_closed():
            response = self._presenters[type(step)].respond(step)
            if isinstance(step, Trial):
                self._window.note_progress(step.done_after(response.answer))
            return response

    def tell_trouble(self) -> None:
        """Say that the station has to stop, until a key is pressed or for long enough.

        It needs nothing from the disk, which may be what is in trouble.
        """
        window = self._window
        with window.unless_closed():
            window.show(self._layout.trouble)
            window.keyboard.listen()
            window.pressed_before(time.monotonic() + self._respondent.patience_s, window.keys.go_on)
