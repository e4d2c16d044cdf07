"""Measure how much more memory a session needs than a bare PsychoPy window.

    .venv/bin/python benchmarks/memory.py             5000 + 5000 images of 1024 px, 150 trials
    .venv/bin/python benchmarks/memory.py FOLDER      keeps the images there, for the next time
    .venv/bin/python benchmarks/memory.py --images 200 --trials 12

`hype run --simulate` runs on a virtual display. On another, a program opens the window of a
session, and flips without drawing. A virtual display is the worst case, since textures are then in
the program's own memory. The kernel reports memory: VmHWM is the maximum resident memory; Pss (the
maximum of several readings) divides shared pages among the programs that share them. MB are
millions of bytes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

from hype.files import FOLDERS_VARIABLE, write_table
from hype.masks.maskset import COLUMNS as MASK_COLUMNS
from hype.stimuli.collection import scan
from hype.stimuli.manifest import MANIFEST

SIDE_PX: Final = 1024
SHOWN_PX: Final = 700
REFRESH_HZ: Final = 100
MASKS: Final = 8
LIMIT_MB: Final = 300
POLL_S: Final = 0.25
FLIPS: Final = 100
HYPE: Final = Path(sys.executable).with_name("hype")
STUDY: Final = """
[study]
name = "memory"
methods = ["time"]
consent = false
[stimuli]
folder = "{sets}/stimuli"
[masks]
folder = "{sets}/masks"
[qualification]
enabled = false
[practice]
trials = 0
[time]
blocks = 1
trials = {trials}
countdown_ms = 300
[display]
size_px = {shown_px}
fullscreen = true
refresh_hz = {refresh_hz}
[people]
rt_median_ms = 60
[observers.m1]
threshold_ms = 20
"""
BARE: Final = """
from hype.station.config import Appearance
from hype.station.window import open_window
from hype.station.display import ensure_display

grey, black = (128, 128, 128), (0, 0, 0)
virtual = ensure_display(virtual_allowed=True)
window, _ = open_window(
    Appearance(
        size_px={shown_px}, size_deg=None, monitor_cm=None, screen=0, fullscreen=True,
        window_px=(1024, 768), refresh_hz={refresh_hz}, background_rgb=grey, text_rgb=black, font=""
    ),
    virtual=virtual,
)
for _ in range({flips}):
    window.flip()
print("flipped", flush=True)
input()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A program's maximum resident memory (VmHWM), and its maximum Pss, in MB."""

    resident_mb: float
    proportional_mb: float


def write_image(path: Path) -> None:
    """Write a picture of coarse coloured patches, a different one for each path."""
    seed = [ord(letter) for letter in path.stem + path.parent.name]
    patches = np.random.default_rng(seed).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    image = Image.fromarray(patches).resize((SIDE_PX, SIDE_PX), Image.Resampling.BICUBIC)
    image.save(path, quality=60)


def write_stimuli(folder: Path, number: int) -> None:
    """Write ``number`` real and the same number of fake images, and their manifest."""
    parts = (folder / "real", folder / "fake" / "m1")
    for part in parts:
        part.mkdir(parents=True, exist_ok=True)
    paths = [part / f"{index:05d}.jpg" for part in parts for index in range(number)]
    with multiprocessing.Pool() as pool:
        for _ in pool.imap_unordered(write_image, paths, chunksize=16):
            pass
    scan(folder)


def write_masks(folder: Path) -> None:
    """Write masks of noise, and their manifest."""
    folder.mkdir(exist_ok=True)
    for number in range(MASKS):
        rng = np.random.default_rng(number)
        noise = rng.integers(0, 256, (SIDE_PX, SIDE_PX, 3), dtype=np.uint8)
        Image.fromarray(noise).save(folder / f"{number}.png")
    cells = dict.fromkeys(MASK_COLUMNS, "0") | {"size_px": str(SIDE_PX)}
    rows = [cells | {"path": f"{number}.png"} for number in range(MASKS)]
    write_table(folder / MANIFEST, MASK_COLUMNS, rows)


