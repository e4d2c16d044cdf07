"""Who has which code: one table outside of the study, of people whom a platform or a link sent.

Records, exports and reports hold codes alone. Paying needs the person behind a code.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Final

from hype.confine import followed
from hype.errors import InputError
from hype.files import read_table, write_bytes
from hype.system import lock, open_file

COLUMNS: Final = ("code", "person", "assignment", "submit_to")
LETTERS: Final = "bcdfghjkmnpqrstvwxz"
"""Without vowels, so that no word is drawn; without l, which looks like 1."""
LENGTH: Final = 10  # so that no two of a million people draw the same by chance

Rows = dict[str, dict[str, str]]  # by their codes


def code_of(
    file: Path,
    person: str,
    facts: Mapping[str, str] | None = None,
    others: Iterable[Path] = (),
) -> str:
    """Give a person's code: that of the last time, or a new one. ``facts`` are kept beside it.

    Who has a code in one of ``others``, the files of other studies, has the same one here.

    Raises InputError: the file is none, cannot be written, or lies in a study.
    """
    with _locked(file):
        rows = _read(file) if file.exists() else {}
        files = chain((rows,), (_read(other) for other in others if other.exists()))
        known = (row for of_file in files for row in of_file.values() if row["person"] == person)
        drawn = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        code = next((row["code"] for row in known), drawn)
        row = {**rows.get(code, {"code": code, "person": person}), **(facts or {})}
        if row != rows.get(code):
            _write(file, rows | {code: row})
        return code


def people_in(file: Path) -> Rows:
    """Read who has which code.

    Raises InputError: the file is missing or none, or lies in a study.
    """
    refuse_in_study(file)
    return _read(file)


def strike(file: Path, code: str) -> bool:
    """Take the line of a code out of the file; says whether there was one."""
    with _locked(file):
        rows = _read(file)
        if code not in rows:
            return False
        _write(file, {other: row for other, row in rows.items() if other != code})
        return True


def refuse_in_study(file: Path) -> None:
    """Refuse a file in a study's folder, which is handed on with all that is in it."""
    for folder in followed(file).parents:
        if (folder / "study.toml").exists():
            problem = f"would lie in a study ({folder}), which is handed on"
            raise InputError(file, problem, "another folder, such as your home folder")


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Be the only one who reads and writes a file: others wait."""
    refuse_in_study(file)
    try:
        held = open_file(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise InputError(file, f"cannot be written: {error.strerror}") from None
    try:
        lock(held, wait=True)
        yield
    finally:
        os.close(held)


def _read(file: Path) -> Rows:
    rows = read_table(file, COLUMNS[:2], made_by="hype serve")
    return {row["code"]: row for _, row in rows}


def _write(file: Path, rows: Rows) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows.values())
    write_bytes(file, text.getvalue().encode())
