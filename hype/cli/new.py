"""`hype new`: make a template of a study file, or a complete study from folders of images."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape

from hype.answers.choices import shell_option, take_options
from hype.cli.masks import make_with_progress
from hype.cli.options import Keep, SkipSmaller, beginnings, parse_fakes, require_free
from hype.console import err, out, progress
from hype.errors import ExtraMissing, InputError, is_installed, quote_path
from hype.files import aside, write_bytes, write_table
from hype.masks.make import DEFAULT_MODEL, MaskJob, number_of_masks
from hype.masks.maskset import write_command
from hype.masks.model import TextureModel
from hype.protocols.comparison.design import ComparisonShape
from hype.protocols.comparison.sampling import LISTED
from hype.protocols.comparison.settings import ValidationSettings
from hype.protocols.hype.design import (
    PAPER,
    FittedDesign,
    fit_design,
    fit_qualification,
    pool_text,
    study_text,
)
from hype.protocols.hype.settings import QUALIFICATION, TimeSettings
from hype.protocols.prompted.settings import PromptedShape, PromptedTemplate
from hype.protocols.registry import PROTOCOLS
from hype.stimuli.collection import (
    DEGRADED,
    JPEG_QUALITY,
    SOURCE_FORMAT,
    Collection,
    collect,
    copy_into,
    count_images,
    degrade_into,
    describe_image,
    scan,
)
from hype.stimuli.manifest import COLUMNS, MANIFEST, read_manifest
from hype.study.studies import STUDY_FILE
from hype.study.texts import ENGLISH, LANGUAGES
from hype.system import move_folder
from hype.workers import worker_pool

ONE_PROMPT: Final = (
    "If the images show several prompts, put each prompt's images into a folder named after the "
    "prompt, or start each file's name with its prompt."
)
MOST_NAMED: Final = 4
"""A message names at most this many prompts."""


HYPE: Final = "hype"
"""The default template."""
JUDGED: Final = (HYPE, QUALIFICATION)
"""The templates of studies about real and fake."""
EVALUATORS: Final = "evaluators"
"""The key for the number of evaluators in studies about real and fake."""


def templates_with_prompts() -> dict[str, PromptedTemplate]:
    return {
        name: kind
        for protocol in PROTOCOLS
        if protocol.name != HYPE
        for name, kind in protocol.templates.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDraft:
    """The requested properties of a new study."""

    template: Annotated[
        str,
        shell_option(
            "--template KIND",
            f"the question: {'; '.join(protocol.asks for protocol in PROTOCOLS)}",
            autocompletion=beginnings(lambda: (*JUDGED, *templates_with_prompts())),
        ),
    ] = HYPE
    real: Annotated[
        Path | None,
        shell_option(
            "--real FOLDER",
            "real images; template hype needs them, in other templates they are a condition",
        ),
    ] = None
    fake: Annotated[
        list[str] | None,
        shell_option(
            "--fake NAME=FOLDER",
            "a model's images; may be repeated. In studies with prompts, the images' names give "
            "the prompts: 'a sneaker/01.png', or 'a sneaker_01.png'",
        ),
    ] = None
    method: Annotated[
        list[str] | None,
        shell_option(
            "--method NAME",
            "for template hype: time or infinity; may be repeated (default: time, if there are "
            "enough images)",
        ),
    ] = None
    masks: Annotated[
        int | None,
        shell_option(
            "--masks N",
            "number of masks for HYPE_time (default: a block shows each at most 6 times)",
            min=1,
        ),
    ] = None
    evaluators: Annotated[
        int | None,
        shell_option(
            "--evaluators N",
            "evaluators for each condition and method (if people judge real or fake), or for each "
            "comparison, item or group",
            min=1,
        ),
    ] = None
    size: Annotated[
        int | None,
        shell_option(
            "--size PX",
            "side of all resized images (default: the smallest image's side, at most 512)",
            min=1,
            max=8192,
        ),
    ] = None
    skip_smaller: SkipSmaller = False
    match_compression: Annotated[
        bool,
        shell_option(
            "--match-compression",
            "if only some images were JPEG, save all with the most common JPEG quality",
        ),
    ] = False
    validation: Annotated[
        int | None,
        shell_option(
            "--validation N",
            "for comparisons: add N pairs of an image and its strongly degraded copy",
            min=1,
        ),
    ] = None
    keep: Keep = False
    language: Annotated[
        str, shell_option("--language CODE", f"language of the texts: {', '.join(LANGUAGES)}")
    ] = ENGLISH
    web: Annotated[bool, shell_option("--web", "people take part in a browser")] = False


@take_options
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="the new study's folder")],
    *,
    draft: StudyDraft,
) -> None:
    """Make a new study; with folders of images, it is ready to run.

    hype open does the same on a page that shows the images.
    """
    templates = (*JUDGED, *templates_with_prompts())
    methods = ("time", "infinity")
    for option, given, allowed in (
        ("--template", draft.template, templates),
        ("--language", draft.language, tuple(LANGUAGES)),
        *(("--method", method, methods) for method in draft.method or ()),
    ):
        if given not in allowed:
            raise InputError(option, f"{given!r} is not known", f"one of {', '.join(allowed)}")
    for option, of_hype in (("--method", draft.method), ("--masks", draft.masks)):
        if of_hype and draft.template != HYPE:
            raise InputError(option, f"is for --template {HYPE}, not for {draft.template}")
    require_free(folder.resolve())
    if draft.template in JUDGED:
        new_judged(folder, draft)
    else:
        new_prompted(folder, draft, templates_with_prompts()[draft.template])


def new_judged(folder: Path, draft: StudyDraft) -> None:
    """Make a study of real and fake images, with HYPE's methods or only the qualification."""
    place = folder.resolve()
    if draft.real and not draft.fake:
        raise InputError("--fake", "is missing", "NAME=FOLDER of each model, with --real")
    if draft.fake and not draft.real:
        raise InputError("--real", "is missing", "the folder of real images, with --fake")
    collection = look_at_images(draft) if draft.real else None
    counts = {n: len(paths) for n, paths in collection.files.items()} if collection else {}
    is_alone = len(counts) == 2  # real images and the images of one model
    masks = 0
    if draft.template == QUALIFICATION:
        trials = fit_qualification(counts) if counts else PAPER
        design = FittedDesign(methods=(QUALIFICATION,), trials=trials)
        text = pool_text(place.name, trials)
    else:
        asked = tuple(dict.fromkeys(draft.method or ()))
        design = (
            fit_design(counts, asked or None)
            if counts
            else FittedDesign(methods=asked or ("time",))
        )
        text = study_text(place.name, design, alone=is_alone)
        masks = draft.masks or 0
        if not masks and "time" in design.methods:  # only flashed images have masks
            masks = number_of_masks(design.trials.time, TimeSettings().masks)
    if collection and masks and not is_installed("numba"):  # checked before images are copied
        raise ExtraMissing("numba")
    text = write_wishes(text, draft, EVALUATORS)
    build_aside(place, text, partial(make_stimuli, collection=collection, prompted=False))
    print_judged(folder, collection, design, masks)
    if collection and masks:  # masks come last: the study can be tried in the meantime
        model = TextureModel.usual_for((collection.side_px, collection.side_px))
        job = MaskJob(number=masks, size_px=collection.side_px, seed=0, model=model)
        images = read_manifest(folder / "stimuli")
        with worker_pool() as pool, progress() as bar:
            make_with_progress(bar, images, folder / "masks", job, pool)
        out.print(f"Made {masks} masks.")
    if collection:
        out.print("Next:")
    out.print(f"  hype check {quote_path(folder)}", markup=False)
    print_first_session(folder, draft)
    if is_alone and draft.template == HYPE:
        out.print("A study of one model has no qualification; study.toml explains why.")


