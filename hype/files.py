"""Reading tables with one message for what is wrong, writing files all or nothing, the cache."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from hype.errors import InputError


def read_table(
    path: Path, columns: Sequence[str], *, made_by: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row of a CSV table with a header, and where it stands ("FILE line N").

    An empty or missing cell is "". Columns beyond ``columns`` are kept.

    Raises
    ------
    InputError
        There is no such file (``made_by`` says how to make it), it is no table, or it lacks one
        of ``columns``.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, restval="")
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                problem = f"has no column {', '.join(missing)}"
                raise InputError(path, problem, f"needs {', '.join(columns)}")
            for row in reader:
                yield f"{path} line {reader.line_num}", row
    except FileNotFoundError:
        raise InputError(path, "there is no such file", f"make it with: {made_by}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(path, f"cannot be read as a table: {error}") from None


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content`` to a temporary file beside ``path`` and let it take its place.

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
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise InputError(path, f"cannot be written: {error.strerror}") from None


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write a CSV table with a header, in UTF-8 and with LF line ends, all or nothing."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_bytes(path, text.getvalue().encode())


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
    """Give where machine code is kept that was compiled for this machine."""
    return cache_folder() / "compiled"
