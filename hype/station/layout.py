"""How the screens look: text, key legend, countdown, images. Draws; never flips, never waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from PIL import Image

from hype.station.config import Appearance, Keys, StationConfig
from hype.station.frameclock import Draw

KEY_NAMES: Final = {
    "left": "\N{LEFTWARDS ARROW}",
    "right": "\N{RIGHTWARDS ARROW}",
    "up": "\N{UPWARDS ARROW}",
    "down": "\N{DOWNWARDS ARROW}",
    "return": "Enter",
    "space": "the space bar",
    "escape": "Esc",
}
TROUBLE: Final = "trouble"
"""Name of the text that says that the station has to stop."""
COLUMN: Final = 0.72
"""Share of the window's width that text may fill."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is set: height as a share of the window's, weight, and what its place means."""

    height: float
    bold: bool = False
    anchor: str = "center"


TITLE: Final = Style(0.046, bold=True, anchor="top")
BODY: Final = Style(0.031, anchor="top")
HINT: Final = Style(0.027)
QUESTION: Final = Style(0.036)
NUMERAL: Final = Style(0.14)
CAP: Final = Style(0.034, bold=True)
MEANING: Final = Style(0.027)


def key_label(key: str) -> str:
    """Give a key the name that is printed on it."""
    return KEY_NAMES.get(key, key.upper() if len(key) == 1 else key.capitalize())


class Layout:
    """Makes PsychoPy stimuli once and draws them where they belong.

    Sizes follow the window's height, so that a small window is a small picture of a large one.
    """

    def __init__(self, window: Any, config: StationConfig, side_px: int) -> None:
        from psychopy import visual

        self._visual = visual
        self._window = window
        self._look: Appearance = config.appearance
        self._keys: Keys = config.keys
        self._texts = config.texts
        self._width, self._height = (int(side) for side in window.size)
        self.side_px = side_px
        self._made: dict[tuple[object, ...], Any] = {}
        # Made and drawn once now: no trial is to wait for it, and trouble may take the disk away.
        self.question()
        self.trouble()
        window.clearBuffer()

    def picture(self, image: Image.Image, place: int = 0) -> Draw:
        """Upload an image as a texture, pixel for pixel, and return what draws it.

        It takes the place of the picture that was uploaded to this ``place`` before. PsychoPy's
        stimuli are not freed until the garbage collector comes by, and their textures perhaps
        never, so there is one for each place and no more.
        """
        stimulus = self._once(("picture", place), self._picture)
        stimulus.setImage(image, log=False)
        stimulus.size = image.size
        # Half a pixel where an odd picture is centred in an even window, so that its pixels fall
        # on the screen's.
        stimulus.pos = ((image.width - self._width) % 2 / 2, (image.height - self._height) % 2 / 2)
        stimulus.draw()  # the first drawing uploads the texture
        self._window.clearBuffer()
        draw: Draw = stimulus.draw
        return draw

    def _picture(self, *_: object) -> Any:
        """Make a place for pictures."""
        return self._visual.ImageStim(self._window, units="pix", interpolate=False, autoLog=False)

    def blank(self) -> None:
        """Draw nothing."""

    def numeral(self, number: int) -> None:
        """Draw a numeral of the countdown."""
        self._put(NUMERAL, str(number), 0.0)

    def question(self) -> None:
        """Draw the question of a timed trial, with its keys."""
        self._put(QUESTION, self._texts["question"], 0.06)
        self.answer_keys()

    def with_question(self, picture: Draw) -> None:
        """Draw an image, the question beneath it and its keys."""
        picture()
        beneath = self.side_px / 2 / self._height + 0.07
        if beneath < 0.46:  # a larger image speaks for itself
            self._put(QUESTION, self._texts["question_untimed"], -beneath)
        self.answer_keys()

    def answer_keys(self) -> None:
        """Draw the two keys of a judgement, each on its own side."""
        self._legend(self._texts[self._keys.left_means], self._texts[self._keys.right_means])

    def message(self, name: str, values: Mapping[str, Any], choice: tuple[str, str] | None) -> None:
        """Draw a screen of text, and how to leave it."""
        self._words(name, values)
        if choice:
            self._legend(*(self._texts[name] for name in choice))
        else:
            self._put(HINT, self._fill("continue_hint", {}), -0.40)

    def trouble(self) -> None:
        """Draw the screen that says that the station has to stop; nobody is asked to go on."""
        self._words(TROUBLE, {})

    def verdict(self, name: str) -> None:
        """Draw feedback: one short text in the middle."""
        self._put(QUESTION, self._texts[name], 0.0)

    def _words(self, name: str, values: Mapping[str, Any]) -> None:
        """Draw one of the study's texts: its first paragraph as a title."""
        title, _, body = self._fill(name, values).partition("\n\n")
        self._put(TITLE, title, 0.30)
        self._put(BODY, body, 0.19)

    def _fill(self, name: str, values: Mapping[str, Any]) -> str:
        """Fill the placeholders of one of the study's texts."""
        keys = self._keys
        return self._texts[name].format(
            left_key=key_label(keys.left),
            right_key=key_label(keys.right),
            left_answer=self._texts[keys.left_means],
            right_answer=self._texts[keys.right_means],
            continue_key=key_label(keys.go_on),
            pause_key=key_label(keys.pause),
            **values,
        )

    def _put(self, style: Style, text: str, y: float, x: float = 0.0) -> None:
        """Draw a text at shares of the window's width and height from its centre."""
        if text:
            self._once((style, text, x, y), self._text).draw()

    def _once(self, what: tuple[object, ...], make: Callable[..., Any]) -> Any:
        """Make a thing the first time it is wanted: setting a text costs more than drawing it."""
        if what not in self._made:
            self._made[what] = make(*what)
        return self._made[what]

    def _text(self, style: Style, text: str, x: float, y: float) -> Any:
        """Make a text."""
        return self._visual.TextStim(
            self._window,
            text=text,
            font=self._look.font,
            bold=style.bold,
            height=style.height * self._height,
            wrapWidth=COLUMN * self._width,
            pos=(x * self._width, y * self._height),
            color=self._look.text_rgb,
            colorSpace="rgb255",
            anchorVert=style.anchor,
            alignText="center",
            autoLog=False,
        )

    def _cap(self, label: str, x: float) -> Any:
        """Make the outline of a key, wide enough for its label."""
        return self._visual.Rect(
            self._window,
            size=(max(0.075, 0.03 * len(label)) * self._height, 0.075 * self._height),
            pos=(x * self._width, -0.35 * self._height),
            fillColor=None,
            lineColor=self._look.text_rgb,
            colorSpace="rgb255",
            lineWidth=2,
            autoLog=False,
        )

    def _legend(self, left: str, right: str) -> None:
        """Draw two key caps with their meanings, on the sides where the fingers are."""
        aside = min(max(0.3, self.side_px / 2 / self._width + 0.07), 0.45)
        for key, meaning, x in ((self._keys.left, left, -aside), (self._keys.right, right, aside)):
            label = key_label(key)
            self._once((label, x), self._cap).draw()
            self._put(CAP, label, -0.35, x)
            self._put(MEANING, meaning, -0.425, x)
