"""Pictures that the program draws itself, for a demonstration where no others are at hand.

They are clouds: coloured noise whose amplitude falls with frequency. What is "real" is only a
slope that is taken for right; each "model" has something of it wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hype.files import make_folder

SIDE_PX: Final = 64
RIGHT: Final = 1.6
Field = NDArray[np.float64]


def noise(rng: np.random.Generator, slope: float) -> Field:
    """Draw SIDE_PX x SIDE_PX x 3 values, 0 to 1, whose amplitude falls as 1/f**``slope``."""
    across = np.fft.fftfreq(SIDE_PX)
    frequency = np.hypot(across[:, None], across[None, :])
    frequency[0, 0] = np.inf
    spectrum = np.fft.fft2(rng.standard_normal((SIDE_PX, SIDE_PX, 3)), axes=(0, 1))
    drawn = np.fft.ifft2(spectrum * (frequency**-slope)[..., None], axes=(0, 1)).real
    mixed = drawn @ (np.eye(3) + 1.5)  # colours go together
    low, high = np.quantile(mixed, (0.01, 0.99))
    field: Field = np.clip((mixed - low) / (high - low), 0, 1)
    return field


def grid(rng: np.random.Generator) -> Field:
    """Draw a field with the grid that upsampling leaves."""
    rows, columns = np.indices((SIDE_PX, SIDE_PX))
    lines = ((rows + columns) % 4 == 0)[..., None]
    field: Field = np.clip(noise(rng, RIGHT) + 0.06 * lines, 0, 1)
    return field


MODELS: Final[Mapping[str, Callable[[np.random.Generator], Field]]] = {
    "blurred": lambda rng: noise(rng, 2.2),
    "grainy": lambda rng: noise(rng, 1.1),
    "grid": grid,
}


def draw_pictures(folder: Path, number: int, seed: int = 0) -> tuple[Path, Mapping[str, Path]]:
    """Draw ``number`` pictures of each model, and as many real ones as all of these.

    Returns the folder of the real ones, and those of the models.

    Raises InputError: they cannot be written.
    """
    rng = np.random.default_rng(seed)
    real, fakes = folder / "real", {name: folder / name for name in MODELS}
    draw_into(real, number * len(MODELS), lambda: noise(rng, RIGHT))
    for name, draw in MODELS.items():
        draw_into(fakes[name], number, lambda draw=draw: draw(rng))  # type: ignore[misc]
    return real, fakes


def draw_into(folder: Path, number: int, draw: Callable[[], Field]) -> None:
    make_folder(folder)
    for place in range(number):
        pixels = np.rint(255 * draw()).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{place:03}.png")
