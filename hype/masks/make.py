"""Make a mask set from a study's own stimuli, as in Greene & Oliva 2009.

A mask depends only on its picture, the job and the mask's number. So all processes make the same
bytes, if the processor and the versions of the libraries are the same.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import Final

import numpy as np
import threadpoolctl
from numpy.typing import NDArray
from PIL import Image, ImageOps
from PIL.Image import Resampling

from hype.errors import InputError
from hype.files import inside, make_folder, write_bytes, write_table
from hype.masks.maskset import COLUMNS, MANIFEST, METHODS, MODEL_COLUMNS, Method, Row, read_rows
from hype.masks.model import LARGEST_PX, SMALLEST_PX, Array, Statistics, TextureModel
from hype.stimuli.images import decode, png_bytes
from hype.stimuli.manifest import StimulusSet
from hype.workers import Call, WorkerPool

Pixels = NDArray[np.uint8]
DEFAULT_MODEL: Final = TextureModel()
FAMILIES: Final = tuple(f"error_{family}" for family in Statistics._fields)
ALL_COLUMNS: Final = (*COLUMNS, *MODEL_COLUMNS, "evaluations", "sources_tried", *FAMILIES)

SHOWN_PER_BLOCK: Final = 6
"""A mask is shown at most 6 times in a block, so 150 trials with 4 masks each need 100 masks."""
LARGEST_ERROR: Final = 0.005
"""A texture with a larger error is rejected (see `hype.masks.synthesis.Comparison.errors`)."""
MOST_SOURCES: Final = 3
"""The maximum number of pictures that are tried for one mask."""
AT_A_TIME: Final = 4
"""A worker analyses a picture once, and then makes at most this number of masks of it."""
SAVE_EVERY_S: Final = 2.0

_ONE_AT_A_TIME: Final = threading.Lock()


def number_of_masks(trials: int, shown_per_trial: int) -> int:
    """Return how many masks a study needs for blocks of ``trials``; all are shown equally often.

    A mask is shown at most `SHOWN_PER_BLOCK` times in a block, and never twice in a trial.
    """
    return max(shown_per_trial, -(-trials * shown_per_trial // SHOWN_PER_BLOCK))


def method_named(name: str) -> Method:
    if name not in METHODS:
        raise InputError("--method", f"{name!r} is not known", f"one of {', '.join(METHODS)}")
    return METHODS[METHODS.index(name)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskJob:
    """The settings of a mask set: ``number`` masks of ``size_px`` by ``size_px`` pixels."""

    number: int
    size_px: int
    seed: int  # seed of all random numbers
    method: Method = METHODS[0]
    # The statistics that texture synthesis keeps; phase scrambling does not use them
    model: TextureModel = DEFAULT_MODEL

    @property
    def settings(self) -> Row:
        """The cells of the manifest that say how a mask was made."""
        texture = self.method == "portilla-simoncelli"
        return {
            "method": self.method,
            "seed": str(self.seed),
            "size_px": str(self.size_px),
            **{name: str(getattr(self.model, name)) if texture else "" for name in MODEL_COLUMNS},
        }

    def check(self, where: object) -> None:
        """Refuse impossible settings; ``where``: their name in messages.

        Raises InputError: a number or a size is out of range, or the model does not fit the size.
        """
        if self.number < 1 or not SMALLEST_PX <= self.size_px <= LARGEST_PX or self.seed < 0:
            raise InputError(
                where,
                f"cannot make {self.number} masks of {self.size_px} px",
                f"at least 1, of {SMALLEST_PX} to {LARGEST_PX}",
            )
        if self.method == "portilla-simoncelli":
            self.model.check((self.size_px, self.size_px))


@dataclass(frozen=True, slots=True)
class Mask:
    """A finished mask."""

    number: int  # the mask's place in the job, from 0
    png: bytes
    results: Row  # cells of the manifest about the result

    @property
    def error(self) -> float:
        return float(self.results["error"])


def masks_of(pixels: Pixels, job: MaskJob, numbers: Sequence[int]) -> list[Mask]:
    """Make some masks of one picture, (H, W) or (H, W, 3), which has the size of the masks.

    A picture with three equal channels counts as grey.
    """
    # Several BLAS threads would be slower and round differently. The limit affects all threads
    with _ONE_AT_A_TIME, threadpoolctl.threadpool_limits(1):
        make = textures if job.method == "portilla-simoncelli" else scrambles
        return list(make(drop_equal_channels(pixels), job, numbers))


def drop_equal_channels(pixels: Pixels) -> Pixels:
    is_grey = pixels.ndim == 3 and np.all(pixels == pixels[..., :1])
    return pixels[..., 0] if is_grey else pixels


def generator(job: MaskJob, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(number,)))


def textures(pixels: Pixels, job: MaskJob, numbers: Sequence[int]) -> Iterator[Mask]:
    """Make masks with a picture's statistics, and measure their errors by `Comparison`."""
    from hype.masks.synthesis import Comparison, Source, synthesise  # loads Numba

    source = Source(pixels / 255, job.model)
    made = [synthesise(source, generator(job, number)) for number in numbers]
    del source  # frees memory for the comparison
    comparison = Comparison(pixels / 255, job.model)
    for number, texture in zip(numbers, made, strict=True):
        levels = quantise(texture.pixels)
        errors = comparison.errors(levels / 255)
        cells = {f"error_{family}": f"{error:.6f}" for family, error in errors.items()}
        total = {"error": cells.pop("error_total"), "evaluations": str(texture.evaluations)}
        yield Mask(number, png_bytes(Image.fromarray(levels)), total | cells)


