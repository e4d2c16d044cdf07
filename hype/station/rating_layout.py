"""How a rating looks: one or two images, the prompt, one axis after the other, and its keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

from hype.protocol.rating import NOT_RELEVANT, RatingTrial
from hype.station.boxes import Box
from hype.station.brush import Style
from hype.station.caps import Cap, cap_beside, caps_under, draw_cap, draw_frame
from hype.station.config import Rating, require_room
from hype.station.frameclock import Draw
from hype.station.layout import SMALLEST, Layout
from hype.station.offers import Offer
from hype.station.rating_keys import LevelKey, level_keys
from hype.station.rating_places import RatingPlaces, level_places, rating_places, reach_px
from hype.station.typesetting import Typeset

PROMPT: Final = Style(0.036, bold=True)
ASKED: Final = Style(0.034)
MOST_LINES: Final = 3
MEANING_LINES: Final = 2
DOT: Final = 0.009
"""Side of the dot of an axis, as a share of the window's height."""
DOT_STEP: Final = 0.026
"""From one to the next, where there are few of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedScene:
    """An item, ready to be drawn: its images where they are, and its prompt."""

    pictures: tuple[Draw, ...]
    prompt: Typeset | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An axis of an item, ready to be drawn.

    ``caps`` are its keys by their answers, ``levels`` what the keys mean, and ``place`` is its own
    among the axes, from 0.
    """

    question: Typeset
    caps: Mapping[str, Cap]
    levels: tuple[LevelKey, ...]
    place: int


class RatingLayout:
    """Draws ratings, and says where to click.

    Raises
    ------
    SessionProblem
        There is no room for the images.
    """

    def __init__(self, layout: Layout, rating: Rating) -> None:
        size_px = (layout.width, layout.height)
        require_room(layout.side_px, size_px, 2 if rating.pairs else 1, captioned=True)
        self._layout = layout
        self._axes = int(layout.texts["axes"])
        self._places: RatingPlaces = rating_places(
            size_px, layout.side_px, pairs=rating.pairs, prompt=rating.prompt
        )

    def scene(self, prompt: str, images: Sequence[Image.Image]) -> RatedScene:
        """Upload the images of an item and set its prompt."""
        layout, places = self._layout, self._places
        pictures = [
            layout.picture(image, number, round(place.x), round(place.y))
            for number, (image, place) in enumerate(zip(images, places.images, strict=True))
        ]
        words = self._set(PROMPT, prompt, places.prompt) if places.prompt else None
        return RatedScene(pictures=tuple(pictures), prompt=words)

    def asked(self, trial: RatingTrial) -> Asked:
        """Set the question of a trial and its keys."""
        layout, places = self._layout, self._places
        levels = level_keys(trial, layout.keys)
        named = [number for number, level in enumerate(levels) if level.text]
        reach = reach_px(layout.width, places.images)
        rows = level_places(places.levels, len(levels), reach, named)
        keys, texts = [level.keys[0] for level in levels], [self._meaning(one) for one in levels]
        set_caps = caps_under(layout, keys, texts, rows, lines=MEANING_LINES)
        caps = {level.answer: cap for level, cap in zip(levels, set_caps, strict=True)}
        if trial.axis.optional:
            said = layout.fill("not_relevant", {})
            caps[NOT_RELEVANT] = cap_beside(
                layout, layout.keys.not_relevant, said, places.not_relevant
            )
        question = self._set(ASKED, trial.axis.question, places.question)
        place = (trial.number - 1) % self._axes
        return Asked(question=question, caps=caps, levels=levels, place=place)

    def offers(self, asked: Asked) -> tuple[Offer, ...]:
        """Give what can be answered."""
        keys = {level.answer: level.keys for level in asked.levels}
        keys[NOT_RELEVANT] = (self._layout.keys.not_relevant,)
        return tuple(
            Offer(answer=answer, keys=keys[answer], areas=(cap.place.whole,))
            for answer, cap in asked.caps.items()
        )

    def draw(self, scene: RatedScene, asked: Asked) -> None:
        """Draw an item and an axis of it."""
        layout, places = self._layout, self._places
        if scene.prompt and places.prompt:
            layout.lines("prompt", scene.prompt, places.prompt, bold=PROMPT.bold)
        self._progress(asked.place)
        layout.lines("asked", asked.question, places.question)
        for picture in scene.pictures:
            picture()
        for answer, cap in asked.caps.items():
            draw_cap(layout, answer, cap)

    def draw_chosen(self, scene: RatedScene, asked: Asked, answer: str) -> None:
        """Draw them with a frame around the key of an answer."""
        draw_frame(self._layout, asked.caps[answer].outline)
        self.draw(scene, asked)

    def _set(self, style: Style, text: str, box: Box) -> Typeset:
        """Set words that stand above the images."""
        return self._layout.set_into(style, text, box, SMALLEST, MOST_LINES)

    def _meaning(self, level: LevelKey) -> str:
        """Give what stands under a key: on a scale its number first, for 10 has the key 0."""
        if not level.text:
            return ""
        said = self._layout.fill(level.text, {})
        return f"{level.number}: {said}" if level.number else said

    def _progress(self, place: int) -> None:
        """Draw a dot for each axis, faint but for the one that is asked."""
        if self._axes < 2:
            return
        layout, box = self._layout, self._places.progress
        side = max(2, round(DOT * layout.height))
        step = min(DOT_STEP * layout.height, box.width / self._axes)
        for number in range(self._axes):
            aside = (number - (self._axes - 1) / 2) * step
            x = round(box.x + (-aside if layout.mirrored else aside))
            dot = Box(x=x, y=round(box.y), width=side, height=side)
            layout.filled(dot, layout.ink_rgb if number == place else layout.faint_rgb)
