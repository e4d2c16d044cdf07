"""The record's own rows as JSON lines, a file for each table.

People's rows or those of simulated evaluators, never both. The name of the machine and
the way to its folders are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Select, Table, select, union

from hype.export.data_set import write_chunks, write_text
from hype.export.kind import ExportKind
from hype.store.columns import json_in
from hype.store.schema import demographics, evaluators, events, sessions, studies

AS_JSON: Final = ("resolved", "versions", "machine", "display", "timing", "pairs")
"""Columns whose text is JSON, which goes out as what it says."""
HOST, STATION = "host", "station"
"""The machine's name, which its owner alone needs to know, and the column that may hold it too."""
FOLDERS: Final = (
    *(("stimuli", "folder"), ("masks", "folder")),
    *(("catch", "stimuli"), ("qualification", "valid_from")),
)
"""Settings that name folders."""


def write_raw_record(
    connection: Connection, kind: ExportKind, folder: Path, *, simulated: bool
) -> None:
    for table in kind.raw:
        rows = connection.execute(query_of(table, simulated=simulated)).mappings()
        write_chunks(folder / f"{table.name}.jsonl", map(line, rows))
    write_text(folder / "README.md", "\n".join(explained(kind.raw)) + "\n")


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
"""Tables that say which study was used, and their columns that say by whom."""


def line(row: RowMapping) -> str:
    return json.dumps({name: cell(name, value) for name, value in row.items()}) + "\n"


def cell(name: str, value: Any) -> Any:
    """Read what a cell holds as JSON, and forget the machine's name and its folders."""
    if name == STATION:
        return None
    if name == "qualified_in":
        return without_root(value)
    if name not in AS_JSON or value is None:
        return value
    held = json_in(value)
    if name == "machine" and isinstance(held, dict):
        return {key: fact for key, fact in held.items() if key != HOST}
    return resolved_study(value) if name == "resolved" else held


def resolved_study(text: str) -> Any:
    """Read a resolved study, without what leads to its folders from the root of a machine."""
    study = json_in(text)
    for table, key in FOLDERS:
        settings = study.get(table, {}) if isinstance(study, dict) else {}
        if key in settings:
            settings[key] = without_root(settings[key])
    return study


def without_root(folder: Any) -> Any:
    """Give of an absolute path its last name alone: the rest may name a person. Lists likewise."""
    if isinstance(folder, list):
        return [without_root(item) for item in folder]
    path = PurePosixPath(str(folder))
    return path.name if path.is_absolute() else folder


def explained(tables: Iterable[Table]) -> Iterator[str]:
    yield "# The record, row by row\n"
    yield "Each file is a table of hype's record, each line a row of it, as JSON."
    yield "Columns that hold JSON there are objects here. The name of the machine is left out, and"
    yield "of a folder that was named from the root of the machine all but its last name."
    yield "A column that is empty is null."
    for table in tables:
        yield f"\n## {table.name}.jsonl\n"
        for column in table.columns:
            yield f"- `{column.name}`: {column.comment or 'number of a row in another table'}"
