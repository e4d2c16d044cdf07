"""`hype export`: write the data for other tools."""

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

    # The writer as MODULE:FUNCTION in `hype.export`; it is loaded when needed.
    writer: str
    # The file in DIR, with {} for the kind of answers; empty if the writer makes several files.
    file: str = ""
    # The field of `ExportKind` that the kind of answers must have; empty for any kind.
    needs: str = ""
    without: str = ""  # The message about a study that lacks this field.
    of_record: bool = True  # Whether the format contains answers, and not only the study.
    # Whether the format can contain answers to several versions of a study.
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
        without="has no pairs of images: its evaluators see single images",
    ),
    "items": Format(
        writer="tidy_csv:write_items",
        file="items.csv",
        needs="items",
        without="has no questions for automated judges: it is not a study of ratings or rankings",
        of_record=False,
    ),
}


def export(
    study: StudyPath,
    folder: Annotated[Path, shell_option("-o --out DIR", "the folder to write")],
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

    csv: every answer with all its columns in DIR/judgements.csv, comparisons.csv, ratings.csv or
    rankings.csv (a row for each ranked image), and the meaning of the columns in a .json file next
    to it. An apostrophe marks text that a spreadsheet could read as a formula, or a statistics
    program as a missing value; `hype score` removes it.

    parquet: the same in DIR/judgements.parquet and so on, with unchanged text.

    bids, psych-ds: a dataset of this standard in DIR, which must be new or empty.

    preferences: pairs of images, the chosen and the rejected one, for reward models and preference
    tuning: DIR/preferences.jsonl, the same as .parquet, and a description as .json. The pairs come
    from comparisons (the first criterion), rankings, or ratings of pairs (the axis "overall" or the
    only one). Only scored answers count. Pairs with equal votes are left out, and their number is
    reported.

    items: the items of a study of ratings or rankings, for automated judges, in DIR/items.csv, and
    the questions and answers in items.json. This format only needs the study, not answers.

    csv, parquet, bids and psych-ds include and mark answers that are not scored. If the study was
    changed while it ran, csv and parquet contain all versions (column study_version); for the other
    formats, choose one with --version.
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
