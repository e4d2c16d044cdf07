"""A stimulus set's manifest: its rules, one by one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import named_images, rewrite_row

from hype.errors import InputError
from hype.files import LARGEST_TABLE_BYTES
from hype.stimuli.manifest import MANIFEST, Truth, read_extra_columns, read_manifest, sha256_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return named_images(tmp_path / "stimuli", {"": 2, "crude": 2, "good": 1})


def test_what_a_manifest_says(folder):
    found = read_manifest(folder)

    assert found.conditions == ("crude", "good")
    assert [s.path for s in found.real] == ["real/000.png", "real/001.png"]
    assert [s.path for s in found.fake("good")] == ["fake/good/000.png"]
    assert all(s.truth is Truth.REAL and s.condition == "" for s in found.real)
    assert set(found.sizes_px.values()) == {(16, 16)}


ROWS = {
    "empty path": ({"path": ""}, r"line 2: path ''; a path inside the folder"),
    "absolute path": ({"path": "/etc/passwd"}, r"line 2: path '/etc/passwd'"),
    "path that leaves": ({"path": "real/../../x.png"}, r"line 2: path 'real/\.\./\.\./x\.png'"),
    "path that nobody sees": ({"path": "real/x.png\1"}, r"line 2: path 'real/x\.png\\x01'"),
    "condition that a terminal obeys": (
        {"kind": "fake", "condition": "\x1b[2J"},
        r"line 2: condition '\\x1b\[2J'; a printable name",
    ),
    "other kind": ({"kind": "true"}, r"line 2: kind 'true'; real or fake"),
    "fake without condition": ({"kind": "fake"}, r"line 2: condition '' of a fake image"),
    "real with condition": ({"condition": "crude"}, r"line 2: condition 'crude' of a real image"),
    "short checksum": ({"sha256": "abc"}, r"line 2: sha256 'abc'; 64 hexadecimal digits"),
    "upper-case checksum": ({"sha256": "A" * 64}, r"line 2: sha256 'AAAA"),
    "width in words": ({"width": "wide"}, r"line 2: width 'wide'.*whole numbers of pixels"),
    "no width": ({"width": ""}, r"line 2: width ''"),
    "negative width": ({"width": "-16"}, r"line 2: width '-16'"),
    "width of thousands of digits": ({"width": "9" * 5000}, r"line 2: width '9{100}…'"),
    "height of nothing": ({"height": "0"}, r"line 2: .*height '0'"),
}


@pytest.mark.parametrize("what", ROWS)
def test_impossible_rows(what, folder):
    cells, message = ROWS[what]
    rewrite_row(folder / MANIFEST, 0, **cells)

    with pytest.raises(InputError, match=rf"manifest\.csv {message}"):
        read_manifest(folder)


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "none": (lambda m: m.unlink(), r"there is no such file; .*hype stimuli scan"),
    "path with an end": (
        lambda m: m.write_text(m.read_text().replace("real/000.png", "real/x.png\0", 1)),
        # Python 3.10 cannot read such a line.
        r"line 2: path 'real/x\.png\\x00'|cannot be read as a table: line contains NUL",
    ),
    "empty": (lambda m: m.write_text(""), r"has no column path, kind, condition"),
    "without a column": (
        lambda m: m.write_text(m.read_text().replace("sha256", "md5")),
        r"has no column sha256; needs path, kind",
    ),
    "header only": (
        lambda m: m.write_text(m.read_text().splitlines()[0] + "\n"),
        "lists no images",
    ),
    "no text": (lambda m: m.write_bytes(b"\xff\xfe\x00"), "cannot be read as a table"),
    "a folder": (lambda m: (m.unlink(), m.mkdir()), r"manifest\.csv: is not a file"),
    "a pipe": (lambda m: (m.unlink(), os.mkfifo(m)), r"manifest\.csv: is not a file; a plain file"),
    "a device": (lambda m: (m.unlink(), m.symlink_to("/dev/zero")), "leads out of its folder"),
    "without end": (
        lambda m: os.truncate(m, LARGEST_TABLE_BYTES + 1),
        r"has 67,108,865 bytes; at most 67,108,864",
    ),
    "short row": (lambda m: m.write_text(m.read_text() + "real/009.png,real\n"), r"line 7: "),
}


@pytest.mark.parametrize("what", FILES)
def test_manifests_that_are_none(what, folder):
    damage, message = FILES[what]
    damage(folder / MANIFEST)

    with pytest.raises(InputError, match=message):
        read_manifest(folder)


def test_the_same_picture_as_real_and_fake(folder):
    sha256 = read_manifest(folder).fake("good")[0].sha256
    rewrite_row(folder / MANIFEST, 1, sha256=sha256)

    with pytest.raises(
        InputError, match=r"real/001\.png \(real\) and fake/good/000\.png \(fake\) are the same pic"
    ):
        read_manifest(folder)


def test_a_real_image_whose_last_cells_are_missing_has_no_condition(tmp_path):
    """Spreadsheets omit empty cells at the end of a row."""
    (tmp_path / MANIFEST).write_text(
        "path,kind,width,height,sha256,condition\n"
        f"real/1.png,real,16,16,{'0' * 64}\n"
        f"fake/a/1.png,fake,16,16,{'1' * 64},a\n"
    )

    assert [s.condition for s in read_manifest(tmp_path).stimuli] == ["", "a"]


def test_one_picture_may_be_listed_twice_among_the_fakes(folder):
    """Two models may produce the same picture; this is not the experimenter's mistake."""
    rewrite_row(folder / MANIFEST, 2, sha256=read_manifest(folder).fake("good")[0].sha256)

    assert len(read_manifest(folder).stimuli) == 5


def test_columns_of_ones_own_are_read_by_path(tmp_path):
    (tmp_path / MANIFEST).write_text(
        "path,class,kind,condition,width,height,sha256,seed,\n"
        f"real/1.png, dog ,real,,16,16,{'0' * 64},1,x\n"
        f"fake/a/1.png,,fake,a,16,16,{'1' * 64}\n"
    )

    assert read_extra_columns(tmp_path) == {
        "real/1.png": {"class": "dog", "seed": "1"},
        "fake/a/1.png": {"class": "", "seed": ""},
    }
    assert len(read_manifest(tmp_path).stimuli) == 2


def test_a_manifest_that_lies_elsewhere(folder):
    (folder / MANIFEST).rename(folder.parent / "theirs.csv")
    (folder / MANIFEST).symlink_to("../theirs.csv")

    for read in (read_manifest, read_extra_columns):
        with pytest.raises(InputError, match=r"manifest\.csv: leads out of its folder, to .*th"):
            read(folder)


@pytest.mark.parametrize("what", ["folder", "pipe", "device"])
def test_there_is_no_checksum_of_what_never_ends(what, tmp_path):
    path = tmp_path / "x.png"
    make = {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
    }
    make[what]()

    with pytest.raises(InputError, match=r"x\.png: is not a file"):
        sha256_of(path)
