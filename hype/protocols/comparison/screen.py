"""Comparisons on the screen: two images side by side, and a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from PIL import Image

from hype.protocols.comparison.trial import ComparisonTrial
from hype.protocols.prompted.screen import (
    CHOSEN_MS,
    PairPlaces,
    ShownImages,
    StandingImages,
    cap_under,
    draw_awaited,
    draw_cap,
    draw_frame,
    draw_images,
    pair_places,
    set_in_one_size,
    upload,
)
from hype.protocols.prompted.trial import Choice
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.station.config import StandingTrial
from hype.station.drawing import Style
from hype.station.layout import Layout
from hype.station.pictures import PictureSource
from hype.station.presenting import StationWindow
from hype.station.respondent import Offer

if TYPE_CHECKING:
    from hype.protocols.comparison.course import ComparisonLook

ASKED: Final = Style(0.034)
MOST_LINES: Final = 3
FRAME: Final = 0.009
"""Width of the frame around the chosen image, as a share of the window's height."""


class ComparisonLayout:
    """Draws comparisons, and computes the areas to click on."""

    def __init__(self, layout: Layout, look: ComparisonLook) -> None:
        self._layout = layout
        self._shows_prompt = look.prompt != "hidden"
        self._places: PairPlaces = pair_places(
            (layout.width, layout.height),
            layout.side_px,
            prompt=self._shows_prompt,
            neither=len(look.neither),
            reference=look.reference,
        )
        questions, box = look.questions, self._places.question
        asked = set_in_one_size(
            layout, ASKED, [*questions.values()], [box] * len(questions), MOST_LINES
        )
        self._asked = dict(zip(questions, asked, strict=True))
        choices = (Choice.LEFT, Choice.RIGHT, *look.neither)
        at = (self._places.left_key, self._places.right_key, *self._places.neither_keys)
        self._caps = {
            choice: cap_under(
                layout, getattr(layout.keys, choice.text), layout.fill(choice.text, {}), place
            )
            for choice, place in zip(choices, at, strict=True)
        }

    def scene(self, prompt: str, images: Sequence[Image.Image]) -> ShownImages:
        """Upload the images, and lay out the prompt so that it can be drawn word by word."""
        places = self._places
        boxes = (places.left, places.right, *([places.reference] if places.reference else ()))
        return upload(self._layout, images, boxes, prompt, places.prompt, MOST_LINES, places.label)

    def draw(self, scene: ShownImages, trial: ComparisonTrial, words: int | None = None) -> None:
        """Draw a comparison; ``words``: draw only this many words, and keys as outlines."""
        layout, places = self._layout, self._places
        layout.lines("asked", self._asked[trial.criterion], places.question)
        draw_images(layout, scene, places.prompt, words)
        for answer, cap in self._caps.items():
            if words is None:
                draw_cap(layout, answer.value, cap)
            else:
                draw_awaited(layout, cap)

    def standing(self, scene: ShownImages, _trial: ComparisonTrial) -> StandingTrial:
        """Return what stays on the screen between questions: everything but question and keys."""
        question, key = self._places.question, self._places.left_key.whole
        draw = partial(draw_images, self._layout, scene, self._places.prompt)
        return StandingTrial(draw, question, replace(question, y=key.y, height=key.height))

    def offers(self) -> tuple[Offer, ...]:
        """Return the areas to click on for each answer: its image and its key."""
        images = {Choice.LEFT: (self._places.left,), Choice.RIGHT: (self._places.right,)}
        return tuple(
            Offer(
                answer=choice.value,
                keys=(getattr(self._layout.keys, choice.text),),
                areas=(*images.get(choice, ()), cap.place.whole),
            )
            for choice, cap in self._caps.items()
        )

    def draw_chosen(self, scene: ShownImages, trial: ComparisonTrial, answer: Choice) -> None:
        """Draw a comparison with a frame around the chosen image or key."""
        images = dict(zip((Choice.LEFT, Choice.RIGHT), scene.boxes[:2], strict=True))
        if answer in images:
            draw_frame(self._layout, images[answer], FRAME)
        else:
            draw_frame(self._layout, self._caps[answer].outline)
        self.draw(scene, trial)


class ComparingPairs(StandingImages):
    """Shows trials of two images each and waits for a choice.

    ``word_ms``: time for each word of a prompt, in trials whose prompt appears word by word.
    """

    def __init__(
        self,
        window: StationWindow,
        layout: ComparisonLayout,
        pictures: PictureSource,
        word_ms: float,
    ) -> None:
        super().__init__(window, layout, pictures)
        self._word_s = word_ms / 1000
        self._chosen: Callable[[Choice], None] | None = None

    def present(self, trial: ComparisonTrial) -> Presentation:
        """Show both images and the prompt, at once or word by word.

        The pause key restarts the prompt, so that people read all of it.
        """
        scene = self._images_of(trial)
        self._chosen = partial(self._layout.draw_chosen, scene, trial)
        shown = self._show_pair(trial, scene)
        while shown is None:
            self._window.pause()
            shown = self._show_pair(trial, scene)
        return shown

    def respond(self, trial: ComparisonTrial) -> Response:
        """Wait for the answer, or until the time limit."""
        limit_ms = trial.limit_ms
        late = None if limit_ms is None else Response(Choice.NONE.value, "", limit_ms)
        response = self._window.ask(trial, self._layout.offers(), otherwise=late)
        if self._chosen and response is not late:
            self._window.owe(partial(self._chosen, Choice(response.answer)), CHOSEN_MS)
        return response

    def _images_of(self, trial: ComparisonTrial) -> ShownImages:
        return self._stand((trial.task, trial.block, trial.pair), trial.prompt, trial)

    def _show_pair(self, trial: ComparisonTrial, scene: ShownImages) -> Presentation | None:
        """Show a comparison until people can answer; None if it was paused."""
        draw = partial(self._layout.draw, scene, trial)
        if not trial.words_ms:
            return self._window.show(draw, place=0)
        self._window.keyboard.listen()
        shown = self._window.show(partial(draw, 1), place=0)
        onset_s = shown.onset_monotonic_s
        for words in range(2, len(trial.prompt.split()) + 1):
            if self._wait_or_pause(onset_s + (words - 1) * self._word_s):
                return None
            self._window.show(partial(draw, words), place=0)
        if self._wait_or_pause(onset_s + trial.words_ms / 1000):
            return None
        self._window.show(draw, place=0)
        return shown

    def _wait_or_pause(self, end_s: float) -> bool:
        return self._window.wait_for_key(end_s, self._window.keys.pause)
