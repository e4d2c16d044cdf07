"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hype.errors import InputError


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
