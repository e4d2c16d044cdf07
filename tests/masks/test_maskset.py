"""A mask set's manifest: its rules, one by one."""

from pathlib import Path

import pytest
from builders import named_masks, rewrite_row

from hype.errors import InputError
from hype.masks.maskset import check_mask, read_masks


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return named_masks(tmp_path / "masks", 3)


def test_what_a_manifest_says(folder: Path) -> None:
    found = read_masks(folder)

    assert found.paths == ("00000.png", "00001.png", "00002.png")
    assert found.size_px == 16


ROWS = {
    "no path": ({"path": ""}, r"line 2: path ''"),
    "absolute path": ({"path": "/x.png"}, r"line 2: path '/x\.png'"),
    "path that leaves": ({"path": "../x.png"}, r"line 2: path '\.\./x\.png'"),
    "path with a space": ({"path": "a b.png"}, r"line 2: path 'a b\.png'; .*without spaces"),
    "path with a backslash": ({"path": "a\\b.png"}, r"line 2: path 'a\\\\b\.png'"),
    "two ways to write one path": ({"path": "./00001.png"}, r"line 2: path '\./00001\.png'"),
    "size of thousands of digits": ({"size_px": "1" * 5000}, r"line 2: size_px '1{100}…'"),
    "no size": ({"size_px": ""}, r"line 2: size_px ''; a whole number of pixels"),
    "size of nothing": ({"size_px": "0"}, r"line 2: size_px '0'"),
    "negative size": ({"size_px": "-16"}, r"line 2: size_px '-16'"),
    "size in other digits": ({"size_px": "1²"}, r"line 2: size_px '1²'"),
    "another size": ({"size_px": "32"}, r"lists masks of 2 sizes; masks of one size"),
    "path listed twice": ({"path": "00001.png"}, r"00001\.png twice"),
}


@pytest.mark.parametrize("what", ROWS)
def test_impossible_rows(what: str, folder: Path) -> None:
    cells, message = ROWS[what]
    rewrite_row(folder / "manifest.csv", 0, **cells)

    with pytest.raises(InputError, match=message) as caught:
        read_masks(folder)
    assert str(folder / "manifest.csv") in caught.value.where


FILES = {
    "header only": (b"path,source,method,seed,size_px,error\n", "lists"),
    "without a column": (b"path,source\n", "has no column method"),
    "no text": (b"\xff\xfe\x00", "cannot be read as a table"),
}


@pytest.mark.parametrize("what", FILES)
def test_manifests_that_are_none(what: str, folder: Path) -> None:
    content, message = FILES[what]
    (folder / "manifest.csv").write_bytes(content)

    with pytest.raises(InputError, match=message):
        read_masks(folder)


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"manifest\.csv: there is no such file; .*hype masks make"
    ):
        read_masks(tmp_path)


def test_a_mask_of_another_size_than_its_manifest_says(folder: Path) -> None:
    masks = read_masks(folder)

    assert check_mask(masks, "00000.png", (16, 16)) is None
    with pytest.raises(InputError, match=r"00000\.png: is 18 x 18 px; 16 x 16 px, as in the"):
        check_mask(masks, "00000.png", (18, 18))
