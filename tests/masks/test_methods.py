"""One mask of one picture, by both methods and for all kinds of pictures."""

import io

import numpy as np
import pytest
from PIL import Image

from hype.masks.make import FAMILIES, METHODS, MaskJob, Method, Pixels, masks_of
from hype.masks.model import TextureModel
from hype.masks.synthesis import Tolerance


def picture(colours: int = 1, side: int = 64) -> Pixels:
    rng = np.random.default_rng(5)
    noise = rng.standard_normal((side, side, colours))
    smooth = sum(np.roll(noise, shift, axis) for shift in range(4) for axis in (0, 1))
    levels = np.clip(128 + 30 * smooth, 0, 255).astype(np.uint8)
    return levels[..., 0] if colours == 1 else levels


def job(method: Method = "portilla-simoncelli", *, seed: int = 1) -> MaskJob:
    model = TextureModel(scales=2)
    return MaskJob(number=9, size_px=64, seed=seed, method=method, model=model)


def pixels_of(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png))


@pytest.mark.parametrize("method", METHODS)
def test_a_mask_follows_from_seed_and_number_alone(method: Method) -> None:
    source = picture()
    together = masks_of(source, job(method), (0, 5))
    alone = masks_of(source, job(method), (5,))
    other = masks_of(source, job(method, seed=2), (5,))

    assert [mask.number for mask in together] == [0, 5]
    assert together[1] == alone[0]
    assert len({mask.png for mask in (*together, *other)}) == 3


def test_what_a_texture_leaves_in_the_manifest() -> None:
    (mask,) = masks_of(picture(), job(), (0,))
    cells = {name for name in FAMILIES if name != "error_colour_correlation"}

    assert set(mask.results) == {"error", "evaluations"} | cells
    assert float(mask.results["error"]) < 2 * Tolerance().total
    assert job().settings == {
        "method": "portilla-simoncelli",
        "seed": "1",
        "size_px": "64",
        "scales": "2",
        "orientations": "4",
        "window": "7",
    }
    assert job("phase-scramble").settings["scales"] == ""


def test_colour_gives_colour_and_a_grey_picture_in_three_channels_gives_grey() -> None:
    grey = picture()
    copies = np.repeat(grey[..., np.newaxis], 3, axis=2)
    (colour,) = masks_of(picture(3), job(), (0,))

    assert pixels_of(colour.png).mode == "RGB"
    assert "error_colour_correlation" in colour.results
    assert masks_of(copies, job(), (0,)) == masks_of(grey, job(), (0,))
