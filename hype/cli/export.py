"""`hype export`: the data, for other tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from hype.cli.options import Simulated, StudyPath, out
from hype.errors import InputError
from hype.files import make_folder

Writer = Callable[..., Any]


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


def preferences_writer() -> Writer:
    """Load what writes pairs of images."""
    from hype.export.preferences import write_preferences

    return write_preferences


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A form in which data go out.

    Attributes
    ----------
    load
        Gives the function that writes it; what that needs is loaded only then.
    file
        The file in DIR that is written, called after what it holds if there is a {} in it; empty
        where the writer makes the whole of DIR.
    of_pairs
        Whether it holds pairs of images, of which only comparisons have any.
    """

    load: Callable[[], Writer]
    file: str = ""
    of_pairs: bool = False


FORMATS: Final = {
    "csv": Format(load=csv_writer, file="{}.csv"),
    "parquet": Format(load=parquet_writer, file="{}.parquet"),
    "bids": Format(load=bids_writer),
    "psych-ds": Format(load=psych_ds_writer),
    "preferences": Format(load=preferences_writer, file="preferences.jsonl", of_pairs=True),
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

    csv: every judgement, or every comparison, with all its columns in DIR/judgements.csv or
    DIR/comparisons.csv, and what the columns hold in the .json beside it. Text that a spreadsheet
    would take for a formula, or a statistics program for a missing value, gets an apostrophe before
    it; `hype score` takes it off again.

    parquet: the same in DIR/judgements.parquet or DIR/comparisons.parquet, whose text is as it is.

    bids, psych-ds: DIR, which must be new or empty, becomes a dataset of that standard.

    preferences: of a study of comparisons each pair of images, the chosen and the rejected one, for
    reward models and preference tuning: DIR/preferences.jsonl, the same as .parquet, and what it is
    of as .json. Only what is scored; pairs with as many votes for one as for the other are left
    out, and counted.

    What the study does not score is in all the others, and marked.
    """
    from hype.export.kinds.of_study import kind_of
    from hype.store.record import RECORD_FILE, reading_record
    from hype.study.load import load_any

    chosen = FORMATS.get(file_format)
    if chosen is None:
        raise InputError(
            "--format", f"{file_format!r} is not known", f"one of {', '.join(FORMATS)}"
        )
    loaded = load_any(study)
    kind = kind_of(loaded)
    if chosen.of_pairs and len(kind.images) == 1:
        raise no_pairs(loaded.path, file_format)
    with reading_record(loaded.folder / RECORD_FILE) as engine:
        kind.outgoing.require(engine, loaded, simulated=simulated)
        if chosen.file:
            make_folder(folder)
        written = chosen.load()(engine, loaded, folder, simulated=simulated)
    said = written if chosen.of_pairs else f"{written} {kind.name}"
    out.print(f"{folder / chosen.file.format(kind.name)}: {said}", markup=False)


def no_pairs(study: Path, file_format: str) -> InputError:
    """Say that images which are judged one by one make no pairs."""
    others = ", ".join(name for name, one in FORMATS.items() if not one.of_pairs)
    problem = f"{study} has no pairs of images: its evaluators judge them one by one"
    return InputError(f"--format {file_format}", problem, f"one of {others}")
