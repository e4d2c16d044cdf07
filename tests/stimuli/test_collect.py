"""Collecting images from any folders, so that they differ only in their content."""

import os
from pathlib import Path

import numpy as np
import pytest
from builders import image_folder, noise
from PIL import Image

from hype.errors import InputError
from hype.stimuli.collection import (
    LARGEST_SIDE_PX,
    Collection,
    collect,
    copy_into,
    describe_skipped,
)
from hype.stimuli.images import decode


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return image_folder(tmp_path / "photos", 3)


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    return image_folder(tmp_path / "samples", 2, first=100)


def copies(collection: Collection, folder: Path) -> list[Image.Image]:
    return [decode(folder / row["path"]) for row in copy_into(folder, collection)]


def test_all_become_squares_of_the_smallest_size_and_of_one_kind(real, fake, tmp_path):
    Image.new("RGB", (90, 48), "red").save(fake / "wide.png")
    noise(9, 96).save(real / "large.webp", lossless=True)
    collection = collect({"": real, "m": fake}, side_px=48)

    assert len(collection) == 7
    assert (collection.side_px, collection.mode) == (48, "RGB")
    made = copies(collection, tmp_path / "out")
    assert {(image.size, image.mode) for image in made} == {((48, 48), "RGB")}
    assert {path.suffix for path in (tmp_path / "out").rglob("*.*")} == {".png"}


def test_grey_stays_grey_and_pixels_of_the_right_size_stay_what_they_are(real, fake, tmp_path):
    collection = collect({"": real, "m": fake})
    first = copies(collection, tmp_path / "out")[0]

    assert collection.mode == "L"
    assert np.array_equal(np.asarray(first), np.asarray(noise(0, 64)))


def test_large_images_are_made_smaller(real, fake):
    for folder in (real, fake):
        for path in folder.iterdir():
            noise(int(path.stem) + (500 if folder == fake else 0), 600).save(path)

    assert collect({"": real, "m": fake}).side_px == LARGEST_SIDE_PX


def test_each_copy_says_what_it_was_made_of(real, fake, tmp_path):
    rows = list(copy_into(tmp_path / "out", collect({"": real, "m": fake})))

    own = {"source_format": "PNG", "jpeg_quality": ""}
    assert rows[0] == {"path": "real/00001.png", "original": "000.png", **own}
    assert rows[-1] == {"path": "fake/m/00002.png", "original": "001.png", **own}


def test_what_cannot_be_collected(real, fake, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="nowhere: there is no such folder"):
        collect({"": tmp_path / "nowhere", "m": fake})
    with pytest.raises(InputError, match=r"empty: holds no image; .*\.png"):
        collect({"": real, "m": tmp_path / "empty"})
    with pytest.raises(InputError, match=r"--fake: 'Real' cannot name a condition"):
        collect({"": real, "Real": fake})
    with pytest.raises(
        InputError, match=r"photos/000\.png \(real\) and .*photos/000\.png \(fake\)"
    ):
        collect({"": real, "m": real})
    with pytest.raises(InputError, match="twice"):
        collect({"": real, "m": fake, "n": fake})
    (fake / "000.png").write_bytes(b"")
    with pytest.raises(InputError, match=r"samples/000\.png: is empty"):
        collect({"": real, "m": fake})


def test_links_are_taken_only_where_they_stay_in_their_folder(real, fake, tmp_path, monkeypatch):
    (real / "again.png").symlink_to("000.png")
    assert len(collect({"": real, "m": fake})) == 6

    noise(9, 64).save(tmp_path / "private.png")
    (real / "link.png").symlink_to("../private.png")
    with pytest.raises(
        InputError, match=r"photos/link\.png: leads out of its folder, to .*private"
    ):
        collect({"": real, "m": fake})

    monkeypatch.setenv("HYPE_FOLDERS", str(tmp_path))
    assert len(collect({"": real, "m": fake})) == 7


def test_names_that_are_not_text_are_refused(real, fake):
    noise(9).save(os.fsencode(real) + b"/\xff.png")
    with pytest.raises(InputError, match=r"photos/.*\.png': has a name that is not text"):
        collect({"": real, "m": fake})


