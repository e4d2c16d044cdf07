"""Making a mask set of a study's own stimuli, as Greene & Oliva 2009 made theirs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np
from PIL import ImageOps
from PIL.Image import Resampling

from hype.confine import inside
from hype.errors import InputError
from hype.files import read_table, write_bytes, write_table
from hype.masks.maskset import COLUMNS, MANIFEST
from hype.masks.methods import FAMILIES, Mask, MaskJob, Pixels, masks_of
from hype.masks.model import LARGEST_PX, SMALLEST_PX
from hype.stimuli.images import decode
from hype.stimuli.manifest import StimulusSet
from hype.workers import Call, WorkerPool

ALL_COLUMNS: Final = (*COLUMNS, "scales", "orientations", "window", "evaluations", *FAMILIES)
AT_A_TIME: Final = 4
"""Masks of one picture that are handed out together, so that its statistics are taken once."""
SAVE_EVERY_S: Final = 2.0
Row = dict[str, str]


def common_size_px(stimuli: StimulusSet) -> int:
    return max(max(size) for size in stimuli.sizes_px.values())


def sources(stimuli: StimulusSet, seed: int) -> Iterator[str]:
    """Yield source images without end: real and fake in turn, conditions in turn, evenly."""
    rng = np.random.default_rng(seed)
    pools = {"": stimuli.real} | {c: stimuli.fake(c) for c in stimuli.conditions}
    orders = {name: rng.permutation(len(pool)) for name, pool in pools.items()}
    for turn in count():
        for name in ("", stimuli.conditions[turn % len(stimuli.conditions)]):
            visit = turn if name == "" else turn // len(stimuli.conditions)
            yield pools[name][orders[name][visit % len(pools[name])]].path


def make_masks(
    stimuli: StimulusSet, folder: Path, job: MaskJob, worker_pool: WorkerPool | None = None
) -> Iterator[bool]:
    """Make the masks of ``job`` in ``folder``; yield for each whether it had to be made.

    A mask that is there already, of the same source, seed, method and settings, is left alone, so
    an interrupted run goes on where it stopped. The manifest grows with the masks, and in the end
    holds just those of this job, whoever of ``worker_pool`` finished first.

    Raises
    ------
    InputError
        A source image cannot be decoded, has no texture or is a link that leads out of its folder;
        the model does not fit the size; or the folder cannot be written to.
    """
    if not (stimuli.real and stimuli.conditions):
        raise InputError(stimuli.folder, "has no real or no fake image", "masks are made of both")
    prepare_folder(folder, job)
    drawn = zip(range(job.number), sources(stimuli, job.seed), strict=False)
    wanted = [describe(number, source, job) for number, source in drawn]
    rows = earlier_rows(folder)
    missing = []
    for number, row in enumerate(wanted):
        if is_there(folder, row, rows.get(row["path"], {})):
            yield False
        else:
            missing.append(number)
    saved = time.monotonic()
    try:
        for masks in (worker_pool or WorkerPool(None, 1)).run(calls(stimuli, job, wanted, missing)):
            for mask in masks:
                row = wanted[mask.number] | mask.results
                write_bytes(folder / row["path"], mask.png, private=False)
                rows[row["path"]] = row
                yield True
            if time.monotonic() - saved > SAVE_EVERY_S:
                save(folder, rows)
                saved = time.monotonic()
    finally:
        save(folder, rows)
    save(folder, {row["path"]: rows[row["path"]] for row in wanted})


def calls(
    stimuli: StimulusSet, job: MaskJob, wanted: list[Row], missing: list[int]
) -> Iterator[Call[list[Mask]]]:
    """Yield what is to be done for the missing masks, those of one source together."""
    by_source: dict[str, list[int]] = {}
    for number in missing:
        by_source.setdefault(wanted[number]["source"], []).append(number)
    for source, numbers in by_source.items():
        path = inside(stimuli.folder, source)
        pixels = fitted(path, job.size_px)
        for start in range(0, len(numbers), AT_A_TIME):
            part = tuple(numbers[start : start + AT_A_TIME])
            yield named_masks, (str(path), pixels, job, part)


def named_masks(name: str, pixels: Pixels, job: MaskJob, numbers: tuple[int, ...]) -> list[Mask]:
    """Make some masks, and name the picture if that is impossible."""
    try:
        return masks_of(pixels, job, numbers)
    except InputError as error:
        raise InputError(name, error.problem, error.allowed) from None


def fitted(path: Path, size_px: int) -> Pixels:
    image = ImageOps.fit(decode(path), (size_px, size_px), Resampling.LANCZOS)
    return np.asarray(image)


def prepare_folder(folder: Path, job: MaskJob) -> None:
    """Refuse an impossible job and make the folder."""
    if job.number < 1 or not SMALLEST_PX <= job.size_px <= LARGEST_PX or job.seed < 0:
        raise InputError(
            folder,
            f"cannot make {job.number} masks of {job.size_px} px",
            f"at least 1, of {SMALLEST_PX} to {LARGEST_PX}",
        )
    if job.method == "portilla-simoncelli":
        job.model.check((job.size_px, job.size_px))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def describe(number: int, source: str, job: MaskJob) -> Row:
    return {"path": f"{number + 1:05d}.png", "source": source, **job.settings}


def is_there(folder: Path, wanted: Row, row: Row) -> bool:
    return wanted.items() <= row.items() and (folder / wanted["path"]).is_file()


def earlier_rows(folder: Path) -> dict[str, Row]:
    """Read the rows that an earlier run left, by path."""
    path = inside(folder, MANIFEST)
    if not path.is_file():
        return {}
    rows = read_table(path, COLUMNS, made_by="hype masks make")
    return {row["path"]: dict.fromkeys(ALL_COLUMNS, "") | row for _, row in rows}


def save(folder: Path, rows: dict[str, Row]) -> None:
    rows_made = (
        {name: row.get(name, "") for name in ALL_COLUMNS} for _, row in sorted(rows.items())
    )
    write_table(folder / MANIFEST, ALL_COLUMNS, rows_made, private=False)
