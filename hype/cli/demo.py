"""`hype demo`: a real, short study from start to report.

Without the shipped pictures, the program draws clouds: coloured noise whose amplitude falls with
frequency. Clouds of "models" are more blurred or grainier than "real" ones, or covered with a grid.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.console import RenderableType

import hype
from hype.answers.choices import Choices, shell_option
from hype.check.machine import explain_no_station, find_browser
from hype.cli.new import StudyDraft, new_judged
from hype.cli.options import require_free
from hype.cli.report import say_if_undrawn
from hype.cli.simulate import run_simulation
from hype.console import err, out
from hype.errors import InputError, SessionProblem, installing, is_installed, quote_path
from hype.files import STUDIES, cache_folder, forgotten_state, inside, make_folder, write_bytes
from hype.masks.maskset import read_masks
from hype.protocols.load import load_any
from hype.protocols.opening import answers_in, open_source, read_answers
from hype.protocols.registry import HYPE as JUDGEMENTS
from hype.protocols.registry import course_of
from hype.report.terminal import verdicts_sentence
from hype.session.live import hold_session
from hype.session.simulate import Simulated
from hype.session.stage import Seating
from hype.station.display import ensure_display
from hype.stimuli.manifest import MANIFEST, read_manifest
from hype.store import people
from hype.store.record import record_of
from hype.study.studies import STUDY_FILE, AnyStudy
from hype.web.tokens import ServerKey

ROOT = Path(hype.__file__).resolve().parents[1]
SET: Final = "fashion"
SHORT: Final = "short-study-at-a-window"
SHORT_OTHERS: Final = ("comparisons", "ratings", "rankings")
"""One session of each of these kinds runs in the window."""
FULL: Final = {
    "full-study": "report",
    "full-comparisons": "comparisons",
    "full-ratings": "ratings",
    "full-rankings": "rankings",
}
"""The full-length studies, and the names of their pages."""
BROWSER: Final = "short-comparisons-in-a-browser"
VISITORS: Final = ("demo-1", "demo-2")
PATIENCE_S: Final = 120.0
SHIPPED: Final = {
    SHORT: "fashion-short",
    **{f"short-{kind}-at-a-window": f"fashion-{kind}-short" for kind in SHORT_OTHERS},
    BROWSER: "fashion-comparisons-short",
    "full-study": "fashion",
    **{f"full-{kind}": f"fashion-{kind}" for kind in SHORT_OTHERS},
}
"""The studies of the demonstration, and the shipped studies that they copy."""
JUDGES: Final = Path("fashion-rankings", "judges")
"""The folder with the scores that automated judges give the shipped images."""
LOOPBACK: Final = "127.0.0.1"
SIMULATED: Final = Choices(simulated=True)
WHOLE: Final = "use a complete clone of the repository"
DRAWN: Final = 20
"""Without the shipped pictures, this many are drawn for each model."""
SEEN_THROUGH: Final = """
[observers.blurred]
ceiling = 0.75

[observers.grainy]
ceiling = 0.98

[observers.grid]
ceiling = 0.88
"""
"""How often simulated evaluators judge each model's pictures correctly: invented numbers."""


def demo(
    destination: Annotated[
        Path | None, shell_option("--out DIR", "folder for study, data and report")
    ] = None,
) -> None:
    """Run a short study in a real window with simulated evaluators, then score a full one.

    Where no window can open (Windows, macOS, Python 3.13), the sessions in a window are left out.
    """
    folder = prepare(destination)
    out.print("[bold yellow]All evaluators in this demonstration are simulated.[/]")
    if not (ROOT / "stimuli" / SET).is_dir():
        demonstrate_on_drawings(folder)
        return
    lay_out(folder)
    studies = {name: place(folder / STUDIES / name, shipped) for name, shipped in SHIPPED.items()}
    if why := explain_no_station():
        out.print(f"1/5, 2/5  sessions in a window: left out, since {why[0]}", markup=False)
    else:
        judge_at_window(studies)
    judge_in_browser(studies[BROWSER], folder)
    came = {
        name: run_simulation(studies[name], None, seed=0, fresh=False, label=f"4/5  {name}")
        for name in FULL
    }
    with err.status("5/5  scoring and reports"):
        pages = {name: folder / f"{page}.html" for name, page in FULL.items()}
        tables = {name: score_and_report(studies[name].path, pages[name]) for name in FULL}
    for name, table in tables.items():
        out.print(f"\n{name.replace('-', ' ').capitalize()}: {who_came(came[name])}.\n")
        out.print(table)
    print_where(folder, pages.values())


