"""A row of images on the screen, each with the number of its key beneath it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hype.session.loop import Presentation
from hype.session.steps import Response
from hype.station.boxes import GAP, Box, grid_for
from hype.station.config import Stage
from hype.station.drawing import Style
from hype.station.layout import SMALLEST
from hype.station.presenting import together
from hype.station.respondent import Offer
from picking.trial import PickingTrial

if TYPE_CHECKING:
    from picking.course import PickingLook

ASKED = Style(0.034)
NUMBER = Style(0.034, bold=True)
NUMBER_UNDER = 0.035
"""From an image's foot to the middle of its number; a share of the window's height."""


class Picking:
    def __init__(self, stage: Stage, look: PickingLook) -> None:
        self._stage = stage
        layout = stage.layout
        self._places = places_of((layout.width, layout.height), layout.side_px, look.abreast)
        height = layout.height
        self._above = Box(x=0, y=0.44 * height, width=0.88 * layout.width, height=0.08 * height)
        self._asked = layout.set_into(ASKED, look.question, self._above, SMALLEST, 2)

    def present(self, trial: PickingTrial) -> Presentation:
        images = [self._stage.pictures.take(request) for request in trial.pictures]
        draws = [
            self._stage.layout.picture(image, number, round(place.x), round(place.y))
            for number, (image, place) in enumerate(zip(images, self._places, strict=True))
        ]
        return self._stage.window.show(together(*draws, partial(self._words)), place=0)

    def respond(self, trial: PickingTrial) -> Response:
        offers = [
            Offer(answer=answer, keys=(answer, f"num_{answer}"), areas=(place,))
            for answer, place in zip(trial.answers, self._places, strict=True)
        ]
        return self._stage.window.ask(trial, offers)

    def _words(self) -> None:
        layout = self._stage.layout
        layout.lines("asked", self._asked, self._above)
        for number, place in enumerate(self._places, start=1):
            y = place.bottom / layout.height - NUMBER_UNDER
            layout.put(NUMBER, str(number), y, place.x / layout.width)


def places_of(window_px: tuple[int, int], side_px: int, images: int) -> tuple[Box, ...]:
    """Place so many images in the rows in which they are largest."""
    grid = grid_for(window_px, images, side_px)
    across, up = side_px + GAP * window_px[0], side_px + 4 * GAP * window_px[1]
    spots = [divmod(at, grid.columns) for at in range(images)]
    return tuple(
        Box(
            x=(column - (grid.columns - 1) / 2) * across,
            y=((grid.rows - 1) / 2 - row) * up,
            width=side_px,
            height=side_px,
        )
        for row, column in spots
    )