def test_pipes_and_folders_are_no_images(real, fake):
    os.mkfifo(real / "pipe.png")
    (real / "folder.png").mkdir()

    assert len(collect({"": real, "m": fake})) == 5


def test_a_thumbnail_among_photographs_is_refused_by_name(real, fake):
    noise(9, 24).save(real / "favicon.png")
    message = (
        r"1 of 6 images is much smaller than the usual 64 px, and all images would become that "
        r"small: .*favicon\.png \(24 px\); --skip-smaller leaves them out; --size N makes"
    )
    with pytest.raises(InputError, match=message):
        collect({"": real, "m": fake})

    skipped = collect({"": real, "m": fake}, skip_smaller=True)
    assert (len(skipped), skipped.side_px) == (5, 64)
    assert skipped.notes == ("Skipped images of 24 px or less: 1.",)
    assert collect({"": real, "m": fake}, side_px=24).side_px == 24
    with pytest.raises(InputError, match=r"--size 32: 1 of 6 images is smaller: .*favicon"):
        collect({"": real, "m": fake}, side_px=32)


def test_half_of_the_usual_size_is_too_small(tmp_path):
    large = image_folder(tmp_path / "large", 3, side_px=300)
    small = image_folder(tmp_path / "small", 1, first=50, side_px=149)

    with pytest.raises(InputError, match=r"1 of 4 images is .* the usual 300 px"):
        collect({"": large, "m": small})
    noise(50, 150).save(small / "000.png")
    assert collect({"": large, "m": small}).side_px == 150


def test_images_that_are_all_small_have_to_be_asked_for(tmp_path):
    folders = {
        "": image_folder(tmp_path / "a", 2, side_px=32),
        "m": image_folder(tmp_path / "b", 2, first=9, side_px=32),
    }
    with pytest.raises(
        InputError, match=r"all images are smaller than 64 px.*--size 32 to accept them"
    ):
        collect(folders)
    assert collect(folders, side_px=32).side_px == 32


def test_all_unreadable_images_are_named(real, fake):
    (real / "000.png").write_bytes(b"")
    (fake / "001.png").write_bytes(b"text")
    with pytest.raises(InputError, match=r"2 files cannot be used\n.*photos/000(.|\n)*samples/001"):
        collect({"": real, "m": fake})


def test_other_endings_of_jpeg_and_hidden_files(real, fake):
    for folder in (real, fake):
        for number, name in enumerate(("a.jfif", "b.jpe")):
            noise(200 + number + 10 * len(folder.name), 64).save(folder / name, "JPEG")
        (folder / "._000.png").write_bytes(b"left by macOS")
        (folder / ".cache").mkdir()
        noise(1, 64).save(folder / ".cache" / "x.png")
    (real / "photo.HEIC").write_bytes(b"")
    (real / "photo2.heic").write_bytes(b"")
    (real / "notes").write_bytes(b"")

    assert len(collect({"": real, "m": fake})) == 9
    assert describe_skipped(real) == (
        f"Skipped in {real}: 2 .heic, 1 without an ending. These are not images that hype reads."
    )
    assert describe_skipped(fake) == ""


def test_jpeg_on_one_side_has_to_be_decided(real, fake, tmp_path):
    for path in real.iterdir():
        decode(path).save(path.with_suffix(".jpg"), quality=85)
        path.unlink()
    with pytest.raises(InputError, match=r"real: JPEG images; m: no JPEG images\. .*--match-compr"):
        collect({"": real, "m": fake})

    kept = list(copy_into(tmp_path / "kept", collect({"": real, "m": fake}, keep=True)))
    assert [row["source_format"] for row in kept] == ["JPEG"] * 3 + ["PNG"] * 2
    matched = [
        *copy_into(tmp_path / "matched", collect({"": real, "m": fake}, match_compression=True))
    ]
    assert {row["jpeg_quality"] for row in matched} == {"85"}
    assert decode(tmp_path / "matched" / "fake/m/00001.png") != decode(fake / "000.png")
