"""How a question about the evaluator looks: numbered answers, one under the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hype.protocol.steps import Question
from hype.station.boxes import Box
from hype.station.brush import Style
from hype.station.layout import HINT, TITLE, Layout
from hype.station.typesetting import Typeset

ASKED: Final = Style(0.034)
OPTION: Final = Style(0.028)
NUMBER: Final = Style(0.026, bold=True)
SMALLEST: Final = 0.018
COLUMN: Final = 0.88
LEAST_WIDTH: Final = 0.25
"""Widths of texts, and of the column of answers where all are short; shares of the window's."""
TOP: Final = 0.19
BOTTOM: Final = -0.37
"""Between these heights the answers stand."""
ROW: Final = 0.075
"""Height of an answer, where there are few of them."""
APART: Final = 0.5
"""How far below the others, in rows, the answer stands that withholds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlaces:
    """Where the parts of the screen are; each row has a number and an answer."""

    title: Box
    asked: Box
    rows: tuple[Box, ...]
    hint: Box


def question_places(window_px: tuple[int, int], options: int, widest_px: float) -> QuestionPlaces:
    """Place a question with so many answers; the last stands a little apart.

    ``widest_px`` is the width of the longest answer, if it were set in one line.
    """
    width, height = window_px
    row = int(min(ROW, (TOP - BOTTOM) / (options + APART)) * height)
    column = min(COLUMN * width, max(LEAST_WIDTH * width, widest_px + 1.5 * row))
    tops = [round(TOP * height) - n * row for n in range(options)]
    tops[-1] -= round(APART * row)
    return QuestionPlaces(
        title=Box(x=0, y=0.40 * height, width=COLUMN * width, height=0.07 * height),
        asked=Box(x=0, y=0.28 * height, width=COLUMN * width, height=0.13 * height),
        rows=tuple(Box.between(-column / 2, column / 2, top - row, top) for top in tops),
        hint=Box(x=0, y=-0.435 * height, width=COLUMN * width, height=0.06 * height),
    )


class QuestionLayout:
    """Draws questions, and says where to click."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def rows(self, question: Question) -> tuple[Box, ...]:
        """Give where the answers are."""
        return self._places(question).rows

    def draw(self, question: Question) -> None:
        """Draw a question."""
        places = self._places(question)
        self._centred("title", TITLE, self._layout.fill("about_you", {}), places.title)
        self._centred("asked", ASKED, question.text, places.asked, lines=3)
        self._centred("hint", HINT, self._layout.fill("about_you_hint", {}), places.hint)
        for number, (text, row) in enumerate(zip(question.options, places.rows, strict=True), 1):
            self._option(number, text, row)

    def _places(self, question: Question) -> QuestionPlaces:
        """Place a question's parts."""
        layout = self._layout
        widest_px = max(layout.width_of(OPTION, text) for text in question.options)
        return question_places((layout.width, layout.height), len(question.options), widest_px)

    def _option(self, number: int, text: str, row: Box) -> None:
        """Draw one answer, with its key."""
        layout = self._layout
        side = round(0.8 * row.height)
        cap = Box(x=round(row.left + side / 2), y=round(row.y), width=side, height=side)
        words = Box.between(cap.right + 0.3 * row.height, row.right, row.bottom, row.top)
        if layout.mirrored:
            cap, words = cap.mirrored(row), words.mirrored(row)
        layout.outlined(cap)
        self._centred(f"number {number}", NUMBER, str(number), cap.grown(-2))
        layout.lines(f"option {number}", self._set(OPTION, text, words, 2), words, at_edge=True)

    def _centred(self, place: str, style: Style, text: str, box: Box, lines: int = 1) -> None:
        """Draw a text in the middle of a box."""
        self._layout.lines(place, self._set(style, text, box, lines), box, bold=style.bold)

    def _set(self, style: Style, text: str, box: Box, lines: int) -> Typeset:
        """Set a text into a box."""
        return self._layout.set_into(style, text, box, SMALLEST, lines)