def new_prompted(folder: Path, draft: StudyDraft, kind: PromptedTemplate) -> None:
    if draft.real and not draft.fake:
        raise InputError("--fake", "is missing", "NAME=FOLDER, the images of a model")
    collection = look_at_images(draft, prompted=True) if draft.fake else None
    shape = shape_of(collection, kind) if collection else kind.usual
    if draft.validation:
        if not isinstance(shape, ComparisonShape):
            raise InputError("--validation", "is only for --template comparison or arena")
        files = collection.files if collection else {}
        images = sum(len(paths) for name, paths in files.items() if name)
        if draft.validation > images:
            problem = f"{draft.validation} pairs, but only {images} generated images"
            raise InputError("--validation", problem, "at most one pair for each image")
        shape = replace(shape, pairs=draft.validation)
    place = folder.resolve()
    text = write_wishes(kind.text(place.name, shape), draft, kind.wanted)
    if draft.validation and collection:
        names = json.dumps([name or "real" for name in collection.files], ensure_ascii=False)
        text = replace_beginning(text, r'# conditions = \["a", "b"\] *', f"conditions = {names} ")
    fill = partial(make_stimuli, collection=collection, prompted=True, pairs=draft.validation or 0)
    build_aside(place, text, fill)
    print_prompted(folder, collection, shape, kind)
    print_first_session(folder, draft)


