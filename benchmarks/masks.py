"""Measure how fast and how exactly masks with a picture's texture statistics are made.

    python benchmarks/masks.py              all tables; the reference takes minutes
    python benchmarks/masks.py --quick      tables 1 and 3 only, with fewer images
    python benchmarks/masks.py --sizes      time and memory by size: one core, two, two Dask workers
    python benchmarks/masks.py --photographs    time until T, photographs in colour

Everything runs in one thread, on pictures that come with scikit-image; the photographs come with
PsychoPy, scikit-learn and Matplotlib too. Errors are computed with plenoptic's statistics in double
precision, except the minimum and maximum of pixels. `rel` is the norm of the differences from the
source's statistics, divided by the norm of the source's statistics; a family's error is `rel` of
one family of statistics. The tolerance T is reached if rel is at most 0.003 and each family's error
at most 2 %. `loss` is plenoptic's own; there the highpass residual's variance has weight 100.
"""

from __future__ import annotations

import os

os.environ.update(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    TQDM_DISABLE="1",
)

import argparse
import contextlib
import importlib.metadata
import importlib.util
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.fft
import scipy.stats
import threadpoolctl
from machine import Load, description
from numpy.typing import NDArray
from PIL import Image, ImageOps
from PIL.Image import Resampling

from hype.masks.make import MaskJob, masks_of, phase_scramble
from hype.masks.model import TextureModel
from hype.masks.synthesis import COARSE_EVALUATIONS, Comparison, Source, synthesise
from hype.workers import WorkerPool, worker_pool

Array = NDArray[np.float64]
Errors = dict[str, float]
T_TOTAL: Final = 0.003
T_FAMILY: Final = 0.02
LOSS: Final = 0.0019
HIGHPASS_WEIGHT: Final = 100.0
UNKNOWN_TO_PLENOPTIC: Final = ("real_correlation", "colour_correlation")
TEXTURES: Final = ("grass", "gravel", "brick")
SCENES: Final = ("astronaut", "coffee", "chelsea")
LUMINANCE: Final = np.array([0.2126, 0.7152, 0.0722])
OFFSET_PX: Final = 20
MODEL: Final = TextureModel(scales=4, orientations=4, window=7)
LARGE_PX: Final = 1024
SIDES_PX: Final = (128, 256, 512, LARGE_PX)
FOLLOWING: Final = 5
PICTURES: Final = 2
READY_S: Final = 2.0
STRICT_DAMPING = 0.01  # see hype.masks.synthesis.DAMPING
MARGIN: Final = 0.98
"""Our synthesis stops at this share of the loss, since it computes in single precision and clips
pixels afterwards."""
REFERENCE_ITERATIONS: Final = 100
REFERENCE_OPTIMISER: Final = {
    "max_iter": 10,
    "max_eval": 10,
    "history_size": 100,
    "line_search_fn": "strong_wolfe",
    "lr": 1,
}
HELD_OUT_ANGLE: Final = np.pi / 8  # between the model's orientations
HELD_OUT_FREQUENCY: Final = np.pi / 2**2.5  # between its scales, in radians per pixel


# Pictures


def picture(name: str) -> Array:
    """Return one of scikit-image's pictures, values 0 to 1, grey (H, W) or colour (H, W, 3)."""
    import skimage.data

    pixels = np.asarray(getattr(skimage.data, name)(), dtype=np.float64) / 255
    return pixels[..., :3] if pixels.ndim == 3 else pixels


