"""`hype new` for studies that ask about images of prompts: one to start from, or a whole one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hype.cli.building import build_aside, copy_images, parse_fakes, require_free
from hype.console import err, out, progress
from hype.errors import InputError
from hype.files import write_table
from hype.protocols.prompted.template import PromptedShape, PromptedTemplate
from hype.stimuli.manifest import COLUMNS, MANIFEST
from hype.stimuli.scan import Collection, collect_prompted, counted, describe

MOST_NAMED: Final = 4
"""Prompts that are printed."""


def new_prompted(
    folder: Path, kind: PromptedTemplate, real: Path | None, fake: Sequence[str] | None
) -> None:
    """Begin a study of the kind that a template is for."""
    shown, folder = folder, folder.resolve()
    require_free(folder)
    if real and not fake:
        raise InputError("--fake", "is missing", "NAME=FOLDER, the images of a model")
    collection = None
    if fake:
        with err.status("Looking at the images"):
            collection = collected(real, fake)
    shape = kind.shape(**found_in(collection, kind)) if collection else kind.usual
    text = kind.text(folder.name, shape)
    build_aside(folder, text, partial(fill, collection=collection))
    print_next(shown, collection, shape, kind)


def collected(real: Path | None, fake: Sequence[str]) -> Collection:
    """Find the images; of two conditions at the least, real ones counting as one."""
    fakes = parse_fakes(fake)
    if len(fakes) + bool(real) < 2:
        problem = f"names one condition ({', '.join(fakes)})"
        raise InputError("--fake", problem, "two at the least, or one and --real")
    return collect_prompted(real, fakes)


def found_in(collection: Collection, kind: PromptedTemplate) -> dict[str, int | bool]:
    """Give what the study file says of a collection, as a shape takes it.

    Raises
    ------
    InputError
        The study needs images of all conditions for each prompt, and one has none.
    """
    by_prompt = counted(collection.files, collection.prompts)
    if kind.complete:
        refuse_gaps(collection, by_prompt)
    fewest = min(min(counts.values()) for counts in by_prompt.values())
    return {
        "images": min(kind.usual.images, fewest),
        "real_too": "" in collection.files,
        "prompts": len(by_prompt),
        "conditions": len(collection.files),
    }


def refuse_gaps(collection: Collection, by_prompt: dict[str, dict[str, int]]) -> None:
    """Refuse a prompt that some condition has no image of."""
    for prompt, counts in by_prompt.items():
        if lacking := [name for name in collection.files if name not in counts]:
            raise InputError(
                f"--{'fake ' + lacking[0] if lacking[0] else 'real'}",
                f"has no image of the prompt {prompt!r}",
                "an arena needs images of all conditions for each prompt",
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


def print_next(
    folder: Path, collection: Collection | None, shape: PromptedShape, kind: PromptedTemplate
) -> None:
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
        for line in (said_of(folder, collection, shape), *kind.remarks(shape), "Next:"):
            out.print(line, markup=False)
    for line in next_steps(folder, kind):
        out.print(f"  {line}", markup=False)


def said_of(folder: Path, collection: Collection, shape: PromptedShape) -> str:
    """Say what a study was made of."""
    counts = ", ".join(f"{len(p)} {name or 'real'}" for name, p in collection.files.items())
    side = collection.side_px
    prompts = list(dict.fromkeys(collection.prompts.values()))
    named = ", ".join(map(repr, prompts[:MOST_NAMED]))
    more = ", …" if len(prompts) > MOST_NAMED else ""
    number = "1 image" if shape.images == 1 else f"{shape.images} images"
    part = "takes" if shape.images == 1 else "take"
    noun = "prompt" if len(prompts) == 1 else "prompts"
    return (
        f"Made the study {folder}: {counts} images of {side} x {side} px, {len(prompts)} {noun} "
        f"({named}{more}), of which {number} of each condition {part} part."
    )


def next_steps(folder: Path, kind: PromptedTemplate) -> Iterator[str]:
    yield f"hype check {folder}"
    yield f"hype {kind.trial} {folder}"
    yield f"hype run {folder} --evaluator p01"
