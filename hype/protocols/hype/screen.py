"""Judgements on the screen: one image, flashed or shown until the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from hype.protocols.hype.trial import JudgementTrial
from hype.session.loop import Presentation
from hype.session.steps import CROSS, NO_ANSWER, Response, TrialName
from hype.session.timing import Request, Timing, frames_of, judge_timing
from hype.station.boxes import Box
from hype.station.config import Stage, StandingTrial
from hype.station.drawing import COLUMN, Style
from hype.station.frame_clock import LEAD_FRAMES, Draw, TimedPicture
from hype.station.layout import CAP_HEIGHT, QUESTION, ROW_Y
from hype.station.presenting import presentation
from hype.station.respondent import Offer

if TYPE_CHECKING:
    from hype.protocols.hype.course import JudgementLook

NUMERAL: Final = Style(0.14)
QUESTION_HEIGHT: Final = 0.07
"""Distance of the question's middle from an image's edge, as a share of the window's height."""


class Judging:
    """Shows trials of one image each and waits for "real" or "fake"."""

    def __init__(self, stage: Stage, look: JudgementLook) -> None:
        self._window = stage.window
        self._layout = stage.layout
        self._pictures = stage.pictures
        self._triggers = stage.triggers
        self._look = look
        self._hz = stage.refresh_hz
        self._shown: tuple[TrialName, Draw] | None = None
        self._buttons = look.buttons(stage.layout.config)
        # Make and draw the question now, so that no trial waits for its texts.
        self.draw_question()
        self._layout.clear()

    def present(self, trial: JudgementTrial) -> Presentation:
        """Show an untimed image until the answer; flash a timed one between cues and masks."""
        if trial.exposure_ms is None:
            image = self._image_of(trial)
            return self._window.show(partial(self.draw_with_question, image), place=0)
        durations_ms = [trial.exposure_ms, *(trial.mask_ms for _ in trial.masks)]
        requests = [Request(ms, frames_of(ms, self._hz)) for ms in durations_ms]
        draws: list[Draw] = []

        def prepare() -> None:
            for place, wanted in enumerate(trial.pictures):
                draws.append(self._layout.picture(self._pictures.take(wanted), place))

        self._show_cues(prepare)
        timing = self._flash(draws, requests)
        return presentation(timing.flips[0].at_s, timing)

    def respond(self, trial: JudgementTrial) -> Response:
        offers = [Offer(answer=one.answer, keys=one.keys) for one in self._buttons]
        limit_ms = trial.limit_ms
        late = None if limit_ms is None else Response(NO_ANSWER, "", limit_ms)
        return self._window.ask(trial, offers, otherwise=late)

    def standing(self, trial: JudgementTrial) -> StandingTrial | None:
        """Return a trial's image and its texts' places; None if answers do not fit below it."""
        layout = self._layout
        width, height, edge = COLUMN * layout.width, layout.height, layout.side_px / 2
        answers = Box(x=0, y=ROW_Y * height, width=width, height=CAP_HEIGHT * height)
        question = replace(answers, y=edge + QUESTION_HEIGHT * height)
        return (
            StandingTrial(self._image_of(trial), question, answers)
            if edge <= -answers.top
            else None
        )

    def _image_of(self, trial: JudgementTrial) -> Draw:
        """Return the function that draws the image of an untimed trial."""
        if self._shown is None or self._shown[0] != trial.name:
            (wanted,) = trial.pictures
            self._shown = trial.name, self._layout.picture(self._pictures.take(wanted))
        return self._shown[1]

    def _flash(self, draws: Sequence[Draw], requests: Sequence[Request]) -> Timing:
        """Show the image, the masks and the question; return how long each was on the screen."""
        window = self._window
        lit = [window.add_patch(draw, place) for place, draw in enumerate(draws)]
        lead, *pictures = (
            TimedPicture(window.standing, LEAD_FRAMES),
            *(
                TimedPicture(draw, request.frames)
                for draw, request in zip(lit, requests, strict=True)
            ),
            TimedPicture(window.add_patch(self.draw_question), 0),
        )
        pictures[0] = replace(pictures[0], at_flip=self._triggers.image_on)
        pictures[1] = replace(pictures[1], at_flip=self._triggers.image_off)
        self._pictures.pause()
        try:
            flips = window.play([lead, *pictures])[1:]
        finally:
            self._pictures.resume()
        return judge_timing(
            requests, flips, refresh_hz=self._hz, tolerance_ms=self._look.tolerance_ms
        )

    def _show_cues(self, prepare: Callable[[], None]) -> None:
        """Show the cues, and meanwhile call ``prepare``, which gets the pictures ready.

        The pause key restarts the cues. During the last cue no picture is decoded, and the frame
        clock shows the cue's last frames and the exposure without a gap.
        """
        cues, todo, place = self._look.cues, [prepare], 0
        while place < len(cues):
            cue = cues[place]
            self._window.keyboard.listen()
            end = time.monotonic() + cue.ms / 1000
            numeral = partial(self._layout.put, NUMERAL, cue.text, 0.0)
            self._window.show(self._layout.cross if cue.text == CROSS else numeral)
            while todo:
                todo.pop()()
            place += 1
            if place == len(cues):
                self._pictures.pause()
                end -= LEAD_FRAMES / self._hz
            if self._window.wait_for_key(end, self._window.keys.pause):
                self._window.pause()
                place = 0
        while todo:
            todo.pop()()

    def draw_question(self) -> None:
        self._layout.put(QUESTION, self._layout.texts["question"], 0.06)
        self._answer_keys()

    def draw_with_question(self, picture: Draw) -> None:
        layout = self._layout
        picture()
        beneath = layout.side_px / 2 / layout.height + QUESTION_HEIGHT
        if beneath < 0.46:  # a larger image leaves no room for the question
            up = beneath if self._look.steps else -beneath  # if the keys are below, it goes above
            layout.put(QUESTION, layout.texts["question_untimed"], up)
        self._answer_keys()

    def _answer_keys(self) -> None:
        keys, texts = self._layout.keys, self._layout.texts
        if not self._look.steps:
            self._layout.legend(texts[keys.left_means], texts[keys.right_means])
            return
        self._layout.key_row([(button.cap, button.label) for button in self._buttons])
