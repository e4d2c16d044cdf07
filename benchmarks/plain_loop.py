"""A plain PsychoPy loop, as in tutorials, to compare hype with: draw, flip, core.wait, flip.

    python benchmarks/plain_loop.py ROWS.csv --images FOLDER --exposures 100 300 --each 20

It shows pictures of 512 px, and writes when its flips returned. A patch of 48 px in the upper left
corner is white while a picture is shown, and black otherwise. It imports nothing of hype.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Final

import numpy as np
from psychopy import core, logging, monitors, visual

WINDOW_PX: Final = (1024, 768)
SIDE_PX: Final = 512
PATCH_PX: Final = 48
PAUSE_S: Final = 0.3
WARM_UP: Final = 20


def open_window() -> visual.Window:
    monitor = monitors.Monitor("plain", width=53.0, distance=57.0, autoLog=False)
    monitor.setSizePix(WINDOW_PX)
    return visual.Window(
        size=WINDOW_PX, fullscr=True, monitor=monitor, units="pix", color="grey", checkTiming=False
    )


def patch(window: visual.Window, colour: str) -> visual.Rect:
    x, y = (WINDOW_PX[0] - PATCH_PX) / 2, (WINDOW_PX[1] - PATCH_PX) / 2
    return visual.Rect(
        window, width=PATCH_PX, height=PATCH_PX, pos=(-x, y), fillColor=colour, lineColor=None
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=Path)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--exposures", type=float, nargs="+", required=True, metavar="MS")
    parser.add_argument("--each", type=int, default=20)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    logging.console.setLevel(logging.ERROR)
    order = np.random.default_rng(0).permutation(options.exposures * options.each).tolist()
    window = open_window()
    white, black = patch(window, "white"), patch(window, "black")
    paths = sorted(options.images.glob("*.png"))[:10]
    images = [visual.ImageStim(window, image=str(p), size=(SIDE_PX, SIDE_PX)) for p in paths]
    for image in images * 2:
        image.draw()
        black.draw()
        window.flip()
    rows = []
    for number, exposure_ms in enumerate(order):
        core.wait(PAUSE_S)
        images[number % len(images)].draw()
        white.draw()
        window.flip()
        on_s = time.monotonic()
        core.wait(exposure_ms / 1000)
        black.draw()
        window.flip()
        rows.append((exposure_ms, on_s, time.monotonic()))
    window.close()
    with options.rows.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("exposure_ms", "on_s", "off_s"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
