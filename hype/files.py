"""Read and write files; a file is written completely or not at all.

If a file cannot be read, the message names the file and the reason.

Several files that belong together are made in a temporary folder (`aside`), which the program locks
while it works there. When the program ends, even if it is killed, the system releases the lock. So
a folder without a lock was left by a killed program, and the next program removes it.

Study files, manifests and images may come from anyone. So a path that leads out of its folder,
directly or through a link, is refused, except into the folders that this machine allows.

In tables for spreadsheets, text that other programs would misread is marked as text (`guard`).
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from hype.errors import InputError
from hype.system import HeldFolder, bring_to_disk, could_be_named, folder_for

if sys.version_info >= (3, 11):
    import tomllib as tomllib  # noqa: PLC0414 (imported from here)
else:
    import tomli as tomllib  # noqa: F401 (imported from here)

LARGEST_TABLE_BYTES: Final = 64 << 20
"""A larger table is refused; a manifest of half a million images is smaller than this."""
LARGEST_IMAGE_BYTES: Final = 256 << 20
"""A larger image file is refused; every image that can be shown is smaller, even uncompressed."""
MOST_CELLS: Final = 10_000_000
"""A table with more cells is refused; missing cells also count, since they need memory."""
READABLE_BY_ALL: Final = 0o644
STATE: Final = "XDG_STATE_HOME"


def require_regular(path: Path, *, most_bytes: int) -> None:
    """Refuse files that are too large, and pipes or devices, since reading them might never end.

    Raises InputError: the path is a folder, a pipe, a socket or a device, or the file has more than
    ``most_bytes``.

    Raises OSError: the file is missing, or its properties cannot be read.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InputError(path, "is not a file", "a plain file: no folder, no pipe, no device")
    if status.st_size > most_bytes:
        raise InputError(path, f"has {status.st_size:,} bytes", f"at most {most_bytes:,}")


def read_bytes(path: Path, *, most_bytes: int) -> bytes:
    """Read a plain file of at most ``most_bytes``.

    Raises InputError, OSError: as in `require_regular`.
    """
    require_regular(path, most_bytes=most_bytes)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(size + 1)  # read(most_bytes) would reserve most_bytes of memory
        if len(content) > size:
            content += file.read(most_bytes - size)
    if len(content) > most_bytes:
        raise InputError(path, "grows while it is read", f"at most {most_bytes:,} bytes")
    return content


def normalise_name(text: str) -> str:
    """Return a name without spaces around it, in the Unicode form NFC."""
    return unicodedata.normalize("NFC", text.strip(" \t"))


