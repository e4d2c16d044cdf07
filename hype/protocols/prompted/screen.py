"""The layout of comparisons on the screen, and common parts of screens with images."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from PIL import Image

from hype.session.steps import ReferencePlace, Trial
from hype.station.boxes import Box
from hype.station.config import LABEL, ROW_GAP, Rgb, StandingTrial
from hype.station.drawing import Style
from hype.station.frame_clock import Draw
from hype.station.layout import MEANING, Layout
from hype.station.pictures import PictureSource
from hype.station.presenting import StationWindow
from hype.station.typesetting import Typeset

MARGIN: Final = 0.03
"""Margins of the window, as a share of its height or width, like all lengths below."""
COLUMN: Final = 0.88
"""Width of the question and the prompt."""
QUESTION: Final = 0.095
PROMPT: Final = 0.14
"""Heights of the question and the prompt, if images leave room."""
AIR: Final = 0.02
"""Distance between the prompt, the images and the keys."""
CAP_HEIGHT: Final = 0.062
MEANING_HEIGHT: Final = 0.042
"""Heights of a key and of its meaning."""
GAP: Final = 0.04
"""Distance between the images, if they leave room."""
LEAST_GAP: Final = 0.015
LEAST_ASIDE: Final = 0.14
"""Minimum distance of the outer keys from the middle; doubled if two keys are between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPlace:
    """The place of a key, with its meaning below."""

    cap: Box
    meaning: Box

    @property
    def whole(self) -> Box:
        return Box.between(self.cap.left, self.cap.right, self.meaning.bottom, self.cap.top)


def images_height(height: float, side_px: int, reference: ReferencePlace | None) -> float:
    """Return the height of a row of images of ``side_px``, with the reference and its label."""
    rows = side_px + (ROW_GAP * height + side_px if reference == "above" else 0)
    return rows + (LABEL * height if reference else 0)