def scrambles(pixels: Pixels, job: MaskJob, numbers: Sequence[int]) -> Iterator[Mask]:
    """Make masks with a picture's spectrum and random phases, and measure `spectrum_error`."""
    picture = np.atleast_3d(pixels / 255)
    for number in numbers:
        levels = quantise(phase_scramble(picture, generator(job, number)))
        error = spectrum_error(np.atleast_3d(levels / 255), picture)
        yield Mask(number, png_bytes(Image.fromarray(levels)), {"error": f"{error:.6f}"})


def quantise(pixels: Array) -> Pixels:
    """Round values between 0 and 1 to 8 bits; drop the colour axis if there is only one colour."""
    levels: Pixels = np.round(pixels * 255).astype(np.uint8)
    return levels[..., 0] if levels.shape[-1] == 1 else levels


def phase_scramble(image: Array, rng: np.random.Generator) -> Array:
    """Return noise with the amplitude spectrum, mean and standard deviation of ``image``.

    The phases of white noise are added to the picture's phases. They are the same in each channel,
    to keep the relations between the colours (Prins 2007; Dakin et al. 2002). Pixels have values
    from 0 to 1, shape (height, width, channels); scrambled values are clipped to this range.
    """
    noise = np.fft.rfft2(rng.standard_normal(image.shape[:2]))
    phase = noise / np.abs(noise)
    phase[0, 0] = 1.0  # keeps the mean
    spectrum = np.fft.rfft2(image, axes=(0, 1))
    scrambled = np.fft.irfft2(spectrum * phase[..., np.newaxis], s=image.shape[:2], axes=(0, 1))
    return np.clip(scrambled, 0.0, 1.0)


def spectrum_error(mask: Array, source: Array) -> float:
    """Return the relative distance between the amplitude spectra, without the means."""
    kept, wanted = (np.abs(np.fft.rfft2(pixels, axes=(0, 1))) for pixels in (mask, source))
    kept[0, 0] = wanted[0, 0] = 0.0
    norm = float(np.linalg.norm(wanted))
    return float(np.linalg.norm(kept - wanted)) / norm if norm else 0.0


def make_masks(
    stimuli: StimulusSet,
    folder: Path,
    job: MaskJob,
    worker_pool: WorkerPool | None = None,
    *,
    joins: bool = False,
) -> Iterator[bool]:
    """Make the masks of ``job`` in ``folder``; yield True for a new mask, False for a kept one.

    An existing mask with the same sources, seed, method and settings is kept, so an interrupted run
    continues where it stopped. From the start, the manifest names all masks of the job, so that
    sessions can be planned; masks that are not made yet have an empty error. Masks are made from
    real and fake images; a condition that is added later (``joins``) may have only fakes.
    Raises InputError: a source image cannot be decoded, has no texture or is missing; the model
    does not fit the size; or the folder cannot be written to.
    """
    if not (stimuli.conditions and (stimuli.real or joins)):
        raise InputError(stimuli.folder, "needs real and fake images", "masks are made from both")
    job.check(folder)
    make_folder(folder)
    wanted = plan_rows(stimuli, job)
    rows, due = find_missing(folder, wanted)
    save(folder, rows)
    yield from [False] * (job.number - len(due))
    pool = worker_pool or WorkerPool(None, 1)
    saved = time.monotonic()
    try:
        for mask in chain.from_iterable(pool.run(calls(stimuli, job, wanted, due))):
            row = wanted[mask.number][0] | mask.results
            write_bytes(folder / row["path"], mask.png, private=False)
            rows[row["path"]] = row
            yield True
            if time.monotonic() - saved > SAVE_EVERY_S:
                save(folder, rows)
                saved = time.monotonic()
    finally:
        save(folder, rows)


