import os
from pathlib import Path

import pytest

from hype.errors import InputError
from hype.tables.table_files import LARGEST_BYTES, as_utf8, read_text_table

TEXT = "id,naïve\n1,é\n"


@pytest.mark.parametrize(
    "data",
    [
        *(TEXT.encode(encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16")),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
    ],
)
def test_encodings_that_tell_themselves_apart(data):
    assert as_utf8(Path("table.csv"), data).decode() == TEXT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,n\n1,2\n1,é\n".encode("latin-1"), r"table\.csv, row 3: is not .* 0xe9 at offset 11;"),
        ("é,n\n".encode() * 400_000 + b"\xff", "row 400001: is not UTF-8 text: byte 0xff at"),
        ("id,é"[:-1].encode() + b"\xc3", "row 1: is not UTF-8 text: byte 0xc3 at offset 3"),
        (TEXT.encode("utf-16")[:-1], r"table\.csv: begins as UTF-16 text and is none"),
        (TEXT.encode("utf-16-le"), r"table\.csv: is a binary file"),
        (b"\x89PNG\r\n\x1a\n\x00", r"table\.csv: is a binary file"),
        (b"SQLite format 3\0", r"table\.csv: is a database"),
    ],
)
def test_what_is_no_such_text(content, message):
    with pytest.raises(InputError, match=message):
        as_utf8(Path("table.csv"), content)


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: cannot be read \(No such file"):
        read_text_table(tmp_path / "none.csv")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_not_waited_for(tmp_path, make):
    make(tmp_path / "table.csv")
    with pytest.raises(InputError, match=r"table\.csv: is not a file; a table of comma-separated"):
        read_text_table(tmp_path / "table.csv")


def test_a_very_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "table.csv"
    path.touch()
    os.truncate(path, LARGEST_BYTES + 2**29)  # a hole: it takes no room on the disk
    with pytest.raises(InputError, match=r"has 1\.5 GiB, more than the 1 GiB that are read; score"):
        read_text_table(path)
