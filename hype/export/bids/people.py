"""The evaluators and their sessions in a BIDS data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hype.export.bids.names import Names
from hype.export.bids.tables import dictionary, header, lines
from hype.export.columns import ExportedColumn, Kind
from hype.export.evaluator_table import EVALUATOR_COLUMNS
from hype.export.folder import write_chunks, write_json
from hype.export.judged import Tally
from hype.export.session_table import SESSION_COLUMNS, Sitting, session_row
from hype.sessions.exported import Row

STANDARD_NAMES: Final = {"started_utc": "acq_time"}
"""Columns that BIDS has a name for."""

PARTICIPANTS: Final = (
    ExportedColumn(
        name="participant_id",
        meaning="the evaluator's folder, named after the code",
        kind=Kind.TEXT,
    ),
    *EVALUATOR_COLUMNS,
)
SESSIONS: Final = (
    ExportedColumn(
        name="session_id", meaning="the evaluator's sessions in order, from 01", kind=Kind.TEXT
    ),
    *(replace(c, name=STANDARD_NAMES.get(c.name, c.name)) for c in SESSION_COLUMNS),
)


def write_participants(root: Path, names: Names, evaluators: Iterable[Row]) -> None:
    """Write who came, those who judged nothing too."""
    rows = ((names.subjects[str(row[0])], *row) for row in evaluators)
    write_chunks(root / "participants.tsv", [header(PARTICIPANTS), *lines(rows)])
    write_json(root / "participants.json", dictionary(PARTICIPANTS))


def write_sessions(root: Path, names: Names, sittings: Sequence[Sitting], tally: Tally) -> None:
    """Write the sessions of those who judged something: BIDS knows no others."""
    judged = [one for one in sittings if tally.by_evaluator[one.evaluator]]
    for one in judged:
        table = root / names.sessions_table(one.evaluator)
        if not table.exists():
            write_chunks(table, [header(SESSIONS)])
        write_chunks(table, lines([(names.sessions[one.session], *session_row(one, tally))]))
    if judged:
        write_json(root / "sessions.json", dictionary(SESSIONS))
