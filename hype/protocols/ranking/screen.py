"""Rankings on the screen: a group of images, ordered step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final

from PIL import Image

from hype.protocols.prompted.screen import (
    CHOSEN_MS,
    Cap,
    KeyPlace,
    ShownImages,
    StandingImages,
    cap_beside,
    cap_under,
    draw_awaited,
    draw_cap,
    draw_frame,
    draw_images,
    draw_pressed,
    upload,
)
from hype.protocols.ranking.course import TYING, RankingLook, keys_of_acts
from hype.protocols.ranking.trial import LETTERS, Act, RankingTrial
from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.station.boxes import FOOT, GAP, HEAD, LETTER, MARGIN, Box, Grid, grid_for
from hype.station.config import StandingTrial
from hype.station.drawing import Style
from hype.station.layout import Layout
from hype.station.respondent import Offer

COLUMN: Final = 0.88
"""Width of the texts and of all keys, as a share of the window's width."""
WIDEST_GAP: Final = 0.03
"""Distance between small images of one row, as a share of the window's width."""
PROMPT_HEIGHT: Final = 0.075
"""Height of the prompt; this and the next numbers are shares of the window's height."""
AIR: Final = 0.015
"""Distance between words and images."""
EDGE: Final = 0.02
"""Margin above and below everything."""
CAP: Final = 0.044
"""Height of an image's letter; the space for it, `LETTER`, is a little higher."""
ORDER_HEIGHT: Final = 0.042
"""Height of the row that shows the order so far."""
SLOT: Final = 2.0
"""Width of a place in the order, with the space next to it, as a multiple of the place's height."""
KEYS: Final = 0.055
ROOMY: Final = 1.35
"""If there is room, texts above the images get up to this many times their usual height."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPlaces:
    """The places of everything on the screen.

    ``order``: for the images placed so far, best first. ``keys``: for the keys undo, tie, accept.
    """

    prompt: Box | None
    question: Box
    images: tuple[Box, ...]
    letters: tuple[Box, ...]
    order: tuple[Box, ...]
    keys: tuple[Box, Box, Box]


def ranking_places(
    window_px: tuple[int, int], side_px: int, *, images: int, prompt: bool
) -> RankingPlaces:
    """Place a group of images of ``side_px``, the words above them and the keys under them.

    Everything is centred in the window. Images get space first; words and keys share the rest.
    """
    width, height = window_px
    grid = grid_for(window_px, images, side_px)
    pictures = grid.rows * side_px + (grid.rows - 1) * GAP * height
    usual = (HEAD + FOOT + grid.rows * LETTER) * height
    scale = min(1.0, (height - pictures) / usual)
    slack = max(0.0, height - pictures - usual)
    head = min(ROOMY * HEAD * height, scale * HEAD * height + slack)
    head -= 0 if prompt else PROMPT_HEIGHT / HEAD * head
    foot = scale * FOOT * height
    letter = scale * LETTER * height
    total = head + pictures + grid.rows * letter + foot
    top = total / 2
    above, question, order = head_places(width, top, head, prompt=prompt)
    rows = list(image_places(width, grid, side_px, top - head, images, letter, GAP * height))
    cap = letter * CAP / LETTER
    return RankingPlaces(
        prompt=above,
        question=question,
        images=tuple(rows),
        letters=tuple(
            Box.between(image.left, image.right, image.bottom - letter, image.bottom - letter + cap)
            for image in rows
        ),
        order=tuple(order_places(order, images)),
        keys=key_places(width, top - total, foot),
    )


def head_places(
    width: float, top: float, head: float, *, prompt: bool
) -> tuple[Box | None, Box, Box]:
    """Divide the space above the images between prompt, question and the order so far."""
    half = COLUMN * width / 2
    parts = HEAD if prompt else HEAD - PROMPT_HEIGHT
    unit = head / parts
    upper, foot = top - EDGE * unit, top - head + AIR * unit
    lower = foot + ORDER_HEIGHT * unit
    order = Box.between(-half, half, foot, lower)
    if not prompt:
        return None, Box.between(-half, half, lower, upper), order
    middle = upper - PROMPT_HEIGHT * unit
    above = Box.between(-half, half, middle, upper)
    return above, Box.between(-half, half, lower, middle), order


def order_places(row: Box, images: int) -> Iterator[Box]:
    """Yield the places of the order so far, side by side in the middle of a row."""
    step = min(SLOT * row.height, row.width / images)
    for place in range(images):
        x = (place - (images - 1) / 2) * step
        yield Box(x=round(x), y=round(row.y), width=int(0.9 * step), height=int(0.9 * row.height))


def image_places(
    width: float, grid: Grid, side: int, top: float, images: int, letter: float, gap_y: float
) -> Iterator[Box]:
    """Yield the places of images, row by row; a shorter row is centred."""
    free = ((1 - 2 * MARGIN) * width - grid.columns * side) / max(1, grid.columns - 1)
    step = side + min(WIDEST_GAP * width, free)
    for number in range(images):
        row, place = divmod(number, grid.columns)
        in_row = min(grid.columns, images - row * grid.columns)
        x = (place - (in_row - 1) / 2) * step
        y = top - side / 2 - row * (side + letter + gap_y)
        yield Box(x=int(x), y=round(y), width=side, height=side)


def key_places(width: float, bottom: float, foot: float) -> tuple[Box, Box, Box]:
    """Place three keys side by side below the images."""
    unit = foot / FOOT
    half = COLUMN * width / 2
    low = bottom + EDGE * unit
    third = 2 * half / 3
    left, middle, right = (
        Box.between(left + 0.01 * width, left + third - 0.01 * width, low, low + KEYS * unit)
        for left in (-half, -half + third, -half + 2 * third)
    )
    return left, middle, right


ASKED: Final = Style(0.026)
ORDER: Final = Style(0.026)
PROMPT_LINES: Final = 2
ASKED_LINES: Final = 3
BADGE: Final = 0.16
"""Side of the rank's badge in the corner of a placed image, as a share of the image's side."""
LEAST_BADGE: Final = 0.035
"""The smallest side of the badge, as a share of the window's height."""


