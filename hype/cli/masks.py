"""`hype masks`: mask sets."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Annotated, Final

import typer
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from hype.answers.choices import shell_option
from hype.cli.options import Json, Seed
from hype.console import err, out, print_json, progress
from hype.errors import HypeError
from hype.files import inside, kernel_folder
from hype.masks.examine import Examined, examine, light_of
from hype.masks.make import AT_A_TIME, DEFAULT_MODEL, MaskJob, make_masks, method_named
from hype.masks.maskset import METHODS, read_masks, write_command
from hype.masks.model import TextureModel
from hype.stimuli.manifest import StimulusSet, read_manifest
from hype.workers import WorkerPool, worker_pool

app = typer.Typer(help="Mask sets: the pictures shown after an image.", no_args_is_help=True)
Stimuli = Annotated[
    Path, typer.Argument(metavar="STIMULI", help="the stimulus set with the source images")
]
Workers = Annotated[
    int | None, shell_option("--workers N", "processes (default: one for each core)", min=1)
]


@app.command()
def make(
    stimuli: Stimuli,
    *,
    folder: Annotated[Path, shell_option("-o --out MASKS", "the folder to write")],
    number: Annotated[int, shell_option("-n N", "number of masks")],
    size_px: Annotated[
        int | None, shell_option("--size PX", "side of a mask (default: the images' longest side)")
    ] = None,
    seed: Seed = 0,
    method: Annotated[
        str, shell_option("--method NAME", f"one of: {', '.join(METHODS)}")
    ] = METHODS[0],
    scales: Annotated[int | None, shell_option("--scales N", "octaves (default by size)")] = None,
    orientations: Annotated[
        int, shell_option("--orientations N", "orientations in each octave")
    ] = DEFAULT_MODEL.orientations,
    window: Annotated[
        int, shell_option("--window PX", "side of the autocorrelations' window: 7 or 9")
    ] = DEFAULT_MODEL.window,
    workers: Workers = None,
    scheduler: Annotated[
        str | None, shell_option("--scheduler ADDRESS", "use the workers of this Dask scheduler")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make masks from a study's own images. An interrupted run continues where it stopped."""
    images = read_manifest(stimuli)
    side_px = images.largest_px if size_px is None else size_px
    side = (side_px, side_px)
    scales = TextureModel.usual_for(side).scales if scales is None else scales
    job = MaskJob(
        number=number,
        size_px=side_px,
        seed=seed,
        method=method_named(method),
        model=TextureModel(scales=scales, orientations=orientations, window=window),
    )
    job.check(folder)
    if job.method == METHODS[0] and job.model.fits(side) and job.model.holds_layout(side):
        err.print(
            f"{scales} scales with a window of {window} may show the layout of images of "
            f"{job.size_px} px: look at the masks with `hype masks check`, or use fewer scales."
        )
    with worker_pool(workers, scheduler) as pool, progress() as bar:
        made = make_with_progress(bar, images, folder, job, pool)
    if as_json:
        print_json({"masks": str(folder), "number": number, "made": made, "size_px": job.size_px})
    else:
        out.print(f"{folder}: {number} masks of {job.size_px} px ({made} made now)")


MINUTE_S: Final = 60
HOUR_S: Final = 3600


