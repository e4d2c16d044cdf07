"""`hype new --template comparison`, and `arena`: a study of comparisons to start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hype.cli.building import build_aside, copy_images, parse_fakes, require_free
from hype.cli.options import err, out, progress
from hype.errors import InputError
from hype.files import write_table
from hype.stimuli.collect import Collection, collect_prompted
from hype.stimuli.manifest import COLUMNS, MANIFEST
from hype.stimuli.prompts import counted
from hype.stimuli.scan import describe
from hype.study.comparison_template import ComparisonShape, comparison_text

TEMPLATES: Final = ("comparison", "arena")
MOST_NAMED: Final = 4
"""Prompts that are printed."""
IMAGES: Final = ComparisonShape().images
"""Of a condition and prompt that take part, where there are so many."""


def new_comparison(
    folder: Path, template: str, real: Path | None, fake: Sequence[str] | None
) -> None:
    """Begin a study of comparisons."""
    shown, folder = folder, folder.resolve()
    require_free(folder)
    if real and not fake:
        raise InputError("--fake", "is missing", "NAME=FOLDER, the images of a model")
    collection = None
    if fake:
        with err.status("Looking at the images"):
            collection = collected(real, parse_fakes(fake))
    arena = template == "arena"
    shape = shape_of(collection, arena=arena) if collection else ComparisonShape(arena=arena)
    build_aside(folder, comparison_text(folder.name, shape), partial(fill, collection=collection))
    print_next(shown, collection, shape)


def collected(real: Path | None, fakes: Mapping[str, Path]) -> Collection:
    """Find the images; of two conditions at the least, real ones counting as one."""
    if len(fakes) + bool(real) < 2:
        problem = f"names one condition ({', '.join(fakes)})"
        raise InputError("--fake", problem, "two at the least, or one and --real")
    return collect_prompted(real, fakes)


def shape_of(collection: Collection, *, arena: bool) -> ComparisonShape:
    """Give what the study file says of a collection.

    Raises
    ------
    InputError
        An arena is to be made, and a prompt has no image of some condition.
    """
    by_prompt = counted(collection.files, collection.prompts)
    for prompt, counts in by_prompt.items():
        lacking = [name for name in collection.files if name not in counts]
        if arena and lacking:
            raise InputError(
                f"--{'fake ' + lacking[0] if lacking[0] else 'real'}",
                f"has no image of the prompt {prompt!r}",
                "an arena needs images of all conditions for each prompt",
            )
    fewest = min(min(counts.values()) for counts in by_prompt.values())
    return ComparisonShape(
        arena=arena,
        images=min(IMAGES, fewest),
        real_too="" in collection.files,
        prompts=len(by_prompt),
    )


def fill(aside: Path, collection: Collection | None) -> None:
    """Make the stimulus set with its prompts; without images only the folder for them."""
    stimuli = aside / "stimuli"
    (stimuli / "fake").mkdir(parents=True)
    if collection is None:
        return
    (stimuli / "fake").rmdir()  # the copies make it
    with progress() as bar:
        rows = copy_images(bar, stimuli, collection)
    described = (row | describe(stimuli, stimuli / row["path"]) for row in rows)
    columns = (*COLUMNS, "prompt", "original")
    write_table(stimuli / MANIFEST, columns, described, private=False)


def print_next(folder: Path, collection: Collection | None, shape: ComparisonShape) -> None:
    """Say what was made, and what to do with it."""
    if collection is None:
        out.print(f"Made {folder}/study.toml. Next:", markup=False)
        out.print(f"  put images into {folder}/stimuli/fake/<model>/", markup=False)
        out.print(f"  hype stimuli scan {folder}/stimuli", markup=False)
        out.print(
            f"  say what each shows in a column 'prompt' of {folder}/stimuli/manifest.csv",
            markup=False,
        )
    else:
        print_made(folder, collection, shape)
    out.print(f"  hype check {folder}", markup=False)
    out.print(f"  hype power {folder}", markup=False)
    out.print(f"  hype run {folder} --evaluator p01", markup=False)


def print_made(folder: Path, collection: Collection, shape: ComparisonShape) -> None:
    """Say what a study was made of."""
    counts = ", ".join(f"{len(p)} {name or 'real'}" for name, p in collection.files.items())
    side = collection.side_px
    prompts = list(dict.fromkeys(collection.prompts.values()))
    named = ", ".join(map(repr, prompts[:MOST_NAMED]))
    more = ", …" if len(prompts) > MOST_NAMED else ""
    out.print(
        f"Made the study {folder}: {counts} images of {side} x {side} px, {len(prompts)} prompts "
        f"({named}{more}), of which {shape.images} images of each condition take part.",
        markup=False,
    )
    if shape.prompts == 1 and not shape.arena:
        out.print(
            "With one prompt there is no other to mismatch it: comparisons with an obvious answer "
            "are off (see study.toml).",
            markup=False,
        )
    out.print("Next:")
