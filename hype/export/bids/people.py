"""The evaluators and their sessions in a BIDS data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hype.export.bids.names import Names
from hype.export.bids.tables import dictionary, header, lines
from hype.export.columns import ExportedColumn, Kind
from hype.export.folder import write_chunks, write_json
from hype.export.kinds.base import ExportKind, PeopleTable
from hype.export.pieces import Tally
from hype.export.session_table import Sitting, session_columns, session_row

STANDARD_NAMES: Final = {"started_utc": "acq_time"}
"""Columns that BIDS has a name for."""

PARTICIPANT: Final = ExportedColumn(
    name="participant_id", meaning="the evaluator's folder, named after the code", kind=Kind.TEXT
)
SESSION: Final = ExportedColumn(
    name="session_id", meaning="the evaluator's sessions in order, from 01", kind=Kind.TEXT
)


def write_participants(root: Path, names: Names, people: PeopleTable) -> None:
    """Write who came, those who answered nothing too."""
    columns = (PARTICIPANT, *people.columns)
    rows = ((names.subjects[str(row[0])], *row) for row in people.rows)
    write_chunks(root / "participants.tsv", [header(columns), *lines(rows)])
    write_json(root / "participants.json", dictionary(columns))


def sessions_of(kind: ExportKind) -> tuple[ExportedColumn, ...]:
    """Describe the columns of sessions, by the standard's names where it has any."""
    renamed = (replace(c, name=STANDARD_NAMES.get(c.name, c.name)) for c in session_columns(kind))
    return (SESSION, *renamed)


def write_sessions(
    root: Path, names: Names, kind: ExportKind, sittings: Sequence[Sitting], tally: Tally
) -> None:
    """Write the sessions of those who answered something: BIDS knows no others."""
    columns = sessions_of(kind)
    answered = [one for one in sittings if tally.by_evaluator[one.evaluator]]
    for one in answered:
        table = root / names.sessions_table(one.evaluator)
        if not table.exists():
            write_chunks(table, [header(columns)])
        write_chunks(table, lines([(names.sessions[one.session], *session_row(one, tally))]))
    if answered:
        write_json(root / "sessions.json", dictionary(columns))
