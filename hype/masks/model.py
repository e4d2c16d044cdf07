"""The texture model's settings: how many scales and orientations, how wide a window, what fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hype.errors import InputError

Shape = tuple[int, int]
WINDOWS: Final = (5, 7, 9, 11)
MOST_SCALES: Final = 7
MOST_ORIENTATIONS: Final = 8
SMALLEST_PX: Final = 16
LARGEST_PX: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class TextureModel:
    """Which statistics are measured (Portilla & Simoncelli 2000, section 2.3).

    Parameters
    ----------
    scales
        Octaves of the steerable pyramid, its highpass and lowpass residuals not counted.
    orientations
        Bands of each scale.
    window
        Rows and columns of the autocorrelations that are kept, an odd number: 7 in the paper's
        figures, 9 in its table.

    Raises
    ------
    InputError
        A setting is impossible for an image of any size.
    """

    scales: int = 4
    orientations: int = 4
    window: int = 7

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("scales", self.scales, range(1, MOST_SCALES + 1)),
            ("orientations", self.orientations, range(2, MOST_ORIENTATIONS + 1)),
            ("window", self.window, WINDOWS),
        ):
            if value not in allowed:
                choices = ", ".join(str(choice) for choice in allowed)
                raise InputError("the texture model", f"cannot have {name} = {value}", choices)

    @property
    def step(self) -> int:
        return int(2**self.scales)

    def extended(self, shape: Shape) -> Shape:
        """Give the smallest shape that holds ``shape`` and can be halved at each scale."""
        height, width = (-(-side // self.step) * self.step for side in shape)
        return height, width

    def fits(self, shape: Shape) -> bool:
        """Say whether the lowpass residual of an image of ``shape`` is as wide as the window."""
        return min(self.extended(shape)) // self.step >= self.window

    def check(self, shape: Shape) -> None:
        """Refuse a shape that the model does not fit, and name the models that do.

        Raises
        ------
        InputError
            A side is too short or too long.
        """
        height, width = shape
        if not (min(shape) >= SMALLEST_PX and max(shape) <= LARGEST_PX):
            problem = f"cannot be of {width} x {height} px"
            raise InputError("a mask", problem, f"{SMALLEST_PX} to {LARGEST_PX} px a side")
        if not self.fits(shape):
            size = min(self.extended(shape)) // self.step
            raise InputError(
                f"{width} x {height} px",
                f"too small for {self.scales} scales with a window of {self.window}:"
                f" the lowpass image would be {size} px",
                f"what fits: {self.alternatives(shape)}",
            )

    def holds_layout(self, shape: Shape) -> bool:
        """Say whether the widest autocorrelations span more than half of an image of ``shape``.

        They then determine where things are, and a texture of a picture of one thing on an even
        ground becomes that picture again, only shifted.
        """
        return 2 * self.window * self.step > min(shape)

    @classmethod
    def suited(cls, shape: Shape) -> TextureModel:
        """Give the usual model for an image of ``shape``, with fewer scales if it is small.

        As many, up to the usual number, as do not hold on to the picture's layout; at least one.
        """
        usual = cls()
        loose = (cls(scales=n) for n in range(usual.scales, 1, -1))
        return next((model for model in loose if not model.holds_layout(shape)), cls(scales=1))

    def alternatives(self, shape: Shape) -> str:
        """Name, for each window, the most scales that fit an image of ``shape``."""
        fitting: dict[int, int] = {}
        for window in WINDOWS:
            for scales in range(1, MOST_SCALES + 1):
                if TextureModel(scales=scales, window=window).fits(shape):
                    fitting[window] = scales
        return ", ".join(
            f"window {window} with {scales} scale{'s' if scales > 1 else ''} or fewer"
            for window, scales in fitting.items()
        )
