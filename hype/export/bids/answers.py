"""The answers in a BIDS data set: a table for each evaluator, session and task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hype.export.bids.names import Names
from hype.export.bids.sidecars import stimulus_presentation, task_sidecar
from hype.export.bids.tables import dictionary, header, lines
from hype.export.columns import ExportedColumn
from hype.export.folder import write_chunks, write_json
from hype.export.kinds.base import ExportKind
from hype.export.pieces import Tally, pieces
from hype.export.readme import Told
from hype.sessions.outgoing import Exported

Tables = Mapping[str, Mapping[Path, int]]
"""The tables of each task, and the session of each."""


def columns_of(kind: ExportKind) -> tuple[ExportedColumn, ...]:
    """Describe the columns of a table: those of any answer, and where its images lie."""
    return (*kind.columns, *(image.place for image in kind.images))


def write_answers(
    root: Path, names: Names, kind: ExportKind, exported: Exported, tally: Tally
) -> Tables:
    """Write all answers, each with the places of its images, and count them."""
    first_line = header(columns_of(kind))
    images = [exported.columns.index(image.path) for image in kind.images]
    tables: dict[str, dict[Path, int]] = defaultdict(dict)
    for piece in pieces(exported, tally):
        table = names.table(piece.evaluator, piece.session, piece.task)
        if table not in tables[piece.task]:
            write_chunks(root / table, [first_line])
        tables[piece.task][table] = piece.session
        rows = ((*row, *(names.place(row[at]) for at in images)) for row in piece.rows)
        write_chunks(root / table, lines(rows))
    return tables


def write_sidecars(root: Path, told: Told, tables: Tables) -> None:
    """Describe each task once, in the data set's root.

    What showed the images is said there if it was the same for all of a task, and otherwise beside
    each table.
    """
    columns = dictionary(columns_of(told.kind))
    by_session = {one.session: stimulus_presentation(told.study, one) for one in told.sittings}
    for task, found in tables.items():
        shown = [by_session[session] for session in found.values()]
        common = shown[0] if all(one == shown[0] for one in shown) else {}
        sidecar = task_sidecar(told, task, columns, common)
        write_json(root / f"task-{task}_beh.json", sidecar)
        if not common:
            write_presentations(root, {t: by_session[number] for t, number in found.items()})


def write_presentations(root: Path, shown: Mapping[Path, Mapping[str, Any]]) -> None:
    """Say beside each table what showed its images, if anything did."""
    for table, presentation in shown.items():
        if presentation:
            beside = (root / table).with_suffix(".json")
            write_json(beside, {"StimulusPresentation": presentation})
