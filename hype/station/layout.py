"""Draws screens with text, and the keys below the text. Never flips or waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from PIL import Image

from hype.station.boxes import Box
from hype.station.config import StationConfig, cap_label, fill_text
from hype.station.drawing import COLUMN, SMALLEST, Canvas, Style
from hype.station.frame_clock import Draw
from hype.station.typesetting import fill_lines, pieces_of, ruler_at, runs_from_right, sizes

TROUBLE: Final = "trouble"
AWAY: Final = "away"
"""Names of the texts for a session that has to stop, and for one that cannot store answers."""
TITLE: Final = Style(0.046, bold=True, anchor="top")
BODY: Final = Style(0.031, anchor="top")
HINT: Final = Style(0.027)
QUESTION: Final = Style(0.036)
CAP: Final = Style(0.034, bold=True)
MEANING: Final = Style(0.027)
TITLE_Y: Final = 0.30
LONG_TITLE: Final = (0.21, 0.38)
"""Bottom and top of a title with several lines: y from the middle, as shares of the height."""
BODY_Y: Final = 0.19
BODY_HEIGHT: Final = 0.525
LIFT: Final = 0.13
"""How much higher a title is if a picture is below it, as a share of the window's height."""
PICTURE_HEIGHT: Final = 0.28
PICTURE_GAP: Final = 0.03
BODY_LEADING: Final = 1.2
"""The distance between two lines in PsychoPy, as a multiple of the text's size."""
CAP_Y: Final = -0.35
CAP_HEIGHT: Final = 0.075
CAP_SIDE: Final = 0.016
"""The space between a label and its outline, on each side."""
MEANING_Y: Final = -0.425
ROW_Y: Final = -0.385
"""The vertical place of a row of keys, below even the largest image."""
HINT_Y: Final = -0.40
EITHER: Final = " / "
"""The text between the names of keys with the same meaning."""
BAR_WIDTH: Final = 0.26
BAR_HEIGHT: Final = 0.008
BAR_Y: Final = -0.1
PROGRESS_Y: Final = -0.48
PAGE: Final = -1
"""The place number of a page's picture; the pictures of trials have place numbers from 0."""
PILOT: Final = Style(0.022)
PILOT_Y: Final = 0.475
CROSS_LENGTH: Final = 0.05
CROSS_WIDTH: Final = 0.006


