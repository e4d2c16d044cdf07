"""`hype export`: the data, for other tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from hype.cli.options import Simulated, StudyPath, out
from hype.errors import InputError
from hype.files import make_folder

Writer = Callable[..., int]


def csv_writer() -> Writer:
    """Load what writes CSV."""
    from hype.export.tidy_csv import write_csv

    return write_csv


def parquet_writer() -> Writer:
    """Load what writes Parquet."""
    from hype.export.tidy_parquet import write_parquet

    return write_parquet


def bids_writer() -> Writer:
    """Load what writes a BIDS dataset."""
    from hype.export.bids.dataset import write_bids

    return write_bids


def psych_ds_writer() -> Writer:
    """Load what writes a Psych-DS dataset."""
    from hype.export.psych_ds.dataset import write_psych_ds

    return write_psych_ds


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A form in which data go out.

    Attributes
    ----------
    load
        Gives the function that writes it; what that needs is loaded only then.
    file
        The file in DIR that is written; empty where the writer makes the whole of DIR.
    """

    load: Callable[[], Writer]
    file: str = ""


FORMATS: Final = {
    "csv": Format(load=csv_writer, file="judgements.csv"),
    "parquet": Format(load=parquet_writer, file="judgements.parquet"),
    "bids": Format(load=bids_writer),
    "psych-ds": Format(load=psych_ds_writer),
}


def export(
    study: StudyPath,
    folder: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="where it goes")],
    file_format: Annotated[
        str, typer.Option("--format", metavar="NAME", help=f"one of: {', '.join(FORMATS)}")
    ] = "csv",
    simulated: Simulated = False,
) -> None:
    """Write the data for other tools: a table as CSV or Parquet, a BIDS or a Psych-DS dataset.

    csv: every judgement with all its columns in DIR/judgements.csv, and what the columns hold in
    DIR/judgements.json. Text that a spreadsheet would take for a formula, or a statistics program
    for a missing value, gets an apostrophe before it; `hype score` takes it off again.

    parquet: the same in DIR/judgements.parquet, whose text is as it is.

    bids, psych-ds: DIR, which must be new or empty, becomes a dataset of that standard.

    Judgements that the study does not score are in all of them, and marked.
    """
    from hype.sessions.exported import require_judgements
    from hype.store.record import RECORD_FILE, reading_record
    from hype.study.load import load_study

    chosen = FORMATS.get(file_format)
    if chosen is None:
        raise InputError(
            "--format", f"{file_format!r} is not known", f"one of {', '.join(FORMATS)}"
        )
    loaded = load_study(study)
    with reading_record(loaded.folder / RECORD_FILE) as engine:
        require_judgements(engine, loaded, simulated=simulated)
        if chosen.file:
            make_folder(folder)
        count = chosen.load()(engine, loaded, folder, simulated=simulated)
    out.print(f"{folder / chosen.file}: {count} judgements", markup=False)
