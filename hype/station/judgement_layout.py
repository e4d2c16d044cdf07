"""How judgements look: the countdown, the question and its two keys."""

from __future__ import annotations

from typing import Final

from PIL import Image

from hype.station.brush import Style
from hype.station.frameclock import Draw
from hype.station.layout import QUESTION, Layout

NUMERAL: Final = Style(0.14)


class JudgementLayout:
    """Draws what a judgement needs beside the image."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        # Made and drawn once now: no trial is to wait for it.
        self.question()
        layout.clear()

    def picture(self, image: Image.Image, place: int = 0) -> Draw:
        """Upload an image or a mask, and return what draws it."""
        return self._layout.picture(image, place)

    def numeral(self, number: int) -> None:
        """Draw a numeral of the countdown."""
        self._layout.put(NUMERAL, str(number), 0.0)

    def question(self) -> None:
        """Draw the question of a timed trial, with its keys."""
        self._layout.put(QUESTION, self._layout.texts["question"], 0.06)
        self.answer_keys()

    def with_question(self, picture: Draw) -> None:
        """Draw an image, the question beneath it and its keys."""
        layout = self._layout
        picture()
        beneath = layout.side_px / 2 / layout.height + 0.07
        if beneath < 0.46:  # a larger image speaks for itself
            layout.put(QUESTION, layout.texts["question_untimed"], -beneath)
        self.answer_keys()

    def answer_keys(self) -> None:
        """Draw the two keys of a judgement, each on its own side."""
        keys, texts = self._layout.keys, self._layout.texts
        self._layout.legend(texts[keys.left_means], texts[keys.right_means])