def square(pixels: Array) -> Array:
    """Return the central square of a picture."""
    side = min(pixels.shape[:2])
    top, left = ((length - side) // 2 for length in pixels.shape[:2])
    return pixels[top : top + side, left : left + side]


def rescaled(pixels: Array, size: int) -> Array:
    """Return a square picture with ``size`` pixels a side."""
    from skimage.transform import resize

    return np.clip(resize(pixels, (size, size), anti_aliasing=True), 0.0, 1.0)


def grey_images(size: int) -> dict[str, Array]:
    """Return two grey images of each of six pictures: a part at full resolution, and the whole."""
    images = {}
    for name in TEXTURES:
        whole = picture(name)
        images[f"{name}, part"] = whole[:size, :size]
        images[f"{name}, whole"] = rescaled(whole, size)
    for name in SCENES:
        whole = square(picture(name) @ LUMINANCE)
        part = slice(OFFSET_PX, OFFSET_PX + size)
        images[f"{name}, part"] = whole[part, part]
        images[f"{name}, whole"] = rescaled(whole, size)
    return images


def large_images() -> dict[str, Array]:
    """Return the pictures whose original size is 512 px a side."""
    images = {name: picture(name) for name in (*TEXTURES, "camera")}
    return images | {"astronaut": picture("astronaut") @ LUMINANCE}


def colour_images(size: int) -> dict[str, Array]:
    """Return three pictures in colour."""
    return {name: rescaled(square(picture(name)), size) for name in SCENES}


def files_of(package: str, *names: str) -> dict[str, Path]:
    """Return a package's files by their names; none if the package is not installed."""
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return {Path(name).stem: Path(folders[0]) / name for name in names} if folders else {}


def photographs_of(size: int) -> dict[str, Array]:
    """Return sixteen photographs in colour, from scikit-image and other packages."""
    gazes = "demos/coder/iohub/eyetracking/gcCursor/images"
    files = files_of("psychopy", *(f"{gazes}/{n}.jpg" for n in ("canal", "lake", "fall", "party")))
    files |= files_of("psychopy", "demos/coder/stimuli/beach.jpg")
    files |= files_of("sklearn", *(f"datasets/images/{n}.jpg" for n in ("china", "flower")))
    files |= files_of("matplotlib", "mpl-data/sample_data/grace_hopper.jpg")
    files |= files_of("skimage", *(f"data/{n}.png" for n in (*SCENES, "ihc", "motorcycle_left")))
    files |= files_of(
        "skimage", *(f"data/{n}.jpg" for n in ("retina", "hubble_deep_field", "rocket"))
    )
    return {
        name: np.asarray(
            ImageOps.fit(Image.open(path).convert("RGB"), (size, size), Resampling.LANCZOS)
        )
        / 255
        for name, path in files.items()
    }


# Measuring errors


def has_plenoptic() -> bool:
    """Return whether the reference can be imported."""
    return all(importlib.util.find_spec(name) for name in ("plenoptic", "torch"))


@cache
def double_model(height: int, width: int, model: TextureModel) -> Any:
    """Return plenoptic's model in double precision."""
    import plenoptic
    import torch

    torch.set_num_threads(1)
    shape = height, width
    return plenoptic.models.PortillaSimoncelli(
        shape, model.scales, model.orientations, model.window
    ).to(torch.float64)


def as_tensor(image: Array) -> Any:
    """Convert an image for plenoptic."""
    import torch

    return torch.as_tensor(np.ascontiguousarray(image), dtype=torch.float64)[None, None]


def families(image: Array, model: TextureModel) -> dict[str, Array]:
    """Return plenoptic's statistics of an image, except the minimum and maximum of pixels."""
    import torch

    measure = double_model(*image.shape, model)
    with torch.no_grad():
        named = measure.convert_to_dict(measure(as_tensor(image)))
    found = {name: values.numpy().ravel() for name, values in named.items()}
    found["pixel_statistics"] = found["pixel_statistics"][:4]
    return {name: values[~np.isnan(values)] for name, values in found.items()}


def plenoptic_loss(image: Array, source: Array, model: TextureModel) -> float:
    """Return plenoptic's own loss, in double precision."""
    import plenoptic

    measure, wanted = double_model(*source.shape, model), as_tensor(source)
    loss = plenoptic.loss.portilla_simoncelli_loss_factory(measure, wanted)
    return float(loss(measure(as_tensor(image)), measure(wanted)))


def measured(image: Array, source: Array, model: TextureModel, *, plenoptic: bool) -> Errors:
    """Return an image's errors in plenoptic's statistics; without it or in colour, in our own."""
    if not plenoptic or source.ndim == 3:
        return Comparison(source, model).errors(image)
    found, wanted = families(image, model), families(source, model)
    found["total"], wanted["total"] = (np.concatenate([*f.values()]) for f in (found, wanted))
    length = np.linalg.norm
    return {
        name: float(length(found[name] - wanted[name]) / length(wanted[name])) for name in found
    }


def worst_family(found: Errors) -> tuple[str, float]:
    """Return the family with the largest error, and that error."""
    return max(((n, e) for n, e in found.items() if n != "total"), key=lambda item: item[1])


def reaches(found: Errors) -> bool:
    """Return whether errors are within T."""
    return found["total"] <= T_TOTAL and worst_family(found)[1] <= T_FAMILY


# Making textures


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A texture, the seconds that making it took, and the number of evaluations."""

    image: Array
    seconds: float
    evaluations: int


def make(image: Array, model: TextureModel, seed: int = 0) -> Made:
    """Make a texture in the same way as `hype`."""
    begin = time.perf_counter()
    texture = synthesise(Source(image, model), np.random.default_rng(seed))
    seconds = time.perf_counter() - begin
    pixels = texture.pixels.reshape(image.shape)
    return Made(image=pixels, seconds=seconds, evaluations=texture.evaluations)


def rounded(image: Array) -> Array:
    """Round an image like a PNG with 8 bits."""
    return np.round(image * 255) / 255


def loss_weights(source: Source) -> Array:
    """Return the weight of each of our statistics in plenoptic's loss."""
    slices = source.finest.measure.statistics.slices
    weights = np.ones(source.finest.measure.statistics.size)
    for name in UNKNOWN_TO_PLENOPTIC:
        weights[slices[name]] = 0.0
    weights[slices["highpass_variance"]] = HIGHPASS_WEIGHT
    return weights


def make_to_loss(image: Array, model: TextureModel, limit: int = 1000) -> Made:
    """Make a texture like `synthesise`, but continue until plenoptic's loss is small."""
    begin = time.perf_counter()
    source = Source(image, model, damping=STRICT_DAMPING)
    weights, rng = loss_weights(source), np.random.default_rng(0)
    start = source.resolutions[0].noise(rng)
    with threadpoolctl.threadpool_limits(1, "blas"):
        for resolution in source.resolutions:
            finest = resolution is source.finest
            if start.shape[1:] != resolution.shape:
                start = resolution.refine(start, resolution.noise(rng))
            for step, residual in resolution.approach(start):
                if step.evaluations >= (limit if finest else COARSE_EVALUATIONS):
                    break
                if finest and np.linalg.norm(weights * residual) <= MARGIN * LOSS:
                    break
            start = step.image
    pixels = np.clip(source.colour.blend(step.image), 0.0, 1.0).reshape(image.shape)
    seconds = time.perf_counter() - begin
    return Made(image=pixels, seconds=seconds, evaluations=step.evaluations)


class Reached(Exception):
    """Plenoptic's loss is small enough, so its synthesis stops."""


class StoppingLoss:
    """A loss function that stops a synthesis as soon as the loss is small enough."""

    def __init__(self, loss: Callable[[Any, Any], Any]) -> None:
        self.loss = loss
        self.evaluations = 0

    def __call__(self, found: Any, wanted: Any, **_: Any) -> Any:
        """Return the loss, or stop; calls without a gradient do not count as evaluations."""
        value = self.loss(found, wanted)
        if value.requires_grad:
            self.evaluations += 1
            if float(value.detach()) <= LOSS:
                raise Reached
        return value


def make_by_reference(image: Array, model: TextureModel) -> Made:
    """Make a texture by the recipe of plenoptic's documentation, in its default precision."""
    import plenoptic
    import torch

    torch.set_num_threads(1)
    plenoptic.set_seed(0)
    begin = time.perf_counter()
    wanted = as_tensor(image).to(torch.float32)
    shape = image.shape
    measure = plenoptic.models.PortillaSimoncelli(
        shape, model.scales, model.orientations, model.window
    )
    loss = StoppingLoss(plenoptic.loss.portilla_simoncelli_loss_factory(measure, wanted))
    metamer = plenoptic.Metamer(wanted, measure, loss_function=loss)
    metamer.setup(optimizer=torch.optim.LBFGS, optimizer_kwargs=REFERENCE_OPTIMISER)
    with contextlib.suppress(Reached):
        metamer.synthesize(max_iter=REFERENCE_ITERATIONS)
    seconds = time.perf_counter() - begin
    pixels = metamer.metamer.detach().numpy().astype(np.float64).reshape(shape)
    return Made(image=pixels, seconds=seconds, evaluations=loss.evaluations)


# Tables


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose first column is text, and the others numbers."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    print(f"\n{title}\n")
    for line in (lines[0], rule, *lines[1:]):
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        print(f"| {' | '.join(cells)} |", flush=True)


def percent(value: float) -> str:
    """Write a fraction as a percentage."""
    return f"{100 * value:.2f} %"


def print_header(*, plenoptic: bool) -> None:
    """Print the machine, the versions and the measure of errors."""
    names = ["numpy", "scipy", "numba", *(["plenoptic", "torch"] if plenoptic else [])]
    print(description(names))
    if not plenoptic:
        print(
            "plenoptic (the extra `benchmarks`) is missing or not used: errors are measured with"
            " hype's own statistics in double precision, and no other program is timed."
        )


def first_calls() -> None:
    """Time the first texture of a fresh process, without and with compiled kernels."""
    with tempfile.TemporaryDirectory() as folder:
        for state in ("to be compiled", "compiled earlier"):
            found = child("first", Path(folder), {"XDG_CACHE_HOME": folder})
            print(
                f"\nFirst call of a fresh process, after imports, kernels {state}: {found[0]:.2f} s"
            )


def judged(exact: Errors, png: Errors) -> list[str]:
    """Write the errors of a texture and of its PNG, and whether both are within T."""
    cells = []
    for found in (exact, png):
        family, error = worst_family(found)
        cells += [f"{found['total']:.5f}", family, percent(error)]
    return [*cells, "yes" if reaches(exact) and reaches(png) else "no"]


def overall(
    label: str, summary: Callable[[Any], float], made: Iterable[Made], found: Iterable[list[Errors]]
) -> list[str]:
    """Write the last rows of table 1."""
    results, (exact, png) = list(made), zip(*found, strict=True)
    cells = [label, f"{summary([m.seconds for m in results]):.2f}"]
    cells.append(f"{summary([m.evaluations for m in results]):.0f}")
    for each in (exact, png):
        cells += [f"{summary([e['total'] for e in each]):.5f}", ""]
        cells.append(percent(summary([worst_family(e)[1] for e in each])))
    return [*cells, ""]


def time_to_t(images: dict[str, Array], *, plenoptic: bool) -> dict[str, Array]:
    """Print table 1, and return the textures."""
    made = {name: make(image, MODEL) for name, image in images.items()}
    found = {
        name: [
            measured(image, images[name], MODEL, plenoptic=plenoptic)
            for image in (result.image, rounded(result.image))
        ]
        for name, result in made.items()
    }
    rows = [
        [name, f"{result.seconds:.2f}", str(result.evaluations), *judged(*found[name])]
        for name, result in made.items()
    ]
    for label, summary in (("median", statistics.median), ("worst", max)):
        rows.append(overall(label, summary, made.values(), found.values()))
    parts = ("rel", "worst family", "its error")
    print_table(
        "Table 1. Time to T: 256 px, grey, 4 scales, 4 orientations, window 7",
        ("image", "s", "evaluations", *parts, *(f"{part}, 8 bits" for part in parts), "T"),
        rows,
    )
    return {name: result.image for name, result in made.items()}


def compared(image: Array, pair: Iterable[Made]) -> tuple[list[str], float]:
    """Write the cells for our and plenoptic's texture in table 2; return plenoptic's loss too."""
    cells, loss = [], float("nan")
    for result in pair:
        loss = plenoptic_loss(result.image, image, MODEL)
        found = measured(result.image, image, MODEL, plenoptic=True)
        cells += [f"{result.seconds:.2f}", str(result.evaluations), f"{loss:.5f}"]
        cells += [f"{found['total']:.5f}", percent(worst_family(found)[1])]
    return cells, loss


def time_to_loss(images: dict[str, Array]) -> dict[str, Array]:
    """Print table 2, and return the reference's textures."""
    rows, ratios, textures = [], [], {}
    for name, image in images.items():
        ours, reference = make_to_loss(image, MODEL), make_by_reference(image, MODEL)
        textures[name] = reference.image
        ratios.append(reference.seconds / ours.seconds)
        cells, loss = compared(image, (ours, reference))
        at_least = "" if loss <= LOSS / MARGIN else "> "
        rows.append([name, *cells, f"{at_least}{ratios[-1]:.1f}"])
    rows.append(["median", *[""] * 10, f"{statistics.median(ratios):.1f}"])
    parts = ("s", "evaluations", "loss", "rel", "worst family")
    print_table(
        f"Table 2. Time to a loss of {LOSS} (then measured by plenoptic in double precision): ours,"
        " and plenoptic's\nMetamer with LBFGS as its documentation sets it up, for up to"
        f" {REFERENCE_ITERATIONS} iterations (256 px, grey)",
        ("image", *(f"{p}, ours" for p in parts), *(f"{p}, plenoptic" for p in parts), "ratio"),
        rows,
    )
    return textures


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """One row of table 3."""

    label: str
    images: dict[str, Array]
    model: TextureModel = MODEL


def sizes(*, quick: bool) -> list[Size]:
    """Return the rows of table 3."""
    rows = [
        Size(label=f"{px} px", images=grey_images(px), model=TextureModel.usual_for((px, px)))
        for px in (64, 128)
    ]
    if not quick:
        rows += [
            Size(label="256 px", images=grey_images(256)),
            Size(label="512 px", images=large_images()),
            Size(label="256 px, colour (by our own statistics)", images=colour_images(256)),
        ]
    return rows


def time_by_size(rows: Iterable[Size], *, plenoptic: bool) -> None:
    """Print table 3."""
    print_table(
        "Table 3. Sizes: seconds to reach the program's tolerance, and how many then reach T",
        (
            *("size", "median s", "worst s", "median evaluations", "worst"),
            *("T", "worst rel", "worst family"),
            *("T, 8 bits", "worst rel, 8 bits", "worst family, 8 bits"),
        ),
        [timed(row, plenoptic=plenoptic) for row in rows],
    )


def timed(row: Size, *, plenoptic: bool) -> list[str]:
    """Make the textures of a row of table 3, and write the row."""
    made = {name: make(image, row.model) for name, image in row.images.items()}
    cells = [row.label]
    for values, form in (("seconds", ".2f"), ("evaluations", ".0f")):
        found = [getattr(result, values) for result in made.values()]
        cells += [format(statistics.median(found), form), format(max(found), form)]
    for finish in (np.asarray, rounded):
        each = [
            measured(finish(m.image), row.images[n], row.model, plenoptic=plenoptic)
            for n, m in made.items()
        ]
        cells += [f"{sum(map(reaches, each))} of {len(each)}"]
        cells += [f"{max(found['total'] for found in each):.5f}"]
        family, error = max(map(worst_family, each), key=lambda item: item[1])
        cells += [f"{family} {percent(error)}"]
    return cells


def several_of_one(image: Array, name: str) -> None:
    """Print table 4."""
    begin = time.perf_counter()
    source = Source(image, MODEL)
    prepared = time.perf_counter() - begin
    seconds = []
    for seed in range(1 + FOLLOWING):
        begin = time.perf_counter()
        synthesise(source, np.random.default_rng(seed))
        seconds.append(time.perf_counter() - begin)
    following = f"{statistics.median(seconds[1:]):.2f}"
    print_table(
        f"Table 4. Several masks of one source ({name}, 256 px): seconds",
        ("", "source", "first, source included", f"each following (median of {FOLLOWING})"),
        [["s", f"{prepared:.2f}", f"{prepared + seconds[0]:.2f}", following]],
    )


def cost_of(pixels: NDArray[np.uint8]) -> float:
    """Make one mask, and return its processor seconds."""
    side = len(pixels)
    job = MaskJob(number=1, size_px=side, seed=0, model=TextureModel.usual_for((side, side)))
    make_ready()
    begin = time.process_time()
    masks_of(pixels, job, (0,))
    return time.process_time() - begin


def make_ready(seconds: float = 0.0) -> None:
    """Make a small mask to load the kernels; then wait, so that every worker gets such a call."""
    pixels = np.random.default_rng(0).integers(256, size=(16, 16), dtype=np.uint8)
    model = TextureModel(scales=1)
    masks_of(pixels, MaskJob(number=1, size_px=16, seed=0, model=model), (0,))
    time.sleep(seconds)


def cost_among(pool: WorkerPool, pictures: list[NDArray[np.uint8]]) -> tuple[float, float]:
    """Make masks with ready workers; return mean processor seconds and clock seconds of a mask."""
    for _ in pool.run((make_ready, (READY_S,)) for _ in range(2 * pool.workers)):
        pass
    begin = time.perf_counter()
    taken = list(pool.run((cost_of, (picture,)) for picture in pictures))
    seconds = time.perf_counter() - begin
    return statistics.fmean(taken), seconds / len(taken)


@contextlib.contextmanager
def dask_workers() -> Iterator[WorkerPool]:
    """Yield two Dask workers on this machine, with one thread each."""
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        worker_pool(scheduler=cluster.scheduler_address) as pool,
    ):
        yield pool


