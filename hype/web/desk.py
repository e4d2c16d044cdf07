"""What a study's server stores outside the record: its key, its doors' state, and people's codes.

If the record is a file, one program serves it and keeps these data in the user's own files. If
the record is in PostgreSQL, several programs may serve it; they keep the data in the tables
``server`` and ``people`` of the same database.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, delete, insert, select, update

from hype.errors import InputError
from hype.files import follow_links, make_folder, read_bytes, read_table, write_bytes
from hype.store import postgres
from hype.store.postgres import is_postgres, lock_until_commit
from hype.store.record import failures_explained, record_of, transaction
from hype.study.studies import STUDY_FILE, AnyStudy
from hype.system import folder_for, lock, open_file
from hype.web.tokens import KEY_BYTES, NAME_BYTES, ServerKey

COLUMNS: Final = ("code", "person", "assignment", "submit_to")
LETTERS: Final = "bcdfghjkmnpqrstvwxz"
"""No vowels, so that no words occur; no l, which looks like 1."""
LENGTH: Final = 10  # with 100,000 people, two equal codes have a probability of 0.1 %

Rows = dict[str, dict[str, str]]  # by code


def key_file(study: Path) -> Path:
    """Return the file of a server's key: outside the study, since studies are shared."""
    return (
        folder_for("state")
        / "serve"
        / hashlib.sha256(str(study.resolve()).encode()).hexdigest()[:32]
    )


def draw_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def code_in(files: Iterable[Path], person: str) -> str | None:
    """Find the code of a person in files of people; files that do not exist are skipped."""
    for file in files:
        for row in _read(file).values() if file.exists() else ():
            if row["person"] == person:
                return row["code"]
    return None


@dataclass(frozen=True, slots=True)
class FileDesk:
    """A desk in this user's files: the key, two files with its name, and the file of people."""

    key_path: Path
    people_path: Path

    @classmethod
    def of(cls, study: AnyStudy, people: Path | None = None) -> FileDesk:
        """Return the desk of a study.

        Raises InputError: the file of people is in a study's folder.
        """
        key = key_file(study.folder)
        if people:
            refuse_in_study(people)
        return cls(key, people.absolute() if people else key.with_suffix(".csv"))

    @property
    def where(self) -> str:
        return str(self.people_path)

    @property
    def _links(self) -> Path:
        return self.key_path.with_suffix(".links")

    @property
    def _sign(self) -> Path:
        """The file that exists while the doors are closed."""
        return self.key_path.with_suffix(".closed")

    def key(self) -> ServerKey:
        """Read the server's key; make it if there is none.

        Raises InputError: the file cannot be read or written, or is not a key.
        """
        path = self.key_path
        make_folder(path.parent)
        try:
            file = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            secret = read_bytes(path, most_bytes=KEY_BYTES + 1)
            if len(secret) != KEY_BYTES:
                problem = f"is not a server's key of {KEY_BYTES} bytes"
                raise InputError(path, problem, "delete the file; hype makes a new key") from None
            links = self._links
            drawn = read_bytes(links, most_bytes=KEY_BYTES) if links.exists() else b""
            return ServerKey(secret, drawn.hex())
        except OSError as error:
            raise InputError(path, f"cannot be written: {error.strerror}") from None
        with os.fdopen(file, "wb") as key:
            key.write(secret := secrets.token_bytes(KEY_BYTES))
        return ServerKey(secret)

    def renew_links(self) -> None:
        """Draw new addresses for experimenter, checkers and owners; the old ones stop working."""
        make_folder(self.key_path.parent)
        write_bytes(self._links, secrets.token_bytes(NAME_BYTES))

    def closing_time(self) -> float | None:
        """Return when the doors were closed; None while they are open."""
        try:
            return self._sign.stat().st_mtime
        except OSError:
            return None

    def set_doors(self, *, is_open: bool) -> None:
        """Let newcomers in, or keep them out; people who have started continue.

        Raises InputError: the file cannot be made or removed.
        """
        sign = self._sign
        make_folder(sign.parent)
        try:
            sign.unlink(missing_ok=True) if is_open else sign.touch()
        except OSError as error:
            raise InputError(sign, f"cannot be changed: {error.strerror}") from None

    def code_of(
        self,
        person: str,
        facts: Mapping[str, str] | None = None,
        others: Iterable[Path] = (),
        new: str = "",
    ) -> str:
        """Return a person's code, and store ``facts`` with it.

        It is the person's earlier code, in this file or one of ``others`` (files of other studies).
        A new person gets the code ``new`` or, if this is empty, a random code.
        Raises InputError: the file is not a file of people, cannot be written, or is in a study.
        """
        file = self.people_path
        with _lock(file):
            rows = _read(file) if file.exists() else {}
            code = code_in((file, *others), person) or new or draw_code()
            row = {**rows.get(code, {"code": code, "person": person}), **(facts or {})}
            if row != rows.get(code):
                _write(file, rows | {code: row})
            return code

    def row_of(self, code: str) -> Mapping[str, str]:
        """Return the row of the person with a code; empty if there is none."""
        return self.people().get(code, {}) if self.people_path.exists() else {}

    def people(self) -> Rows:
        return people_in(self.people_path)

    def strike(self, code: str) -> bool:
        """Remove the person with a code; return whether there was one."""
        with _lock(self.people_path):
            rows = _read(self.people_path)
            if code not in rows:
                return False
            others = {other: row for other, row in rows.items() if other != code}
            _write(self.people_path, others)
            return True


