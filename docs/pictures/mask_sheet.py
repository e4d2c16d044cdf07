"""Make docs/screens/masks.jpg and demo-masks.png: images and their masks.

The first needs scikit-image, of the extra `benchmarks`, for ten natural images; they are in the
public domain (NASA's astronaut) or under CC0 (the others). The second shows the demonstration's
set.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import skimage.data
from numpy.typing import NDArray
from PIL import Image, ImageOps

from hype.masks.synthesis import Source, synthesise

SIDE_PX = 256
ROOT = Path(__file__).resolve().parents[2]
SCREENS = ROOT / "docs" / "screens"
Pixels = NDArray[np.uint8]


def pictures() -> list[Pixels]:
    """Return five textures and five pictures of things, 256 px square."""
    textures = [getattr(skimage.data, name)() for name in ("grass", "gravel", "brick")]
    things = [
        getattr(skimage.data, name)() for name in ("camera", "astronaut", "coffee", "chelsea")
    ]
    parts = [texture[:SIDE_PX, :SIDE_PX] for texture in textures]
    wholes = [whole(picture) for picture in (*textures[1:], *things)]
    coffee = things[2]
    return [*parts, *wholes, np.asarray(Image.fromarray(coffee[60:316, 180:436]))]


def whole(picture: Pixels) -> Pixels:
    """Return a picture's central square."""
    return np.asarray(ImageOps.fit(Image.fromarray(picture), (SIDE_PX, SIDE_PX)))


def mask(picture: Pixels, seed: int) -> Pixels:
    """Return a mask of one picture."""
    texture = synthesise(Source(picture / 255), np.random.default_rng(seed))
    return np.round(texture.pixels * 255).astype(np.uint8).squeeze()


def in_colour(picture: Pixels) -> Pixels:
    """Return a picture with three channels."""
    return np.asarray(Image.fromarray(picture).convert("RGB"))


def natural_images() -> None:
    """Show natural images above their masks, five in a row."""
    sources = pictures()
    masks = [mask(picture, seed) for seed, picture in enumerate(sources)]
    rows = [
        np.hstack([in_colour(image) for image in images[start : start + 5]])
        for start in range(0, len(sources), 5)
        for images in (sources, masks)
    ]
    Image.fromarray(np.vstack(rows)).save(SCREENS / "masks.jpg", quality=88)


def demonstration(columns: int = 12) -> None:
    """Show the sources of the demonstration's first masks above these masks."""
    masks, stimuli = ROOT / "masks" / "fashion", ROOT / "stimuli" / "fashion"
    with (masks / "manifest.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:columns]
    sheet = [
        np.hstack([np.asarray(Image.open(folder / row[name])) for row in rows])
        for folder, name in ((stimuli, "source"), (masks, "path"))
    ]
    Image.fromarray(np.vstack(sheet)).save(SCREENS / "demo-masks.png", optimize=True)


if __name__ == "__main__":
    demonstration()
    natural_images()