def find_missing(folder: Path, wanted: list[list[Row]]) -> tuple[dict[str, Row], list[int]]:
    """Return the rows of all masks by path, and the numbers of masks that must be made."""
    earlier: dict[str, Row] = {}
    if inside(folder, MANIFEST).is_file():
        listed = read_rows(folder)
        earlier = {row["path"]: dict.fromkeys(ALL_COLUMNS, "") | row for _, row in listed}
    rows, due = {}, []
    for number, choices in enumerate(wanted):
        path = choices[0]["path"]
        row = earlier.get(path, {})
        made = any(choice.items() <= row.items() for choice in choices) and row["error"]
        if made and (folder / path).is_file():
            rows[path] = row
        else:
            rows[path] = choices[0]
            due.append(number)
            (folder / path).unlink(missing_ok=True)
    return rows, due


def plan_rows(stimuli: StimulusSet, job: MaskJob) -> list[list[Row]]:
    """Return the possible rows of each mask: one for each picture that may be tried."""
    period = (2 if stimuli.real else 1) * len(stimuli.conditions)  # of `sources`
    drawn = list(islice(sources(stimuli, job.seed), job.number + (MOST_SOURCES - 1) * period))
    return [
        [
            {"path": f"{number + 1:05d}.png", "source": source, **job.settings}
            for source in drawn[number : number + MOST_SOURCES * period : period]
        ]
        for number in range(job.number)
    ]


def sources(stimuli: StimulusSet, seed: int) -> Iterator[str]:
    """Yield source images without end, alternating between real and fake and between conditions."""
    rng = np.random.default_rng(seed)
    pools = {"": stimuli.real} | {c: stimuli.fake(c) for c in stimuli.conditions}
    orders = {name: rng.permutation(len(pool)) for name, pool in pools.items()}
    for turn in count():
        real = ("",) if stimuli.real else ()
        for name in (*real, stimuli.conditions[turn % len(stimuli.conditions)]):
            visit = turn if name == "" else turn // len(stimuli.conditions)
            yield pools[name][orders[name][visit % len(pools[name])]].path


def calls(
    stimuli: StimulusSet, job: MaskJob, wanted: list[list[Row]], due: list[int]
) -> Iterator[Call[list[Mask]]]:
    """Yield the calls that make masks; masks with the same sources are made together."""
    by_sources: dict[tuple[str, ...], list[int]] = {}
    for number in due:
        by_sources.setdefault(tuple(row["source"] for row in wanted[number]), []).append(number)
    # in random order, so that the first calls take as long as later ones
    groups = [*by_sources.items()]
    for place in np.random.default_rng(job.seed).permutation(len(groups)):
        names, numbers = groups[place]
        pictures = {
            path: fit_to(decode(path), job.size_px)
            for path in (inside(stimuli.folder, name) for name in names)
        }
        for start in range(0, len(numbers), AT_A_TIME):
            part = tuple(numbers[start : start + AT_A_TIME])
            yield best_masks, (stimuli.folder, pictures, job, part)


def best_masks(
    folder: Path, pictures: dict[Path, Pixels], job: MaskJob, numbers: Sequence[int]
) -> list[Mask]:
    """Make some masks of the first picture; if a mask's error is too large, use the next picture.

    If the error is too large with every picture, the mask with the smallest error is kept.
    """
    best: dict[int, Mask] = {}
    for tried, (path, pixels) in enumerate(pictures.items(), start=1):
        try:
            made = masks_of(pixels, job, numbers)
        except InputError as error:
            raise InputError(path, error.problem, error.allowed) from None
        for mask in made:
            if mask.number not in best or mask.error < best[mask.number].error:
                best[mask.number] = mask
                mask.results["source"] = path.relative_to(folder).as_posix()
            best[mask.number].results["sources_tried"] = str(tried)
        numbers = [number for number in numbers if best[number].error > LARGEST_ERROR]
        if not numbers or job.method == "phase-scramble":
            break
    return [*best.values()]


def fit_to(picture: Image.Image, size_px: int) -> Pixels:
    return np.asarray(ImageOps.fit(picture, (size_px, size_px), Resampling.LANCZOS))


def save(folder: Path, rows: dict[str, Row]) -> None:
    whole = [dict.fromkeys(ALL_COLUMNS, "") | row for _, row in sorted(rows.items())]
    write_table(folder / MANIFEST, ALL_COLUMNS, whole, private=False)
