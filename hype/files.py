"""Reading files with one message for what is wrong, writing them all or nothing, the cache."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from hype.errors import InputError

LARGEST_TABLE_BYTES: Final = 64 << 20
"""Of a table that is read; a manifest of half a million images is smaller."""
LARGEST_IMAGE_BYTES: Final = 256 << 20
"""Of an image file; the largest image that is shown has fewer without compression."""
MOST_CELLS: Final = 10_000_000
"""Of a table that is read, missing ones too: they need memory that the file does not have."""
READABLE_BY_ALL: Final = 0o644


def require_regular(path: Path, *, most_bytes: int) -> None:
    """Refuse what is no plain file, and could be waited for or read without end; or is too large.

    Raises
    ------
    InputError
        It is a folder, a pipe, a socket or a device, or has more than ``most_bytes``.
    OSError
        It is not there, or may not be looked at.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise InputError(path, "is not a file", "a plain one: no folder, no pipe, no device")
    if found.st_size > most_bytes:
        raise InputError(path, f"has {found.st_size:,} bytes", f"at most {most_bytes:,}")


def read_bytes(path: Path, *, most_bytes: int) -> bytes:
    """Read a plain file of at most ``most_bytes``.

    Raises
    ------
    InputError, OSError
        As from `require_regular`.
    """
    require_regular(path, most_bytes=most_bytes)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(size + 1)  # not more at first: it takes that much memory
        if len(content) > size:
            content += file.read(most_bytes - size)
    if len(content) > most_bytes:
        raise InputError(path, "grows while it is read", f"at most {most_bytes:,} bytes")
    return content


def read_table(
    path: Path, columns: Sequence[str], *, made_by: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row of a CSV table with a header, and where it stands ("FILE line N").

    An empty or missing cell is "". Columns beyond ``columns`` are kept.

    Raises
    ------
    InputError
        There is no such file (``made_by`` says how to make it), it is no table, it lacks one of
        ``columns``, or is larger than `LARGEST_TABLE_BYTES` or `MOST_CELLS`.
    """
    try:
        text = read_bytes(path, most_bytes=LARGEST_TABLE_BYTES).decode("utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            problem = f"has no column {', '.join(missing)}"
            raise InputError(path, problem, f"needs {', '.join(columns)}")
        for number, row in enumerate(reader, start=1):
            if number * len(reader.fieldnames or ()) > MOST_CELLS:
                raise InputError(path, f"has more than {MOST_CELLS:,} cells", "rows x columns")
            yield f"{path} line {reader.line_num}", row
    except FileNotFoundError:
        raise InputError(path, "there is no such file", f"make it with: {made_by}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(path, f"cannot be read as a table: {error}") from None


def write_bytes(path: Path, content: bytes, *, private: bool = True) -> None:
    """Write ``content`` to a temporary file beside ``path`` and let it take its place.

    A private file, as one with people's data must be, can be read by its owner only, and by nobody
    else while it is written. One that is not, such as a stimulus, can be read by all.

    Raises
    ------
    InputError
        The folder is not there, not writable, or full. What lay at ``path`` stays.
    """
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not private:
            temporary.chmod(READABLE_BY_ALL)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise InputError(path, f"cannot be written: {error.strerror}") from None


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, unless it is there.

    Raises
    ------
    InputError
        It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def write_table(
    path: Path,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    *,
    private: bool = True,
) -> None:
    """Write a CSV table with a header, in UTF-8 and with LF line ends, as `write_bytes` does."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_bytes(path, text.getvalue().encode(), private=private)


@cache
def cache_folder() -> Path:
    """Give the program's folder in the user's cache, or a temporary one if that is read-only."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "hype"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="hype-"))


def compiled_folder() -> Path:
    return cache_folder() / "compiled"
