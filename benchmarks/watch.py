"""An outside witness for benchmarks: it watches one pixel of a virtual display's frame buffer.

    python benchmarks/watch.py FRAMEBUFFER X Y LOG.csv

`Xvfb -fbdir DIR` maps its picture to DIR/Xvfb_screen0, as an X window dump. The log has a row for
the start and one for each change: `t_s` (monotonic clock), `rgb`, and `gap_ms`, the time since the
last look: the change may have been earlier by that much. At SIGTERM it writes the log and ends. It
knows nothing about the watched program, and imports nothing of hype.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import mmap
import os
import signal
import struct
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HEADER: Final = struct.Struct(">25I")
"""Big-endian on every machine, as in X11/XWDFile.h."""
SIZE, WIDTH, HEIGHT, BYTE_ORDER, BITS, LINE, RED, GREEN, BLUE, COLOURS = (
    *(0, 4, 5, 7, 11, 12, 14, 15, 16, 19),
)
COLOUR_ENTRY: Final = 12
RGB: Final = (0xFF0000, 0x00FF00, 0x0000FF)
PAUSE_S: Final = 60e-6
PR_SET_TIMERSLACK: Final = 29
PRIORITY: Final = 2
"""One higher than the tested program's priority, so that the witness looks on time."""


@dataclass(frozen=True, slots=True)
class Look:
    """A change: when it was noticed, the new pixel, and the time since the last look."""

    noticed_ns: int
    pixel: int
    gap_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """The changes that were seen, and how often and how long the witness looked."""

    looks: tuple[Look, ...]
    polls: int
    longest_ns: int
    lasted_ns: int


def pixel_of(path: Path, x_px: int, y_px: int) -> memoryview:
    """Return a view of the mapped file whose only element is the pixel."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    header = HEADER.unpack_from(mapped)
    if header[BITS] != 32 or (header[RED], header[GREEN], header[BLUE]) != RGB:
        sys.exit(f"{path}: wanted a screen with 24 bits of colour in 32")
    if ("little", "big")[header[BYTE_ORDER]] != sys.byteorder:
        sys.exit(f"{path}: its pixels have another byte order than this machine")
    if not (0 <= x_px < header[WIDTH] and 0 <= y_px < header[HEIGHT]):
        sys.exit(f"pixel {x_px}, {y_px} is not on a {header[WIDTH]} x {header[HEIGHT]} screen")
    begin = header[SIZE] + COLOUR_ENTRY * header[COLOURS] + y_px * header[LINE] + 4 * x_px
    return memoryview(mapped)[begin : begin + 4].cast("I")


def watch(pixel: memoryview) -> Watch:
    """Watch the pixel until SIGTERM arrives."""
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    print("watching", flush=True)
    now, sleep = time.monotonic_ns, time.sleep
    begun = looked = now()
    known = pixel[0]
    looks, polls, longest = [Look(begun, known, 0)], 0, 0
    while not stopped:
        looking = now()
        found = pixel[0]
        noticed = now()
        gap = noticed - looked
        if found != known:
            looks.append(Look(noticed, found, gap))
            known = found
        longest = max(longest, gap)
        looked = looking
        polls += 1
        sleep(PAUSE_S)
    return Watch(
        looks=tuple(looks), polls=polls, longest_ns=longest, lasted_ns=max(1, now() - begun)
    )


def look_sharp() -> str:
    """Ask for precise wake-ups and, if allowed, real-time priority; return the priority."""
    gc.disable()
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        return "real-time priority"
    return "ordinary priority"


def write_log(path: Path, looks: tuple[Look, ...]) -> None:
    """Write the changes to the log, all or none."""
    rows = (
        f"{look.noticed_ns / 1e9:.6f},{look.pixel & 0xFFFFFF:06x},{look.gap_ns / 1e6:.3f}\n"
        for look in looks
    )
    partial = path.with_suffix(".partial")
    partial.write_text("t_s,rgb,gap_ms\n" + "".join(rows))
    partial.replace(path)


def main() -> None:
    """Watch, write the log, and print how well it could see."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("framebuffer", type=Path)
    parser.add_argument("x_px", type=int)
    parser.add_argument("y_px", type=int)
    parser.add_argument("log", type=Path)
    options = parser.parse_args()
    pixel = pixel_of(options.framebuffer, options.x_px, options.y_px)
    priority = look_sharp()
    seen = watch(pixel)
    write_log(options.log, seen.looks)
    print(
        f"{len(seen.looks) - 1} changes; {seen.polls / seen.lasted_ns * 1e9:.0f} looks a second, "
        f"the longest gap {seen.longest_ns / 1e6:.2f} ms, {priority}"
    )


if __name__ == "__main__":
    main()
