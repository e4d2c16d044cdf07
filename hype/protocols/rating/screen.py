"""Ratings on the screen: an item, with one axis at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final

from PIL import Image

from hype.protocols.prompted.screen import (
    CHOSEN_MS,
    LEAST_ASIDE,
    MARGIN,
    Cap,
    KeyPlace,
    ShownImages,
    StandingImages,
    cap_beside,
    caps_under,
    draw_cap,
    draw_frame,
    draw_images,
    images_height,
    place_images,
    upload,
)
from hype.protocols.rating.course import RatingLook, buttons_of, slider_of
from hype.protocols.rating.trial import RatingTrial
from hype.session.loop import Presentation
from hype.session.steps import ReferencePlace, Response
from hype.station.boxes import Box
from hype.station.config import StandingTrial
from hype.station.drawing import Style
from hype.station.layout import Layout
from hype.station.respondent import Offer
from hype.station.slider import PlacedSlider, place_slider
from hype.station.typesetting import Typeset

COLUMN: Final = 0.88
"""Width of the words, as a share of the window's width."""
EDGE: Final = 0.02
"""Margins above and below; all heights and distances are shares of the window's height."""
PROMPT_HEIGHT: Final = 0.095
PROGRESS: Final = 0.034
"""Height of the dots for the axes, with space around them."""
QUESTION: Final = 0.085
AIR: Final = 0.018
"""Distance between words, images and keys."""
CAP: Final = 0.058
MEANING: Final = 0.06
"""Heights of a level's key and of its meaning."""
APART: Final = 0.014
ASIDE: Final = 0.046
"""Height of the key for "not relevant", and its distance below the other keys."""
LEAST_COLUMN: Final = 0.165
"""Minimum width of a level's key and its meaning, as a share of the window's width; with many
levels, they are narrower."""
BESIDE: Final = 0.6
"""Free space beside the row of keys, in key widths, for meanings wider than their key."""
FULL: Final = 0.95
"""The width of a key or a meaning, as a share of its space."""
WIDEST: Final = 0.3
"""Maximum width of a meaning, as a share of the width of all keys together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPlaces:
    """Where everything is on the screen. ``levels``: the row with the keys of all levels."""

    prompt: Box | None
    progress: Box
    question: Box
    label: Box | None
    images: tuple[Box, ...]
    levels: Box
    not_relevant: Box


def rating_places(
    window_px: tuple[int, int],
    side_px: int,
    *,
    pairs: bool,
    prompt: bool,
    reference: ReferencePlace | None = None,
) -> RatingPlaces:
    """Place one or two images of ``side_px``, the words above them and the keys under them.

    Everything is centred in the window. Images get space first; words and keys share the remaining
    space. A place that is not used by an axis stays empty, so that nothing moves between axes.
    """
    width, height = window_px
    words = (PROMPT_HEIGHT if prompt else 0) + PROGRESS + QUESTION + AIR
    keys = AIR + CAP + MEANING + APART + ASIDE
    images_px = images_height(height, side_px, reference)
    unit = min(float(height), (height - images_px) / (words + keys + 2 * EDGE))
    total = (words + keys) * unit + images_px
    heights = [PROMPT_HEIGHT if prompt else 0, PROGRESS, QUESTION]
    above, progress, question = stack(COLUMN * width, total / 2, [unit * h for h in heights])
    images, label = place_images(
        window_px, side_px, total / 2 - words * unit, number=1 + pairs, reference=reference
    )
    keys_top = images[0].bottom - AIR * unit
    levels, _, apart = stack(
        (1 - 2 * MARGIN) * width, keys_top, [(CAP + MEANING) * unit, APART * unit, ASIDE * unit]
    )
    return RatingPlaces(
        prompt=above if prompt else None,
        progress=progress,
        question=question,
        label=label,
        images=tuple(images),
        levels=levels,
        not_relevant=apart,
    )


def stack(width: float, top: float, heights: Sequence[float]) -> list[Box]:
    edges = [top - sum(heights[:number]) for number in range(len(heights) + 1)]
    return [Box.between(-width / 2, width / 2, low, high) for high, low in pairwise(edges)]


def level_places(
    row: Box, number: int, reach_px: float, named: Sequence[int]
) -> tuple[KeyPlace, ...]:
    """Place the keys of ``number`` levels in a row.

    The outer keys are ``reach_px`` from the middle, unless keys would then be too narrow or too
    wide. ``named``: the keys (from 0) with a meaning, which may extend below the next keys.
    """
    window_px = row.width / (1 - 2 * MARGIN)
    wanted = max(LEAST_COLUMN * window_px, 2 * reach_px / (number - 1))
    column = min(wanted, row.width / (number + BESIDE))
    foot = row.top - row.height * CAP / (CAP + MEANING)

    def key(place: int) -> KeyPlace:
        x = row.x + (place - (number - 1) / 2) * column
        half = FULL * column / 2
        nearest = min((abs(place - n) for n in named if n != place), default=2 * len(named))
        to_edge = 2 * min(x - row.left, row.right - x)
        wide = min(FULL * nearest * column, to_edge, WIDEST * row.width) / 2
        return KeyPlace(
            cap=Box.between(x - half, x + half, foot, row.top),
            meaning=Box.between(x - wide, x + wide, row.bottom, foot),
        )

    return tuple(key(place) for place in range(number))


def reach_px(window_px: float, images: Sequence[Box]) -> float:
    """Return the distance of the outer keys from the middle of the window."""
    return max(LEAST_ASIDE * window_px, *(image.x for image in images))


ASKED: Final = Style(0.034)
MOST_LINES: Final = 3
MEANING_LINES: Final = 2
DOT: Final = 0.009
"""Side of the square dot for an axis, as a share of the window's height."""
DOT_STEP: Final = 0.026
"""Distance between dots; it is smaller if the dots would not fit on the screen."""
SEND: Final = ""
"""The answer that stands for the "send" key of a slider."""
BOTH: Final = 0.3
"""Width of the keys "send" and "not relevant", side by side, as a share of the window's width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTrial:
    """An axis of an item, ready to be drawn.

    ``caps``: the drawn keys by answer; ``keys``: the names of the keys by answer; ``place``: the
    number of the axis, from 0.
    """

    question: Typeset
    caps: Mapping[str, Cap]
    keys: Mapping[str, tuple[str, ...]]
    place: int
    slider: PlacedSlider | None = None


class RatingLayout:
    """Draws ratings, and computes the areas to click on."""

    def __init__(self, layout: Layout, look: RatingLook) -> None:
        size_px = (layout.width, layout.height)
        self._layout = layout
        self._axes = int(layout.texts["axes"])
        self._places: RatingPlaces = rating_places(
            size_px, layout.side_px, pairs=look.pairs, prompt=look.prompt, reference=look.reference
        )

    def scene(self, prompt: str, images: Sequence[Image.Image]) -> ShownImages:
        places = self._places
        return upload(
            self._layout, images, places.images, prompt, places.prompt, MOST_LINES, places.label
        )

    def asked(self, trial: RatingTrial) -> AskedTrial:
        layout, places = self._layout, self._places
        slider = slider_of(trial, layout.texts, layout.fill)
        buttons = buttons_of(trial, layout.keys, layout.texts, layout.fill)
        beside = [button for button in buttons if slider or button.aside]
        levels = [button for button in buttons if button not in beside]
        caps = {}
        if levels:
            named = [number for number, level in enumerate(levels) if level.label]
            reach = reach_px(layout.width, places.images)
            rows = level_places(places.levels, len(levels), reach, named)
            keys, words = zip(*((level.keys[0], level.label) for level in levels), strict=True)
            set_caps = caps_under(layout, keys, words, rows, lines=MEANING_LINES)
            caps = {level.answer: cap for level, cap in zip(levels, set_caps, strict=True)}
        apart, slots = places.not_relevant, [places.not_relevant]
        if beside[1:]:  # the first of two keys is on the side where reading starts
            half = BOTH * layout.width
            left = Box.between(apart.x - half, apart.x, apart.bottom, apart.top)
            right = Box.between(apart.x, apart.x + half, apart.bottom, apart.top)
            slots = [right, left] if layout.is_mirrored else [left, right]
        for button, slot in zip(beside, slots, strict=False):
            caps[button.answer] = cap_beside(layout, button.keys[0], button.label, slot)
        return AskedTrial(
            question=layout.set_into(ASKED, trial.axis.question, places.question, MOST_LINES),
            caps=caps,
            keys={button.answer: button.keys for button in buttons},
            place=(trial.number - 1) % self._axes,
            slider=place_slider(layout, slider, places.levels) if slider else None,
        )

    def standing(self, scene: ShownImages, _trial: RatingTrial) -> StandingTrial:
        """Return what stays on the screen between axes: all except the question and the keys."""
        places = self._places
        draw = partial(draw_images, self._layout, scene, places.prompt)
        return StandingTrial(draw, places.question, places.levels)

    def offers(self, asked: AskedTrial) -> tuple[Offer, ...]:
        return tuple(
            Offer(answer=answer, keys=asked.keys[answer], areas=(cap.place.whole,))
            for answer, cap in asked.caps.items()
        )

    def draw(self, scene: ShownImages, asked: AskedTrial, mark: int | None = None) -> None:
        layout, places = self._layout, self._places
        draw_images(layout, scene, places.prompt)
        self._progress(asked.place)
        layout.lines("asked", asked.question, places.question)
        if asked.slider:
            asked.slider.draw(layout, mark)
        for answer, cap in asked.caps.items():
            is_early = answer == SEND and mark is None
            draw_cap(layout, answer, cap, layout.faint_rgb if is_early else None)

    def draw_chosen(self, scene: ShownImages, asked: AskedTrial, answer: str) -> None:
        mark = None
        if asked.slider and answer in asked.slider.answers:
            mark, answer = asked.slider.answers.index(answer), SEND
        draw_frame(self._layout, asked.caps[answer].outline)
        self.draw(scene, asked, mark)

    def _progress(self, place: int) -> None:
        """Draw a dot for each axis, faint except the current one."""
        if self._axes < 2:
            return
        layout, box = self._layout, self._places.progress
        side = max(2, round(DOT * layout.height))
        step = min(DOT_STEP * layout.height, box.width / self._axes)
        for number in range(self._axes):
            aside = (number - (self._axes - 1) / 2) * step
            x = round(box.x + (-aside if layout.is_mirrored else aside))
            dot = Box(x=x, y=round(box.y), width=side, height=side)
            layout.fill_box(dot, layout.ink_rgb if number == place else layout.faint_rgb)


class RatingItems(StandingImages):
    """Shows one axis of an item at a time and waits for a level.

    The images of an item stay on the screen until its last axis is answered.
    """

    def present(self, trial: RatingTrial) -> Presentation:
        """Show the item, and ask about the axis."""
        draw = partial(self._layout.draw, self._images_of(trial), self._layout.asked(trial))
        return self._window.show(draw, place=0)

    def respond(self, trial: RatingTrial) -> Response:
        item, asked = self._images_of(trial), self._layout.asked(trial)
        offers = self._layout.offers(asked)
        if asked.slider:
            draw = partial(self._layout.draw, item, asked)
            response = self._window.ask_to_mark(trial, asked.slider, offers, draw)
        else:
            response = self._window.ask(trial, offers)
        self._window.owe(partial(self._layout.draw_chosen, item, asked, response.answer), CHOSEN_MS)
        return response

    def _images_of(self, trial: RatingTrial) -> ShownImages:
        return self._stand((trial.task, trial.block, trial.planned), trial.item.prompt, trial)