class Layout(Canvas):
    """Draws the study's texts with the keys that end each screen, and returns the keys' boxes."""

    def __init__(self, window: Any, config: StationConfig, side_px: int) -> None:
        super().__init__(
            window,
            config.appearance,
            config.speech.language,
            mirrored=runs_from_right(config.texts[TROUBLE]),
        )
        self.config = config
        self.keys = config.keys
        self.speech = config.speech
        self.texts = config.texts
        self.side_px = side_px
        # Draw these screens once, so that they need no files later, when the disk may be gone.
        self.trouble()
        self.clear()
        self.away()
        self.clear()

    def blank(self) -> None:
        """Draw nothing."""

    def page_picture(self, image: Image.Image) -> tuple[Draw, float]:
        """Upload a page's picture; return what draws it, and its share of the window's height."""
        image.thumbnail((int(COLUMN * self.width), int(PICTURE_HEIGHT * self.height)))
        y = (BODY_Y + LIFT) * self.height - image.height / 2
        return self.picture(image.convert("RGB"), PAGE, y=round(y)), image.height / self.height

    def message(
        self,
        name: str,
        values: Mapping[str, Any],
        choice: tuple[str, str] | None,
        picture: tuple[Draw, float] | None = None,
    ) -> None:
        """Draw a screen of text, with its picture and the keys that end the screen."""
        if picture:
            picture[0]()
        self._words(name, values, picture[1] if picture else 0.0)
        if choice:
            self.legend(*(self.fill(name, {}) for name in choice), keys=self.keys.choices)
            return
        self.put(HINT, self.fill("continue_hint", {}), HINT_Y)
        self.outline_box(self.hint_box())

    def trouble(self) -> None:
        """Draw the screen that says that the station has to stop; it has no key to continue."""
        self._words(TROUBLE, {})

    def away(self) -> None:
        """Draw the screen that says that the session waits until answers can be stored."""
        self._words(AWAY, {})

    def pilot(self) -> None:
        """Draw the words that appear on every screen of a pilot."""
        self.put(PILOT, self.fill("pilot", {}), PILOT_Y)

    def cross(self) -> None:
        """Draw a fixation cross exactly in the window's middle, which requires even sizes."""
        long, thin = (2 * max(1, round(s * self.height / 2)) for s in (CROSS_LENGTH, CROSS_WIDTH))
        for width, height in ((long, thin), (thin, long)):
            self.fill_box(Box(x=0, y=0, width=width, height=height), self.ink_rgb)

    def verdict(self, name: str) -> None:
        """Draw feedback: one short text in the middle."""
        self.put(QUESTION, self.fill(name, {}), 0.0)

    def waiting(self, name: str, left: float) -> None:
        """Draw feedback that stays for a fixed time, with a bar for the share ``left`` of it."""
        self.verdict(name)
        self._bar(left, BAR_Y)

    def progress(self, done: float) -> None:
        self._bar(done, PROGRESS_Y)

    def _bar(self, share: float, up: float) -> None:
        width, height = BAR_WIDTH * self.width, max(2.0, BAR_HEIGHT * self.height)
        y = up * self.height
        self.fill_box(Box(x=0, y=y, width=width, height=height), self.faint_rgb)
        if share > 0:
            start = -width / 2
            self.fill_box(
                Box.between(start, start + share * width, y - height / 2, y + height / 2),
                self.ink_rgb,
            )

    def legend(
        self, left: str, right: str, *, keys: tuple[Sequence[str], Sequence[str]] | None = None
    ) -> None:
        """Draw two key caps with their meanings, one on the left and one on the right.

        ``keys``: the keys of each side; by default those that answer trials.
        """
        aside = self._aside()
        sides = keys or ((self.keys.left,), (self.keys.right,))
        for some, meaning, x in zip(sides, (left, right), (-aside, aside), strict=True):
            label = self._labels(some)
            self.outline_box(self._cap_box(label, x))
            self.put(CAP, label, CAP_Y, x)
            self.put(MEANING, meaning, MEANING_Y, x)

    def key_row(self, keys: Sequence[tuple[str, str]]) -> None:
        column = COLUMN / len(keys)
        for place, (label, meaning) in enumerate(keys):
            x = (place - (len(keys) - 1) / 2) * column
            cap = self._cap_box(label, x, ROW_Y)
            self.outline_box(cap)
            self.put(CAP, label, ROW_Y, x)
            width, height = 0.95 * column * self.width, CAP_HEIGHT * self.height
            box = Box(x=cap.x, y=cap.bottom - height / 2, width=width, height=height)
            words = self.set_into(MEANING, meaning, box, 2)
            self.lines(f"key {place}", words, box)

    def legend_boxes(self, left: str, right: str) -> tuple[Box, Box]:
        """Return the two boxes that contain the keys of a choice, with their meanings."""
        aside, (by_left, by_right) = self._aside(), self.keys.choices
        return (
            self._legend_box(self._labels(by_left), left, -aside),
            self._legend_box(self._labels(by_right), right, aside),
        )

    def label(self, key: str) -> str:
        return cap_label(key, self.speech)

    def hint_box(self) -> Box:
        width = self.width_of(HINT, self.fill("continue_hint", {}))
        return Box(
            x=0,
            y=HINT_Y * self.height,
            width=round(width + 0.06 * self.height),
            height=round(0.075 * self.height),
        )

    def fill(self, name: str, values: Mapping[str, Any]) -> str:
        return fill_text(self.config, name, values)

    def _words(self, name: str, values: Mapping[str, Any], picture: float = 0.0) -> None:
        """Draw one of the study's texts, with its first paragraph as the title.

        ``picture``: the height of the picture below the title, which moves the title up; 0: none.
        """
        lift, gap = (LIFT, picture + PICTURE_GAP) if picture else (0.0, 0.0)
        title, _, body = self.fill(name, values).partition("\n\n")
        if self.width_of(TITLE, title) < COLUMN * self.width:
            self.put(TITLE, title, TITLE_Y + lift)
        else:
            foot, top = ((share + lift) * self.height for share in LONG_TITLE)
            half = COLUMN * self.width / 2
            box = Box.between(-half, half, foot, top)
            self.lines("title", self.set_into(TITLE, title, box, 3), box, bold=True)
        down = gap - lift
        self.put(self._fitting(body, BODY_HEIGHT - down), body, BODY_Y - down)

    def _fitting(self, body: str, room: float) -> Style:
        """Return the style with the largest size at which the text ends above the keys."""
        room_px = room * self.height
        sizes_px = sizes(BODY.height * self.height, SMALLEST * self.height)
        fits = (px for px in sizes_px if self._rows(body, px) * px * BODY_LEADING <= room_px)
        size_px = next(fits, sizes_px[-1])
        return BODY if size_px == sizes_px[0] else Style(size_px / self.height, anchor=BODY.anchor)

    def _rows(self, body: str, size_px: int) -> int:
        """Count the lines of a text, including empty lines."""
        measure = ruler_at(self.ruler, size_px)
        return sum(
            max(1, len(fill_lines(pieces_of(line), COLUMN * self.width, measure)))
            for line in body.split("\n")
        )

    def _aside(self) -> float:
        """Return the distance of the keys from the middle, as a share of the window's width."""
        return min(max(0.3, self.side_px / 2 / self.width + 0.07), 0.45)

    def _cap_box(self, label: str, x: float, y: float = CAP_Y) -> Box:
        """Return the outline of a key, wide enough for its label."""
        side = CAP_SIDE * self.height
        return Box(
            x=x * self.width,
            y=y * self.height,
            width=max(CAP_HEIGHT * self.height, self.width_of(CAP, label) + 2 * side),
            height=CAP_HEIGHT * self.height,
        )

    def _labels(self, keys: Sequence[str]) -> str:
        return EITHER.join(map(self.label, keys))

    def _legend_box(self, label: str, meaning: str, x: float) -> Box:
        """Return the box around a cap and its meaning."""
        cap = self._cap_box(label, x)
        half = max(cap.width, self.width_of(MEANING, meaning)) / 2
        foot = (MEANING_Y - MEANING.height) * self.height
        return Box.between(cap.x - half, cap.x + half, foot, cap.top)
