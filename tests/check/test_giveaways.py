"""Traces in files that show which images are real, without a look at the pictures."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from hype.check.images import FEWEST, measure_giveaway, traces_of
from hype.stimuli.collection import collect, copy_into
from hype.stimuli.images import decode


def scene(seed: int, side_px: int = 64) -> Image.Image:
    """A picture with the spectrum of a photograph (1/f)."""
    rng = np.random.default_rng(seed)
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side_px), np.fft.fftfreq(side_px)))
    frequency[0, 0] = 1
    channels = [
        np.fft.ifft2(np.fft.fft2(rng.normal(size=(side_px, side_px))) / frequency).real
        for _ in range(3)
    ]
    pixels = [128 + 40 * channel / channel.std() for channel in channels]
    return Image.fromarray(np.clip(np.stack(pixels, -1), 0, 255).astype(np.uint8))


def folders(tmp_path: Path, real_form: str, **options: object) -> dict[str, Path]:
    made = {"": tmp_path / "real", "m": tmp_path / "fake"}
    for start, folder in zip((0, 1000), made.values(), strict=True):
        folder.mkdir()
        for number in range(FEWEST):
            form = real_form if start == 0 else "PNG"
            path = folder / f"{number}.{form.lower()}"
            scene(start + number).save(path, **(options if start == 0 else {}))
    return made


def auc(tmp_path: Path, images: dict[str, Path], **wishes: bool) -> float:
    rows = list(copy_into(tmp_path / "set", collect(images, **wishes)))
    paths = [tmp_path / "set" / row["path"] for row in rows]
    traces = [traces_of(decode(path), path.stat().st_size) for path in paths]
    of_all, _, _ = measure_giveaway(traces[:FEWEST], traces[FEWEST:])
    return of_all


def test_jpeg_stays_visible_in_png_until_all_are_matched(tmp_path):
    images = folders(tmp_path, "JPEG", quality=80)
    (tmp_path / "kept").mkdir()
    (tmp_path / "matched").mkdir()

    assert auc(tmp_path / "kept", images, keep=True) > 0.95
    assert auc(tmp_path / "matched", images, match_compression=True) < 0.7


@pytest.mark.long
def test_matching_is_advised_only_if_an_image_was_jpeg(tmp_path, hype):
    images, study = folders(tmp_path, "JPEG", quality=40), tmp_path / "study"
    given = ("--real", images[""], "--fake", f"m={images['m']}", "--method", "infinity")
    assert hype("new", study, *given, "--keep").code == 0
    assert "hype new --match-compression" in hype("check", study).out
    manifest = study / "stimuli" / "manifest.csv"
    manifest.write_text(manifest.read_text().replace("JPEG", "PNG"))
    assert "--match-compression" not in hype("check", study).out


def test_images_of_one_history_are_not_told_apart(tmp_path):
    assert auc(tmp_path, folders(tmp_path, "PNG")) < 0.7


@pytest.mark.parametrize(
    ("change", "trace"),
    [
        (lambda image: image.filter(ImageFilter.GaussianBlur(1)), "sharpness"),
        (lambda image: image.point(lambda value: max(0, value - 60)), "mean colour"),
    ],
)
def test_the_strongest_trace_is_named(change, trace):
    def traces(start: int, change=lambda image: image):
        images = [change(scene(start + number)) for number in range(FEWEST)]
        return [traces_of(image, 10_000 + number) for number, image in enumerate(images)]

    of_all, strongest, _ = measure_giveaway(traces(0), traces(1000, change))
    assert (strongest, of_all > 0.95) == (trace, True)


def test_nothing_is_said_of_few_images():
    traces = [traces_of(scene(number), 1000) for number in range(FEWEST)]
    assert measure_giveaway(traces, traces[1:]) is None