def make_with_progress(
    bar: Progress, images: StimulusSet, folder: Path, job: MaskJob, pool: WorkerPool
) -> int:
    """Make masks with a progress bar; return the number of new ones.

    After a third of the masks, a line shows the time left. The workers' first masks are not timed,
    since compiling may delay them. Ctrl-C raises a HypeError that names the command to continue.
    """
    first = job.method == METHODS[0] and not any(kernel_folder().rglob("*.nbi"))
    remark = " (compiling first)" if first else ""
    task = bar.add_task(f"Making masks{remark}", total=job.number)
    made, uncounted, began_s = 0, AT_A_TIME * pool.workers, 0.0
    done = 0
    try:
        for done, fresh in enumerate(make_masks(images, folder, job, pool), start=1):
            made += fresh
            bar.advance(task)
            if fresh and made == uncounted:
                began_s = time.perf_counter()
            left = job.number - done
            if fresh and made == max(2 * uncounted, (made + left) // 3) and left:
                left_s = (time.perf_counter() - began_s) / (made - uncounted) * left
                words = f"{done} masks are made. {left} more take about {write_duration(left_s)}."
                bar.console.print(words, markup=False)
    except KeyboardInterrupt:
        command = write_command(folder, images.folder, job.number, job.settings)
        message = f"{done} of {job.number} masks are made; make the others with: {command}"
        raise HypeError(message) from None
    return made


def write_duration(seconds: float) -> str:
    """Write a duration, rounded."""
    if seconds < MINUTE_S:
        return f"{max(1, round(seconds))} s"
    if seconds < 5 * MINUTE_S:
        return f"{round(seconds, -1):.0f} s"
    if seconds < HOUR_S:
        return f"{round(seconds / MINUTE_S)} min"
    return f"{seconds / HOUR_S:.1f} h"


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(metavar="MASKS", help="the mask set")],
    stimuli: Stimuli,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Compare each mask with its source, and all masks with the images that they follow.

    The exit code is 1 if a mask shows its source, or its statistics differ too much.
    """
    masks, images = read_masks(folder), read_manifest(stimuli)
    with worker_pool(workers) as pool, progress() as bar:
        task = bar.add_task("Examining masks", total=len(masks.paths))
        examined = []
        for mask in examine(masks, images, pool):
            examined.append(mask)
            bar.advance(task)
        task = bar.add_task("Measuring images", total=len(images.stimuli))
        lights = []
        for image in images.stimuli:
            lights.append(light_of(inside(images.folder, image.path)))
            bar.advance(task)
    examined.sort(key=lambda mask: mask.path)
    light, contrast = (spread_of(values) for values in zip(*lights, strict=True))
    if as_json:
        print_json(
            {
                "masks": [asdict(mask) | {"problems": list(mask.problems)} for mask in examined],
                "stimuli": {"luminance": light, "contrast": contrast},
            }
        )
    else:
        print_families(examined)
        print_light(examined, light, contrast)
        for mask in examined:
            for problem in mask.problems:
                out.print(escape(f"{folder / mask.path}: {problem}"))
    if any(mask.problems for mask in examined):
        raise typer.Exit(1)


def print_families(examined: Sequence[Examined]) -> None:
    """Print the median and the largest errors of the statistics, if there are any."""
    textures = [mask for mask in examined if mask.errors]
    if not textures:
        return
    table = Table("statistics", "median error", "worst", "mask", box=None, pad_edge=False)
    for family in textures[0].errors:
        having = [texture for texture in textures if family in texture.errors]
        worst = max(having, key=lambda texture: texture.errors[family])
        typical = median(texture.errors[family] for texture in having)
        name = family.replace("_", " ")
        table.add_row(name, f"{typical:.2%}", f"{worst.errors[family]:.2%}", worst.path)
    out.print(table)
    out.print()


Spread = dict[str, float]


def spread_of(values: Sequence[float]) -> Spread:
    return {"mean": fmean(values), "sd": pstdev(values)}


def print_light(examined: Sequence[Examined], light: Spread, contrast: Spread) -> None:
    worst = max(examined, key=lambda mask: abs(mask.correlation))
    typical = median(abs(mask.correlation) for mask in examined)
    shifted = median(mask.shifted_correlation for mask in examined)
    out.print(
        f"Correlation of masks with their sources: median {typical:.2f}, strongest"
        f" {worst.correlation:.2f} ({worst.path}), median after the best shift {shifted:.2f}."
    )
    for name, own, theirs in (
        ("Luminance", spread_of([mask.luminance for mask in examined]), light),
        ("Contrast", spread_of([mask.contrast for mask in examined]), contrast),
    ):
        out.print(
            f"{name}: masks {own['mean']:.3f} (sd {own['sd']:.3f}),"
            f" images {theirs['mean']:.3f} (sd {theirs['sd']:.3f})."
        )