def cost_by_size(largest_px: int) -> None:
    """Print table 5."""
    photographs = list(photographs_of(LARGE_PX).values())[:PICTURES]
    rows = []
    for side in (side for side in SIDES_PX if side <= largest_px):
        for colour in (False, True):
            pictures = [
                np.round(255 * rescaled(picture if colour else picture @ LUMINANCE, side))
                for picture in photographs
            ]
            levels = [picture.astype(np.uint8) for picture in pictures]
            load = Load()
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "source.npy"
                np.save(path, levels[0])
                evaluations, before, peak = child("memory", path)
            cells = [f"{evaluations:.0f}", f"{peak - before:.0f}"]
            for pool in (worker_pool(1), worker_pool(2), dask_workers()):
                with pool as workers:
                    cpu_seconds, seconds = cost_among(workers, levels)
                cells.append(f"{cpu_seconds:.2f} / {seconds:.2f}")
            kind = "colour" if colour else "grey"
            rows.append([f"{side} px, {kind}", *cells, f"{load.of_others():.1f}"])
    print_table(
        f"Table 5. Seconds for a mask: processor / elapsed (mean of {PICTURES} photographs)",
        (
            *("", "evaluations", "MiB more"),
            *("one core", "two cores", "two Dask workers", "cores taken by others"),
        ),
        rows,
    )