def people_in(file: Path) -> Rows:
    """Read which person has which code.

    Raises InputError: the file is missing or not a file of people, or is in a study's folder.
    """
    refuse_in_study(file)
    return _read(file)


def refuse_in_study(file: Path) -> None:
    """Refuse a file in a study's folder, since studies are shared with all their files."""
    for folder in follow_links(file).parents:
        if (folder / STUDY_FILE).exists():
            problem = f"would be in a study ({folder}), and studies are shared with all files"
            raise InputError(file, problem, "another folder, such as your home folder")


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Lock a file of people: `hype forget` may change it while the server runs."""
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


@dataclass(frozen=True, slots=True)
class TableDesk:
    """A desk in the tables ``server`` and ``people`` of a record in PostgreSQL.

    All methods raise StoreAway or SessionProblem if the database does not answer or gives an error.
    """

    engine: Engine

    @property
    def where(self) -> str:
        return f"the table people of {postgres.hide_password(self.engine.url)}"

    def key(self) -> ServerKey:
        row = self._server()
        return ServerKey(bytes.fromhex(row.key), row.links or "")

    def renew_links(self) -> None:
        self._change(links=secrets.token_hex(NAME_BYTES))

    def closing_time(self) -> float | None:
        closed: float | None = self._server().closed_unix_s
        return closed

    def set_doors(self, *, is_open: bool) -> None:
        self._change(closed_unix_s=None if is_open else time.time())

    def _server(self) -> Any:
        with failures_explained(self.engine), self.engine.connect() as connection:
            return connection.execute(select(postgres.server)).one()

    def _change(self, **cells: object) -> None:
        with transaction(self.engine) as connection:
            connection.execute(update(postgres.server).values(**cells))

    def code_of(
        self,
        person: str,
        facts: Mapping[str, str] | None = None,
        others: Iterable[Path] = (),
        new: str = "",
    ) -> str:
        table = postgres.people
        with transaction(self.engine) as connection:
            lock_until_commit(connection, table.name)
            known = select(table.c.code).where(table.c.person == person)
            if code := connection.execute(known).scalar():
                if facts:
                    change = update(table).where(table.c.code == code)
                    connection.execute(change.values(**facts))
                return str(code)
            code = code_in(others, person) or new or draw_code()
            connection.execute(insert(table).values(code=code, person=person, **(facts or {})))
            return code

    def row_of(self, code: str) -> Mapping[str, str]:
        return self._rows(code).get(code, {})

    def people(self) -> Rows:
        return self._rows()

    def _rows(self, *codes: str) -> Rows:
        table = postgres.people
        query = select(table).where(table.c.code.in_(codes)) if codes else select(table)
        with failures_explained(self.engine), self.engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return {row["code"]: {name: row[name] or "" for name in COLUMNS} for row in rows}

    def strike(self, code: str) -> bool:
        table = postgres.people
        with transaction(self.engine) as connection:
            return bool(connection.execute(delete(table).where(table.c.code == code)).rowcount)


Desk = FileDesk | TableDesk


def desk_of(study: AnyStudy, engine: Engine, people: Path | None = None) -> Desk:
    """Return the desk of a study whose record is open; ``people``: the file of people, if chosen.

    Raises InputError: a file of people is given although the database has a table of people; or the
    file is in a study's folder.
    """
    if not is_postgres(engine):
        return FileDesk.of(study, people)
    if people:
        problem = "the store's table “people” contains the code of each person"
        raise InputError("--key", problem, "leave out --key if you use --store")
    return TableDesk(engine)


@contextmanager
def open_desk(study: AnyStudy, people: Path | None = None) -> Iterator[Desk]:
    """Open the desk of a study, whether or not its record is open.

    Raises InputError, SessionProblem: see `desk_of`; or the database cannot be reached.
    """
    if not study.store:
        yield FileDesk.of(study, people)
        return
    with record_of(study).writing() as engine:
        yield desk_of(study, engine, people)


def people_known(study: AnyStudy, file: Path | None) -> Rows:
    """List each person's code, from a file of people or from the database.

    Raises InputError: the file is missing or not a file of people, a file is given although there
    is a database, or the database cannot be reached.
    """
    with open_desk(study, file) as desk:
        return desk.people()
