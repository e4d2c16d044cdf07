"""`hype export`: the data, for other tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

from hype.answers.choices import Simulated, Version, shell_option
from hype.cli.options import StudyPath, beginnings
from hype.console import out
from hype.errors import InputError
from hype.export.kind import ExportKind
from hype.files import make_folder
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.session.outgoing import choose_version, reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of exported data."""

    writer: str  # what writes it: a module of `hype.export` and its function, loaded only then
    # The file in DIR that is written, called after what it holds if there is a {} in it; empty
    # where the writer makes the whole of DIR
    file: str = ""
    # What a kind of answers must have for it, by the name of that in `ExportKind`; empty if any
    # will do
    needs: str = ""
    without: str = ""  # what is said of a study that has it not
    of_record: bool = True  # whether it is made of answers; otherwise of the study alone
    # Whether answers to several versions of a study can go out together, told apart
    of_versions: bool = False

    def load(self) -> Callable[..., Any]:
        module, function = self.writer.split(":")
        loaded: Callable[..., Any] = getattr(import_module(f"hype.export.{module}"), function)
        return loaded

    def fits(self, kind: ExportKind) -> bool:
        return not self.needs or getattr(kind, self.needs) is not None


FORMATS: Final = {
    "csv": Format(writer="tidy_csv:write_csv", file="{}.csv", of_versions=True),
    "parquet": Format(writer="tidy_parquet:write_parquet", file="{}.parquet", of_versions=True),
    "bids": Format(writer="bids:write_bids"),
    "psych-ds": Format(writer="psych_ds:write_psych_ds"),
    "preferences": Format(
        writer="tidy_parquet:write_preferences",
        file="preferences.jsonl",
        needs="pairs",
        without="has no pairs of images: its evaluators see them one by one",
    ),
    "items": Format(
        writer="tidy_csv:write_items",
        file="items.csv",
        needs="items",
        without="has nothing to ask automated judges: it is not a study of ratings or of rankings",
        of_record=False,
    ),
}


def export(
    study: StudyPath,
    folder: Annotated[Path, shell_option("-o --out DIR", "where it goes")],
    file_format: Annotated[
        str,
        shell_option(
            "--format NAME",
            f"one of: {', '.join(FORMATS)}",
            autocompletion=beginnings(lambda: FORMATS),
        ),
    ] = "csv",
    simulated: Simulated = False,
    version: Version = None,
) -> None:
    """Write the data for other tools: a table as CSV or Parquet, a BIDS or a Psych-DS dataset.

    csv: every answer with all its columns in DIR/judgements.csv,
    comparisons.csv, ratings.csv or rankings.csv (a row for each image
    ranked), and what the columns hold in the .json beside it. Text that a
    spreadsheet would take for a formula, or a statistics program for a
    missing value, gets an apostrophe before it; `hype score` takes it off
    again.

    parquet: the same in DIR/judgements.parquet and so on, whose text is as
    it is.

    bids, psych-ds: DIR, which must be new or empty, becomes a dataset of
    that standard.

    preferences: of comparisons, rankings, or ratings of pairs each two
    images, the chosen and the rejected one, for reward models and
    preference tuning: DIR/preferences.jsonl, the same as .parquet, and what
    it is of as .json. Of ratings the axis "overall" counts, or the only
    one, of comparisons the first criterion. Only what is scored; pairs with
    as many votes for one image as for the other are left out, and counted.

    items: what a study of ratings or rankings asks about, for automated
    judges: DIR/items.csv, and the questions and answers in items.json. It
    needs the study only, so it can be had before anybody came.

    What the study does not score is in csv, parquet, bids and psych-ds, and
    marked. Where the study was changed under way, csv and parquet hold all
    versions (column study_version); the others take one, by --version.
    """
    chosen = FORMATS.get(file_format)
    if chosen is None:
        raise InputError(
            "--format", f"{file_format!r} is not known", f"one of {', '.join(FORMATS)}"
        )
    loaded = load_any(study)
    protocol = protocol_of(loaded)
    kind = protocol.export_kind(loaded)
    if not chosen.fits(kind):
        others = ", ".join(name for name, one in FORMATS.items() if one.fits(kind))
        problem = f"{loaded.path} {chosen.without}"
        raise InputError(f"--format {file_format}", problem, f"one of {others}")
    if chosen.of_record or version is not None:
        loaded = choose_version(loaded, version, simulated=simulated, every=chosen.of_versions)
        kind = protocol.export_kind(loaded)
    write = chosen.load()
    if chosen.of_record:
        with reading(loaded) as engine:
            kind.outgoing.require(engine, loaded, simulated=simulated)
            if chosen.file:
                make_folder(folder)
            done = write(engine, loaded, kind, folder, simulated=simulated)
    else:
        done = write(loaded, kind, folder)
    summary = f"{done} {kind.name}" if isinstance(done, int) else str(done)
    out.print(f"{folder / chosen.file.format(kind.name)}: {summary}", markup=False)
