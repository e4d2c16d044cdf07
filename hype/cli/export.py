"""`hype export`: the data, for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hype.cli.options import Simulated, StudyPath, out
from hype.errors import InputError
from hype.files import write_table
from hype.sessions.exported import exported_judgements
from hype.store.record import RECORD_FILE, reading_record
from hype.study.load import load_study

FORMATS = ("csv",)


def export(
    study: StudyPath,
    folder: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="where it goes")],
    file_format: Annotated[
        str, typer.Option("--format", metavar="NAME", help=f"one of: {', '.join(FORMATS)}")
    ] = "csv",
    simulated: Simulated = False,
) -> None:
    """Write every judgement with all its columns to DIR/judgements.csv.

    Text that a spreadsheet would take for a formula, or a statistics program for a missing value,
    gets an apostrophe before it; `hype score` takes it off again.
    """
    if file_format not in FORMATS:
        raise InputError(
            "--format", f"{file_format!r} is not known", f"one of {', '.join(FORMATS)}"
        )
    loaded = load_study(study)
    with reading_record(loaded.folder / RECORD_FILE) as engine:
        exported = exported_judgements(engine, loaded, simulated=simulated)
        rows = [
            {name: as_cell(value) for name, value in zip(exported.columns, row, strict=True)}
            for row in exported.rows
        ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None
    write_table(folder / "judgements.csv", exported.columns, rows)
    out.print(f"{folder / 'judgements.csv'}: {len(rows)} judgements")


def as_cell(value: object) -> object:
    """Give booleans the names that every program reads, and keep text from being a formula."""
    from hype.analysis.tables.spreadsheet_text import guarded

    if isinstance(value, str):
        return guarded(value)
    return str(value).lower() if isinstance(value, bool) else value
