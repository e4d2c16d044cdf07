"""Whether a central store has what the records of its stations have: all of it, and nothing twice.

Both are read through the tables of `hype.store.schema`, every column of every table. Numbers of
rows are each database's own: a row is named by its evaluator's uid, when its session began and what
it is an answer to, and keeps its place among the rows of the same owner.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from postgres import HERE, STATIONS
from sqlalchemy import Connection, Row, Table, select

from hype.store.central.engine import reading_central
from hype.store.record import reading_record
from hype.store.schema import ANSWER_TABLES, TABLES, evaluators, removals, sessions

Name = tuple[object, ...]
Rows = Counter[tuple[Name, bytes]]

NUMBERS = ("id", "evaluator_id", "session_id")
"""What each database numbers by itself; an owner is compared by name."""
NOT_PUSHED = ("showing",)
NAMED_BY = {
    **dict.fromkeys((table.name for table in ANSWER_TABLES), ("task", "block", "trial")),
    "studies": ("checksum",),
    "demographics": ("question",),
    "removals": ("removed_unix_s", "uid"),
}
"""What tells rows of one owner apart; others are told apart by their place."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """How a central store differs from the records, by the names of rows; ``rows`` by table.

    What is lost is in no view, what is there twice is there more often than in the records, and of
    what is changed some cell is another.
    """

    rows: Mapping[str, int]
    lost: list[Name]
    twice: list[Name]
    changed: list[Name]

    @property
    def same(self) -> bool:
        return not (self.lost or self.twice or self.changed)

    @property
    def trials(self) -> int:
        return sum(self.rows.get(table.name, 0) for table in ANSWER_TABLES)

    def __str__(self) -> str:
        parts = {"lost": self.lost, "twice": self.twice, "changed": self.changed}
        return "; ".join(f"{len(rows)} {what} {rows[:3]}" for what, rows in parts.items() if rows)


@dataclass
class Source:
    """The rows of one database; ``labels`` say what evaluators are called in the views."""

    connection: Connection
    labels: Mapping[str, str] = field(default_factory=dict)
    gone: Collection[str] = ()

    def __post_init__(self) -> None:
        self.people = {row.id: row for row in self.of(evaluators)}
        self.uids = {number: row.uid for number, row in self.people.items()}
        self.sessions = {
            row.id: (self.uids[row.evaluator_id], row.started_unix_s) for row in self.of(sessions)
        }

    def of(self, table: Table) -> list[Row[Any]]:
        """Read a table in its order."""
        first, *_ = table.c
        return list(self.connection.execute(select(table).order_by(first)))

    def removed(self) -> set[str]:
        """Give whose rows are to be nowhere."""
        return {row.uid for row in self.of(removals) if row.uid}

    def rows(self) -> Rows:
        """Name all rows, each with a digest of its cells."""
        return Counter(row for table in TABLES for row in self.named(table))

    def named(self, table: Table) -> Iterable[tuple[Name, bytes]]:
        """Name the rows of a table."""
        places: Counter[Name] = Counter()
        for row in self.of(table):
            cells = dict(row._mapping)
            owner = self.owner(table, cells)
            if owner and owner[0] in self.gone:
                continue
            places[owner] += 1
            unlike = [cells[name] for name in NAMED_BY.get(table.name, ())] or [places[owner]]
            place = 0 if table.name in ("studies", "removals") else places[owner]
            yield (table.name, *owner, *unlike), digest(owner, place, self.compared(table, cells))

    def owner(self, table: Table, cells: Mapping[str, Any]) -> Name:
        """Say whose a row is."""
        if table is evaluators:
            return (self.uids[cells["id"]],)
        if table is sessions:
            return self.sessions[cells["id"]]
        whose = self.sessions[cells["session_id"]] if "session_id" in cells else ()
        if "evaluator_id" in cells:
            return (self.uids[cells["evaluator_id"]], *whose[1:])
        return whose

    def compared(self, table: Table, cells: dict[str, Any]) -> dict[str, Any]:
        """Give the cells that must be the same."""
        if table is evaluators:
            uid = self.uids[cells["id"]]
            cells |= {"uid": uid, "evaluator": self.labels.get(uid, cells["evaluator"])}
            if self.labels and cells["station"] not in STATIONS:
                cells |= {"station": HERE}  # the store knows who pushed, whatever it was called
        if "session_id" in cells:
            cells |= {"session": self.sessions[cells["session_id"]]}
        return {name: cells[name] for name in cells if name not in (*NUMBERS, *NOT_PUSHED)}


def digest(*values: object) -> bytes:
    """Sum up values; those of different types are different."""
    return hashlib.blake2b(repr(values).encode(), digest_size=16).digest()


def same_as_union(central: str, records: Iterable[Path]) -> Compared:
    """Compare the store at a URL with the union of some records."""
    paths = list(records)
    with reading_central(central) as engine, engine.connect() as connection:
        store = Source(connection)
        gone, codes = in_records(paths)
        met = {store.uids[number]: number for number in store.people}
        found = store.rows()
    labels = labels_of(codes, met)
    united: Rows = Counter()
    for path in paths:
        with reading_record(path) as engine, engine.connect() as connection:
            united |= Source(connection, labels, gone).rows()
    return compared(united, found)


def in_records(paths: Iterable[Path]) -> tuple[set[str], dict[str, tuple[str, bool]]]:
    """Give who was removed from any record, and the code of everybody else."""
    gone: set[str] = set()
    codes: dict[str, tuple[str, bool]] = {}
    for path in paths:
        with reading_record(path) as engine, engine.connect() as connection:
            source = Source(connection)
            gone |= source.removed()
            people = source.people.values()
            codes |= {row.uid: (row.evaluator, row.simulated) for row in people}
    return gone, {uid: code for uid, code in codes.items() if uid not in gone}


def labels_of(codes: Mapping[str, tuple[str, bool]], met: Mapping[str, int]) -> dict[str, str]:
    """Say what evaluators are called: a code that several came with is followed by a number."""
    several: dict[tuple[str, bool], list[str]] = {}
    for uid in sorted(codes, key=lambda uid: met.get(uid, 2**63)):
        several.setdefault(codes[uid], []).append(uid)
    return {
        uid: code if len(uids) == 1 else f"{code}#{number}"
        for (code, _), uids in several.items()
        for number, uid in enumerate(uids, 1)
    }


def compared(united: Rows, found: Rows) -> Compared:
    """Say what is lost, what is there twice and what is otherwise."""
    wanted, there = names_in(united), names_in(found)
    lost, twice = wanted - there, there - wanted
    other = {name for name, _ in (united - found) | (found - united)} - {*lost, *twice}
    return Compared(
        rows=Counter(str(name[0]) for name in wanted.elements()),
        lost=sorted(lost.elements(), key=repr),
        twice=sorted(twice.elements(), key=repr),
        changed=sorted(other, key=repr),
    )


def names_in(rows: Rows) -> Counter[Name]:
    """Count rows by their names."""
    names: Counter[Name] = Counter()
    for (name, _), number in rows.items():
        names[name] += number
    return names