def look_at_images(draft: StudyDraft, *, prompted: bool = False) -> Collection:
    """Collect the images of at least two conditions; the real images count as one."""
    fakes = parse_fakes(draft.fake or ())
    if len(fakes) + bool(draft.real) < 2:
        problem = f"names one condition ({', '.join(fakes)})"
        raise InputError("--fake", problem, "at least two, or one and --real")
    folders = {"": draft.real, **fakes} if draft.real else fakes
    with err.status("Looking at the images"):
        collection = collect(
            folders,
            prompted=prompted,
            side_px=draft.size,
            skip_smaller=draft.skip_smaller,
            match_compression=draft.match_compression,
            keep=draft.keep,
        )
    for note in collection.notes:
        err.print(note, markup=False)
    return collection


def shape_of(collection: Collection, kind: PromptedTemplate) -> PromptedShape:
    """Return how many prompts and images a study of this collection has.

    Raises InputError: a condition lacks images of a prompt, and this kind of study needs them.
    """
    by_prompt = count_images(collection.files, collection.prompts)
    for prompt, counts in by_prompt.items() if kind.complete else ():
        if lacking := [name for name in collection.files if name not in counts]:
            raise InputError(
                f"--{'fake ' + lacking[0] if lacking[0] else 'real'}",
                f"has no image of the prompt {prompt!r}",
                "an arena needs images of all conditions for each prompt",
            )
    fewest = min(min(counts.values()) for counts in by_prompt.values())
    return kind.shape(
        images=min(kind.usual.images, fewest),
        real_too="" in collection.files,
        prompts=len(by_prompt),
        conditions=len(collection.files),
    )


def write_wishes(text: str, draft: StudyDraft, key: str) -> str:
    """Write the requested properties into the text of a new study file.

    ``key``: the study file's key for the number of evaluators; empty if this number is not planned.
    Raises InputError: a property is impossible in this kind of study.
    """
    if draft.evaluators is not None:
        if not key:
            raise InputError("--evaluators", f"cannot be set with --template {draft.template}")
        text = replace_beginning(text, rf"{key} = \d+ *", f"{key} = {draft.evaluators} ")
    if draft.language != ENGLISH:
        if draft.template == QUALIFICATION:
            problem = f"is not for --template {QUALIFICATION}, whose file has English texts"
            raise InputError("--language", problem)
        language = f'language = "{draft.language}"'
        text = replace_beginning(text, r'# language = "\w+" *', language)
    if draft.web:
        text = re.sub(r"^# (?=\[web\]|most_at_once)", "", text, flags=re.MULTILINE)
    return text


def replace_beginning(text: str, line: str, instead: str) -> str:
    """Replace the beginning of a line; a comment behind it stays in its column."""
    return re.sub(f"^{line}", lambda match: instead.ljust(len(match[0])), text, flags=re.MULTILINE)


