"""A lab's key file: a table that says which person has which pseudonym.

A lab that needs to know keeps one outside its studies; records, exports and reports never see it.
Pseudonyms are drawn, and tell nothing of the person. Two stations may share a file.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from hype.confine import followed, shortened
from hype.errors import InputError
from hype.files import read_bytes, require_regular, write_bytes
from hype.system import lock, lock_file, make_owners_alone, open_file

COLUMNS: Final = ("pseudonym", "person", "made_utc")
ENCODING: Final = "utf-8-sig"
"""With a mark at the beginning, without which spreadsheets garble names."""
LARGEST_KEY_BYTES: Final = 16 << 20
LETTERS: Final = "bcdfghjkmnpqrstvwxz"
"""Without vowels, so that no word is drawn; without l, which looks like 1."""
DIGITS: Final = "23456789"
"""Without 0 and 1, which look like letters."""
LENGTH: Final = 6
LONGEST_NAME: Final = 200
FORMULA: Final = tuple("=+-@")
"""What a cell begins with that a spreadsheet takes for a formula."""
SHARED: Final = {"study.toml": "a study", ".git": "a git work tree"}
"""What makes a folder one that is handed on, and the names in it with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEntry:
    """A person's pseudonym, and when it was made; ``new`` if that was just now."""

    pseudonym: str
    made_utc: str
    new: bool


@dataclass(slots=True, kw_only=True)
class KeyTable:
    """The rows of a key file, with columns of the lab's own."""

    columns: tuple[str, ...] = COLUMNS
    rows: list[dict[str, str]] = field(default_factory=list)


def pseudonym_of(key: Path, person: str, facts: Mapping[str, str] | None = None) -> KeyEntry:
    """Give a person's pseudonym, drawing one where the key file has none for them.

    Names are compared without regard to case and spacing. A file that is not there is made.
    ``facts`` are kept beside the name, in columns of theirs, in the place of earlier ones.

    Raises InputError: the name cannot be kept, or the file is none, cannot be written, or lies in a
    folder that is handed on.
    """
    check_person(person)
    check_place(key)
    with locked(key, make=True) as file:
        table = read_key(file)
        row = row_of(table, person)
        before, new = dict(row), not row["pseudonym"]
        if new:
            row["pseudonym"] = draw({other["pseudonym"] for other in table.rows})
            row["made_utc"] = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        row.update(facts or {})
        if row != before:
            table.columns = tuple(dict.fromkeys((*table.columns, *row)))
            write_key(file, table)
        return KeyEntry(pseudonym=row["pseudonym"], made_utc=row["made_utc"], new=new)


def people_in(key: Path) -> dict[str, dict[str, str]]:
    """Give the rows of a key file by their pseudonyms.

    Raises InputError: the file is none, cannot be read, or lies in a folder that is handed on.
    """
    check_place(key)
    with locked(key, make=False) as file:
        return {row["pseudonym"]: row for row in read_key(file).rows if row["pseudonym"]}


def person_of(key: Path, pseudonym: str) -> dict[str, str] | None:
    """Give the row of a pseudonym; None where the key file has none. Raises as `people_in`."""
    return people_in(key).get(pseudonym)


def strike(key: Path, pseudonym: str) -> bool:
    """Take the line of a pseudonym out of the key file; says whether there was one.

    Raises InputError: the file is none, cannot be written, or lies in a folder that is handed on.
    """
    check_place(key)
    with locked(key, make=False) as file:
        table = read_key(file)
        rows_left = [row for row in table.rows if row["pseudonym"] != pseudonym]
        if len(rows_left) == len(table.rows):
            return False
        write_key(file, KeyTable(columns=table.columns, rows=rows_left))
        return True


def check_key(key: Path) -> None:
    check_place(key)
    with locked(key, make=False) as file:
        read_key(file)


def check_person(person: str) -> None:
    """Refuse a name that a table could not hold, or that a spreadsheet would calculate."""
    name = person.strip()
    if not name or len(name) > LONGEST_NAME:
        problem, allowed = f"has {len(name)} characters", f"a name of 1 to {LONGEST_NAME}"
    elif any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        problem, allowed = f"{shortened(name)} holds a control character", "a name on one line"
    elif name.startswith(FORMULA):
        problem = f"{shortened(name)} begins as a formula of a spreadsheet does"
        allowed = f"a name without any of {' '.join(FORMULA)} before it"
    else:
        return
    raise InputError("--person", problem, allowed)