def place_images(
    window_px: tuple[int, int],
    side_px: int,
    top: float,
    *,
    number: int,
    reference: ReferencePlace | None,
) -> tuple[list[Box], Box | None]:
    """Place images of ``side_px`` side by side under ``top``, in the middle of the window.

    The reference is the last image of the result; it is above the images, between two images, or
    left of a single image. Returns the places of the images, and of the reference's label.
    """
    width, height = window_px
    images_shown = number + (reference == "beside")
    left = width - 2 * MARGIN * width - images_shown * side_px
    step = side_px + max(LEAST_GAP * width, min(GAP * width, left / max(1, images_shown - 1)))
    foot = round(top - images_height(height, side_px, reference) + side_px / 2)
    across = [round((place - (images_shown - 1) / 2) * step) for place in range(images_shown)]
    row = [Box(x=x, y=foot, width=side_px, height=side_px) for x in across]
    if reference is None:
        return row, None
    if reference == "beside":
        own = row.pop(images_shown // 2 if number > 1 else 0)
    else:
        own = Box(x=0, y=foot + side_px + round(ROW_GAP * height), width=side_px, height=side_px)
    return [*row, own], Box.between(own.left, own.right, own.top, own.top + LABEL * height)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPlaces:
    """The places of all parts of the screen; None for a part that is not shown."""

    question: Box
    prompt: Box | None
    left: Box
    right: Box
    reference: Box | None
    label: Box | None
    left_key: KeyPlace
    right_key: KeyPlace
    neither_keys: tuple[KeyPlace, ...]


def pair_places(
    window_px: tuple[int, int],
    side_px: int,
    *,
    prompt: bool,
    neither: int,
    reference: ReferencePlace | None = None,
) -> PairPlaces:
    """Place two images of ``side_px``, the words above them and the keys under them.

    Everything is centred in the window. The texts share the space that the images leave free.
    ``neither``: number of answers that choose neither image.
    """
    width, height = window_px
    words = (QUESTION + (AIR + PROMPT if prompt else 0)) * height
    beneath = (AIR + CAP_HEIGHT + MEANING_HEIGHT) * height
    images_px = images_height(height, side_px, reference)
    words = min(words, height - 2 * MARGIN * height - AIR * height - images_px - beneath)
    total = words + AIR * height + images_px + beneath
    top = total / 2
    (left, right, *others), label = place_images(
        window_px, side_px, top - words - AIR * height, number=2, reference=reference
    )
    question, above = words_places(width, height, top, words, prompt=prompt)
    aside = max(right.x, LEAST_ASIDE * max(1, neither) * width)
    keys_top = right.bottom - AIR * height
    keys = key_places(width, height, aside, keys_top, neither=neither)
    return PairPlaces(
        question=question,
        prompt=above,
        left=left,
        right=right,
        reference=others[0] if others else None,
        label=label,
        left_key=next(keys),
        right_key=next(keys),
        neither_keys=tuple(keys),
    )


def words_places(
    width: float, height: float, top: float, words: float, *, prompt: bool
) -> tuple[Box, Box | None]:
    """Divide the space above the images between the question and the prompt."""
    half = COLUMN * width / 2
    if not prompt:
        return Box.between(-half, half, top - words, top), None
    air = min(AIR * height, 0.1 * words)
    share = QUESTION / (QUESTION + PROMPT)
    middle = top - share * (words - air)
    return (
        Box.between(-half, half, middle, top),
        Box.between(-half, half, top - words, middle - air),
    )


def key_places(
    width: float, height: float, aside: float, top: float, *, neither: int
) -> Iterator[KeyPlace]:
    """Place each side's key under its image, and the other keys between these two."""
    air = 0.01 * width
    to_edge = (0.5 - MARGIN) * width - aside
    half = min(to_edge, aside / (neither + 1) - air)

    def key(x: float, half: float) -> KeyPlace:
        foot = top - CAP_HEIGHT * height
        return KeyPlace(
            cap=Box.between(x - half, x + half, foot, top),
            meaning=Box.between(x - half, x + half, foot - MEANING_HEIGHT * height, foot),
        )

    yield from (key(-aside, half), key(aside, half))
    between = aside - half - air
    for number in range(neither):
        each = between / neither
        yield key((2 * number + 1) * each - between, each - (air / 2 if neither > 1 else 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImages:
    """Images and their prompt, ready to be drawn; ``boxes`` have the size of the images."""

    pictures: tuple[Draw, ...]
    boxes: tuple[Box, ...]
    prompt: Typeset | None
    label: tuple[Typeset, Box] | None


LABEL_STYLE: Final = Style(0.026)
PROMPT_STYLE: Final = Style(0.036, bold=True)


def draw_images(
    layout: Layout, shown: ShownImages, place: Box | None, words: int | None = None
) -> None:
    """Draw images, the reference's label, and the prompt (or its first words) if it has a place."""
    for picture in shown.pictures:
        picture()
    if shown.prompt and place:
        layout.lines("prompt", shown.prompt, place, bold=PROMPT_STYLE.bold, words=words)
    if shown.label:
        layout.lines("reference", *shown.label)


def upload(
    layout: Layout,
    images: Sequence[Image.Image],
    places: Sequence[Box],
    prompt: str,
    above: Box | None,
    lines: int,
    label: Box | None = None,
) -> ShownImages:
    """Upload images to their places, and typeset their prompt and the reference's label."""
    called = layout.fill("reference", {}) if label else ""
    placed = list(enumerate(zip(images, places, strict=True)))
    return ShownImages(
        pictures=tuple(
            layout.picture(image, number, round(place.x), round(place.y))
            for number, (image, place) in placed
        ),
        boxes=tuple(
            Box(x=place.x, y=place.y, width=image.width, height=image.height)
            for _, (image, place) in placed
        ),
        prompt=layout.set_into(PROMPT_STYLE, prompt, above, lines) if above else None,
        label=(layout.set_into(LABEL_STYLE, called, label, 1), label) if label else None,
    )


CAP: Final = Style(0.032, bold=True)
SMALL_CAP: Final = Style(0.027, bold=True)
"""Label styles of keys whose meaning is below them, and of keys whose meaning is beside them."""
INSIDE: Final = 0.02
"""Distance from a key's label to its outline, as a share of the window's height."""
CAP_FRAME: Final = 0.005
"""Width of the frame around a pressed key, as a share of the window's height."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cap:
    """A key on the screen: its outline, its label, and what it means."""

    outline: Box
    label: Typeset
    place: KeyPlace
    meaning: Typeset


def cap_under(layout: Layout, key: str, words: str, place: KeyPlace) -> Cap:
    """Typeset a key's label, and its meaning below."""
    (cap,) = caps_under(layout, [key], [words], [place], lines=1)
    return cap


def caps_under(
    layout: Layout,
    keys: Sequence[str],
    words: Sequence[str],
    places: Sequence[KeyPlace],
    *,
    lines: int,
) -> list[Cap]:
    """Typeset keys, and all their meanings in the same size.

    A key is as wide as its label needs.
    """
    rooms = [place.meaning for place in places]
    meanings = set_in_one_size(layout, MEANING, words, rooms, lines)
    labels = [
        layout.set_into(CAP, layout.label(key), place.cap.grow(-4), 1)
        for key, place in zip(keys, places, strict=True)
    ]
    caps = []
    for label, place, meaning in zip(labels, places, meanings, strict=True):
        room = place.cap
        width, height = outline_px(layout, label, room), round(room.height)
        outline = Box(x=round(room.x), y=round(room.y), width=width, height=height)
        caps.append(Cap(outline=outline, label=label, place=place, meaning=meaning))
    return caps


def set_in_one_size(
    layout: Layout, style: Style, texts: Sequence[str], boxes: Sequence[Box], lines: int
) -> list[Typeset]:
    """Typeset texts in their boxes, all in the largest size in which each of them fits."""
    set_texts = [
        layout.set_into(style, text, box, lines) for text, box in zip(texts, boxes, strict=True)
    ]
    size_px = min(text.size_px for text in set_texts)
    alike = Style(size_px / layout.height, bold=style.bold)
    return [
        text if text.size_px == size_px else layout.set_into(alike, words, box, lines)
        for text, words, box in zip(set_texts, texts, boxes, strict=True)
    ]


def cap_beside(layout: Layout, key: str, said: str, slot: Box) -> Cap:
    """Typeset a key's label, followed by its meaning, in the middle of ``slot``."""
    label = layout.set_into(SMALL_CAP, layout.label(key), slot.grow(-3), 1)
    width = outline_px(layout, label, slot)
    air = 0.3 * slot.height
    rest = Box(x=0, y=slot.y, width=max(1.0, slot.width - width - air), height=slot.height)
    meaning = layout.set_into(MEANING, said, rest, 1)
    said_px = max(1.0, max((line.width_px for line in meaning.lines), default=0.0))
    left = round(slot.x - (width + air + said_px) / 2)
    outline = Box.between(left, left + width, round(slot.bottom), round(slot.top))
    words = Box.between(outline.right + air, outline.right + air + said_px, slot.bottom, slot.top)
    whole = Box.between(outline.left, words.right, slot.bottom, slot.top)
    if layout.is_mirrored:
        outline, words = outline.mirror(whole), words.mirror(whole)
    place = KeyPlace(cap=whole, meaning=words)
    return Cap(outline=outline, label=label, place=place, meaning=meaning)


def outline_px(layout: Layout, label: Typeset, room: Box) -> int:
    """Return the width of a key: at least its height, and at most the width of ``room``."""
    wide = max((line.width_px for line in label.lines), default=0.0) + 2 * INSIDE * layout.height
    return round(min(max(wide, room.height), room.width))


def draw_cap(layout: Layout, name: str, cap: Cap, rgb: Rgb | None = None) -> None:
    """Draw a key, which replaces an earlier key with this ``name``.

    ``rgb``: the colour of the outline; the key's text keeps its own colour.
    """
    layout.outline_box(cap.outline, rgb)
    layout.lines(f"{name} key", cap.label, cap.outline, bold=CAP.bold)
    layout.lines(f"{name} meaning", cap.meaning, cap.place.meaning)


def draw_awaited(layout: Layout, cap: Cap) -> None:
    """Draw the outline of a key that does nothing yet."""
    layout.outline_box(cap.outline, layout.faint_rgb)


def draw_pressed(layout: Layout, name: str, cap: Cap) -> None:
    """Draw a key that is held down, with inverted colours."""
    layout.fill_box(cap.outline, layout.ink_rgb)
    layout.lines(f"{name} key", cap.label, cap.outline, bold=CAP.bold, rgb=layout.paper_rgb)
    layout.lines(f"{name} meaning", cap.meaning, cap.place.meaning)


def draw_frame(layout: Layout, inner: Box, share: float = CAP_FRAME) -> None:
    layout.fill_box(inner.grow(max(2, round(share * layout.height))), layout.ink_rgb)
    layout.fill_box(inner, layout.paper_rgb)


CHOSEN_MS: Final = 150.0
"""How long the frame around the chosen image is shown."""


class StandingImages(ABC):
    """Shows images that stay for several trials; loads them only once."""

    def __init__(self, window: StationWindow, layout: Any, pictures: PictureSource) -> None:
        self._window = window
        self._layout = layout
        self._pictures = pictures
        self._standing: tuple[object, ShownImages] | None = None

    def standing(self, trial: Any) -> StandingTrial:
        standing: StandingTrial = self._layout.standing(self._images_of(trial), trial)
        return standing

    @abstractmethod
    def _images_of(self, trial: Any) -> ShownImages:
        """Return the images of a trial, ready to be drawn."""

    def _stand(self, what: object, prompt: str, trial: Trial) -> ShownImages:
        """Return the images of a trial; load and upload them only if ``what`` has changed."""
        if self._standing is None or self._standing[0] != what:
            images = [self._pictures.take(request) for request in trial.pictures]
            self._standing = what, self._layout.scene(prompt, images)
        return self._standing[1]
