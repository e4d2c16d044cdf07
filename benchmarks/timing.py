"""Measure exposures of hype and of a plain PsychoPy loop on a virtual display, from outside.

    python benchmarks/timing.py                       everything: about half an hour
    python benchmarks/timing.py --hz 100 --parts block plain --trials 10 --each 3

For each refresh rate, Xvfb is started with a mapped frame buffer, and `watch.py` watches the middle
of the photodiode patch while these programs run, one after the other:

block      a whole block of HYPE_time: `hype run`, with a simulated evaluator and real key presses
exposures  `hype timing`, some durations many times
plain      `plain_loop.py`: draw, flip, core.wait, flip

Then, at the first rate, `busy`: the block again, while other programs keep the cores busy. The
witness's observations are compared with the frames' nominal durations and with the program's own
log. The witness cannot time a change if its last look was more than half a millisecond earlier:
such trials are counted, and their durations are listed separately.

Run it on a quiet machine. It does not measure light from a screen.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Final

from machine import Load, description
from seen import Part, Rows, witnessed
from stage import VirtualScreen, busy_loops, run, virtual_screen, watched
from timing_tables import print_aims, print_blind, print_blocks, print_busy, print_durations

from hype.files import FOLDERS_VARIABLE
from hype.session.timing import Request, duration_of, frames_of

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent
HYPE: Final = Path(sys.executable).with_name("hype")
MASK_MS: Final = 30.0
EXPOSURES_MS: Final = (100.0, 300.0, 500.0, 1000.0)
PARTS: Final = ("block", "exposures", "plain", "busy")
STUDY: Final = """
[study]
name = "timing"
methods = ["time"]
consent = false
breaks = false
[stimuli]
folder = "{root}/stimuli/fashion"
[masks]
folder = "{root}/masks/fashion"
[time]
blocks = 1
trials = {trials}
countdown_ms = 100
mask_ms = {mask_ms}
[qualification]
enabled = false
[practice]
trials = 0
[display]
size_px = 512
refresh_hz = {hz}
feedback_ms = 50
[people]
rt_median_ms = 60
[timing.patch]
"""


def play_block(screen: VirtualScreen, folder: Path) -> Rows:
    """Run a session, and return the rows of its record."""
    run(screen, HYPE, "run", folder, "--evaluator", "w1", "--simulate")
    with closing(sqlite3.connect(f"file:{folder / 'data.sqlite'}?mode=ro", uri=True)) as record:
        record.row_factory = sqlite3.Row
        found = record.execute("select * from judgements order by id").fetchall()
    return [(f"judgement {row['id']}", dict(row)) for row in found]


def play_exposures(screen: VirtualScreen, folder: Path, each: int) -> Rows:
    """Run `hype timing`, and return its rows."""
    wanted = " ".join(f"{ms:g}" for ms in EXPOSURES_MS)
    command = (HYPE, "timing", folder, "--exposures", wanted, "--trials", each, "--json")
    return [(f"trial {row['trial']}", row) for row in json.loads(run(screen, *command))["trials"]]


def play_plain(screen: VirtualScreen, folder: Path, each: int, hz: float) -> Rows:
    """Run the plain loop with whole-frame durations (of images and masks); return its rows."""
    file = folder / "plain.csv"
    requests = {
        duration_of(frames_of(ms, hz), hz): Request(ms, frames_of(ms, hz))
        for ms in (MASK_MS, *EXPOSURES_MS)
    }
    run(
        *(screen, sys.executable, HERE / "plain_loop.py", file),
        *("--images", ROOT / "stimuli/fashion/real", "--each", each),
        *("--exposures", *(repr(nominal_ms) for nominal_ms in requests)),
    )
    with file.open(newline="") as table:
        return [
            (f"{file} line {line}", plain_row({c: float(v) for c, v in cells.items()}, requests))
            for line, cells in enumerate(csv.DictReader(table), start=2)
        ]


def plain_row(cells: Mapping[str, float], requests: Mapping[float, Request]) -> dict[str, object]:
    """Convert a trial of the plain loop to a row like ours; its verdict is always "ok"."""
    nominal_ms, on_s, off_s = (cells[name] for name in ("exposure_ms", "on_s", "off_s"))
    return {
        "exposure_ms": requests[nominal_ms].duration_ms,
        "exposure_frames": requests[nominal_ms].frames,
        "exposure_nominal_ms": nominal_ms,
        "exposure_measured_ms": 1000 * (off_s - on_s),
        "flips_s": f"{on_s} {off_s}",
        "verdict": "ok",
    }


def measure(
    hz: float, options: argparse.Namespace, parts: Sequence[str]
) -> Iterator[tuple[str, Part]]:
    """Play and watch some parts at one refresh rate."""
    players: dict[str, Callable[[VirtualScreen, Path], Rows]] = {
        "block": play_block,
        "exposures": partial(play_exposures, each=options.each),
        "plain": partial(play_plain, each=options.each, hz=hz),
        "busy": play_block,
    }
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        screen = stack.enter_context(virtual_screen(scratch))
        for part in parts:
            print(f"{hz:g} Hz, {part}", file=sys.stderr)
            folder = scratch / part
            folder.mkdir()
            text = STUDY.format(root=ROOT, trials=options.trials, mask_ms=MASK_MS, hz=hz)
            (folder / "study.toml").write_text(text)
            loops, log = options.loops if part == "busy" else 0, folder / "log.csv"
            with busy_loops(loops), watched(screen, log):
                rows = players[part](screen, folder)
            yield part, witnessed(hz, rows, log)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hz", type=float, nargs="+", default=[100.0, 60.0, 120.0, 144.0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--trials", type=int, default=150, metavar="N", help="of a block; even")
    parser.add_argument("--each", type=int, default=20, metavar="N", help="of each duration")
    parser.add_argument("--loops", type=int, default=2, metavar="N", help="loops in `busy`")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    os.environ[FOLDERS_VARIABLE] = str(ROOT)  # the images are outside the folders of the studies
    options, load = arguments(), Load()
    print(description(("numpy", "psychopy", "pyglet")))
    found: list[tuple[str, Part]] = []
    try:
        for place, hz in enumerate(options.hz):
            parts = [part for part in options.parts if part != "busy" or place == 0]
            found.extend(measure(hz, options, parts))
    finally:  # after an error, the measurements so far are still printed
        print_tables(found)
    print(f"\nOther programs took {load.of_others():.2f} cores on average during all this.")


def print_tables(found: Sequence[tuple[str, Part]]) -> None:
    """Print all measurements."""
    named = {name: [part for part_name, part in found if part_name == name] for name in PARTS}
    if named["block"]:
        print_blocks(named["block"])
    if named["exposures"]:
        print_durations(named["exposures"], {part.hz: part for part in named["plain"]})
    if named["busy"]:
        print_busy(named["busy"])
    print_blind(found)
    print_aims(named)


if __name__ == "__main__":
    main()
