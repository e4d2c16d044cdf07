"""`hype export`: the data, for other tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from hype.cli.options import Simulated, StudyPath, out
from hype.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A form in which data go out.

    Attributes
    ----------
    module, writer
        The function that writes it, and where in `hype.export` it is; loaded when it is needed.
    file
        The file in DIR that is written; empty where the writer makes the whole of DIR.
    """

    module: str
    writer: str
    file: str = ""

    def load(self) -> Callable[..., int]:
        """Import the writer."""
        module = import_module(f"hype.export.{self.module}")
        writer: Callable[..., int] = getattr(module, self.writer)
        return writer


FORMATS: Final = {
    "csv": Format(module="tidy_csv", writer="write_csv", file="judgements.csv"),
    "parquet": Format(module="tidy_parquet", writer="write_parquet", file="judgements.parquet"),
    "bids": Format(module="bids", writer="write_bids"),
    "psych-ds": Format(module="psych_ds", writer="write_psych_ds"),
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


def make_folder(folder: Path) -> None:
    """Make the folder that data go to, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None
