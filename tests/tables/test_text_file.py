import gzip
import os
import zipfile
from pathlib import Path

import pytest

from hype.errors import InputError
from hype.tables.formats import read_table
from hype.tables.table_files import LARGEST_BYTES, decode_utf8, read_text_table

TEXT = "id,naïve\n1,é\n"


@pytest.mark.parametrize(
    "data",
    [
        *(TEXT.encode(encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16")),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
    ],
)
def test_encodings_that_tell_themselves_apart(data):
    assert decode_utf8(Path("table.csv"), data).decode() == TEXT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,n\n1,2\n1,é\n".encode("latin-1"), r"table\.csv, row 3: is not .* 0xe9 at offset 11;"),
        ("é,n\n".encode() * 400_000 + b"\xff", "row 400001: is not UTF-8 text: byte 0xff at"),
        ("id,é"[:-1].encode() + b"\xc3", "row 1: is not UTF-8 text: byte 0xc3 at offset 3"),
        (TEXT.encode("utf-16")[:-1], r"table\.csv: starts like UTF-16 text, but is not"),
        (TEXT.encode("utf-16-le"), r"table\.csv: is a binary file"),
        (b"\x89PNG\r\n\x1a\n\x00", r"table\.csv: is a binary file"),
    ],
)
def test_what_is_no_such_text(content, message):
    with pytest.raises(InputError, match=message):
        decode_utf8(Path("table.csv"), content)


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: cannot be read \(No such file"):
        read_text_table(tmp_path / "none.csv")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_not_waited_for(tmp_path, make):
    make(tmp_path / "table.csv")
    with pytest.raises(InputError, match=r"table\.csv: is not a file; a plain file"):
        read_text_table(tmp_path / "table.csv")


def test_a_very_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "table.csv"
    path.touch()
    os.truncate(path, LARGEST_BYTES + 2**29)  # sparse: it needs no space
    with pytest.raises(InputError, match=r"has 1,610,612,736 bytes; at most 1,073,741,824"):
        read_text_table(path)


@pytest.mark.parametrize(
    ("data", "way"),
    [
        (b"$FL2@(#) SPSS DATA FILE", r"pip install pyreadstat; python -c .*read_spss\('t'\)"),
        (b"<stata_dta><header>", r"python -c .*read_stata\('t'\)\.to_csv\('t\.csv'"),
        (b"ARROW1\0\0", r"python -c .*read_feather\('t'\)"),
        (gzip.compress(b"RDX3\nX\n\0", mtime=0), r"in R: load\('t'\)"),
        (gzip.compress(b"X\n\0\0\0\3", mtime=0), r"in R: write\.csv\(readRDS\('t'\)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "save it as .xlsx or CSV"),
        (b"\n<!DOCTYPE html>\n<html>", "the table itself, not the web page"),
        (b"<table><tr><td>evaluator", "the table itself, not the web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "the file itself, .*: git lfs pull"),
        (b"SQLite format 3\0", "give the study's folder"),
        (b"%PDF-1.7", "a table, not a document"),
        (b"\x89PNG\r\n\x1a\n", "a table, not a picture"),
        (b"\xff\xd8\xff\xe0", "a table, not a picture"),
        (b"{\\rtf1", "save it as .xlsx or CSV"),
        (b"BZh91AY&SY", "bunzip2 't'"),
        (b"\xfd7zXZ\0", "unxz 't'"),
        (b"7z\xbc\xaf\x27\x1c", "unpack it"),
    ],
)
def test_other_formats_are_refused_with_the_way_to_convert_them(tmp_path, data, way):
    (tmp_path / "t").write_bytes(data)
    with pytest.raises(InputError, match=f"has a format that cannot be read; {way}"):
        read_table(tmp_path / "t")


def test_archives_that_are_no_packed_table(tmp_path):
    for names, said in (
        (("a.csv", "b.csv"), r"contains 2 files: a\.csv, b\.csv; one table; unpack it"),
        (("mimetype", "content.xml"), "has a format that cannot be read; save it as .xlsx or CSV"),
        (("word/document.xml", "[Content_Types].xml"), "cannot be read; save it as .xlsx or CSV"),
    ):
        with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
            for name in names:
                archive.writestr(name, "x")
        with pytest.raises(InputError, match=said):
            read_table(tmp_path / "t.zip")
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a.csv", "x")
    locked = bytearray((tmp_path / "t.zip").read_bytes())
    locked[6] |= 1
    locked[locked.index(b"PK\1\2") + 8] |= 1  # mark as encrypted in both headers
    (tmp_path / "t.zip").write_bytes(locked)
    with pytest.raises(InputError, match=r"t\.zip: is locked with a password; unpack it"):
        read_table(tmp_path / "t.zip")
    whole = (tmp_path / "t.zip").read_bytes()
    (tmp_path / "t.zip").write_bytes(whole[:50])
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_table(tmp_path / "t.zip")


def test_json_that_holds_no_rows(tmp_path):
    for text in ("42", "[]", "{}", "[1, 2]"):
        (tmp_path / "t.json").write_text(text)
        with pytest.raises(InputError, match="is not a list of objects"):
            read_table(tmp_path / "t.json")
