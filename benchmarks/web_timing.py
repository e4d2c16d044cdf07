"""Measure exposures of hype, and of pages with other timers, in a browser from outside.

    python benchmarks/web_timing.py [--each 60] [--jspsych NODE_MODULES] [--firefox] [--busy 2]

Xvfb is started with a mapped frame buffer, and `watch.py` watches one of its pixels while a browser
shows white images on black, each for one of four durations:

counted   `hype serve`: a study's page, with a simulated participant; four masks of two frames
timeout   a plain page: an image and `setTimeout`
jspsych   jsPsych and its image-keyboard-response plugin, where they are installed: in some folder
          `npm install jspsych@8.3.0 @jspsych/plugin-image-keyboard-response@2.2.0`

The observations are compared with the requested frames at the display's rate. Run it on a quiet
machine; --busy starts programs that keep cores busy. It does not measure light from a screen.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from machine import Load, description
from PIL import Image
from stage import SCREEN_PX, VirtualScreen, busy_loops, virtual_screen, watched

from hype.protocols.load import load_any
from hype.session.timing import duration_of, frames_of
from hype.web.desk import FileDesk
from hype.witness import Run, read_witness, runs_of

PAGES: Final = Path(__file__).with_name("web_pages")
HYPE: Final = Path(sys.executable).with_name("hype")
EXPOSURES_MS: Final = (100.0, 200.0, 500.0, 1000.0)
HZ: Final = 60.0
SIDE_PX: Final = 400
GREYS: Final = ((160, 160, 160), (80, 80, 80))
LEVELS: Final = ((255, 255, 255), *GREYS, (0, 0, 0))
"""Colours of the image, of the masks in turn, and of the empty screen."""
AT_PX: Final = (SCREEN_PX[0] // 2 + 150, SCREEN_PX[1] // 2 + 150)
"""A pixel of the images that the numerals of the countdown do not cover."""
CHROMIUM: Final = (
    *("chromium", "--no-sandbox", "--kiosk", "--window-position=0,0", "--no-first-run"),
    *(f"--window-size={SCREEN_PX[0]},{SCREEN_PX[1]}", "--force-device-scale-factor=1"),
    *("--disable-extensions", "--disable-component-update", "--disable-background-networking"),
)
FIREFOX: Final = (
    *("firefox-esr", "--kiosk", "--no-remote"),
    *("--width", str(SCREEN_PX[0]), "--height", str(SCREEN_PX[1])),
)
FIREFOX_PREFERENCES: Final = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
"""
JSPSYCH: Final = {
    "/jspsych.js": "jspsych/dist/index.browser.js",
    "/jspsych.css": "jspsych/css/jspsych.css",
    "/plugin.js": "@jspsych/plugin-image-keyboard-response/dist/index.browser.js",
}
"""Addresses of the page's files, and their paths within node_modules."""
BEGIN_S: Final = 60
TRIAL_S: Final = 10
"""Time limits for the start of a browser and for each image, on a busy machine."""
STUDY: Final = """
[study]
name = "web timing"
methods = ["time"]
consent = false
breaks = false
[stimuli]
folder = "stimuli"
[masks]
folder = "masks"
[time]
blocks = 1
trials = {trials}
countdown_from = 1
countdown_ms = 200
masks = 4
mask_ms = 33
feedback = false
min_ms = 0
[time.staircase]
start_ms = {ms}
min_ms = {ms}
max_ms = {ms}
allow_unsettled = true
allow_at_or_below_chance = true
[qualification]
enabled = false
[practice]
trials = 0
[display]
size_px = {side}
background = [0, 0, 0]
[people]
rt_median_ms = 150
"""

Browse = Callable[[VirtualScreen, Path, str], AbstractContextManager[None]]
"""Opens an address on a screen; the path is a folder for the browser's files."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An image: its requested duration, its seen duration, and its verdict."""

    asked_ms: float
    seen_ms: float
    verdict: str = ""
    masks_ms: float = 0.0  # how long its masks were seen, in all

    @property
    def off_ms(self) -> float:
        return self.seen_ms - duration_of(frames_of(self.asked_ms, HZ), HZ)

    @property
    def is_right(self) -> bool:
        """Whether it was seen for the right number of frames."""
        return abs(self.off_ms) < 500 / HZ


