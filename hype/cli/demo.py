"""`hype demo`: a real, short study from start to report."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

import typer

import hype
from hype.cli.background import background_of
from hype.cli.judgements import judgements_of_study
from hype.cli.options import err, out
from hype.cli.report import write_page
from hype.cli.score import print_scores
from hype.cli.scoring import score_judgements
from hype.cli.simulate import run_simulation
from hype.confine import STUDIES, inside
from hype.errors import InputError, SessionProblem
from hype.files import cache_folder, make_folder
from hype.masks.maskset import read_masks
from hype.protocol.timing_table import table_of_rows
from hype.report.timing import verdicts_sentence
from hype.sessions.live import hold_session
from hype.sessions.pools import read_pools
from hype.sessions.seating import Seating
from hype.station.xvfb import ensure_display
from hype.stimuli.manifest import MANIFEST, read_manifest
from hype.store.reading import exported_columns, read_judgements
from hype.store.record import RECORD_FILE, reading_record, writing_record
from hype.study.load import STUDY_FILE, Study, load_study

ROOT = Path(hype.__file__).resolve().parents[1]
SET: Final = "fashion"
SHORT, FULL = "short-study-at-a-window", "full-study"
RUNS_FROM: Final = "hype demo runs from a clone"


def demo(
    destination: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="where study, data and report are left"),
    ] = None,
) -> None:
    """Run a short study at a real window with simulated evaluators, then score a full one."""
    folder = prepare(destination)
    lay_out(folder)
    short = place(folder / STUDIES / SHORT, "fashion-short")
    full = place(folder / STUDIES / FULL, "fashion")
    out.print("[bold yellow]Everybody in this demonstration is simulated: nobody real is asked.[/]")
    at_the_window(short)
    results = run_simulation(full, None, seed=0, fresh=False, label="3/4  full-length study")
    found = judgements_of_study(full.path, simulated=True)
    with err.status("4/4  scoring and report"):
        scores = score_judgements(found)
        page = write_page(
            found,
            scores,
            folder / "report.html",
            background=background_of(full, simulated=True),
            spoiled=found.spoiled,
        )
    passed = sum(result.ending.value == "complete" for result in results)
    out.print(f"\nFull-length study: {len(results)} simulated evaluators, {passed} qualified.\n")
    print_scores(scores)
    out.print(f"\nStudy, data and report: {folder}\nreport: {page}")


def prepare(destination: Path | None) -> Path:
    """Give the folder for what the demonstration leaves; without one, a folder in the cache."""
    if destination is None:
        folder = cache_folder() / "demo"
        shutil.rmtree(folder, ignore_errors=True)
    else:
        folder = destination.resolve()
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(destination, "is there already", "a new or an empty folder")
    make_folder(folder)
    return folder


def lay_out(folder: Path) -> None:
    """Copy the shipped images and masks, since a study reads nothing outside its workspace."""
    stimuli, masks = (ROOT / kind / SET for kind in ("stimuli", "masks"))
    if not (stimuli.is_dir() and masks.is_dir()):
        raise InputError(stimuli, "the shipped images are not here", RUNS_FROM)
    images = [stimulus.path for stimulus in read_manifest(stimuli).stimuli]
    copy_files(stimuli, folder / "stimuli" / SET, ("LICENSE", MANIFEST, *images))
    copy_files(masks, folder / "masks" / SET, (MANIFEST, *read_masks(masks).paths))


def copy_files(source: Path, destination: Path, names: Iterable[str]) -> None:
    """Copy some files of a set."""
    try:
        for name in names:
            (destination / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(inside(source, name), destination / name)
    except OSError as error:
        raise InputError(destination, f"cannot be written: {error.strerror}") from None


def place(folder: Path, experiment: str) -> Study:
    """Copy a shipped study file, so that its record lies in ``folder`` and not in the project."""
    source = ROOT / STUDIES / experiment / STUDY_FILE
    if not source.is_file():
        raise InputError(source, "the shipped study is not here", RUNS_FROM)
    folder.mkdir(parents=True)
    shutil.copyfile(source, folder / STUDY_FILE)
    return load_study(folder)


def at_the_window(study: Study) -> None:
    """Let one simulated evaluator per condition sit at a real window, in real time."""
    conditions = tuple(read_pools(study).fake)
    virtual = ensure_display(virtual_allowed=True)
    kind = "a virtual display (Xvfb)" if virtual else "this display"
    out.print(f"1/4  four sessions at a PsychoPy window on {kind}, keys pressed for real")
    seating = Seating(simulated=True, virtual_display=virtual, windowed=True)
    with writing_record(study.folder / RECORD_FILE) as engine:
        for number, _ in enumerate(conditions, start=1):
            # No spinner: its thread would run beside the exposures.
            out.print(f"     session {number} of {len(conditions)}: ", end="")
            held = hold_session(engine, study, f"demo-{number}", seating)
            out.print(held.ended)
            if held.ended == "quit":
                raise SessionProblem("the demonstration was stopped")
    out.print(f"2/4  {what_was_shown(study)}")


def what_was_shown(study: Study) -> str:
    """Say what the record of the sessions at the window holds, and how exact exposures were."""
    columns = exported_columns()
    with reading_record(study.folder / RECORD_FILE) as engine:
        rows = [
            dict(zip(columns, row, strict=True)) for row in read_judgements(engine, simulated=True)
        ]
    return f"{len(rows)} trials recorded. {verdicts_sentence(table_of_rows(rows))}"