def build_aside(folder: Path, text: str, fill: Callable[[Path], None]) -> None:
    """Build the study in a temporary folder next to its final place; move it when it is complete.

    ``fill`` adds everything but the study file to the temporary folder.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with aside(folder.parent, "new") as temporary:
            temporary.chmod(0o755)
            write_bytes(temporary / STUDY_FILE, text.encode(), private=False)
            fill(temporary)
            move_folder(temporary, folder)
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None


def make_stimuli(
    study: Path, collection: Collection | None, *, prompted: bool, pairs: int = 0
) -> None:
    """Make the stimulus set; without images, make only its folders.

    ``pairs``: number of images that get a degraded copy, for validation.
    """
    stimuli = study / "stimuli"
    stimuli.mkdir()
    if collection is None:
        for kind in ("fake",) if prompted else ("real", "fake"):
            (stimuli / kind).mkdir()
        return
    with progress() as bar:
        task = bar.add_task("Copying images", total=len(collection))
        rows = []
        for row in copy_into(stimuli, collection):
            rows.append(row)
            bar.advance(task)
    columns = ["original", SOURCE_FORMAT, JPEG_QUALITY]
    if pairs:
        fakes = [row for row in rows if row["path"].startswith("fake/")]
        copies = list(degrade_into(stimuli, fakes, pairs))
        prompts = {row["path"]: row["prompt"] for row in fakes}
        listed = [
            {"prompt": prompts[copy["original"]], "better": copy["original"], "worse": copy["path"]}
            for copy in copies
        ]
        write_table(study / ValidationSettings().file, LISTED, listed, private=False)
        rows += copies
        columns.append(DEGRADED)
    if prompted:
        described = (row | describe_image(stimuli, stimuli / row["path"]) for row in rows)
        write_table(stimuli / MANIFEST, (*COLUMNS, "prompt", *columns), described, private=False)
    else:
        write_table(stimuli / MANIFEST, ("path", *columns), rows, private=False)
        scan(stimuli)


def print_judged(
    folder: Path, collection: Collection | None, design: FittedDesign, masks: int
) -> None:
    """Report the new study of real and fake images, and how to add its images."""
    where, stimuli = escape(str(folder)), quote_path(folder / "stimuli")
    if collection is None:
        out.print(f"Made {where}/study.toml. Next:")
        out.print(f"  put images into {where}/stimuli/real and {where}/stimuli/fake/<model>/")
        out.print(f"  hype stimuli scan {stimuli}", markup=False)
        if masks:
            command = write_command(folder / "masks", folder / "stimuli", masks)
            out.print(f"  {command}", markup=False)
    else:
        out.print(f"Made the study {where}: {describe_images(collection)}.")
        scales = TextureModel.usual_for((collection.side_px, collection.side_px)).scales
        if masks and scales < DEFAULT_MODEL.scales:
            out.print(
                f"The masks will keep {scales} octaves of textures, not {DEFAULT_MODEL.scales}: "
                f"with more, a picture of {collection.side_px} px would be recognisable."
            )
        fewer = ", ".join(
            f"{name}.trials = {number} instead of {papers}"
            for name, papers in asdict(PAPER).items()
            if (number := getattr(design.trials, name)) < papers
        )
        if fewer:
            out.print(f"There are fewer images than the paper's design needs: {fewer}.")
        if design.why:
            out.print(design.why, markup=False)


def print_prompted(
    folder: Path, collection: Collection | None, shape: PromptedShape, kind: PromptedTemplate
) -> None:
    """Report the new study with prompts, and the next steps."""
    if collection is None:
        lines = [
            f"Made {folder}/study.toml. Next:",
            f"  put images into {folder}/stimuli/fake/<model>/",
            f"  hype stimuli scan {quote_path(folder / 'stimuli')}",
            "  write the prompt of each image into a column 'prompt' of "
            f"{folder}/stimuli/manifest.csv",
        ]
    else:
        prompts = list(dict.fromkeys(collection.prompts.values()))
        named = ", ".join(map(repr, prompts[:MOST_NAMED]))
        more = ", …" if len(prompts) > MOST_NAMED else ""
        part = "1 image" if shape.images == 1 else f"{shape.images} images"
        numbers = count_images(collection.files, collection.prompts).values()
        used = sum(min(n, shape.images) for counts in numbers for n in counts.values())
        lines = [
            f"Made the study {folder}: {describe_images(collection)}, {len(prompts)} "
            f"{'prompt' if len(prompts) == 1 else 'prompts'} ({named}{more}). The study uses "
            f"{part} of each condition and prompt, {used:,} of {len(collection):,} images in all.",
            *([ONE_PROMPT] if len(prompts) == 1 else []),
            *kind.remarks(shape),
            "Next:",
        ]
    for line in (
        *lines,
        *(f"  hype {name} {quote_path(folder)}" for name in ("check", kind.trial)),
    ):
        out.print(line, markup=False)


def describe_images(collection: Collection) -> str:
    counts = ", ".join(f"{len(p)} {name or 'real'}" for name, p in collection.files.items())
    return f"{counts} images of {collection.side_px} x {collection.side_px} px"


def print_first_session(folder: Path, draft: StudyDraft) -> None:
    command = "serve {}" if draft.web else "run {} --evaluator p01"
    out.print(f"  hype {command.format(quote_path(folder))}", markup=False)
