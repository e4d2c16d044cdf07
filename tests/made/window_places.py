"""Windows of all sizes, and a check that their parts do not overlap."""

from itertools import combinations

from hype.station.boxes import Box
from hype.station.config import Appearance

EDGE_PX = 1e-6
"""Rectangles with a smaller overlap only share an edge."""
WINDOWS = [
    (800, 600),
    (1024, 768),
    (1920, 1080),
    (2560, 1440),
    (1280, 1024),
    (768, 1024),
    (320, 240),
]
LOOK = Appearance(
    size_px=None,
    size_deg=None,
    monitor_cm=(53.0, 57.0),
    screen=0,
    fullscreen=True,
    window_px=(1920, 1080),
    refresh_hz=60.0,
    background_rgb=(128, 128, 128),
    text_rgb=(255, 255, 255),
    font="DejaVu Sans",
    images_shown=2,
)


def assert_apart(found: dict[str, Box], window_px: tuple[int, int]) -> None:
    """Check that no part is outside the window or overlaps another part."""
    width, height = window_px
    for name, box in found.items():
        assert box.width > 0, name
        assert box.height > 0, name
        assert -width / 2 <= box.left, name
        assert box.right <= width / 2, name
        assert -height / 2 <= box.bottom, name
        assert box.top <= height / 2, name
    for (one, first), (other, second) in combinations(found.items(), 2):
        across_px = (first.width + second.width) / 2 - abs(first.x - second.x)
        up_px = (first.height + second.height) / 2 - abs(first.y - second.y)
        assert min(across_px, up_px) <= EDGE_PX, (one, other)
