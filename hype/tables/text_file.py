"""The bytes of a file of text, in UTF-8 whatever it was in, or why it is none."""

from __future__ import annotations

import codecs
import stat
from typing import TYPE_CHECKING

from hype.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_BYTES = 2**30
"""A table takes several times its size in memory, and a machine that swaps seems to hang."""

_WANTED = "a table of comma-separated text in UTF-8"
_CHUNK_BYTES = 2**20
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FORMATS = {
    b"\x1f\x8b": ("is compressed (gzip)", "decompress it first"),
    b"PK\x03\x04": ("is a ZIP archive or a spreadsheet", "save the table as CSV"),
    b"PAR1": ("is a Parquet file", "a name that ends in .parquet"),
}


def read_utf8(path: Path) -> bytes:
    """Read a text file as UTF-8, without a byte-order mark.

    Parameters
    ----------
    path
        A file in UTF-8, with or without a byte-order mark, or in UTF-16 with one, of
        `LARGEST_BYTES` at most.

    Raises
    ------
    InputError
        The file cannot be read, is larger, is in another encoding (the message names the first
        row that shows it), or is no text.
    """
    data = read_file(path)
    for start, (problem, hint) in _FORMATS.items():
        if data.startswith(start):
            raise InputError(path, problem, hint)
    if data.startswith(_UTF_16):
        data = _from_utf_16(path, data)
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\0" in data:
        raise InputError(path, "is a binary file", _WANTED)
    if not data.isascii():
        _refuse_other_encodings(path, data)
    return data


def read_file(path: Path) -> bytes:
    """Read a file of `LARGEST_BYTES` at most, whatever it holds.

    Raises
    ------
    InputError
        It cannot be read, is larger, or is no file.
    """
    try:
        found = path.stat()
        if found.st_size > LARGEST_BYTES:
            problem = f"has {found.st_size / 2**30:.1f} GiB, more than the"
            hint = "score each condition's rows alone, or read them with pandas in Python"
            raise InputError(path, f"{problem} {LARGEST_BYTES / 2**30:.0f} GiB that are read", hint)
        if not stat.S_ISREG(found.st_mode):  # a pipe is waited for, a device may never end
            raise InputError(path, "is not a file", _WANTED)
        data = path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror})") from None
    return data


def _from_utf_16(path: Path, data: bytes) -> bytes:
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError:
        raise InputError(path, "begins as UTF-16 text and is none", _WANTED) from None


def _refuse_other_encodings(path: Path, data: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK_BYTES):
        chunk = data[start : start + _CHUNK_BYTES]
        try:
            decoder.decode(chunk, final=start + len(chunk) == len(data))
        except UnicodeDecodeError as error:
            kept = len(error.object) - len(chunk)  # a character begun in the chunk before
            _refuse_byte(path, data, start - kept + error.start)


def _refuse_byte(path: Path, data: bytes, place: int) -> None:
    row = data.count(b"\n", 0, place) + 1
    problem = f"is not UTF-8 text: byte 0x{data[place]:02x} at offset {place}"
    raise InputError(f"{path}, row {row}", problem, "save the table as UTF-8")
