"""How a comparison looks: two images, what is asked of them, the prompt, and the keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PIL import Image

from hype.protocol.comparison import Choice
from hype.station.boxes import Box
from hype.station.brush import Style
from hype.station.config import Comparing, Rgb, require_room
from hype.station.frameclock import Draw
from hype.station.layout import MEANING, Layout, key_label
from hype.station.offers import Offer
from hype.station.pair_places import KeyPlace, PairPlaces, pair_places
from hype.station.typesetting import Typeset

ABREAST: Final = 2
ASKED: Final = Style(0.034)
PROMPT: Final = Style(0.036, bold=True)
CAP: Final = Style(0.032, bold=True)
SMALLEST: Final = 0.018
"""Smallest size of a text, as a share of the window's height."""
MOST_LINES: Final = 3
CAP_NAMES: Final = {"space": "Space"}
"""Keys whose name on a cap is not the one in a sentence."""
FRAME: Final = 0.009
TIE_FRAME: Final = 0.005
"""Width of the frame around the image that was chosen, or around the key of a tie, as a share of
the window's height."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One comparison, ready to be drawn. ``images`` are where they are, as large as they are."""

    pictures: tuple[Draw, Draw]
    images: tuple[Box, Box]
    prompt: Typeset | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """A key on the screen: its outline, its label, and what it means."""

    outline: Box
    label: Typeset
    place: KeyPlace
    meaning: Typeset


class ComparisonLayout:
    """Draws comparisons, and says where to click.

    Raises
    ------
    SessionProblem
        Two such images have no room beside one another.
    """

    def __init__(self, layout: Layout, comparing: Comparing) -> None:
        size_px = (layout.width, layout.height)
        require_room(layout.side_px, size_px, ABREAST)
        self._layout = layout
        self._shows_prompt = comparing.prompt != "hidden"
        self._places: PairPlaces = pair_places(
            size_px, layout.side_px, prompt=self._shows_prompt, ties=comparing.ties
        )
        self._asked = layout.set_into(
            ASKED, comparing.question, self._places.question, SMALLEST, MOST_LINES
        )
        self._caps = self._all_caps()

    def scene(self, prompt: str, images: Sequence[Image.Image]) -> Scene:
        """Upload two images and set the prompt, so that it can be drawn word by word."""
        places = (self._places.left, self._places.right)
        left, right = (
            self._layout.picture(image, number, round(place.x), round(place.y))
            for number, (image, place) in enumerate(zip(images, places, strict=True))
        )
        first, second = (
            Box(x=place.x, y=place.y, width=image.width, height=image.height)
            for image, place in zip(images, places, strict=True)
        )
        above = self._places.prompt
        words = (
            self._layout.set_into(PROMPT, prompt, above, SMALLEST, MOST_LINES) if above else None
        )
        return Scene(pictures=(left, right), images=(first, second), prompt=words)

    def draw(self, scene: Scene, *, words: int | None = None, ready: bool = True) -> None:
        """Draw a comparison with the first words of its prompt; keys are faint before it is ready.

        Parameters
        ----------
        words
            How many words are to be seen; None: all.
        """
        layout, places = self._layout, self._places
        layout.lines("asked", self._asked, places.question)
        if scene.prompt and places.prompt:
            layout.lines("prompt", scene.prompt, places.prompt, bold=PROMPT.bold, words=words)
        for picture in scene.pictures:
            picture()
        for answer, cap in self._caps.items():
            self._draw_cap(answer, cap, None if ready else layout.faint_rgb)

    def chosen(self, scene: Scene, answer: Choice) -> Draw:
        """Give what draws a comparison with a frame around what was chosen."""
        return partial(self._draw_chosen, scene, answer)

    def offers(self, keys: dict[Choice, str]) -> tuple[Offer, ...]:
        """Give what can be answered: by the ``keys`` of each answer, on its image and its cap."""
        images = {Choice.LEFT: (self._places.left,), Choice.RIGHT: (self._places.right,)}
        return tuple(
            Offer(
                answer=choice.value,
                keys=(keys[choice],),
                areas=(*images.get(choice, ()), cap.place.whole),
            )
            for choice, cap in self._caps.items()
        )

    def _draw_chosen(self, scene: Scene, answer: Choice) -> None:
        """Draw the frame, and what it is around on top of it."""
        layout = self._layout
        images = dict(zip((Choice.LEFT, Choice.RIGHT), scene.images, strict=True))
        inner = images.get(answer) or self._caps[answer].outline
        share = FRAME if answer in images else TIE_FRAME
        layout.filled(inner.grown(max(2, round(share * layout.height))), layout.ink_rgb)
        layout.filled(inner, layout.paper_rgb)
        self.draw(scene)

    def _all_caps(self) -> dict[Choice, Cap]:
        """Set the keys that there are."""
        keys, places = self._layout.keys, self._places
        caps = {
            Choice.LEFT: self._cap(keys.left, "left", places.left_key),
            Choice.RIGHT: self._cap(keys.right, "right", places.right_key),
        }
        if places.tie_key:
            caps[Choice.TIE] = self._cap(keys.tie, "tie", places.tie_key)
        return caps

    def _cap(self, key: str, name: str, place: KeyPlace) -> Cap:
        """Set a key's label, and the text that says what it means.

        The outline is as wide as the label wants.
        """
        layout = self._layout
        label = layout.set_into(
            CAP, CAP_NAMES.get(key, key_label(key)), place.cap.grown(-4), SMALLEST, 1
        )
        wide = max((line.width_px for line in label.lines), default=0.0) + 0.04 * layout.height
        outline = Box(
            x=round(place.cap.x),
            y=round(place.cap.y),
            width=round(min(max(wide, place.cap.height), place.cap.width)),
            height=round(place.cap.height),
        )
        said = layout.set_into(MEANING, layout.fill(name, {}), place.meaning, SMALLEST, 1)
        return Cap(outline=outline, label=label, place=place, meaning=said)

    def _draw_cap(self, answer: Choice, cap: Cap, rgb: Rgb | None) -> None:
        """Draw a key."""
        layout = self._layout
        layout.outlined(cap.outline, rgb)
        layout.lines(f"{answer.value} key", cap.label, cap.outline, bold=CAP.bold, rgb=rgb)
        layout.lines(f"{answer.value} meaning", cap.meaning, cap.place.meaning, rgb=rgb)
