"""Taking images from anywhere, so that only the pictures differ."""

import os
from pathlib import Path

import numpy as np
import pytest
from builders import image_folder, noise
from PIL import Image

from hype.errors import InputError
from hype.stimuli.images import decode
from hype.stimuli.scan import Collection, collect, copy_into


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return image_folder(tmp_path / "photos", 3)


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    return image_folder(tmp_path / "samples", 2, first=100)


def copies(collection: Collection, folder: Path) -> list[Image.Image]:
    return [decode(folder / row["path"]) for row in copy_into(folder, collection)]


def test_all_become_squares_of_the_smallest_size_and_of_one_kind(
    real: Path, fake: Path, tmp_path: Path
) -> None:
    Image.new("RGB", (40, 12), "red").save(fake / "wide.jpg")
    noise(9, 64).save(real / "large.webp", lossless=True)
    collection = collect(real, {"m": fake})

    assert len(collection) == 7
    assert (collection.side_px, collection.mode) == (12, "RGB")
    made = copies(collection, tmp_path / "out")
    assert {(image.size, image.mode) for image in made} == {((12, 12), "RGB")}
    assert {path.suffix for path in (tmp_path / "out").rglob("*.*")} == {".png"}


def test_grey_stays_grey_and_pixels_of_the_right_size_stay_what_they_are(
    real: Path, fake: Path, tmp_path: Path
) -> None:
    collection = collect(real, {"m": fake})
    first = copies(collection, tmp_path / "out")[0]

    assert collection.mode == "L"
    assert np.array_equal(np.asarray(first), np.asarray(noise(0)))


def test_each_copy_says_what_it_was_made_of(real: Path, fake: Path, tmp_path: Path) -> None:
    rows = list(copy_into(tmp_path / "out", collect(real, {"m": fake})))

    assert rows[0] == {"path": "real/00001.png", "original": "000.png"}
    assert rows[-1] == {"path": "fake/m/00002.png", "original": "001.png"}


def test_originals_are_left_alone(real: Path, fake: Path, tmp_path: Path) -> None:
    before = {p: p.read_bytes() for p in (*real.iterdir(), *fake.iterdir())}
    copies(collect(real, {"m": fake}), tmp_path / "out")

    assert {p: p.read_bytes() for p in (*real.iterdir(), *fake.iterdir())} == before


def test_what_cannot_be_collected(real: Path, fake: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="nowhere: there is no such folder"):
        collect(tmp_path / "nowhere", {"m": fake})
    with pytest.raises(InputError, match=r"empty: holds no image; .*\.png"):
        collect(real, {"m": tmp_path / "empty"})
    with pytest.raises(InputError, match=r"--fake: 'a/b'"):
        collect(real, {"a/b": fake})
    with pytest.raises(
        InputError, match=r"photos/000\.png \(real\) and .*photos/000\.png \(fake\)"
    ):
        collect(real, {"m": real})
    with pytest.raises(InputError, match="twice"):
        collect(real, {"m": fake, "n": fake})
    (fake / "000.png").write_bytes(b"")
    with pytest.raises(InputError, match=r"samples/000\.png: is empty"):
        collect(real, {"m": fake})


def test_links_are_taken_only_where_they_stay_in_their_folder(
    real: Path, fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (real / "again.png").symlink_to("000.png")
    assert len(collect(real, {"m": fake})) == 6

    noise(9).save(tmp_path / "private.png")
    (real / "link.png").symlink_to("../private.png")
    with pytest.raises(
        InputError, match=r"photos/link\.png: leads out of its folder, to .*private"
    ):
        collect(real, {"m": fake})

    monkeypatch.setenv("HYPE_FOLDERS", str(tmp_path))
    assert len(collect(real, {"m": fake})) == 7


def test_names_that_are_no_text_cannot_be_written_down(real: Path, fake: Path) -> None:
    noise(9).save(os.fsencode(real) + b"/\xff.png")
    with pytest.raises(InputError, match=r"photos/.*\.png': has a name that cannot be written dow"):
        collect(real, {"m": fake})


def test_pipes_and_folders_are_no_images(real: Path, fake: Path) -> None:
    os.mkfifo(real / "pipe.png")
    (real / "folder.png").mkdir()

    assert len(collect(real, {"m": fake})) == 5
