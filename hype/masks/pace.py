"""How long a mask set will take to make on this machine, by small masks that are made and timed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from hype.confine import inside
from hype.errors import InputError
from hype.masks.make import (
    MaskJob,
    Pixels,
    earlier_rows,
    fitted,
    is_there,
    masks_of,
    sources,
    wanted_rows,
)
from hype.masks.model import SMALLEST_PX, TextureModel
from hype.stimuli.manifest import StimulusSet

TIMED_PX: Final = 128
"""The largest side of masks that are timed: for others the time goes with the area."""
TIMED: Final = 2
"""How many are: of a real image and of a fake one."""
FEWEST: Final = 8
"""Masks of which it is worth asking how long they take."""
MINUTE_S: Final = 60
HOUR_S: Final = 3600


def expected(stimuli: StimulusSet, job: MaskJob, workers: int, folder: Path | None = None) -> str:
    """Say how long it takes to make the masks that are not in a ``folder`` yet.

    ``workers``: how many make them at once, on this machine.

    Empty where they are few, where numba is missing, or where an image allows no mask: making them
    says why.
    """
    number = job.number if folder is None else missing(stimuli, folder, job)
    if number < FEWEST:
        return ""
    with suppress(InputError, ModuleNotFoundError):
        seconds = seconds_of_one(stimuli, job) * number / workers
        cores = "1 core" if workers == 1 else f"{workers} cores"
        return f"{number} masks of {job.size_px} px take about {in_words(seconds)} on {cores} here"
    return ""


def missing(stimuli: StimulusSet, folder: Path, job: MaskJob) -> int:
    job.check(folder)
    rows = earlier_rows(folder)
    wanted = wanted_rows(stimuli, job)
    return sum(not is_there(folder, row, rows.get(row["path"], {})) for row in wanted)


def seconds_of_one(stimuli: StimulusSet, job: MaskJob) -> float:
    """Give how long a mask takes one core; what is compiled once is not counted."""
    job.check(stimuli.folder)
    side_px = min(job.size_px, TIMED_PX)
    list(timed(stimuli, job, SMALLEST_PX))
    taken_s = list(timed(stimuli, job, side_px))
    return sum(taken_s) / len(taken_s) * (job.size_px / side_px) ** 2


def timed(stimuli: StimulusSet, job: MaskJob, side_px: int) -> Iterator[float]:
    """Make small masks of the first images that masks are made of; yield how long each took, s."""
    shape = (side_px, side_px)
    model = job.model if job.model.fits(shape) else TextureModel.suited(shape)
    small = replace(job, size_px=side_px, model=model)
    for path in islice(sources(stimuli, job.seed), TIMED):
        pixels: Pixels = fitted(inside(stimuli.folder, path), side_px)
        began_s = time.perf_counter()
        masks_of(pixels, small, [0])
        yield time.perf_counter() - began_s


def in_words(seconds: float) -> str:
    """Say a duration as roughly as it is known."""
    if seconds < MINUTE_S:
        return f"{max(1, round(seconds))} s"
    if seconds < HOUR_S:
        return f"{round(seconds / MINUTE_S)} min"
    return f"{seconds / HOUR_S:.1f} h"
