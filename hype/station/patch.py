"""The photodiode patch: a square in a corner whose colour says what is on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hype.station.config import PatchLook
from hype.station.contrast import Rgb


class Patch:
    """Draws the patch."""

    def __init__(self, window: Any, look: PatchLook) -> None:
        self._look = look
        colours = {look.on_rgb, look.off_rgb, *look.masks_rgb}
        self._squares = {rgb: square(window, look, rgb) for rgb in colours}
        for rgb in colours:  # drawn once now, so that no exposure waits for it
            self._squares[rgb].draw()
        window.clearBuffer()

    def off(self) -> None:
        """Draw it as it is while neither image nor mask is shown."""
        self._squares[self._look.off_rgb].draw()

    def light(self, place: int) -> Callable[[], None]:
        """Give what draws it while the image (place 0) or a mask (1 and so on) is shown."""
        masks = self._look.masks_rgb
        rgb = masks[(place - 1) % len(masks)] if place else self._look.on_rgb
        draw: Callable[[], None] = self._squares[rgb].draw
        return draw


def square(window: Any, look: PatchLook, rgb: Rgb) -> Any:
    """Make the square in one colour."""
    from psychopy import visual

    width, height = (int(side) for side in window.size)
    right = 1 if look.corner.endswith("right") else -1
    up = 1 if look.corner.startswith("top") else -1
    return visual.Rect(
        window,
        size=(look.size_px, look.size_px),
        pos=(right * (width - look.size_px) / 2, up * (height - look.size_px) / 2),
        units="pix",
        fillColor=rgb,
        lineColor=None,
        colorSpace="rgb255",
        autoLog=False,
    )
