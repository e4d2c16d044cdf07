"""What a step can be answered with, and by what."""

from __future__ import annotations

from dataclasses import dataclass

from hype.station.boxes import Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One answer: ``keys`` that give it, and ``areas`` of the window that may be clicked on."""

    answer: str
    keys: tuple[str, ...]
    areas: tuple[Box, ...] = ()

    def holds(self, x: float, y: float) -> bool:
        return any(area.holds(x, y) for area in self.areas)
