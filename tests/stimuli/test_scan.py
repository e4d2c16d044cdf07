"""Scanning a folder of images and writing its manifest."""

import csv
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import noise, stimulus_set

from hype.errors import InputError
from hype.stimuli.collection import scan
from hype.stimuli.manifest import COLUMNS, MANIFEST, read_manifest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return stimulus_set(tmp_path / "stimuli", {"": 3, "crude": 2, "good": 1})


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / MANIFEST).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_a_scan_writes(folder):
    found = scan(folder)
    first = rows(folder)[0]

    assert found == {"": 3, "crude": 2, "good": 1}
    assert [row["path"] for row in rows(folder)] == [
        *("fake/crude/000.png", "fake/crude/001.png", "fake/good/000.png"),
        *("real/000.png", "real/001.png", "real/002.png"),
    ]
    assert first == {
        "path": "fake/crude/000.png",
        "kind": "fake",
        "condition": "crude",
        "width": "16",
        "height": "16",
        "sha256": hashlib.sha256((folder / "fake/crude/000.png").read_bytes()).hexdigest(),
    }
    assert len(read_manifest(folder).stimuli) == 6


def test_deeper_folders_belong_to_their_condition_and_hidden_ones_are_passed_over(folder):
    for place, number in (("real/summer/a.PNG", 50), ("fake/good/seed 1/b.png", 51)):
        (folder / place).parent.mkdir()
        noise(number).save(folder / place)
    (folder / "real/.cache").mkdir()
    (folder / "real/.cache/x.txt").write_text("x")
    scan(folder)
    conditions = {row["path"]: row["condition"] for row in rows(folder)}

    assert conditions["real/summer/a.PNG"] == ""
    assert conditions["fake/good/seed 1/b.png"] == "good"
    assert len(conditions) == 8


def test_columns_of_ones_own_are_kept_for_images_that_are_still_there(folder):
    manifest = folder / MANIFEST
    lines = manifest.read_text().splitlines()
    labelled = [lines[0] + ",label", *(f'{line},"a, {n}"' for n, line in enumerate(lines[1:]))]
    manifest.write_text("\n".join(labelled) + "\n")
    (folder / "fake/crude/000.png").unlink()
    noise(77).save(folder / "real/new.png")
    scan(folder)
    labels = {row["path"]: row["label"] for row in rows(folder)}

    assert labels["fake/crude/001.png"] == "a, 1"
    assert labels["real/002.png"] == "a, 5"
    assert labels["real/new.png"] == ""
    assert "fake/crude/000.png" not in labels


def image(folder: Path) -> Path:
    return folder / "real" / "001.png"


def noise_beside(folder: Path) -> Path:
    """Save a picture outside the set, and return its path."""
    noise(99).save(folder.parent / "beside.png")
    return folder.parent / "beside.png"


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (
        lambda f: image(f).write_bytes(image(f).read_bytes()[:-60]),
        r"real/001\.png: cannot be decoded",
    ),
    "link that leads out": (
        lambda f: (f / "real/link.png").symlink_to(noise_beside(f)),
        r"real/link\.png: leads out of its folder, to .*beside\.png; .*HYPE_FOLDERS",
    ),
    "folder that lies elsewhere": (
        lambda f: ((f / "real").rename(f.parent / "photos"), (f / "real").symlink_to("../photos")),
        r"real/000\.png: leads out of its folder, to .*photos/000\.png",
    ),
    "link to a folder": (
        lambda f: (f / "fake/linked").symlink_to("good"),
        r"fake/linked: is a link to a folder; the folder itself, or its images",
    ),
    "name of another system": (
        lambda f: noise(62).save(f / "real" / "a\\b.png"),
        r"real/a\\b\.png: path 'real/a.*b\.png'; a path inside the folder",
    ),
    "dangling link": (
        lambda f: (f / "real/link.png").symlink_to("nowhere.png"),
        r"real/link\.png: there is no such image",
    ),
    "other file": (
        lambda f: (f / "real/notes.txt").write_text("x"),
        r"notes\.txt: has no image suffix; .*\.png",
    ),
    "fake of no condition": (
        lambda f: noise(60).save(f / "fake/stray.png"),
        r"fake/stray\.png: is not in the folder of a condition; fake/<condition>/<image>",
    ),
    "condition that cannot be named": (
        lambda f: (f / "fake/good").rename(f / "fake/Real"),
        r"'Real' cannot name a condition",
    ),
    "same picture real and fake": (
        lambda f: shutil.copy(image(f), f / "fake/good/copy.png"),
        r"real/001\.png \(real\) and fake/good/copy\.png \(fake\) are the same picture",
    ),
    "no real": (lambda f: shutil.rmtree(f / "real"), r"real: holds no image; .*--no-real"),
    "no fake": (lambda f: shutil.rmtree(f / "fake"), r"fake: holds no image"),
    "name that is not text": (
        lambda f: noise(61).save(os.fsencode(f) + b"/real/\xff.png"),
        r"real/.*\.png",
    ),
}

NAMES = ("name of another system", "name that is not text")


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(what, marks=pytest.mark.posix("forbids such names")) if what in NAMES else what
        for what in FAULTS
    ],
)
def test_a_scan_that_fails_leaves_the_old_manifest(what, folder):
    fault, message = FAULTS[what]
    before = (folder / MANIFEST).read_bytes()
    fault(folder)

    with pytest.raises(InputError, match=message):
        scan(folder)
    assert (folder / MANIFEST).read_bytes() == before
    assert not list(folder.glob("tmp*"))


@pytest.mark.parametrize(
    "garbage",
    [b"\xff\xfe\x00\x01", b"path,a\nreal/000.png,1,2,3\n", b'path\n"' + b"x" * 200_000],
    ids=["no text", "ragged", "endless cell"],
)
def test_a_broken_manifest_is_named_or_mended_by_scanning(garbage, folder):
    """Users scan a folder to repair its manifest."""
    whole = rows(folder)
    (folder / MANIFEST).write_bytes(garbage)
    try:
        scan(folder)
    except InputError as error:
        refused = error.where
    else:
        refused = ""

    if refused:
        assert MANIFEST in refused
        assert (folder / MANIFEST).read_bytes() == garbage
    else:
        assert [{k: row[k] for k in COLUMNS} for row in rows(folder)] == whole
        assert "" not in rows(folder)[0]


def test_a_set_that_is_reached_through_a_link(folder):
    before = (folder / MANIFEST).read_bytes()
    (folder.parent / "shortcut").symlink_to(folder)
    scan(folder.parent / "shortcut")

    assert (folder / MANIFEST).read_bytes() == before
