"""Small copies of images: their content, and images without a copy."""

import hashlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from builders import noise
from PIL import Image

from hype.stimuli.images import LARGEST_PX, LOSSLESS_PX, SIDE_PX, Thumbnail, thumbnails


def photograph(number: int, side_px: int = 256) -> Image.Image:
    """Return a colour image with the spectrum of a photograph."""
    rng = np.random.default_rng(number)
    across, down = np.fft.rfftfreq(side_px)[None, :], np.fft.fftfreq(side_px)[:, None]
    size = 1 / np.maximum(np.hypot(across, down), 1 / side_px)
    waves = size * np.exp(2j * np.pi * rng.random((3, *size.shape)))
    planes = np.fft.irfft2(waves, s=(side_px, side_px))
    colours = planes[:1] + 0.3 * planes
    pixels = 128 + 45 * colours / colours.std()
    return Image.fromarray(np.moveaxis(pixels.clip(0, 255).astype(np.uint8), 0, -1).copy())


def saved(image: Image.Image, folder: Path, name: str = "a.png", **options: object) -> str:
    image.save(folder / name, **options)
    return name


def thumbnail(
    stimuli: Path, path: str, *, side_px: int = SIDE_PX, sha256: str | None = None
) -> Thumbnail | None:
    checksums = {path: sha256} if sha256 else None
    return thumbnails(stimuli, [path], checksums=checksums, side_px=side_px).get(path)


def opened(found: Thumbnail | None) -> Image.Image:
    assert found is not None
    image = Image.open(io.BytesIO(found.content))
    assert Image.MIME[image.format or ""] == found.mime
    assert image.size == (found.width_px, found.height_px)
    return image


def test_a_photograph_becomes_a_small_jpeg(tmp_path):
    found = thumbnail(tmp_path, saved(photograph(1), tmp_path))
    small = opened(found)

    assert (small.format, small.size) == ("JPEG", (SIDE_PX, SIDE_PX))
    expected = np.asarray(photograph(1).resize(small.size, Image.Resampling.LANCZOS), dtype=float)
    assert np.abs(np.asarray(small, dtype=float) - expected).mean() < 8


@pytest.mark.parametrize(
    "image", [noise(1, 28), photograph(1, LOSSLESS_PX)], ids=["grey", "colour"]
)
def test_a_small_image_keeps_every_pixel(image, tmp_path):
    small = opened(thumbnail(tmp_path, saved(image, tmp_path)))

    assert (small.format, small.mode) == ("PNG", image.mode)
    assert np.array_equal(np.asarray(small), np.asarray(image))


@pytest.mark.parametrize("side_px", [20, 300], ids=["PNG", "JPEG"])
def test_nothing_but_pixels_goes_out(side_px, tmp_path):
    """The copy has no profile, no location of the camera, and no comment."""
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    secrets = {"exif": exif, "icc_profile": b"profile of a stranger" * 9, "comment": b"my comment"}
    name = saved(photograph(2, side_px), tmp_path, "a.jpg", quality=95, **secrets)
    found = thumbnail(tmp_path, name)
    small = opened(found)

    assert found is not None
    assert set(small.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert not any(word in found.content for word in (b"home", b"stranger", b"comment"))


def test_only_the_image_that_was_judged(tmp_path):
    name = saved(noise(1), tmp_path)
    judged = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()

    assert thumbnail(tmp_path, name, sha256=judged)
    saved(noise(2), tmp_path)
    assert thumbnail(tmp_path, name, sha256=judged) is None
    assert thumbnail(tmp_path, name)


def not_images(folder: Path) -> Iterator[str]:
    """Yield names of files that cannot have a thumbnail, and of missing ones."""
    yield from ("missing.png", "", ".", "/etc/hostname", "../out.png", "a\nb.png", "x" * 2000)
    for name, content in {
        "empty.png": b"",
        "text.png": b"no image" * 100,
        "cut.png": (folder / "whole.png").read_bytes()[:-200],
        "other.tif": b"II*\0" + bytes(4),
    }.items():
        (folder / name).write_bytes(content)
        yield name
    yield saved(Image.new("L", (LARGEST_PX + 1, 2)), folder, "large.png")
    (folder / "folder.png").mkdir()
    yield "folder.png"
    os.mkfifo(folder / "pipe.png")
    yield "pipe.png"
    (folder / "link.png").symlink_to(folder.parent / "out.png")
    yield "link.png"


def test_what_cannot_be_pictured_is_none(tmp_path):
    folder = tmp_path / "stimuli"
    folder.mkdir()
    saved(noise(1, 64), folder, "whole.png")
    saved(noise(2, 64), tmp_path, "out.png")
    names = list(not_images(folder))

    assert [name for name in names if thumbnail(folder, name)] == []
    assert list(thumbnails(folder, [*names, "whole.png"])) == ["whole.png"]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    for number in range(20):
        saved(photograph(number), folder, f"{number}.png")
    return folder


NAMES = [f"{number}.png" for number in range(20)]


def characters(found: dict[str, Thumbnail]) -> int:
    return sum(len(copy.uri) for copy in found.values())


def test_copies_become_smaller_until_they_fit(photographs):
    whole = characters(thumbnails(photographs, NAMES))
    sizes = []
    for share in (0.8, 0.3):
        found = thumbnails(photographs, NAMES, most_characters=round(share * whole))
        assert list(found) == NAMES
        assert characters(found) <= share * whole
        sizes.append(found["0.png"].width_px)
    assert found == thumbnails(photographs, NAMES, most_characters=round(0.3 * whole))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < SIDE_PX