def demonstrate_on_drawings(folder: Path) -> None:
    """Run the demonstration without the shipped pictures: draw some, and use no window."""
    out.print("1/3 drawing pictures, and creating a study with them")
    real, fakes = draw_pictures(folder / "pictures", DRAWN)
    named = [f"{name}={pictures}" for name, pictures in fakes.items()]
    drawn = folder / STUDIES / "drawn"
    new_judged(drawn, StudyDraft(real=real, fake=named, method=["infinity"]))
    file = drawn / STUDY_FILE
    write_bytes(file, file.read_bytes() + SEEN_THROUGH.encode(), private=False)
    study = load_any(file, "")
    if is_installed("psychopy"):
        virtual = ensure_display(virtual_allowed=True)
        sit(study, 1, Seating(simulated=True, virtual_display=virtual, windowed=True))
    else:
        bring = f"     no session in a window without PsychoPy: {installing('station')}"
        out.print(bring, markup=False)
    came = run_simulation(study, None, seed=0, fresh=False, label="2/3  simulated evaluators")
    with err.status("3/3  scoring and report"):
        page = folder / "report.html"
        table = score_and_report(study.path, page)
    out.print(f"\n{who_came(came).capitalize()}.\n")
    out.print(table)
    print_where(folder, [page])


def print_where(folder: Path, pages: Iterable[Path]) -> None:
    out.print(f"\nStudies, data and reports: {folder}", soft_wrap=True, markup=False)
    for page in pages:
        out.print(f"report: {page}", soft_wrap=True, markup=False)
    say_if_undrawn()


def score_and_report(study: Path, page: Path) -> RenderableType:
    """Score a study and write its page; return the scores for the terminal."""
    read = open_source(str(study), SIMULATED)
    protocol = answers_in(read, SIMULATED)
    # The shipped judges score images; they do not judge them as real or fake.
    judges = None if protocol is JUDGEMENTS else [ROOT / STUDIES / JUDGES]
    choices = replace(SIMULATED, judges=judges) if judges else SIMULATED
    answers = read_answers(protocol, read, choices)
    scores = protocol.scoring.score(answers, choices)
    protocol.reporting.report(answers, scores, choices, None).write_page(page)
    return protocol.scoring.laid_out(answers, scores, whole=False)


def who_came(sessions: Sequence[Simulated]) -> str:
    complete = sum(session.ending.value == "complete" for session in sessions)
    return f"{len(sessions)} simulated evaluators, {complete} finished"


def prepare(destination: Path | None) -> Path:
    """Return the folder of the demonstration, by default one in the user's cache."""
    if destination is None:
        folder = cache_folder() / "demo"
        shutil.rmtree(folder, ignore_errors=True)
    else:
        require_free(destination)
        folder = destination.resolve()
    make_folder(folder)
    return folder


def lay_out(folder: Path) -> None:
    """Copy the shipped images and masks, since a study cannot read files outside its workspace."""
    stimuli, masks = (ROOT / kind / SET for kind in ("stimuli", "masks"))
    if not (stimuli.is_dir() and masks.is_dir()):
        raise InputError(stimuli, "the shipped images are missing", WHOLE)
    images = [stimulus.path for stimulus in read_manifest(stimuli).stimuli]
    copy_files(stimuli, folder / "stimuli" / SET, ("LICENSE", MANIFEST, *images))
    copy_files(masks, folder / "masks" / SET, (MANIFEST, *read_masks(masks).paths))


def copy_files(source: Path, destination: Path, names: Iterable[str]) -> None:
    try:
        for name in names:
            (destination / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(inside(source, name), destination / name)
    except OSError as error:
        raise InputError(destination, f"cannot be written: {error.strerror}") from None


def place(folder: Path, experiment: str) -> AnyStudy:
    """Copy a shipped study file, so that its record is in ``folder`` and not in the project."""
    source = ROOT / STUDIES / experiment / STUDY_FILE
    if not source.is_file():
        raise InputError(source, "the shipped study is missing", WHOLE)
    folder.mkdir(parents=True)
    shutil.copyfile(source, folder / STUDY_FILE)
    return load_any(folder, "")


def judge_at_window(studies: Mapping[str, AnyStudy]) -> None:
    """Run simulated evaluators in a real window: two for judgements, one for each other kind."""
    virtual = ensure_display(virtual_allowed=True)
    kind = "a virtual display (Xvfb)" if virtual else "this display"
    out.print(f"1/5  sessions in a PsychoPy window on {kind}, with real key presses")
    seating = Seating(simulated=True, virtual_display=virtual, windowed=True)
    sit(studies[SHORT], 2, seating)
    out.print(
        "2/5  sessions of comparisons, ratings and rankings in the window, with keys and mouse"
    )
    for other in SHORT_OTHERS:
        sit(studies[f"short-{other}-at-a-window"], 1, seating)


def judge_in_browser(study: AnyStudy, folder: Path) -> None:
    """Let two simulated evaluators go through a study in Chromium.

    ``folder``: holds the data of the server and browsers during the sessions.
    """
    chromium = find_browser()
    if chromium is None:
        out.print("3/5  sessions in a browser: left out, since Chromium is not installed here")
    else:
        from hype.web.serving import doors_of, serve

        out.print(f"3/5  two sessions of comparisons on real pages in {Path(chromium).name}")
        with forgotten_state(folder) as home, doors_of(study, LOOPBACK, 0) as doors:
            serve(
                *(study, doors),
                visitors=lambda: hold_sessions(
                    *(chromium, home, study, doors.port, doors.key, VISITORS), patience_s=PATIENCE_S
                ),
            )
    out.print(f"     to take part yourself: hype serve {quote_path(study.folder)}", soft_wrap=True)


def sit(study: AnyStudy, sessions: int, seating: Seating) -> None:
    with record_of(study).writing() as engine:
        for number in range(1, sessions + 1):
            # No spinner: its thread would run during the exposures.
            out.print(f"     {study.answers}, session {number} of {sessions}: ", end="")
            held = hold_session(engine, course_of(study), f"demo-{number}", seating)
            exact = f". {verdicts_sentence(held.timing)}" if held.timing.trials else ""
            out.print(f"{held.ended}{exact}")
            if held.ended == "quit":
                raise SessionProblem("the demonstration was stopped")


FLAGS: Final = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--window-size=1366,768"),
)
"""Chromium runs without its sandbox, which root cannot use; it shows only our own pages."""
LOOK_S: Final = 0.5


