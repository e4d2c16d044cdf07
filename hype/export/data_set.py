"""What BIDS and Psych-DS data sets have in common: folder, authors, notes, rows of the record."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError
from sqlalchemy import Connection, Row, Select, Table, func, select, union

from hype.errors import InputError
from hype.export.kind import ExportKind, Tally, utc
from hype.export.people import read_sessions
from hype.files import aside, inside, read_bytes, tomllib
from hype.session.facts import versions
from hype.session.steps import LEFT_OUT
from hype.store.columns import json_in
from hype.store.people import Evaluator, list_evaluators
from hype.store.schema import demographics, evaluators, events, removals, sessions, studies
from hype.study.studies import LARGEST_STUDY_BYTES, AnyStudy
from hype.study.table import Settings
from hype.system import move_folder, open_file

ABOUT_FILE: Final = "dataset.toml"

Words = Annotated[str, Field(min_length=1)]


class About(Settings):
    """The settings in ``dataset.toml``; all keys are optional."""

    authors: tuple[Words, ...] = ()
    license: Words | None = None
    acknowledgements: Words | None = None
    funding: tuple[Words, ...] = ()
    ethics_approvals: tuple[Words, ...] = ()
    references: tuple[Words, ...] = ()
    keywords: tuple[Words, ...] = ()
    doi: Words | None = None
    institution: Words | None = None
    institution_address: Words | None = None
    institution_department: Words | None = None
    cog_atlas_id: Words | None = None
    cogpo_id: Words | None = None


def read_about(study: AnyStudy) -> About:
    """Read the file `ABOUT_FILE` next to a study file; without it, all settings are empty.

    Raises InputError: the file is not TOML, or a key is unknown or has an impossible value.
    """
    path = inside(study.folder, ABOUT_FILE)
    try:
        text = read_bytes(path, most_bytes=LARGEST_STUDY_BYTES).decode("utf-8")
        return About.model_validate(tomllib.loads(text))
    except FileNotFoundError:
        return About()
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise InputError(path, problem, f"known keys: {', '.join(About.model_fields)}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(path, f"cannot be read: {error}") from None


MARK: Final = "SIMULATED EVALUATORS: no people were asked."
PLAIN: Final = re.compile(r"[\w .,:()-]+")

STATUS: Final = {
    "complete": "complete",
    "active": "unfinished",
    "unqualified": "not qualified",
    "waiting": "waiting for a decision",
    "declined": "declined to take part",
    "full": "from a group that was full",
    "misunderstood": "with two wrong answers about the instructions",
    LEFT_OUT: "left out by the study file",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """The study, evaluators and sessions that a data set describes."""

    study: AnyStudy
    kind: ExportKind
    about: About
    simulated: bool
    evaluators: list[Evaluator]
    sessions: Sequence[Row[Any]]
    removed: int

    @property
    def title(self) -> str:
        name = one_line(self.study.settings.study.name)
        return f"SIMULATED: {name}" if self.simulated else name

    @property
    def days(self) -> tuple[str, str] | None:
        days = sorted(utc(session.started_unix_s)[:10] for session in self.sessions)
        return (days[0], days[-1]) if days else None


def read_data_set(
    connection: Connection, study: AnyStudy, kind: ExportKind, about: About, *, simulated: bool
) -> DataSet:
    gone = select(func.count()).where(removals.c.simulated == simulated)
    return DataSet(
        study=study,
        kind=kind,
        about=about,
        simulated=simulated,
        evaluators=list_evaluators(connection, simulated=simulated),
        sessions=read_sessions(connection, simulated=simulated),
        removed=connection.execute(gone).scalar_one(),
    )


def one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def quote_name(name: str) -> str:
    line = one_line(name)
    return line if PLAIN.fullmatch(line) else "`" + line.replace("`", "'") + "`"


def summary(data_set: DataSet) -> str:
    who = f"{'simulated ' if data_set.simulated else ''}evaluators"
    return f"{data_set.kind.summary} {len(data_set.evaluators)} {who}."


def introduction(data_set: DataSet, tally: Tally) -> Iterator[str]:
    mark = "SIMULATED: " if data_set.simulated else ""
    yield f"# {mark}{quote_name(data_set.study.settings.study.name)}"
    if data_set.simulated:
        yield f"**{MARK}**"
    yield summary(data_set)
    yield "## What was asked"
    asked = data_set.kind.tasks(data_set.study)
    yield from (question.description for task, question in asked.items() if tally.tasks[task])
    yield "## Who was asked"
    statuses = Counter(who.status for who in data_set.evaluators)
    conditions = Counter(who.condition for who in data_set.evaluators if who.condition)
    people = ", ".join(
        f"{statuses[status]} {words}" for status, words in STATUS.items() if statuses[status]
    )
    lines = [
        f"{len(data_set.evaluators)} evaluators: {people}",
        *(f"condition {quote_name(name)}: {number}" for name, number in sorted(conditions.items())),
        f"{len(data_set.sessions)} sessions, {tally.answers} {data_set.kind.name}",
    ]
    if data_set.days:
        lines.append(f"sessions started between {data_set.days[0]} and {data_set.days[1]} (UTC)")
    if data_set.removed:
        lines.append(f"the data of {data_set.removed} more people were removed on request")
    yield "\n".join(f"- {line}" for line in lines)


def reader_notes(data_set: DataSet) -> Iterator[str]:
    """Yield the notes for readers; they are the same in BIDS and Psych-DS."""
    yield "## Notes for readers"
    yield (
        "Evaluators have codes; the data contain no names of people or machines. A session is one "
        "start of the program. An evaluator who was interrupted has several sessions, which "
        "continue the same plan."
    )
    yield (
        f"{data_set.kind.name.capitalize()} that the study does not score are included, and the "
        "column `excluded` gives the reason. `hype score` computes scores from the study, or from "
        "the table of `hype export --format csv`."
    )
    if not (data_set.about.authors and data_set.about.license):
        yield (
            "The authors or the licence of these data are missing: when the data were exported, "
            f"`{ABOUT_FILE}` next to the study file did not give them."
        )
    yield f"Written by hype {versions().get('hype', '')}."


ALLOWED: Final = "a folder that is new or empty"


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder to write into, which becomes ``folder`` when the block ends.

    Until then, it is in a parent folder of ``folder``, and only its owner can enter it. If the
    block fails, the temporary folder is removed (`hype.files`).

    Raises InputError: ``folder`` exists and is not empty, or cannot be made, or the disk is full.
    """
    try:
        target = folder.resolve()
        if target.exists() and not target.is_dir():
            raise InputError(folder, "is not a folder", ALLOWED)
        if target.is_dir() and any(target.iterdir()):
            raise InputError(folder, "is not empty", ALLOWED)
    except (OSError, RuntimeError) as error:  # RuntimeError: links form a circle
        raise InputError(folder, f"cannot be read: {error}", ALLOWED) from None
    home = next(parent for parent in target.parents if parent.is_dir())
    try:
        with aside(home, "export") as temporary:
            yield temporary
            target.parent.mkdir(parents=True, exist_ok=True)
            move_folder(temporary, target)
    except OSError as error:
        raise InputError(folder, f"cannot be written: {error.strerror}", ALLOWED) from None