def child(task: str, path: Path, environment: dict[str, str] | None = None) -> list[float]:
    """Run a task of this file in a fresh process, and return the numbers that it prints."""
    command = [sys.executable, __file__, "--child", task, "--path", str(path)]
    variables = os.environ | (environment or {})
    done = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def run_child(task: str, path: Path) -> None:
    """Run one task in a process that `child` started."""
    before = peak_mib()
    if task == "memory":
        pixels = np.load(path)
        side = len(pixels)
        job = MaskJob(number=1, size_px=side, seed=0, model=TextureModel.usual_for((side, side)))
        (mask,) = masks_of(pixels, job, (0,))
        print(mask.results["evaluations"], before, peak_mib())
    else:
        print(make(grey_images(256)["grass, part"], MODEL).seconds)


def peak_mib() -> float:
    """Return the maximum memory of this process so far, in MiB.

    It is read from /proc, since a child's `getrusage` starts with the parent's maximum.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def time_of_photographs() -> None:
    """Print table 6."""
    rows, taken, reached = [], [], 0
    for name, image in photographs_of(256).items():
        begin = time.process_time()
        made = make(image, MODEL)
        taken.append(time.process_time() - begin)
        found = Comparison(image, MODEL).errors(made.image)
        family, error = worst_family(found)
        reached += reaches(found)
        cells = (str(made.evaluations), f"{found['total']:.5f}", family, percent(error))
        rows.append([name, f"{taken[-1]:.2f}", *cells, "yes" if reaches(found) else "no"])
    rows.append(["median", f"{statistics.median(taken):.2f}", "", "", "", "", f"{reached}"])
    rows.append(["worst", f"{max(taken):.2f}", "", "", "", "", f"of {len(taken)}"])
    print_table(
        "Table 6. Photographs in colour, 256 px: seconds of one core, and T by our own statistics",
        ("photograph", "s", "evaluations", "rel", "worst family", "its error", "T"),
        rows,
    )


# Statistics outside the texture model


def gradients(image: Array) -> list[str]:
    """Return the kurtosis of differences between neighbours: horizontal, then vertical."""
    return [
        f"{scipy.stats.kurtosis(np.diff(image, axis=a), None, fisher=False):.1f}" for a in (1, 0)
    ]


def held_out(image: Array) -> Array:
    """Return the responses of a Gabor filter with a scale and angle between the model's."""
    y, x = np.meshgrid(*(np.fft.fftfreq(n) * 2 * np.pi for n in image.shape), indexing="ij")
    centre = HELD_OUT_FREQUENCY * np.array([np.sin(HELD_OUT_ANGLE), np.cos(HELD_OUT_ANGLE)])
    width = HELD_OUT_FREQUENCY / 4
    one, other = (
        np.exp(-((y - s * centre[0]) ** 2 + (x - s * centre[1]) ** 2) / (2 * width**2))
        for s in (1, -1)
    )
    response = scipy.fft.ifft2((one + other) * scipy.fft.fft2(image - image.mean())).real
    return np.asarray(response).ravel()


