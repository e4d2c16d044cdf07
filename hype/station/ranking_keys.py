"""The keys under a group that is ranked: take back, share a place, go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hype.protocol.ranking import Act, RankingTrial
from hype.station.boxes import Box
from hype.station.caps import Cap, cap_beside, draw_awaited, draw_cap, draw_frame, draw_pressed
from hype.station.layout import Layout
from hype.station.offers import Offer

TYING: Final = "tying"
"""Text of the key of a tie once it was pressed."""


class RankingKeys:
    """Draws the three keys in their ``slots``, and says where to click."""

    def __init__(self, layout: Layout, slots: Sequence[Box]) -> None:
        keys = layout.keys
        self._layout = layout
        self._names: Mapping[Act, str] = {
            Act.UNDO: keys.undo,
            Act.TIE: keys.tie,
            Act.ACCEPT: keys.go_on,
        }
        self._caps: Mapping[Act, Cap] = {
            act: cap_beside(layout, self._names[act], layout.fill(act.value, {}), slot)
            for act, slot in zip(self._names, slots, strict=True)
        }
        self._tying = cap_beside(layout, keys.tie, layout.fill(TYING, {}), slots[1])

    def offer(self, act: Act) -> Offer:
        """Give what an act is done by."""
        areas = (self._caps[act].place.whole,)
        return Offer(answer=act.value, keys=(self._names[act],), areas=areas)

    def frame(self, act: Act) -> None:
        """Draw a frame around a key that will be drawn on top of it."""
        draw_frame(self._layout, self._caps[act].outline)

    def draw(self, trial: RankingTrial) -> None:
        """Draw the keys: empty where they would do nothing; going on only once it is possible."""
        self._draw(Act.UNDO, trial)
        if trial.standing.tying:
            draw_pressed(self._layout, TYING, self._tying)
        elif trial.ties:
            self._draw(Act.TIE, trial)
        if not trial.unplaced:
            self._draw(Act.ACCEPT, trial)

    def _draw(self, act: Act, trial: RankingTrial) -> None:
        """Draw a key."""
        if act.value in trial.acts:
            draw_cap(self._layout, act.value, self._caps[act])
        else:
            draw_awaited(self._layout, self._caps[act])
