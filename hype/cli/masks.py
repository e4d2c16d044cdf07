"""`hype masks`: mask sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from hype.cli.options import Json, out, print_json, progress
from hype.errors import InputError
from hype.masks.make import METHODS, MaskJob, common_size_px, make_masks
from hype.stimuli.manifest import StimulusSet, read_manifest

app = typer.Typer(help="Mask sets: what is shown after an image.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Keep `make` a subcommand although it is the only one."""


@app.command()
def make(
    stimuli: Annotated[
        Path, typer.Argument(metavar="STIMULI", help="the stimulus set to make them of")
    ],
    folder: Annotated[Path, typer.Option("-o", "--out", metavar="MASKS", help="where they go")],
    number: Annotated[int, typer.Option("-n", metavar="N", help="how many")],
    size_px: Annotated[
        int | None,
        typer.Option("--size", metavar="PX", help="their side; the images' longest by default"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="of everything random")] = 0,
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help=f"one of: {', '.join(METHODS)}")
    ] = METHODS[0],
    as_json: Json = False,
) -> None:
    """Make masks of a study's own images. An interrupted run goes on where it stopped."""
    if method not in METHODS:
        raise InputError("--method", f"{method!r} is not known", f"one of {', '.join(METHODS)}")
    images = read_manifest(stimuli)
    job = MaskJob(
        number=number,
        size_px=common_size_px(images) if size_px is None else size_px,
        seed=seed,
        method=method,
    )
    with progress() as bar:
        made = make_with_progress(bar, images, folder, job)
    if as_json:
        print_json({"masks": str(folder), "number": number, "made": made, "size_px": job.size_px})
    else:
        out.print(f"{folder}: {number} masks of {job.size_px} px ({made} made now)")


def make_with_progress(bar: Progress, images: StimulusSet, folder: Path, job: MaskJob) -> int:
    """Make masks under a progress bar; returns how many had to be made."""
    task = bar.add_task("Making masks", total=job.number)
    made = 0
    for fresh in make_masks(images, folder, job):
        made += fresh
        bar.advance(task)
    return made
