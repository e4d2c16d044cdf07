"""Files: read with one message for what is wrong, written whole or not at all; the cache.

What consists of several files is made in a folder beside its place (`aside`), on which whoever
works in it holds a lock. The system lets go of it when the program ends, however it ends, so that
what nobody holds was left by a program that was killed, and is removed by the next.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import shutil
import stat
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.system import HeldFolder, bring_to_disk, folder_for

LARGEST_TABLE_BYTES: Final = 64 << 20
"""Of a table that is read; a manifest of half a million images is smaller."""
LARGEST_IMAGE_BYTES: Final = 256 << 20
"""Of an image file; the largest image that is shown has fewer without compression."""
MOST_CELLS: Final = 10_000_000
"""Of a table that is read, missing ones too: they need memory that the file does not have."""
READABLE_BY_ALL: Final = 0o644
STATE: Final = "XDG_STATE_HOME"


def require_regular(path: Path, *, most_bytes: int) -> None:
    """Refuse what is no plain file, and could be waited for or read without end; or is too large.

    Raises InputError: it is a folder, a pipe, a socket or a device, or has more than
    ``most_bytes``.

    Raises OSError: it is not there, or may not be looked at.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InputError(path, "is not a file", "a plain one: no folder, no pipe, no device")
    if status.st_size > most_bytes:
        raise InputError(path, f"has {status.st_size:,} bytes", f"at most {most_bytes:,}")


def read_bytes(path: Path, *, most_bytes: int) -> bytes:
    """Read a plain file of at most ``most_bytes``.

    Raises InputError, OSError: as from `require_regular`.
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


def as_name(text: str) -> str:
    """Give a name without the space around it, its accents composed (NFC): as it looks."""
    return unicodedata.normalize("NFC", text.strip(" \t"))


def read_table(
    path: Path, columns: Sequence[str], *, made_by: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row of a CSV table with a header, and where it stands ("FILE line N").

    An empty or missing cell is "". Columns beyond ``columns`` are kept.

    Raises InputError: there is no such file (``made_by`` says how to make it), it is no table, it
    lacks one of ``columns``, or is larger than `LARGEST_TABLE_BYTES` or `MOST_CELLS`.
    """
    try:
        text = read_bytes(path, most_bytes=LARGEST_TABLE_BYTES).decode("utf-8-sig")
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

    Raises InputError: the folder is not there, not writable, or full. What lay at ``path`` stays.
    """
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
            file.flush()
            bring_to_disk(file.fileno())
        if not private:
            temporary.chmod(READABLE_BY_ALL)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise InputError(path, f"cannot be written: {error.strerror}") from None


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, unless it is there.

    Raises InputError: it cannot be made.
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
    folder = folder_for("cache")
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="hype-"))


@contextmanager
def forgotten_state(home: Path | None = None) -> Iterator[Path]:
    """Keep the program's state in a new folder, in ``home`` if one is given, and remove it then.

    For servers to which nobody real comes; those that this program starts have it too.
    """
    before = os.environ.get(STATE)
    with tempfile.TemporaryDirectory(prefix="hype-", dir=home, ignore_cleanup_errors=True) as own:
        os.environ[STATE] = own
        try:
            yield Path(own)
        finally:
            del os.environ[STATE]
            if before is not None:
                os.environ[STATE] = before


def compiled_folder() -> Path:
    return cache_folder() / "compiled"


PREFIX: Final = ".hype-{what}-"
DRAWN: Final = re.compile(r"[a-z0-9_]{8}")
"""What `tempfile` adds to it."""


@contextmanager
def aside(home: Path, what: str) -> Iterator[Path]:
    """Give a new folder in ``home``; what was not moved out of it is gone when the block ends.

    It can be entered by its owner only. ``what``, one word, says in its name what is being made.

    Raises OSError: it cannot be made.
    """
    prefix = PREFIX.format(what=what)
    remove_left(home, prefix)
    held = locked(home, prefix)
    try:
        yield held.path
    finally:
        shutil.rmtree(held.path, ignore_errors=True)
        held.let_go()


def remove_left(home: Path, prefix: str) -> None:
    """Remove the folders of one's own that programs left when they were killed."""
    there: list[Path] = []
    with suppress(PermissionError):  # what one may write into, one need not be allowed to list
        there = list(home.iterdir())
    for path in there:
        if path.name.startswith(prefix) and DRAWN.fullmatch(path.name, len(prefix)):
            with suppress(OSError):  # somebody works in it, or it is no folder
                remove_unless_held(path)


def remove_unless_held(folder: Path) -> None:
    """Remove a folder, if it is one's own.

    Raises OSError: somebody works in it, or the file system has no locks to tell; or it is no
    folder.
    """
    held = HeldFolder(folder)
    try:
        if held.is_own():
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        held.let_go()


def locked(home: Path, prefix: str) -> HeldFolder:
    """Make a folder and hold it. One that another took for left behind is made anew."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        with suppress(BlockingIOError, FileNotFoundError):
            held = HeldFolder(folder, needed=False)
            if held.is_there():
                return held
            held.let_go()
