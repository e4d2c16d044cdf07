"""A new folder that is there as a whole, or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import aside

ALLOWED: Final = "a folder that is new or empty"
PRIVATE: Final = 0o600


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to write into, which becomes ``folder`` when the block ends.

    It lies beside ``folder`` until then, and is gone if the block fails (see `hype.files`). It can
    be entered by its owner only.

    Raises
    ------
    InputError
        ``folder`` is there and is not empty, or cannot be made, or what is written does not fit.
    """
    target = require_new(folder)
    home = next(parent for parent in target.parents if parent.is_dir())
    try:
        with aside(home, "export") as temporary:
            yield temporary
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.replace(target)
    except OSError as error:
        raise not_made(folder, error) from None


def require_new(folder: Path) -> Path:
    """Refuse a folder with anything in it; gives where it is, links followed."""
    try:
        target = folder.resolve()
        if target.exists() and not target.is_dir():
            raise InputError(folder, "is not a folder", ALLOWED)
        if target.is_dir() and any(target.iterdir()):
            raise InputError(folder, "is not empty", ALLOWED)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise InputError(folder, f"cannot be looked at: {error}", ALLOWED) from None
    return target


def not_made(folder: Path, error: OSError) -> InputError:
    return InputError(folder, f"cannot be written: {error.strerror}", ALLOWED)


def write_chunks(path: Path, chunks: Iterable[str]) -> None:
    """Write text to the end of a file, which is made if need be, and the folders that lead to it.

    Its owner alone can read it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
    with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
        file.writelines(chunks)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a new file that its owner alone can read, with the folders that lead to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    with os.fdopen(number, "wb") as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Write a new text file, in UTF-8."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: object) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