def hold_sessions(
    program: str,
    home: Path,
    study: AnyStudy,
    port: int,
    key: ServerKey,
    codes: Sequence[str],
    patience_s: float,
) -> None:
    """Let simulated participants go through their sessions, each on a separate page.

    ``home``: a home folder for their browsers, since Chromium also writes outside its data folder.

    Raises SessionProblem: a session did not end in time.
    """
    own = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    with ExitStack() as stack:
        for code in codes:
            profile = home / code
            door = f"http://127.0.0.1:{port}/simulated/{code}/{key.name('simulated', code)}"
            shown = subprocess.Popen(
                [program, *FLAGS, f"--user-data-dir={profile}", door],
                env=own | {"HOME": str(home)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(shown.wait)
            stack.callback(shown.terminate)
        until_s = time.monotonic() + patience_s
        while not set(codes) <= list_finished(study):
            if time.monotonic() > until_s:
                raise SessionProblem(f"sessions in {program} did not end")
            time.sleep(LOOK_S)


def list_finished(study: AnyStudy) -> set[str]:
    """List the simulated evaluators who have finished."""
    record = record_of(study)
    if not record.is_there():
        return set()
    with record.reading() as engine, engine.connect() as connection:
        everybody = people.list_evaluators(connection, simulated=True)
    return {who.evaluator for who in everybody if who.status in people.PARTS_END}


SIDE_PX: Final = 64
RIGHT: Final = 1.6
GRID: Final = 0.06
MODELS: Final = {"blurred": (2.2, 0.0), "grainy": (1.1, 0.0), "grid": (RIGHT, GRID)}
"""How steeply amplitude falls in each model's pictures, and the strength of the grid on them."""


def draw_pictures(folder: Path, number: int, seed: int = 0) -> tuple[Path, Mapping[str, Path]]:
    """Draw ``number`` pictures of each model, and as many real pictures as of all models together.

    Returns the folders of the real pictures and of the models.

    Raises InputError: the pictures cannot be written.
    """
    rng = np.random.default_rng(seed)
    kinds = {"real": (number * len(MODELS), RIGHT, 0.0)}
    kinds |= {name: (number, *made) for name, made in MODELS.items()}
    for name, (pictures, slope, grid) in kinds.items():
        make_folder(folder / name)
        for place in range(pictures):
            picture = Image.fromarray(draw_clouds(rng, slope, grid))
            picture.save(folder / name / f"{place:03}.png")
    return folder / "real", {name: folder / name for name in MODELS}


def draw_clouds(rng: np.random.Generator, slope: float, grid: float) -> NDArray[np.uint8]:
    """Draw a picture, SIDE_PX x SIDE_PX x 3, whose amplitude falls as 1/f**``slope``."""
    across = np.fft.fftfreq(SIDE_PX)
    frequency = np.hypot(across[:, None], across[None, :])
    frequency[0, 0] = np.inf
    spectrum = np.fft.fft2(rng.standard_normal((SIDE_PX, SIDE_PX, 3)), axes=(0, 1))
    drawn = np.fft.ifft2(spectrum * (frequency**-slope)[..., None], axes=(0, 1)).real
    mixed = drawn @ (np.eye(3) + 1.5)  # colours are correlated
    low, high = np.quantile(mixed, (0.01, 0.99))
    field = np.clip((mixed - low) / (high - low), 0, 1)
    rows, columns = np.indices((SIDE_PX, SIDE_PX))
    lines = ((rows + columns) % 4 == 0)[..., None]
    pixels: NDArray[np.uint8] = np.rint(255 * np.clip(field + grid * lines, 0, 1)).astype(np.uint8)
    return pixels
