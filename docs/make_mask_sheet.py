"""Make docs/screens/masks.jpg: ten natural images and what masks them.

Needs scikit-image, of the extra `benchmarks`, for the images; they are in the public domain (NASA's
astronaut) or under CC0 (the others).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import skimage.data
from numpy.typing import NDArray
from PIL import Image, ImageOps

from hype.masks.synthesis import Source, synthesise

SIDE_PX = 256
SHEET = Path(__file__).parent / "screens" / "masks.jpg"
Pixels = NDArray[np.uint8]


def pictures() -> list[Pixels]:
    """Give five textures and five pictures of things, 256 px square."""
    textures = [getattr(skimage.data, name)() for name in ("grass", "gravel", "brick")]
    things = [
        getattr(skimage.data, name)() for name in ("camera", "astronaut", "coffee", "chelsea")
    ]
    parts = [texture[:SIDE_PX, :SIDE_PX] for texture in textures]
    wholes = [whole(picture) for picture in (*textures[1:], *things)]
    coffee = things[2]
    return [*parts, *wholes, np.asarray(Image.fromarray(coffee[60:316, 180:436]))]


def whole(picture: Pixels) -> Pixels:
    """Give a picture's central square."""
    return np.asarray(ImageOps.fit(Image.fromarray(picture), (SIDE_PX, SIDE_PX)))


def mask(picture: Pixels, seed: int) -> Pixels:
    """Give a mask of one picture."""
    texture = synthesise(Source(picture / 255), np.random.default_rng(seed))
    return np.round(texture.pixels * 255).astype(np.uint8).squeeze()


def in_colour(picture: Pixels) -> Pixels:
    """Give a picture with three channels."""
    return np.asarray(Image.fromarray(picture).convert("RGB"))


def main() -> None:
    """Lay pictures over their masks, five a row."""
    sources = pictures()
    masks = [mask(picture, seed) for seed, picture in enumerate(sources)]
    rows = [
        np.hstack([in_colour(image) for image in images[start : start + 5]])
        for start in range(0, len(sources), 5)
        for images in (sources, masks)
    ]
    Image.fromarray(np.vstack(rows)).save(SHEET, quality=88)


if __name__ == "__main__":
    main()
