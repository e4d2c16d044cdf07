"""`hype demo`: a real, short study from start to report."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

import hype
from hype.cli.comparison_report import comparison_report
from hype.cli.judgement_report import judgement_report
from hype.cli.kinds import COMPARISONS, JUDGEMENTS
from hype.cli.options import err, out
from hype.cli.scoring import Choices
from hype.cli.simulate import run_simulation
from hype.confine import STUDIES, inside
from hype.errors import InputError, SessionProblem
from hype.files import cache_folder, make_folder
from hype.masks.maskset import read_masks
from hype.protocol.timing_table import table_of_rows
from hype.report.timing import verdicts_sentence
from hype.sessions.live import hold_session
from hype.sessions.seating import Seating
from hype.sessions.simulate import Simulated
from hype.station.xvfb import ensure_display
from hype.stimuli.manifest import MANIFEST, read_manifest
from hype.store.reading import exported_columns, read_judgements
from hype.store.record import RECORD_FILE, reading_record, writing_record
from hype.study.load import STUDY_FILE, load_any
from hype.study.studies import AnyStudy

ROOT = Path(hype.__file__).resolve().parents[1]
SET: Final = "fashion"
SHORT, FULL = "short-study-at-a-window", "full-study"
SHORT_COMPARED, FULL_COMPARED = "short-comparisons-at-a-window", "full-comparisons"
SHIPPED: Final = {
    SHORT: "fashion-short",
    SHORT_COMPARED: "fashion-comparisons-short",
    FULL: "fashion",
    FULL_COMPARED: "fashion-comparisons",
}
"""The studies that the demonstration lays out, and the shipped ones that they are copies of."""
SIMULATED: Final = Choices(simulated=True)
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
    studies = {name: place(folder / STUDIES / name, shipped) for name, shipped in SHIPPED.items()}
    out.print("[bold yellow]Everybody in this demonstration is simulated: nobody real is asked.[/]")
    at_the_window(studies[SHORT], studies[SHORT_COMPARED])
    judged = run_simulation(studies[FULL], None, seed=0, fresh=False, label="4/6  full study")
    compared = run_simulation(
        studies[FULL_COMPARED], None, seed=0, fresh=False, label="5/6  full comparisons"
    )
    with err.status("6/6  scoring and reports"):
        of_judged = judgement_report(studies[FULL].path, SIMULATED, None)
        of_compared = comparison_report(studies[FULL_COMPARED].path, SIMULATED, None)
        pages = (
            of_judged.write_page(folder / "report.html"),
            of_compared.write_page(folder / "comparisons.html"),
        )
    out.print(f"\nFull-length study: {came(judged)}.\n")
    out.print(JUDGEMENTS.laid_out(of_judged.judgements, of_judged.scores))
    out.print(f"\nFull-length comparisons: {came(compared)}.\n")
    out.print(COMPARISONS.laid_out(of_compared.comparisons, of_compared.score))
    out.print(f"\nStudies, data and reports: {folder}")
    for page in pages:
        out.print(f"report: {page}", markup=False)


def came(sessions: Sequence[Simulated]) -> str:
    """Say how many came, and how many of them to the end."""
    complete = sum(session.ending.value == "complete" for session in sessions)
    return f"{len(sessions)} simulated evaluators, {complete} came to the end"


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


def place(folder: Path, experiment: str) -> AnyStudy:
    """Copy a shipped study file, so that its record lies in ``folder`` and not in the project."""
    source = ROOT / STUDIES / experiment / STUDY_FILE
    if not source.is_file():
        raise InputError(source, "the shipped study is not here", RUNS_FROM)
    folder.mkdir(parents=True)
    shutil.copyfile(source, folder / STUDY_FILE)
    return load_any(folder)


def at_the_window(judged: AnyStudy, compared: AnyStudy) -> None:
    """Let simulated evaluators sit at a real window: one per condition judged, one who compares."""
    conditions = read_manifest(judged.stimuli_folder).conditions
    virtual = ensure_display(virtual_allowed=True)
    kind = "a virtual display (Xvfb)" if virtual else "this display"
    out.print(f"1/6  four sessions at a PsychoPy window on {kind}, keys pressed for real")
    seating = Seating(simulated=True, virtual_display=virtual, windowed=True)
    sit(judged, len(conditions), seating)
    out.print(f"2/6  {what_was_shown(judged)}")
    out.print("3/6  a session of comparisons there, with keys and mouse")
    sit(compared, 1, seating)


def sit(study: AnyStudy, sessions: int, seating: Seating) -> None:
    """Hold some sessions."""
    with writing_record(study.folder / RECORD_FILE) as engine:
        for number in range(1, sessions + 1):
            # No spinner: its thread would run beside the exposures.
            out.print(f"     session {number} of {sessions}: ", end="")
            held = hold_session(engine, study, f"demo-{number}", seating)
            out.print(held.ended)
            if held.ended == "quit":
                raise SessionProblem("the demonstration was stopped")


def what_was_shown(study: AnyStudy) -> str:
    """Say what the record of the sessions at the window holds, and how exact exposures were."""
    columns = exported_columns()
    with reading_record(study.folder / RECORD_FILE) as engine:
        rows = [
            dict(zip(columns, row, strict=True)) for row in read_judgements(engine, simulated=True)
        ]
    return f"{len(rows)} trials recorded. {verdicts_sentence(table_of_rows(rows))}"
