"""Rankings: a group of images, put in order act by act."""

from __future__ import annotations

from functools import partial
from typing import Final

from hype.protocol.loop import Presentation
from hype.protocol.ranking import Act, Group, RankingTask, RankingTrial
from hype.protocol.steps import Response
from hype.station.desk import Desk
from hype.station.pictures import Pictures, wants_of
from hype.station.ranking_layout import RankedScene, RankingLayout

ACCEPTED_MS: Final = 150.0
"""How long the frame stands around the key that accepted a ranking."""
Ranked = tuple[RankingTask, int, Group]
"""A group in its block."""


class RankingGroups:
    """Shows a group as far as it is ranked and waits for the next act.

    The images of a group are taken once and stand until its ranking is accepted.
    """

    def __init__(self, desk: Desk, layout: RankingLayout, pictures: Pictures) -> None:
        self._desk = desk
        self._layout = layout
        self._pictures = pictures
        self._standing: tuple[Ranked, RankedScene] | None = None

    def present(self, trial: RankingTrial) -> Presentation:
        """Show the group, with what is placed already."""
        return self._desk.show(partial(self._layout.draw, self._scene(trial), trial), place=0)

    def respond(self, trial: RankingTrial) -> Response:
        """Wait for the next act. What it did is seen when the next trial is shown."""
        response = self._desk.ask(trial, self._layout.offers(trial))
        if response.answer == Act.ACCEPT.value:
            accepted = partial(self._layout.draw_accepted, self._scene(trial), trial)
            self._desk.owe(accepted, ACCEPTED_MS)
        return response

    def _scene(self, trial: RankingTrial) -> RankedScene:
        """Give the group as it stands; a new one is taken and uploaded."""
        group = trial.task, trial.block, trial.group
        if self._standing is None or self._standing[0] != group:
            images = [self._pictures.take(want) for want in wants_of(trial)]
            self._standing = group, self._layout.scene(trial.group.prompt, images)
        return self._standing[1]
