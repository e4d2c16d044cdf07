"""A slider in a window: how a key or the pointer moves its mark, and how it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hype.session.steps import Slider
from hype.station.boxes import Box
from hype.station.drawing import Style
from hype.station.layout import MEANING, Layout
from hype.station.respondent import Offer
from hype.station.typesetting import Typeset

LINE: Final = 0.55
"""The share of the slider's height for the line and its mark; the rest is for the words."""
WIDTH: Final = 0.6
"""The maximum length of the line, as a share of the window's width."""
THIN: Final = 0.005
THICK: Final = 0.014
"""Widths of the line and of the mark, as shares of the window's height."""
MARKED: Final = Style(0.032, bold=True)
LINES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSlider:
    """A slider ready to be drawn. A mark is the number of an answer, from 0; None: no mark yet.

    A mirrored slider has its first answer on the right.
    """

    answers: tuple[str, ...]
    line: Box
    ends: tuple[tuple[Box, Typeset], ...]
    value: Box
    mirrored: bool

    def mark_at(self, x: float, y: float) -> int | None:
        """Return the mark nearest to a point; None if the point is too far above or below."""
        line = self.line
        if abs(y - line.y) > line.height / 2:
            return None
        share = min(max((x - line.left) / line.width, 0.0), 1.0)
        return round((1 - share if self.mirrored else share) * (len(self.answers) - 1))

    def move(self, mark: int | None, key: str) -> int:
        """Move a mark by a key; the first move starts in the middle, as in a browser."""
        side = -1 if self.mirrored else 1
        by = {"left": -side, "right": side, "down": -1, "up": 1}[key]
        start = len(self.answers) // 2 if mark is None else mark
        return min(max(start + by, 0), len(self.answers) - 1)

    def offers(self, send: Offer) -> Iterator[Offer]:
        """Yield an offer for each answer: the area to click, and the keys that mark and send it."""
        for mark, answer in enumerate(self.answers):
            steps = mark - len(self.answers) // 2
            keys = (*(("up",) * steps or ("down",) * -steps or ("up", "down")), send.keys[0])
            yield Offer(answer=answer, keys=keys, areas=(self._box_of(mark, 1),), typed=True)

    def draw(self, layout: Layout, mark: int | None) -> None:
        """Draw the line, the words at its ends, and the mark."""
        thin, thick = (max(2, round(share * layout.height)) for share in (THIN, THICK))
        line = self.line
        layout.fill_box(Box(x=line.x, y=line.y, width=line.width, height=thin), layout.ink_rgb)
        for x in (line.left, line.right):
            tick = Box(x=x, y=line.y, width=thin, height=0.4 * line.height)
            layout.fill_box(tick, layout.ink_rgb)
        for number, (box, words) in enumerate(self.ends):
            layout.lines(f"slider end {number}", words, box)
        if mark is not None:
            layout.fill_box(self._box_of(mark, thick), layout.ink_rgb)
            text = layout.set_into(MARKED, self.answers[mark], self.value, 1)
            layout.lines("slider value", text, self.value, bold=MARKED.bold)

    def _box_of(self, mark: int, width: int) -> Box:
        share = mark / (len(self.answers) - 1)
        x = self.line.left + (1 - share if self.mirrored else share) * self.line.width
        return Box(x=round(x), y=self.line.y, width=width, height=0.8 * self.line.height)


def place_slider(layout: Layout, slider: Slider, row: Box) -> PlacedSlider:
    """Place a slider in a row: the line, and below it the words at its ends and the value."""
    foot = row.top - LINE * row.height
    half = min(WIDTH * layout.width, row.width) / 2
    column = 2 * half / 3
    line = Box.between(row.x - half, row.x + half, foot, row.top)
    boxes = [
        Box.between(x - column / 2, x + column / 2, row.bottom, foot)
        for x in (line.left, row.x, line.right)
    ]
    first, value, last = boxes[::-1] if layout.is_mirrored else boxes
    ends = tuple(
        (box, layout.set_into(MEANING, words, box, LINES))
        for box, words in zip((first, last), slider.ends, strict=True)
    )
    return PlacedSlider(
        answers=slider.answers, line=line, ends=ends, value=value, mirrored=layout.is_mirrored
    )