def read_table(
    path: Path, columns: Sequence[str], *, made_by: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row of a CSV table with a header: its place ("FILE line N"), then its cells.

    An empty or missing cell is "". Columns beyond ``columns`` are kept.

    Raises InputError: the file is missing (``made_by`` says how to make it), is not a table, lacks
    one of ``columns``, or has more than `LARGEST_TABLE_BYTES` bytes or `MOST_CELLS` cells.
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
                raise InputError(path, f"has more than {MOST_CELLS:,} cells", "a smaller table")
            yield f"{path} line {reader.line_num}", row
    except FileNotFoundError:
        raise InputError(path, "there is no such file", f"make it with: {made_by}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(path, f"cannot be read as a table: {error}") from None


def write_bytes(path: Path, content: bytes, *, private: bool = True) -> None:
    """Write ``content`` to a temporary file next to ``path``, then rename it to ``path``.

    A private file, such as one with people's data, can never be read by anyone but its owner.
    Everybody can read other files, such as stimuli.

    Raises InputError: the folder is missing, not writable, or full. After an error, a file that
    was at ``path`` is unchanged.
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
        raise InputError(path, f"cannot be written: {error.strerror}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder and the folders above it, if they are missing.

    Raises InputError: the folder cannot be made.
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
    """Return the program's folder in the user's cache; if that is read-only, a temporary folder."""
    folder = folder_for("cache")
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="hype-"))


@contextmanager
def forgotten_state(home: Path | None = None) -> Iterator[Path]:
    """Within the block, keep the program's state in a temporary folder (in ``home`` if given).

    Servers without real participants use this; programs that they start use the same folder.
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


def kernel_folder() -> Path:
    return cache_folder() / "compiled"


PREFIX: Final = ".hype-{what}-"
DRAWN: Final = re.compile(r"[a-z0-9_]{8}")
"""The random characters that `tempfile` adds to a name."""


@contextmanager
def aside(home: Path, what: str) -> Iterator[Path]:
    """Make a folder in ``home``; it is removed with all its content when the block ends.

    Only the owner can enter the folder. ``what``: a word that becomes part of the folder's name.

    Raises OSError: the folder cannot be made.
    """
    prefix = PREFIX.format(what=what)
    remove_left(home, prefix)
    held = lock_folder(home, prefix)
    try:
        yield held.path
    finally:
        shutil.rmtree(held.path, ignore_errors=True)
        held.let_go()


def remove_left(home: Path, prefix: str) -> None:
    """Remove the temporary folders of this user's killed programs."""
    there: list[Path] = []
    with suppress(PermissionError):  # the folder may be writable but not readable
        there = list(home.iterdir())
    for path in there:
        if not (path.name.startswith(prefix) and DRAWN.fullmatch(path.name, len(prefix))):
            continue
        with suppress(OSError):  # it is in use, is not a folder, or cannot be locked
            held = HeldFolder(path)
            try:
                if held.is_own():
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                held.let_go()


def lock_folder(home: Path, prefix: str) -> HeldFolder:
    """Make and lock a folder; try again if another program removed it before it was locked."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        with suppress(BlockingIOError, FileNotFoundError):
            held = HeldFolder(folder, needed=False)
            if held.is_there():
                return held
            held.let_go()


FOLDERS_VARIABLE: Final = "HYPE_FOLDERS"
"""The environment variable that lists further folders that studies may read (absolute paths)."""
STUDIES: Final = "experiments"
"""The folder of a workspace that contains its studies."""
WORKSPACE: Final = ("stimuli", "masks", STUDIES)
"""The folders of a workspace that its studies share."""
LONGEST_PATH: Final = 1024
LONGEST_NAME_BYTES: Final = 255
ELSEWHERE: Final = f"list other folders in {FOLDERS_VARIABLE} on this machine"


def check_relative(where: object, text: str) -> None:
    """Refuse a path of a manifest that may lead outside the manifest's folder.

    Raises InputError: the path is absolute or too long, or contains an empty part, ``.``, ``..``, a
    backslash or a character that cannot be printed.
    """
    if not is_plain(text) or "\\" in text or {"", ".", ".."} & set(text.split("/")):
        raise InputError(
            where, f"path {shorten(text)}", "a path inside the folder, such as real/0001.png"
        )


def is_plain(text: str) -> bool:
    """Return whether a path can be printed, and is short enough for file systems."""
    if len(text) > LONGEST_PATH or not text.isprintable():
        return False
    parts = text.split("/")
    return max(len(part.encode()) for part in parts) <= LONGEST_NAME_BYTES and all(
        could_be_named(part) for part in parts if part
    )


def inside(folder: Path, relative: str) -> Path:
    """Return the path of a file, after checking that the file is inside ``folder``.

    Links are followed; the file may be missing.

    Raises InputError: the file is neither in ``folder`` nor in a folder of ``HYPE_FOLDERS``.
    """
    path = folder / relative
    target = follow_links(path)
    home = follow_links(folder)
    if not (target.is_relative_to(home) or is_trusted(target)):
        raise InputError(
            path, f"leads out of its folder, to {target}", f"a file in the folder; {ELSEWHERE}"
        )
    return path


def check_folder(where: object, study: Path, key: str, name: str) -> None:
    """Refuse a folder that a study file names but that the study may not read.

    ``where``, ``key``: the study file, and the key in it.
    ``name``: the folder's path in the study file.

    Every path may lead into a folder of ``HYPE_FOLDERS``. A relative path may also lead into the
    study's folder and, for a study in a folder ``experiments``, into the workspace's folders
    ``stimuli``, ``masks`` and ``experiments``. Raises InputError for other paths.
    """
    if not is_plain(name):
        raise InputError(where, f"{key} = {shorten(name)}", "a path that can be printed")
    home, target = follow_links(study), follow_links(study / name)
    shared = workspace_folders(home)
    absolute = PurePosixPath(name).is_absolute()
    own = not absolute and any(target.is_relative_to(folder) for folder in (home, *shared))
    if not (own or is_trusted(target)):
        problem = "is an absolute path" if absolute else f"leads out of the study, to {target}"
        also = f", or in {', '.join(map(str, shared))}" if shared else ""
        raise InputError(
            where,
            f"{key} = {shorten(name)} {problem}",
            f"it must be a folder in the study's folder{also}; {ELSEWHERE}",
        )


def workspace_folders(home: Path) -> tuple[Path, ...]:
    """Return the folders that a study may share with other studies.

    ``home``: the study's folder, with links followed. If a shared folder is a link, the link is not
        followed.
    """
    for folder in home.parents:
        if folder.name == STUDIES:
            return tuple(folder.parent / name for name in WORKSPACE)
    return ()


def is_trusted(target: Path) -> bool:
    """Return whether a path is in a folder of ``HYPE_FOLDERS``.

    Raises InputError: a path in ``HYPE_FOLDERS`` is not absolute.
    """
    for name in filter(None, os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)):
        if not Path(name).is_absolute():
            raise InputError(
                FOLDERS_VARIABLE,
                f"{shorten(name)} is not an absolute path",
                f"absolute paths with {os.pathsep!r} between them",
            )
        if target.is_relative_to(follow_links(Path(name))):
            return True
    return False


def follow_links(path: Path) -> Path:
    """Follow all links of a path, even if its last parts do not exist.

    Raises InputError: links form a circle, or no file can have such a name.
    """
    try:
        try:
            return path.resolve(strict=True)  # Python 3.13 finds circles only if strict=True
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(path, f"cannot be followed: {error}") from None


def put_on_one_line(error: object) -> str:
    """Return another program's error message on one line."""
    text = " ".join(str(error).split())
    return text if text.isprintable() else ascii(text)


def shorten(text: str, most: int = 100) -> str:
    """Quote a text for a message, and cut a long one; characters that do not print are escaped."""
    return repr(text if len(text) <= most else f"{text[:most]}…")


MISSING_WORDS = frozenset({"NA", "<NA>", "N/A", "#N/A", "nan", "NaN", "NAN"})
"""Words that programs write for a missing value."""

NAMES_TAKEN_FOR_NOTHING = frozenset({"None", "null", "NULL", "n/a", "#NA"})
"""Words that some programs read as missing values, but that could be names."""

_WORDS = "|".join(map(re.escape, sorted(MISSING_WORDS | NAMES_TAKEN_FOR_NOTHING)))

_MISREAD = re.compile(rf"'*(?:[=+\-@\t\r]|(?:{_WORDS})\Z)")


def guard(text: str) -> str:
    return f"'{text}" if _MISREAD.match(text) else text


def unguard(text: str) -> str:
    """Remove the apostrophe that `guard` added."""
    return text[1:] if text.startswith("'") and _MISREAD.match(text) else text


def blank_missing_words(texts: Iterable[str], *, names: bool = False) -> list[str]:
    """Replace words for missing values by empty text; keep all other text.

    ``names``: whether texts can be names; if so, the words in `NAMES_TAKEN_FOR_NOTHING` are kept.
    """
    words = MISSING_WORDS if names else MISSING_WORDS | NAMES_TAKEN_FOR_NOTHING
    return ["" if text.strip() in words else text for text in texts]


def cell_value(value: object) -> object:
    """Write booleans as true and false, and mark text that programs would misread."""
    if isinstance(value, str):
        return guard(value)
    return str(value).lower() if isinstance(value, bool) else value


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV, with LF line ends; text that could be a formula is marked as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(map(cell_value, row) for row in rows)
    return text.getvalue()
