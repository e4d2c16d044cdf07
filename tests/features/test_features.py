"""Features of images from a file: three formats, and for each the files that are refused."""

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hype.errors import InputError
from hype.features import read_features

IMAGES = ("real/000.png", "real/001.png", "fake/crude/000.png", "fake/crude/001.png")
VALUES = np.arange(8.0).reshape(4, 2)
CSV = "b,image,a\n1,real/000.png,0\n3,real/001.png,2\n5,fake/crude/000.png,4\n9,else.png,8\n"
CSV += "7,fake/crude/001.png,6\n"


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def array(values: object, *, pickled: bool = False) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(values), allow_pickle=pickled)
    return buffer.getvalue()


def archive(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as parts:
        for name, values in arrays.items():
            parts.writestr(f"{name}.npy", array(values))
    return buffer.getvalue()


def test_rows_are_found_by_name_and_given_in_the_manifests_order(tmp_path):
    table = read_features(written(tmp_path, "f.csv", CSV), IMAGES)

    rows = dict(zip(table.names, table.values.tolist(), strict=True))
    assert rows["real/001.png"] == [3, 2]
    assert rows["fake/crude/001.png"] == [7, 6]
    assert table.names == IMAGES
    assert table.source == "f.csv"


def test_an_archive_says_what_made_its_values(tmp_path):
    content = archive(names=IMAGES[::-1], values=VALUES.astype(np.float32), source="a network")

    table = read_features(written(tmp_path, "f.npz", content), IMAGES)

    assert table.source == "a network (f.npz)"
    assert table.values.tolist() == VALUES[::-1].tolist()


def test_rows_without_names_are_in_the_order_of_the_images(tmp_path):
    file = written(tmp_path, "f.NPY", array([[1, 2], [3, 4]]))

    table = read_features(file, ("b", "a"))
    one = read_features(file, ("a",), every_image=("b", "a"))

    assert table.names == ("b", "a")
    assert table.values.dtype == np.float64
    assert (one.names, one.values.tolist()) == (("a",), [[3, 4]])


def test_single_precision_stays_and_an_array_is_mapped_and_not_read(tmp_path, monkeypatch):
    monkeypatch.setitem(read_features.__globals__, "LARGEST_BYTES", 10)  # if read whole

    table = read_features(written(tmp_path, "f.npy", array(VALUES.astype(np.float32))), IMAGES)

    assert table.values.dtype == np.float32
    assert isinstance(table.values.base, np.memmap)
    assert table.values.tolist() == VALUES.tolist()


def test_what_takes_more_memory_than_is_free(tmp_path, monkeypatch):
    monkeypatch.setitem(read_features.__globals__, "memory_free", lambda: 63)

    with pytest.raises(InputError, match=r"f\.csv: needs 0\.0 GB of memory, but only 0"):
        read_features(written(tmp_path, "f.csv", CSV), IMAGES)


NAMES = ["fake/crude/000.png", "fake/crude/001.png", "real/000.png", "real/001.png"]
NAN = np.array([[1.0, 2], [3, np.nan], [0, 0], [0, 0]])
REFUSED = {
    "other name": ("f.txt", "", r"has an unknown file type; \.csv, \.npy"),
    "no image column": ("f.csv", "name,a\nx,1\n", r"has the columns 'name, a'; a column 'image'"),
    "no value": ("f.csv", "image\nx\n", r"has the columns 'image'"),
    "empty": ("f.csv", "", r"has the columns ''"),
    "short row": ("f.csv", CSV + "1\n", r"f\.csv, row 7: has 1 cells; 3, as in the header"),
    "a word": ("f.csv", CSV + "x,y,1\n", r"row 7: 'x' in the column 'b'; a finite number"),
    "infinite": ("f.csv", CSV + "1,y,inf\n", r"row 7: 'inf' in the column 'a'"),
    "no text": ("f.csv", b"\xff\xff", r"cannot be read: .*utf-8.*; features as \.csv"),
    "a quote": ("f.csv", CSV + '"a', r"cannot be read: 'unexpected end of data'"),
    "twice": ("f.csv", CSV + "1,else.png,2\n", r"row 6: .* 'else\.png' again, as in row 4"),
    "missing": (
        "f.csv",
        "image,a\nreal/000.png,1\n",
        r"has no row for 'real/001\.png' and 2 more images; a row for each image",
    ),
    "other length": ("f.npy", array(VALUES[:3]), r"has 3 rows, but there are 4 images"),
    "one dimension": ("f.npy", array([1.0, 2]), r"an array of float64 of shape \(2,\)"),
    "texts": ("f.npy", array([["a"]] * 4), r"values are an array of <U1 of shape \(4, 1\)"),
    "not a number": ("f.npy", array(NAN), r"f\.npy row 2: contains a value that is not finite"),
    "cut off": ("f.npy", array(VALUES)[:-3], r"f\.npy: cannot be read"),
    "objects": ("f.npy", array([{}], pickled=True), r"cannot be read: .*Python objects in dtype"),
    "an archive": ("f.npy", archive(values=VALUES), r"cannot be read: 'an .npz archive"),
    "a pickle": ("f.npy", pickle.dumps(VALUES), r"f\.npy: cannot be read"),
    "no archive": ("f.npz", b"PK\3\4", r"cannot be read: 'File is not a zip file'"),
    "no names": ("f.npz", archive(values=VALUES), r"f\.npz: has no array names"),
    "names that are numbers": ("f.npz", archive(names=[1], values=VALUES), r"names are an array"),
    "fewer names": ("f.npz", archive(names=NAMES[:2], values=VALUES), r"2 names and 4 rows"),
    "a source that a terminal obeys": (
        "f.npz",
        archive(names=NAMES, values=VALUES, source="\x1b[2J"),
        r"source '\\x1b\[2J'; printable text",
    ),
}


@pytest.mark.parametrize(("name", "content", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(tmp_path, name, content, message):
    file = written(tmp_path, name, content)

    with pytest.raises(InputError, match=message):
        read_features(file, IMAGES)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"no\.npy: there is no such file; features as \.csv"):
        read_features(tmp_path / "no.npy", IMAGES)


def test_an_archive_that_would_unpack_without_end(tmp_path, monkeypatch):
    # Change the function's own module: another test may have imported the module again.
    monkeypatch.setitem(read_features.__globals__, "LARGEST_BYTES", 1000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("values.npy", bytes(10_000))

    with pytest.raises(InputError, match=r"has 10,000 bytes; at most 1,000, or \.npy"):
        read_features(written(tmp_path, "f.npz", buffer.getvalue()), IMAGES)