def write_chunks(path: Path, chunks: Iterable[str]) -> None:
    """Append text to a file that only its owner can read; make it and its folders if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
        file.writelines(chunks)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read; make its folders if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(number, "wb") as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_json(path: Path, value: object) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


AS_JSON: Final = ("resolved", "versions", "machine", "display", "timing", "pairs")
"""Columns that contain JSON as text; the export parses it."""
HOST: Final = "host"
"""The key of the machine's name, which is not exported."""
FOLDERS: Final = (
    *(("stimuli", "folder"), ("masks", "folder")),
    *(("catch", "stimuli"), ("qualification", "valid_from")),
    *(("screening", "stimuli"), ("screening", "valid_from")),
)
"""Settings that name folders."""


def write_raw_record(
    connection: Connection, kind: ExportKind, folder: Path, *, simulated: bool
) -> None:
    """Write the rows of the record as JSON lines, one file for each table.

    All rows are about people, or all are about simulated evaluators. The machine's name is left
    out, and absolute paths of folders are shortened to their last part.
    """
    for table in kind.raw:
        rows = connection.execute(query_of(table, simulated=simulated)).mappings()
        lines = (json.dumps({name: cell(name, row[name]) for name in row}) + "\n" for row in rows)
        write_chunks(folder / f"{table.name}.jsonl", lines)
    explained = [
        "# The record, row by row\n",
        "Each file is a table of hype's record, and each line is a row of it, as JSON.",
        "Columns that contain JSON in the record are objects here. The name of the machine is left",
        "out. Only the last part of an absolute path to a folder is kept.",
        "An empty column is null.",
    ]
    for table in kind.raw:
        explained.append(f"\n## {table.name}.jsonl\n")
        for column in table.columns:
            meaning = column.comment or "number of a row in another table"
            explained.append(f"- `{column.name}`: {meaning}")
    write_text(folder / "README.md", "\n".join(explained) + "\n")


def query_of(table: Table, *, simulated: bool) -> Select[Any]:
    """Select the rows of a table that belong to people, or to simulated evaluators."""
    who = select(evaluators.c.id).where(evaluators.c.simulated == simulated)
    if table is studies:
        used = (select(t.c.study).where(t.c[key].in_(who)) for t, key in STUDIED)
        known = studies.c.checksum
        return select(studies).where(known.in_(union(*used))).order_by(known)
    query = select(table).order_by(table.c.id)
    if table in (sessions, demographics):
        return query.where(table.c.evaluator_id.in_(who))
    if table is events:
        held = select(sessions.c.id).where(sessions.c.evaluator_id.in_(who))
        return query.where(events.c.session_id.in_(held))
    return query.where(table.c.simulated == simulated)


STUDIED: Final = ((evaluators, "id"), (sessions, "evaluator_id"))
"""Tables with a column ``study`` (a checksum), each with the column that identifies evaluators."""


def cell(name: str, value: Any) -> Any:
    """Return a cell's value: JSON is parsed, the machine's name removed, and folders shortened."""
    if name == "qualified_in":
        return drop_root(value)
    if name not in AS_JSON or value is None:
        return value
    held = json_in(value)
    if name == "machine" and isinstance(held, dict):
        return {key: fact for key, fact in held.items() if key != HOST}
    return read_resolved(value) if name == "resolved" else held


def read_resolved(text: str) -> Any:
    """Read a resolved study; shorten absolute paths of folders to their last part."""
    study = json_in(text)
    for table, key in FOLDERS:
        settings = study.get(table, {}) if isinstance(study, dict) else {}
        if key in settings:
            settings[key] = drop_root(settings[key])
    return study


def drop_root(folder: Any) -> Any:
    """Keep only the last part of an absolute path, since the rest may name a person."""
    if isinstance(folder, list):
        return [drop_root(item) for item in folder]
    path = PurePosixPath(str(folder))
    return path.name if path.is_absolute() else folder
