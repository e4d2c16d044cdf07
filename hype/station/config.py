"""What a station needs to know of a study, as plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hype.errors import SessionProblem

Rgb = tuple[int, int, int]
Corner = Literal["top-left", "top-right", "bottom-left", "bottom-right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Key names, and what the left and right ones answer to a judgement ("real" or "fake")."""

    left: str
    right: str
    go_on: str
    pause: str
    left_means: str

    @property
    def right_means(self) -> str:
        """What the right key answers."""
        return "fake" if self.left_means == "real" else "real"

    def answering(self, answer: str) -> str:
        """Give the key to press for an answer: real or fake, or yes (left) or no (right)."""
        return self.left if answer in (self.left_means, "yes") else self.right


@dataclass(frozen=True, slots=True, kw_only=True)
class Appearance:
    """How the window looks and where it opens. ``monitor_cm`` is visible width and distance."""

    size_px: float | None
    size_deg: float | None
    monitor_cm: tuple[float, float] | None
    screen: int
    fullscreen: bool
    window_px: tuple[int, int]
    refresh_hz: float
    background_rgb: Rgb
    text_rgb: Rgb
    font: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchLook:
    """Where the patch is and what its colours mean. Masks take ``masks_rgb`` in turn."""

    corner: Corner
    size_px: int
    on_rgb: Rgb
    masks_rgb: tuple[Rgb, ...]
    off_rgb: Rgb

    def centre_px(self, window_px: tuple[int, int]) -> tuple[int, int]:
        """Give the patch's middle pixel, from the window's upper left corner."""
        half = self.size_px // 2
        width, height = window_px
        x = half if self.corner.endswith("left") else width - half
        y = half if self.corner.startswith("top") else height - half
        return x, y


@dataclass(frozen=True, slots=True, kw_only=True)
class StationConfig:
    """Everything a station needs beside the plan.

    ``texts`` are the study's words by name. ``tolerance_ms`` is how far from its frames' nominal
    duration a picture may be (None: half a frame).
    """

    keys: Keys
    appearance: Appearance
    texts: Mapping[str, str]
    countdown_from: int
    countdown_ms: float
    tolerance_ms: float | None = None
    patch: PatchLook | None = None


DEFAULT_SHARE = 0.5
"""Share of the window's height that an image fills where the study gives no size."""


def image_side_px(
    appearance: Appearance, *, window_px: tuple[int, int], screen_px: tuple[int, int]
) -> int:
    """Side of the square that an image fills, in pixels.

    A visual angle θ at distance d spans 2·d·tan(θ/2) on the screen, whose width in cm is that of
    ``screen_px[0]`` pixels, however large the window is.

    Raises
    ------
    SessionProblem
        The square does not fit into the window.
    """
    side_px = wanted_side_px(appearance, window_px, screen_px)
    if side_px > min(window_px):
        raise SessionProblem(
            f"images are to be {side_px} px high and wide, and the window has "
            f"{window_px[0]} x {window_px[1]} px; make display.size_px or size_deg smaller"
        )
    return side_px


def wanted_side_px(
    appearance: Appearance, window_px: tuple[int, int], screen_px: tuple[int, int]
) -> int:
    """Give the side that the study asks for, whether or not it fits."""
    if appearance.size_px is not None:
        return round(appearance.size_px)
    if appearance.size_deg is not None and appearance.monitor_cm is not None:
        width_cm, distance_cm = appearance.monitor_cm
        span_cm = 2 * distance_cm * math.tan(math.radians(appearance.size_deg) / 2)
        return round(span_cm / width_cm * screen_px[0])
    return round(DEFAULT_SHARE * window_px[1])