def white_images(folder: Path, number: int) -> None:
    """Make white images that all differ: in each, another pixel is slightly grey."""
    folder.mkdir(parents=True)
    for n in range(number):
        image = Image.new("RGB", (SIDE_PX, SIDE_PX), "white")
        image.putpixel((n % SIDE_PX, n // SIDE_PX), (250, 250, 250))
        image.save(folder / f"{n}.png")


def study_in(folder: Path, ms: float, trials: int) -> Path:
    """Make a study whose exposures all have one duration."""
    white_images(folder / "stimuli/real", trials)
    folder_of_fakes = folder / "stimuli/fake/model"
    white_images(folder_of_fakes, trials)
    for path in folder_of_fakes.glob("*.png"):
        with Image.open(path) as image:
            image.transpose(Image.Transpose.ROTATE_180).save(path)
    masks = folder / "masks"
    masks.mkdir()
    rows = ["path,source,method,seed,size_px,error"]
    for n, rgb in enumerate(2 * GREYS):
        mask = Image.new("RGB", (SIDE_PX, SIDE_PX), rgb)
        mask.putpixel((n, 0), (0, 0, 0))
        mask.save(masks / f"{n}.png")
        rows.append(f"{n}.png,made,flat,0,{SIDE_PX},0")
    (masks / "manifest.csv").write_text("\n".join(rows) + "\n")
    subprocess.run([HYPE, "stimuli", "scan", folder / "stimuli"], check=True, capture_output=True)
    text = STUDY.format(ms=ms, trials=trials, side=SIDE_PX)
    (folder / "study.toml").write_text(text)
    return folder


@contextmanager
def chromium(screen: VirtualScreen, folder: Path, address: str) -> Iterator[None]:
    """Show an address in a window without a frame."""
    with running(screen, folder, [*CHROMIUM, f"--user-data-dir={folder}", address]):
        yield


@contextmanager
def firefox(screen: VirtualScreen, folder: Path, address: str) -> Iterator[None]:
    """Show an address in a window that fills the screen."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "user.js").write_text(FIREFOX_PREFERENCES)
    with running(screen, folder, [*FIREFOX, "--profile", str(folder), address]):
        yield


@contextmanager
def running(screen: VirtualScreen, home: Path, command: Sequence[str]) -> Iterator[None]:
    """Run a program with its own home folder."""
    environment = screen.environment | {"HOME": str(home)}
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=silent, stderr=silent) as started:
        try:
            yield
        finally:
            started.terminate()


def image_runs(log: Path, since_s: float) -> list[tuple[Run, float]]:
    """Return each time that an image was seen, and the ms from its end to the black screen.

    Changes before ``since_s`` do not count, because a browser's first page is white.
    """
    runs = [run for run in runs_of(read_witness(log), LEVELS) if run.begin_s > since_s]
    found = []
    for n, run in enumerate(runs):
        if run.level == 0:
            after = runs[n + 1 :]
            black = next((other for other in after if other.level == len(LEVELS) - 1), run)
            found.append((run, max(0.0, 1000 * (black.begin_s - run.end_s))))
    return found


def counted(screen: VirtualScreen, browse: Browse, folder: Path, each: int) -> Iterator[Shown]:
    """For each exposure, a simulated participant completes one session on a real page."""
    for ms in EXPOSURES_MS:
        own = folder / f"{ms:g}"
        study = study_in(own, ms, each)
        log = own / "log.csv"
        os.environ["XDG_STATE_HOME"] = str(own / "state")
        serving = [HYPE, "serve", study, "--port", "0"]
        with (
            subprocess.Popen(serving, stdout=subprocess.PIPE, text=True) as server,
            ExitStack() as stack,
        ):
            stack.callback(server.terminate)
            said = server.stdout.readline() if server.stdout else ""
            address = next(word for word in said.split() if word.startswith("http"))
            time.sleep(3)
            proof = FileDesk.of(load_any(study)).key().name("simulated", "sim-1")
            stack.enter_context(watched(screen, log, AT_PX))
            door = f"{address}simulated/sim-1/{proof}"
            rows = None
            while rows is None:
                with browse(screen, own / "browser", door):
                    rows = verdicts_of(study, each)
            ((began_unix_s,),) = asked(study, "select started_unix_s from sessions")
            since_s = began_unix_s - time.time() + time.monotonic()
        seen = image_runs(log, since_s)
        if len(seen) != len(rows):
            sys.exit(f"{len(rows)} trials at {ms:g} ms, and {len(seen)} images were seen")
        for row, (run, masks_ms) in zip(rows, seen, strict=True):
            yield Shown(ms, 1000 * (run.end_s - run.begin_s), row, masks_ms)


def verdicts_of(study: Path, trials: int) -> list[str] | None:
    """Wait for a session's end, and return the verdicts of its trials in order.

    Returns None if the session does not begin, usually because the page refuses the display.
    """
    until_s = time.monotonic() + BEGIN_S
    while not asked(study, "select 1 from sessions"):
        if time.monotonic() > until_s:
            print("  a session did not start; again (is the display steady?)", file=sys.stderr)
            return None
        time.sleep(1)
    until_s = time.monotonic() + BEGIN_S + TRIAL_S * trials
    while len(rows := asked(study, "select verdict from judgements order by id")) < trials:
        if time.monotonic() > until_s:
            sys.exit("a session did not end")
        time.sleep(2)
    time.sleep(2)
    return [verdict for (verdict,) in rows]


def asked(study: Path, query: str) -> list[tuple[Any, ...]]:
    """Query the record; the result is empty if there is no record yet."""
    with (
        suppress(sqlite3.OperationalError),
        closing(sqlite3.connect(f"file:{study / 'data.sqlite'}?mode=ro", uri=True)) as connection,
    ):
        return connection.execute(query).fetchall()
    return []


def page(
    screen: VirtualScreen,
    browse: Browse,
    folder: Path,
    each: int,
    *,
    name: str,
    files: Mapping[str, Path] = MappingProxyType({}),
) -> Iterator[Shown]:
    """Show the same durations on another kind of page, in random order.

    ``files``: the page's files, by their addresses.
    """
    folder.mkdir(parents=True)
    white_images(folder / "white", 1)
    durations = np.random.default_rng(0).permutation(list(EXPOSURES_MS) * each).tolist()
    done, log = Event(), folder / "log.csv"
    asked_s: list[float] = []
    known = {"/white.png": folder / "white/0.png", f"/{name}": PAGES / name, **files}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/durations":
                asked_s.append(time.monotonic())
            content = (
                json.dumps(durations).encode()
                if self.path == "/durations"
                else known[self.path].read_bytes()
                if self.path in known
                else None
            )
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def do_POST(self) -> None:
            done.set()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/{name}"
    with watched(screen, log, AT_PX), browse(screen, folder / "browser", address):
        if not done.wait(BEGIN_S + TRIAL_S * len(durations)):
            sys.exit(f"{name} did not come to its end")
        time.sleep(1)
    server.shutdown()
    seen = image_runs(log, asked_s[0])
    if len(seen) != len(durations):
        sys.exit(f"{len(durations)} images, and {len(seen)} were seen")
    for ms, (run, _) in zip(durations, seen, strict=True):
        yield Shown(ms, 1000 * (run.end_s - run.begin_s))


def print_table(name: str, shown: Sequence[Shown]) -> None:
    """Print the observations of one way to show images."""
    for ms in EXPOSURES_MS:
        some = [one for one in shown if one.asked_ms == ms]
        off = np.array([one.off_ms for one in some])
        right = np.mean([one.is_right for one in some])
        row = f"{name:9}{ms:6.0f} ms {len(some):4}   {off.mean():+7.2f} {off.std(ddof=1):6.2f}"
        row += f"   {right:6.1%}"
        good = [one for one in some if one.verdict == "ok"]
        if good:
            wrong = sum(not one.is_right for one in good)
            seen = np.array([one.off_ms for one in good])
            masks = np.array([one.masks_ms for one in good]) - 8000 / HZ
            row += f"   {len(good):4} ok: {wrong} wrong, {seen.mean():+.2f} (SD {seen.std():.2f})"
            row += f"; masks {masks.mean():+.2f} ({np.abs(masks).max():.2f} at most)"
        print(row)


def ways(modules: Path | None) -> dict[str, Callable[..., Iterator[Shown]]]:
    """Return the ways to show images, with jsPsych if its modules are installed."""
    found = {"counted": counted, "timeout": partial(page, name="timeout.html")}
    if modules is None:
        return found
    files = {address: modules / path for address, path in JSPSYCH.items()}
    if missing := [path for path in files.values() if not path.exists()]:
        sys.exit(f"{missing[0]} is missing; --jspsych needs the folder node_modules")
    return found | {"jspsych": partial(page, name="jspsych.html", files=files)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=60, metavar="N", help="of each duration; even")
    parser.add_argument("--firefox", action="store_true", help="Firefox instead of Chromium")
    parser.add_argument("--jspsych", type=Path, metavar="DIR", help="folder node_modules")
    parser.add_argument("--only", metavar="WAY", help="counted, timeout or jspsych")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="number of busy loops")
    options = parser.parse_args()
    load = Load()
    browse = firefox if options.firefox else chromium
    print(f"{description(['numpy'])}; {browse.__name__}, {options.busy} busy loops")
    print(f"seen minus requested, in whole frames at {HZ:g} Hz")
    print("way      asked      n   mean, ms     SD   right frames")
    with (
        tempfile.TemporaryDirectory() as scratch,
        virtual_screen(Path(scratch)) as screen,
        busy_loops(options.busy),
    ):
        for name, way in ways(options.jspsych).items():
            if options.only in (None, name):
                print_table(name, list(way(screen, browse, Path(scratch) / name, options.each)))
    print(f"other programs took {load.of_others():.2f} cores")


if __name__ == "__main__":
    main()
