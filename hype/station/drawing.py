"""Drawing texts, pictures and rectangles in a PsychoPy window, without flips or waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

from PIL import Image

from hype.station.boxes import Box
from hype.station.config import Appearance, Rgb, mix
from hype.station.frame_clock import Draw
from hype.station.typesetting import (
    FROM_RIGHT,
    LEADING,
    Room,
    Typeset,
    fill_lines,
    join_letters,
    join_pieces,
    pieces_of,
    reorder_line,
    runs_from_right,
    sizes,
    typeset,
)

COLUMN: Final = 0.72
"""Share of the window's width that text may fill."""
SMALLEST: Final = 0.018
"""Smallest size of a text, as a share of the window's height."""
POINTS_PER_PX: Final = 0.75
"""Points per pixel in PsychoPy's texts; PsychoPy uses whole points."""
FAINT: Final = 0.3
"""Share of the text's colour in the faint colour, which mixes it with the background's colour."""
REMEMBERED: Final = 4096
"""Maximum number of measured widths to keep."""


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a text: height (a share of the window's height), weight, and vertical anchor."""

    height: float
    bold: bool = False
    anchor: str = "center"


class Canvas:
    """Makes each PsychoPy stimulus once, and draws it at its place.

    Sizes are proportional to the window's height, so that a small window looks like a large one.
    ``mirrored``: whether texts are read from right to left.
    """

    def __init__(
        self, window: Any, look: Appearance, language: str = "en", *, mirrored: bool = False
    ) -> None:
        from psychopy import visual

        from hype.station.glyphs import draw_every_character

        draw_every_character(language)
        self.is_mirrored = mirrored
        self._visual = visual
        self._window = window
        self._look = look
        self.width, self.height = (int(side) for side in window.size)
        self._made: dict[tuple[object, ...], Any] = {}
        self.ruler = lru_cache(REMEMBERED)(self._measure_px)

    def picture(self, image: Image.Image, place: int = 0, x: int = 0, y: int = 0) -> Draw:
        """Upload an image as a texture, pixel for pixel, and return a function that draws it.

        The image replaces the previous image at this ``place``. There is one stimulus for each
        place, since old stimuli stay in memory until the garbage collector runs, and their textures
        perhaps longer. The picture's middle is at ``x`` and ``y``.
        """
        stimulus = self._once(("picture", place), self._picture)
        stimulus.setImage(image, log=False)
        stimulus.size = image.size
        # If only one of image and window has an odd side, a shift of half a pixel aligns them.
        width, height = image.size
        stimulus.pos = x + (width - self.width) % 2 / 2, y + (height - self.height) % 2 / 2
        stimulus.draw()  # the first drawing uploads the texture
        self.clear()
        draw: Draw = stimulus.draw
        return draw

    def clear(self) -> None:
        """Clear the drawing surface."""
        self._window.clearBuffer()

    def put(self, style: Style, text: str, y: float, x: float = 0.0) -> None:
        if text:
            self._once((style, text, x, y), partial(self._text, style, text, x, y)).draw()

    def width_of(self, style: Style, text: str) -> float:
        return min(
            COLUMN * self.width, self.ruler(text, int(style.height * self.height), style.bold)
        )

    def set_into(self, style: Style, text: str, box: Box, lines: int) -> Typeset:
        """Lay out a text in a box, in the size of its style or smaller; see `typeset`."""
        room = Room(
            width_px=box.width,
            height_px=box.height,
            sizes_px=sizes(style.height * self.height, SMALLEST * self.height),
            most_lines=lines,
        )
        return typeset(text, room, lambda part, px: self.ruler(part, px, style.bold))

    def lines(
        self,
        place: str,
        text: Typeset,
        box: Box,
        *,
        bold: bool = False,
        at_edge: bool = False,
        rgb: Rgb | None = None,
        words: int | None = None,
    ) -> None:
        """Draw lines of text in the middle of a box, or from the edge where reading starts.

        Only the first ``words`` words are drawn, each in its final place.

        The lines replace the previous lines at this ``place``.
        """
        step = text.size_px * LEADING
        top = box.y + (len(text.lines) - 1) * step / 2
        from_right = self._is_from_right(
            join_pieces([p for line in text.lines for p in line.pieces])
        )
        for number, line in enumerate(text.lines):
            seen = line.visible_text(words)
            if seen:
                what = ("line", place, number, bold, rgb)
                stimulus = self._once(what, partial(self._line, bold, rgb))
                half = line.width_px / 2
                middle = box.x
                if at_edge:
                    middle = box.right - half if self.is_mirrored else box.left + half
                start = middle - half
                if from_right and words is not None:
                    start = middle + half - self.ruler(seen, text.size_px, bold)
                change(stimulus, "height", text.size_px)
                change(stimulus, "text", reorder_line(seen, from_right=from_right))
                stimulus.pos = (round(start), round(top - number * step))
                stimulus.draw()

    def _is_from_right(self, text: str) -> bool:
        """Whether a text runs from right to left; it needs a letter of a right-to-left script.

        In a mirrored study one such letter is enough, since a sentence may start with the Latin
        name of a key. In other studies, the first letter decides.
        """
        return bool(FROM_RIGHT.search(text)) and (self.is_mirrored or runs_from_right(text))

    def outline_box(self, box: Box, rgb: Rgb | None = None) -> None:
        rgb = rgb or self.ink_rgb
        at = {"size": (box.width, box.height), "pos": (box.x, box.y)}
        make = partial(self._rectangle, None, lineColor=rgb, lineWidth=2, **at)
        self._once(("outline", box, rgb), make).draw()

    def fill_box(self, box: Box, rgb: Rgb) -> None:
        """Draw a rectangle in one colour; all rectangles of a colour share one stimulus."""
        stimulus = self._once(("filled", rgb), partial(self._rectangle, rgb))
        stimulus.size = (box.width, box.height)
        stimulus.pos = (box.x, box.y)
        stimulus.draw()

    @property
    def ink_rgb(self) -> Rgb:
        return self._look.text_rgb

    @property
    def paper_rgb(self) -> Rgb:
        return self._look.background_rgb

    @property
    def faint_rgb(self) -> Rgb:
        """The colour of inactive outlines, bars and dots; no text has this colour."""
        return mix(self.ink_rgb, self.paper_rgb, FAINT)

    def _once(self, what: tuple[object, ...], make: Callable[[], Any]) -> Any:
        """Make a stimulus once, at its first use, since making one takes longer than drawing it."""
        if what not in self._made:
            self._made[what] = make()
        return self._made[what]

    def _picture(self) -> Any:
        return self._visual.ImageStim(self._window, units="pix", interpolate=False, autoLog=False)

    def _text(self, style: Style, text: str, x: float, y: float) -> Any:
        return self._visual.TextStim(
            self._window,
            text="\n".join(self._rows_of(style, text)),
            font=self._look.font,
            bold=style.bold,
            height=style.height * self.height,
            wrapWidth=2 * self.width,
            pos=(x * self.width, y * self.height),
            color=self._look.text_rgb,
            colorSpace="rgb255",
            anchorVert=style.anchor,
            alignText="center",
            autoLog=False,
        )

    def _rows_of(self, style: Style, text: str) -> Iterator[str]:
        """Break a text into the lines of a column, each with its characters from left to right."""
        size_px = style.height * self.height
        for paragraph in text.split("\n"):
            from_right = self._is_from_right(paragraph)
            rows = fill_lines(
                pieces_of(paragraph),
                COLUMN * self.width,
                lambda part: self.ruler(part, size_px, style.bold),
            )
            yield from (reorder_line(row.visible_text(None), from_right=from_right) for row in rows)
            if not rows:
                yield ""

    def _line(self, bold: bool, rgb: Rgb | None) -> Any:
        """Make a stimulus for a line of text; its text is set later."""
        return self._visual.TextStim(
            self._window,
            text="",
            font=self._look.font,
            bold=bold,
            wrapWidth=2 * self.width,
            color=rgb or self._look.text_rgb,
            colorSpace="rgb255",
            anchorHoriz="left",
            anchorVert="center",
            alignText="left",
            autoLog=False,
        )

    def _rectangle(self, rgb: Rgb | None, **look: Any) -> Any:
        """Make a rectangle, filled with a colour or empty."""
        usual = {"lineColor": None, "colorSpace": "rgb255", "autoLog": False}
        return self._visual.Rect(self._window, fillColor=rgb, **usual | look)

    def _measure_px(self, text: str, size_px: float, bold: bool = False) -> float:
        """Return the width of a text as PsychoPy would draw it."""
        from pyglet import font

        points = max(1, int(size_px * POINTS_PER_PX))
        face = font.load(self._look.font, points, bold=bold)
        return float(sum(glyph.advance for glyph in face.get_glyphs(join_letters(text))))


def change(stimulus: Any, name: str, value: object) -> None:
    """Set an attribute only if it changes, since setting it takes time."""
    if getattr(stimulus, name) != value:
        setattr(stimulus, name, value)
