"""`hype add`: add a model to a running study."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.progress import TaskID

from hype.addition import Addition, AskedOfProtocol, Wanted, add_models
from hype.answers.choices import shell_option
from hype.cli.options import Json, Keep, SkipSmaller, StudyPath, parse_fakes
from hype.console import err, out, print_json, progress
from hype.errors import FilesRefused, InputError, quote_path
from hype.files import write_bytes
from hype.protocols.load import load_any, study_of_text
from hype.protocols.registry import course_of, protocol_of
from hype.stimuli.collection import describe_skipped
from hype.study.studies import AnyStudy
from hype.workers import worker_pool

EACH_S: Final = 0.5
"""Time between two updates of the progress file."""


def add(
    study: StudyPath,
    fake: Annotated[
        list[str],
        shell_option(
            "--fake NAME=FOLDER",
            "a model's images, or a zip of them; may be repeated. In a study with prompts, "
            "prompts come from the images' names ('a sneaker/01.png', 'a sneaker_01.png'), or from "
            "a manifest.csv in the folder",
        ),
    ],
    masks: Annotated[
        int | None,
        shell_option(
            "--masks N",
            "number of masks for each model, if images are flashed (default: as for other models)",
            min=0,
        ),
    ] = None,
    votes: Annotated[
        int | None,
        shell_option(
            "--votes N",
            "votes to add to an arena's limit (default: the limit so far / number of models)",
            min=1,
        ),
    ] = None,
    skip_smaller: SkipSmaller = False,
    keep: Keep = False,
    progress_file: Annotated[
        Path | None,
        shell_option("--progress FILE", "write the progress to this file as JSON"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add a model to a running study: its images and masks, and places for evaluators.

    Evaluators who have started continue without the model.
    """
    loaded = load_any(study)
    day = datetime.now(timezone.utc).date()
    wanted = Wanted(
        folders=parse_fakes(fake),
        day=day,
        votes=votes,
        masks=masks,
        skip_smaller=skip_smaller,
        keep=keep,
    )
    for folder in wanted.folders.values():
        if folder.is_dir() and (skipped := describe_skipped(folder)):
            err.print(skipped, markup=False)
    try:
        added = add_with_progress(loaded, wanted, progress_file)
    except InputError as error:
        if as_json:
            problems = error.problems if isinstance(error, FilesRefused) else (error,)
            texts = [
                {"where": p.where, "problem": p.problem, "allowed": p.allowed} for p in problems
            ]
            print_json({"added": [], "problems": texts})
            raise typer.Exit(error.exit_code) from None
        raise
    show(study, added, as_json=as_json)


def add_with_progress(study: AnyStudy, wanted: Wanted, file: Path | None) -> list[Addition]:
    """Add models with a progress bar; also write the progress to ``file``, if it is given."""
    with progress() as bar, worker_pool() as pool:
        tasks: dict[str, TaskID] = {}
        next_s = 0.0

        def tell(what: str, done: int, of: int) -> None:
            nonlocal next_s
            is_new = what not in tasks
            if is_new:
                tasks[what] = bar.add_task(what, total=of)
            bar.update(tasks[what], completed=done, total=of)
            if file and (is_new or time.monotonic() > next_s):
                write_bytes(file, json.dumps({"doing": what, "done": done, "of": of}).encode())
                next_s = time.monotonic() + EACH_S

        return add_models(study, collect_parts(study), wanted, pool, tell)


def collect_parts(study: AnyStudy) -> AskedOfProtocol:
    design = protocol_of(study).design
    return AskedOfProtocol(
        study_of_text=study_of_text,
        course_of=course_of,
        conditions=design.conditions,
        joining=design.joining,
    )


def show(study: Path, added: list[Addition], *, as_json: bool) -> None:
    if as_json:
        joined = load_any(study).added
        facts = [asdict(one) | joined[one.condition].model_dump(exclude_none=True) for one in added]
        print_json({"added": facts, "problems": []})
        return
    for addition in added:
        masked = f", {addition.masks} masks" if addition.masks else ""
        images = f"{addition.images:,} images{masked}"
        out.print(f"Added {addition.condition}: {images}.", markup=False)
    out.print("New evaluators may get this model; those who have started continue without it.")
    out.print(f"  hype status {quote_path(study)}", markup=False)