def off(image: Array, source: Array) -> float:
    """Return how far the Gabor responses are from the source's: Wasserstein distance, in SDs."""
    found, wanted = held_out(image), held_out(source)
    return float(scipy.stats.wasserstein_distance(found, wanted) / wanted.std())


def beyond_the_ruler(
    images: dict[str, Array], ours: dict[str, Array], reference: dict[str, Array]
) -> None:
    """Print table 7."""
    rows, distances = [], []
    for name, source in images.items():
        scrambled = phase_scramble(source[..., None], np.random.default_rng(0))[..., 0]
        kinds = [ours[name], scrambled, reference.get(name)]
        cells = [name, *gradients(source)]
        for image in kinds:
            cells += ["", ""] if image is None else gradients(image)
        apart = [None if image is None else off(image, source) for image in kinds]
        distances.append(apart[:2])
        rows.append([*cells, *("" if d is None else f"{d:.3f}" for d in apart)])
    middle = [f"{statistics.median(d):.3f}" for d in zip(*distances, strict=True)]
    rows.append(["median", *[""] * 8, *middle, ""])
    kinds = ("source", "ours", "scrambled", "plenoptic")
    print_table(
        "Table 7. Statistics beyond the errors: kurtosis of horizontal (h) and vertical (v)"
        " differences of pixels;\nWasserstein distance W of the responses to a Gabor filter at"
        " 22.5 degrees, between two scales, in sd",
        ("image", *(f"{k}, {d}" for k in kinds for d in "hv"), *(f"W, {k}" for k in kinds[1:])),
        rows,
    )


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="parts of tables 1 and 3")
    parser.add_argument("--sizes", action="store_true", help="table 5 only")
    parser.add_argument("--largest", type=int, default=LARGE_PX, metavar="PX", help="of table 5")
    parser.add_argument("--photographs", action="store_true", help="table 6 only")
    parser.add_argument("--reference", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--reference-images", type=int, default=2, metavar="N")
    parser.add_argument("--child", choices=("first", "memory"), help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def measure_all(options: argparse.Namespace) -> None:
    """Print the tables."""
    plenoptic = options.reference and has_plenoptic()
    print_header(plenoptic=plenoptic)
    images = grey_images(256)
    make(next(iter(images.values())), MODEL)
    if options.photographs:
        time_of_photographs()
        return
    if options.sizes:
        cost_by_size(options.largest)
        return
    first_calls()
    if options.quick:
        images = dict(list(images.items())[::3])
    ours = time_to_t(images, plenoptic=plenoptic)
    if options.quick:
        time_by_size(sizes(quick=True), plenoptic=plenoptic)
        return
    timed_too = spread(images, options.reference_images) if plenoptic else {}
    reference = time_to_loss(timed_too) if timed_too else {}
    time_by_size(sizes(quick=False), plenoptic=plenoptic)
    name = next(iter(images))
    several_of_one(images[name], name)
    cost_by_size(options.largest)
    time_of_photographs()
    beyond_the_ruler(images, ours, reference)


def spread(images: dict[str, Array], number: int) -> dict[str, Array]:
    """Choose ``number`` evenly spaced images."""
    names = list(images)
    places = np.linspace(0, len(names) - 1, number).astype(int) if number else []
    return {names[i]: images[names[i]] for i in places}


def main() -> None:
    """Measure and print."""
    options, load = arguments(), Load()
    warnings.simplefilter("ignore")
    if not importlib.util.find_spec("skimage"):
        sys.exit("the pictures come with scikit-image: install the extra `benchmarks`")
    if options.child:
        run_child(options.child, options.path)
    else:
        measure_all(options)
        print(f"\nOther programs took {load.of_others():.2f} cores on average during all this.")


if __name__ == "__main__":
    main()
