"""Making a mask set of a study's own stimuli, as Greene & Oliva 2009 made theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final, Literal

import numpy as np
from PIL import Image, ImageOps

from hype.errors import InputError
from hype.files import read_table, write_bytes, write_table
from hype.masks.maskset import COLUMNS, MANIFEST
from hype.masks.phase_scramble import phase_scramble, spectrum_error
from hype.stimuli.images import decode, png_bytes
from hype.stimuli.manifest import StimulusSet

Method = Literal["phase-scramble"]
METHODS: Final[tuple[Method, ...]] = ("phase-scramble",)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskJob:
    """What to make: ``number`` masks of ``size_px`` by ``size_px`` pixels."""

    number: int
    size_px: int
    seed: int
    method: Method


def common_size_px(stimuli: StimulusSet) -> int:
    """Longest side of any image of the set, in pixels."""
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


def make_masks(stimuli: StimulusSet, folder: Path, job: MaskJob) -> Iterator[bool]:
    """Make the masks of ``job`` in ``folder``; yield after each whether it had to be made.

    A mask that is there already, of the same source, seed, method and size, is left alone, so an
    interrupted run goes on where it stopped. The manifest grows with each mask, and in the end
    holds just the masks of this job.

    Raises
    ------
    InputError
        A source image cannot be decoded, or the folder cannot be written to.
    """
    if not (stimuli.real and stimuli.conditions):
        raise InputError(stimuli.folder, "has no real or no fake image", "masks are made of both")
    prepare_folder(folder, job)
    known = earlier_rows(folder)
    rows: list[dict[str, str]] = []
    for number, source in zip(range(job.number), sources(stimuli, job.seed), strict=False):
        row = describe(number, source, job)
        earlier = known.get(row["path"], {})
        there = row.items() <= earlier.items() and (folder / row["path"]).is_file()
        if there:
            row = earlier
        else:
            error = make_mask(stimuli.folder / source, folder / row["path"], job, number)
            row["error"] = f"{error:.6f}"
        rows.append(row)
        if not there:
            write_table(folder / MANIFEST, COLUMNS, rows + list(known.values())[len(rows) :])
        yield not there
    write_table(folder / MANIFEST, COLUMNS, rows)


def prepare_folder(folder: Path, job: MaskJob) -> None:
    """Refuse an impossible job and make the folder."""
    if job.number < 1 or not 16 <= job.size_px <= 4096 or job.seed < 0:
        raise InputError(
            folder,
            f"cannot make {job.number} masks of {job.size_px} px",
            "at least 1, of 16 to 4096",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def describe(number: int, source: str, job: MaskJob) -> dict[str, str]:
    """Give the manifest row of a mask, all but its error."""
    return {
        "path": f"{number + 1:05d}.png",
        "source": source,
        "method": job.method,
        "seed": str(job.seed),
        "size_px": str(job.size_px),
    }


def earlier_rows(folder: Path) -> dict[str, dict[str, str]]:
    """Read the rows that an earlier run left, by path."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    return {row["path"]: row for _, row in read_table(path, COLUMNS, made_by="hype masks make")}


def make_mask(source: Path, destination: Path, job: MaskJob, number: int) -> float:
    """Make one mask, write it as PNG, and return its error.

    Its random numbers follow from the job's seed and its own number, not from its neighbours.
    """
    image = ImageOps.fit(decode(source), (job.size_px, job.size_px), Image.Resampling.LANCZOS)
    pixels = np.atleast_3d(np.asarray(image, dtype=np.float64) / 255)
    rng = np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(number,)))
    mask = phase_scramble(pixels, rng)
    levels = np.round(mask * 255).astype(np.uint8).squeeze()
    write_bytes(destination, png_bytes(Image.fromarray(levels)))
    return spectrum_error(np.atleast_3d(levels / 255), pixels)
