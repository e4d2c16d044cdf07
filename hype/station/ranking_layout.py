"""How a ranking looks: a grid of images with letters, the ranks they have got, and the keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from PIL import Image

from hype.protocol.ranking import LETTERS, Act, RankingTrial, Standing
from hype.station.boxes import Box
from hype.station.brush import Style
from hype.station.caps import Cap, cap_under, draw_cap
from hype.station.config import Ranking, require_room
from hype.station.contrast import veil_under
from hype.station.frameclock import Draw
from hype.station.layout import SMALLEST, Layout
from hype.station.offers import Offer
from hype.station.pair_places import KeyPlace
from hype.station.ranking_keys import RankingKeys
from hype.station.ranking_places import RankingPlaces, ranking_places
from hype.station.typesetting import Typeset

PROMPT: Final = Style(0.036, bold=True)
ASKED: Final = Style(0.026)
ORDER: Final = Style(0.026)
PROMPT_LINES: Final = 2
ASKED_LINES: Final = 3
VEIL: Final = 0.6
"""How much of an image that has a place is covered, at least."""
RANK: Final = 0.4
"""Height of its rank, as a share of the image's."""
BETWEEN: Final = " \N{MIDDLE DOT} "
"""Between places in the order so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedScene:
    """A group, ready to be drawn. ``images`` are where they are, as large as they are."""

    pictures: tuple[Draw, ...]
    images: tuple[Box, ...]
    prompt: Typeset | None


class RankingLayout:
    """Draws rankings, and says where to click.

    Raises
    ------
    SessionProblem
        There is no room for the images of the largest group.
    """

    def __init__(self, layout: Layout, ranking: Ranking) -> None:
        self._layout = layout
        self._ranking = ranking
        self._size_px = (layout.width, layout.height)
        require_room(layout.side_px, self._size_px, ranking.most)
        self._places = cache(self._placed)
        self._letters = cache(self._letter_caps)
        self._keys = cache(self._key_caps)

    def scene(self, prompt: str, images: Sequence[Image.Image]) -> RankedScene:
        """Upload the images of a group and set its prompt."""
        layout, places = self._layout, self._places(len(images))
        pictures = [
            layout.picture(image, number, round(place.x), round(place.y))
            for number, (image, place) in enumerate(zip(images, places.images, strict=True))
        ]
        boxes = [
            Box(x=place.x, y=place.y, width=image.width, height=image.height)
            for image, place in zip(images, places.images, strict=True)
        ]
        words = (
            layout.set_into(PROMPT, prompt, places.prompt, SMALLEST, PROMPT_LINES)
            if places.prompt
            else None
        )
        return RankedScene(pictures=tuple(pictures), images=tuple(boxes), prompt=words)

    def offers(self, trial: RankingTrial) -> tuple[Offer, ...]:
        """Give what can be done: images by their letters, the rest by its keys."""
        number = len(trial.group.images)
        images, letters, keys = (
            self._places(number).images,
            self._letters(number),
            self._keys(number),
        )

        def offer(act: str) -> Offer:
            if act not in letters:
                return keys.offer(Act(act))
            areas = (images[LETTERS.index(act)], letters[act].place.whole)
            return Offer(answer=act, keys=(act.lower(),), areas=areas)

        return tuple(map(offer, trial.acts))

    def draw(self, scene: RankedScene, trial: RankingTrial) -> None:
        """Draw a group as far as it is ranked."""
        layout, number = self._layout, len(scene.images)
        places = self._places(number)
        if scene.prompt and places.prompt:
            layout.lines("prompt", scene.prompt, places.prompt, bold=PROMPT.bold)
        asked = self._ranking.question
        self._write("asked", ASKED, asked, places.question, ASKED_LINES)
        self._write("order", ORDER, order_of(trial.standing), places.order, 1)
        self._draw_images(scene, trial.standing)
        self._keys(number).draw(trial)

    def draw_accepted(self, scene: RankedScene, trial: RankingTrial) -> None:
        """Draw it with a frame around the key that has accepted it."""
        self._keys(len(scene.images)).frame(Act.ACCEPT)
        self.draw(scene, trial)

    def _draw_images(self, scene: RankedScene, standing: Standing) -> None:
        """Draw the images with their letters; those that have a place are dim, with their rank."""
        layout, ranks = self._layout, standing.ranks()
        for letter, cap in self._letters(len(scene.images)).items():
            place = LETTERS.index(letter)
            scene.pictures[place]()
            if letter in ranks:
                self._draw_rank(letter, ranks[letter], scene.images[place])
            draw_cap(layout, letter, cap, layout.faint_rgb if letter in ranks else None)

    def _draw_rank(self, letter: str, rank: int, image: Box) -> None:
        """Dim an image, and write its rank on it."""
        layout = self._layout
        layout.veil(image, veil_under(layout.ink_rgb, layout.ground_rgb, VEIL))
        style = Style(RANK * layout.side_px / layout.height, bold=True)
        self._write(f"rank {letter}", style, str(rank), image, 1)

    def _write(self, place: str, style: Style, text: str, box: Box, lines: int) -> None:
        """Set a text into a box and draw it."""
        found = self._layout.set_into(style, text, box, SMALLEST, lines)
        self._layout.lines(place, found, box, bold=style.bold)

    def _placed(self, images: int) -> RankingPlaces:
        """Place a group of so many images."""
        return ranking_places(
            self._size_px, self._layout.side_px, images=images, prompt=self._ranking.prompt
        )

    def _letter_caps(self, images: int) -> dict[str, Cap]:
        """Set the letters of so many images."""
        boxes = self._places(images).letters
        return {
            letter: cap_under(self._layout, letter, "", KeyPlace(cap=box, meaning=box))
            for letter, box in zip(LETTERS, boxes, strict=False)
        }

    def _key_caps(self, images: int) -> RankingKeys:
        """Set the keys under so many images."""
        return RankingKeys(self._layout, self._places(images).keys)


def order_of(standing: Standing) -> str:
    """Write down what stands: places with the letters of their images, the best first."""
    ranks = standing.ranks()
    tiers = [f"{ranks[tier[0]]} {' = '.join(tier)}" for tier in standing.tiers]
    return BETWEEN.join(tiers) + (" =" if standing.tying else "")
