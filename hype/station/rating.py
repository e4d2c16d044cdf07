"""Ratings: an item, asked about on one axis after the other."""

from __future__ import annotations

from functools import partial
from typing import Final

from hype.protocol.loop import Presentation
from hype.protocol.rating import PlannedItem, RatingTask, RatingTrial
from hype.protocol.steps import Response
from hype.station.desk import Desk
from hype.station.pictures import Pictures, wants_of
from hype.station.rating_layout import RatedScene, RatingLayout

CHOSEN_MS: Final = 150.0
"""How long the frame stands around the key of the answer."""
Item = tuple[RatingTask, int, PlannedItem]
"""An item in its block."""


class RatingItems:
    """Shows one axis of an item at a time and waits for a level of it.

    The images of an item are taken once and stand until its last axis was answered.
    """

    def __init__(self, desk: Desk, layout: RatingLayout, pictures: Pictures) -> None:
        self._desk = desk
        self._layout = layout
        self._pictures = pictures
        self._standing: tuple[Item, RatedScene] | None = None

    def present(self, trial: RatingTrial) -> Presentation:
        """Show the item, and ask about the axis."""
        draw = partial(self._layout.draw, self._scene(trial), self._layout.asked(trial))
        return self._desk.show(draw, place=0)

    def respond(self, trial: RatingTrial) -> Response:
        """Wait for the answer."""
        asked = self._layout.asked(trial)
        response = self._desk.ask(trial, self._layout.offers(asked))
        chosen = partial(self._layout.draw_chosen, self._scene(trial), asked, response.answer)
        self._desk.owe(chosen, CHOSEN_MS)
        return response

    def _scene(self, trial: RatingTrial) -> RatedScene:
        """Give the item as it stands; a new one is taken and uploaded."""
        item = trial.task, trial.block, trial.planned
        if self._standing is None or self._standing[0] != item:
            images = [self._pictures.take(want) for want in wants_of(trial)]
            self._standing = item, self._layout.scene(trial.item.prompt, images)
        return self._standing[1]