class RankingLayout:
    """Draws rankings, and computes the areas to click on."""

    def __init__(self, layout: Layout, look: RankingLook) -> None:
        self._layout = layout
        self._look = look
        size_px, side_px, prompt = (layout.width, layout.height), layout.side_px, look.prompt
        self._places = cache(
            lambda images: ranking_places(size_px, side_px, images=images, prompt=prompt)
        )
        self._letters = cache(self._letter_caps)
        self._names = keys_of_acts(layout.keys)
        self._keys = cache(self._key_caps)

    def scene(self, prompt: str, images: Sequence[Image.Image]) -> ShownImages:
        places = self._places(len(images))
        return upload(self._layout, images, places.images, prompt, places.prompt, PROMPT_LINES)

    def offers(self, trial: RankingTrial) -> tuple[Offer, ...]:
        """Return the possible acts, each with its key and its areas to click on."""
        number = len(trial.group.images)
        images, letters = self._places(number).images, self._letters(number)

        def offer(act: str) -> Offer:
            if act not in letters:
                area = self._keys(number)[act].place.whole
                return Offer(answer=act, keys=(self._names[Act(act)],), areas=(area,))
            areas = (images[LETTERS.index(act)], letters[act].place.whole)
            return Offer(answer=act, keys=(act.lower(),), areas=areas)

        placed, ups = trial.standing.placed, trial.standing.steps_up()
        slots = dict(zip(placed, self._places(number).order, strict=False))
        raised = (
            Offer(answer=up, keys=(letter.lower(),), areas=(slots[letter],))
            for letter, up in ups.items()
        )
        moves = trial.standing.moves()
        return (*(offer(act) for act in trial.acts if act not in moves), *raised)

    def draw(self, scene: ShownImages, trial: RankingTrial) -> None:
        number = len(scene.boxes)
        self._draw_ranked(scene, trial)
        question = self._places(number).question
        self._write("asked", ASKED, self._look.question, question, ASKED_LINES)
        layout, caps = self._layout, self._keys(number)
        if trial.standing.tying:
            draw_pressed(layout, TYING, caps[TYING])
        shown = {Act.UNDO: True, Act.TIE: trial.ties, Act.ACCEPT: not trial.unplaced}
        for act in (act.value for act, is_shown in shown.items() if is_shown):
            if act in trial.acts:
                draw_cap(layout, act, caps[act])
            elif act != Act.TIE.value or not trial.standing.tying:
                draw_awaited(layout, caps[act])

    def standing(self, scene: ShownImages, trial: RankingTrial) -> StandingTrial:
        """Return what stays on the screen between acts: all except the question and the keys."""
        places = self._places(len(scene.boxes))
        _, middle, right = places.keys
        answers = replace(middle, width=2 * right.right)
        return StandingTrial(partial(self._draw_ranked, scene, trial), places.question, answers)

    def _draw_ranked(self, scene: ShownImages, trial: RankingTrial) -> None:
        """Draw a group and the order so far; images that have a place show their rank."""
        layout, number, standing = self._layout, len(scene.boxes), trial.standing
        places, ranks, ups = self._places(number), standing.ranks(), standing.steps_up()
        draw_images(layout, scene, places.prompt)
        for at, place in enumerate(places.order):
            letter = standing.placed[at : at + 1]
            layout.outline_box(place, None if letter in ups else layout.faint_rgb)
            if letter:
                self._write(f"place {at}", ORDER, f"{ranks[letter]} {letter}", place, 1)
        side = round(max(BADGE * layout.side_px, LEAST_BADGE * layout.height))
        style = Style(0.7 * side / layout.height, bold=True)
        for letter, cap in self._letters(number).items():
            if letter in ranks:
                image = scene.boxes[LETTERS.index(letter)]
                badge = Box.between(image.left, image.left + side, image.top - side, image.top)
                layout.fill_box(badge, layout.paper_rgb)
                self._write(f"rank {letter}", style, str(ranks[letter]), badge, 1)
            draw_cap(layout, letter, cap, layout.faint_rgb if letter in ranks else None)

    def draw_accepted(self, scene: ShownImages, trial: RankingTrial) -> None:
        draw_frame(self._layout, self._keys(len(scene.boxes))[Act.ACCEPT.value].outline)
        self.draw(scene, trial)

    def _write(self, place: str, style: Style, text: str, box: Box, lines: int) -> None:
        text_set = self._layout.set_into(style, text, box, lines)
        self._layout.lines(place, text_set, box, bold=style.bold)

    def _key_caps(self, images: int) -> dict[str, Cap]:
        """Prepare the keys of a group with this many images, and the pressed tie key."""
        undo, tie, accept = self._places(images).keys
        slots = {Act.UNDO: undo, Act.TIE: tie, Act.ACCEPT: accept}
        texts = [(act.value, act) for act in slots] + [(TYING, Act.TIE)]
        return {
            text: cap_beside(
                self._layout, self._names[act], self._layout.fill(text, {}), slots[act]
            )
            for text, act in texts
        }

    def _letter_caps(self, images: int) -> dict[str, Cap]:
        boxes = self._places(images).letters
        return {
            letter: cap_under(self._layout, letter, "", KeyPlace(cap=box, meaning=box))
            for letter, box in zip(LETTERS, boxes, strict=False)
        }


class RankingGroups(StandingImages):
    """Shows a group and its ranking so far, and waits for the next act.

    The images of a group stay until its ranking is accepted.
    """

    def present(self, trial: RankingTrial) -> Presentation:
        return self._window.show(partial(self._layout.draw, self._images_of(trial), trial), place=0)

    def respond(self, trial: RankingTrial) -> Response:
        """Wait for the next act; the next trial shows the effect."""
        response = self._window.ask(trial, self._layout.offers(trial))
        if response.answer == Act.ACCEPT.value:
            accepted = partial(self._layout.draw_accepted, self._images_of(trial), trial)
            self._window.owe(accepted, CHOSEN_MS)
        return response

    def _images_of(self, trial: RankingTrial) -> ShownImages:
        return self._stand((trial.task, trial.block, trial.group), trial.group.prompt, trial)