def check_place(key: Path) -> None:
    """Refuse a key file in a folder that is handed on with all that is in it."""
    path = followed(key)
    for folder in path.parents:
        for name, what in SHARED.items():
            if os.path.lexists(folder / name):
                raise InputError(
                    key,
                    f"would lie in {what} ({folder}), which is handed on",
                    "keep the names elsewhere, such as in your home folder",
                )


@contextmanager
def locked(key: Path, *, make: bool) -> Iterator[Path]:
    """Be the only one who uses a key file, which from then on is its owner's alone to read.

    Yields the file itself, where ``key`` is a link.

    Raises InputError: it cannot be opened for writing.
    """
    path = followed(key)
    try:
        file = alone_with(path, make=make)
    except OSError as error:
        raise InputError(key, f"cannot be opened: {error.strerror}") from None
    try:
        yield path
    finally:
        os.close(file)


def alone_with(path: Path, *, make: bool) -> int:
    """Wait for the lock of a file that others replace; returns the descriptor that holds it."""
    if path.exists():
        require_regular(path, most_bytes=LARGEST_KEY_BYTES)
    flags = os.O_RDWR | (os.O_CREAT if make else 0)
    guard = lock_file(path)
    if guard != path:
        os.close(open_file(path, flags))
        flags |= os.O_CREAT
    while True:
        file = open_file(guard, flags)
        try:
            lock(file, wait=True)
            if os.path.samestat(guard.stat(), os.fstat(file)):
                make_owners_alone(file)
                return file
        except FileNotFoundError:
            pass  # taken away meanwhile
        except OSError:
            os.close(file)
            raise
        os.close(file)


def read_key(path: Path) -> KeyTable:
    """Read a key file; an empty one is a table without rows.

    Raises InputError: it is no table, or lacks a column.
    """
    try:
        text = read_bytes(path, most_bytes=LARGEST_KEY_BYTES).decode(ENCODING)
        return parse_key(path, text) if text else KeyTable()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(path, f"cannot be read as a key file: {error}") from None


def parse_key(path: Path, text: str) -> KeyTable:
    reader = csv.DictReader(io.StringIO(text, newline=""), restval="", strict=True)
    columns = tuple(reader.fieldnames or ())
    if len(set(columns)) < len(columns) or not set(COLUMNS) <= set(columns):
        problem = f"is no key file: its columns are {shortened(', '.join(columns))}"
        raise InputError(path, problem, f"{', '.join(COLUMNS)}, and others, with commas between")
    table = KeyTable(columns=columns)
    for row in reader:
        where = f"{path} line {reader.line_num}"
        if None in row:
            raise InputError(where, f"has more than {len(columns)} cells")
        if not row["pseudonym"].isprintable():
            raise InputError(where, f"pseudonym {shortened(row['pseudonym'])} cannot be printed")
        table.rows.append(row)
    return table


def write_key(path: Path, table: KeyTable) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, table.columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows)
    write_bytes(path, text.getvalue().encode(ENCODING))


def row_of(table: KeyTable, person: str) -> dict[str, str]:
    for row in table.rows:
        if same_person(row, person):
            return row
    row = dict.fromkeys(table.columns, "") | {"person": " ".join(person.split())}
    table.rows.append(row)
    return row


def same_person(row: Mapping[str, str], person: str) -> bool:
    return plain_name(row["person"]) == plain_name(person)


def plain_name(person: str) -> str:
    """Give a name without regard to case, to spacing, and to how its accents are encoded."""
    return " ".join(unicodedata.normalize("NFKC", person).split()).casefold()


def draw(taken: Collection[str]) -> str:
    """Draw a pseudonym that nobody has; it begins with a letter, and is no number to anybody."""
    while True:
        rest = (secrets.choice(LETTERS + DIGITS) for _ in range(LENGTH - 1))
        pseudonym = secrets.choice(LETTERS) + "".join(rest)
        if pseudonym not in taken:
            return pseudonym