def ready_sets(folder: Path, number: int) -> Path:
    """Return the folder of the images and masks; make them if any is missing."""
    sets = folder.resolve() / f"{number}-and-{number}"
    if not (sets / "masks" / MANIFEST).exists():  # written last
        begin = time.perf_counter()
        write_stimuli(sets / "stimuli", number)
        write_masks(sets / "masks")
        print(f"made {2 * number} images in {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return sets


def kilobytes(pid: int, file: str, name: str) -> int:
    """Read one value of a process from /proc; 0 if it is missing."""
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text(encoding="ascii").splitlines()
    except OSError:  # the process has ended, or may not be read
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def watch(process: subprocess.Popen[str]) -> Iterator[Memory]:
    """Yield the memory of a process a few times a second while it runs."""
    while process.poll() is None:
        yield Memory(
            resident_mb=kilobytes(process.pid, "status", "VmHWM") * 1024 / 1e6,
            proportional_mb=kilobytes(process.pid, "smaps_rollup", "Pss") * 1024 / 1e6,
        )
        time.sleep(POLL_S)


def most(seen: list[Memory]) -> Memory:
    """Return the maximum of each value."""
    return Memory(
        resident_mb=max(memory.resident_mb for memory in seen),
        proportional_mb=max(memory.proportional_mb for memory in seen),
    )


def without_display() -> dict[str, str]:
    """Return an environment in which a program makes its own virtual display."""
    return {name: value for name, value in os.environ.items() if name != "DISPLAY"}


def memory_of_window() -> Memory:
    """Open a bare window in a separate program, and return that program's memory."""
    code = BARE.format(shown_px=SHOWN_PX, refresh_hz=REFRESH_HZ, flips=FLIPS)
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=without_display(),
    ) as process:
        if "flipped\n" not in iter(process.stdout or ()):
            raise SystemExit("the bare window could not be opened")
        memory = next(watch(process))
        process.communicate("\n")
    return memory


def memory_of_session(sets: Path, trials: int) -> Memory:
    """Run a session in a window with `hype run`, and return its memory."""
    with tempfile.TemporaryDirectory() as folder:
        text = STUDY.format(sets=sets, trials=trials, shown_px=SHOWN_PX, refresh_hz=REFRESH_HZ)
        (Path(folder) / "study.toml").write_text(text, encoding="utf-8")
        command = [str(HYPE), "run", folder, "--evaluator", "m1", "--simulate"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=without_display()
        ) as process:
            seen = list(watch(process))
            said, _ = process.communicate()
    if process.returncode or "complete" not in said:
        raise SystemExit(f"the session did not end: {said}")
    return most(seen)


def print_table(window: Memory, session: Memory) -> None:
    """Print the memory of window and session, and the difference."""
    rows = {
        "most resident (VmHWM)": (window.resident_mb, session.resident_mb),
        "most of its own (Pss)": (window.proportional_mb, session.proportional_mb),
    }
    print(f"{'MB':24}{'bare window':>14}{'session':>12}{'more':>10}")
    for name, (bare_mb, session_mb) in rows.items():
        print(f"{name:24}{bare_mb:14.0f}{session_mb:12.0f}{session_mb - bare_mb:10.0f}")
    more_mb = session.resident_mb - window.resident_mb
    print(f"{'within' if more_mb <= LIMIT_MB else 'MORE THAN'} the {LIMIT_MB} MB that it may be")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="where images are kept")
    parser.add_argument("--images", type=int, default=5000, help="of each kind")
    parser.add_argument("--trials", type=int, default=150)
    options = parser.parse_args()
    scratch = nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory()
    with scratch as folder:
        sets = ready_sets(Path(folder), options.images)
        os.environ[FOLDERS_VARIABLE] = str(sets)  # the images are outside the study's folder
        window = memory_of_window()
        session = memory_of_session(sets, options.trials)
    print(
        f"{options.images} real and {options.images} fake images and {MASKS} masks of {SIDE_PX} px,"
        f" shown at {SHOWN_PX} px; {options.trials} trials"
    )
    print_table(window, session)


if __name__ == "__main__":
    main()
