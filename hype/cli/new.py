"""`hype new`: a study to start from, or a whole one from folders of images."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape
from rich.progress import Progress

from hype.cli.masks import make_with_progress
from hype.cli.options import beginnings, somebody_is_there
from hype.cli.questions import StudyDraft, StudyKind, asked
from hype.console import err, out, progress
from hype.errors import ExtraMissing, InputError, is_installed, quoted
from hype.files import as_name, aside, write_bytes, write_table
from hype.masks.make import DEFAULT_MODEL, MaskJob, number_of_masks
from hype.masks.model import TextureModel
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
    JPEG_QUALITY,
    SOURCE_FORMAT,
    Collection,
    Wishes,
    collect,
    copy_into,
    counted,
    describe,
    scan,
)
from hype.stimuli.manifest import COLUMNS, MANIFEST, read_manifest
from hype.study.studies import STUDY_FILE
from hype.study.texts import ENGLISH, LANGUAGES
from hype.system import move_folder
from hype.workers import worker_pool


def require_free(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(folder, "is there already", "a new or an empty folder")


def parse_fakes(fakes: Sequence[str]) -> Mapping[str, Path]:
    parsed: dict[str, Path] = {}
    for text in fakes:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            raise InputError(
                "--fake",
                f"{text!r} does not name a folder",
                "NAME=FOLDER, as in --fake mymodel=samples/",
            )
        if name in parsed:
            raise InputError("--fake", f"{name!r} is given twice", "each condition once")
        parsed[as_name(name)] = Path(folder)
    return parsed


def build_aside(folder: Path, text: str, fill: Callable[[Path], None]) -> None:
    """Build the study in a temporary folder next to its place, and move it there when whole.

    ``fill`` is given that folder, with the study file in it.
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


def copy_images(bar: Progress, stimuli: Path, collection: Collection) -> list[dict[str, str]]:
    """Copy images into a stimulus set under a bar; gives a row of each."""
    task = bar.add_task("Copying images", total=len(collection))
    rows = []
    for row in copy_into(stimuli, collection):
        rows.append(row)
        bar.advance(task)
    return rows


MOST_NAMED: Final = 4
"""Prompts that are printed."""


def new_prompted(wanted: StudyDraft, kind: PromptedTemplate) -> None:
    """Begin a study of the kind that a template is for."""
    shown, folder = wanted.folder, wanted.folder.resolve()
    real, fake = wanted.real, wanted.fake
    require_free(folder)
    if real and not fake:
        raise InputError("--fake", "is missing", "NAME=FOLDER, the images of a model")
    collection = None
    if fake:
        collection = look_at_images(wanted, prompted=True)
    shape = kind.shape(**image_counts(collection, kind)) if collection else kind.usual
    text = worded(kind.text(folder.name, shape), wanted, kind.wanted)
    build_aside(folder, text, partial(fill_prompted, collection=collection))
    print_next_prompted(shown, collection, shape, kind)
    print_first_session(shown, wanted)


def look_at_images(wanted: StudyDraft, *, prompted: bool = False) -> Collection:
    """Find the images; of two conditions at the least, real ones counting as one."""
    fakes = parse_fakes(wanted.fake)
    if len(fakes) + bool(wanted.real) < 2:
        problem = f"names one condition ({', '.join(fakes)})"
        raise InputError("--fake", problem, "two at the least, or one and --real")
    folders = {"": wanted.real, **fakes} if wanted.real else fakes
    with err.status("Looking at the images"):
        collection = collect(folders, wanted.wishes, prompted=prompted)
    for note in collection.notes:
        err.print(note, markup=False)
    return collection


def image_counts(collection: Collection, kind: PromptedTemplate) -> dict[str, int | bool]:
    """Return what the study file says of a collection, as a shape takes it.

    Raises InputError: the study needs images of all conditions for each prompt, and one has none.
    """
    by_prompt = counted(collection.files, collection.prompts)
    for prompt, counts in by_prompt.items() if kind.complete else ():
        if lacking := [name for name in collection.files if name not in counts]:
            raise InputError(
                f"--{'fake ' + lacking[0] if lacking[0] else 'real'}",
                f"has no image of the prompt {prompt!r}",
                "an arena needs images of all conditions for each prompt",
            )
    fewest = min(min(counts.values()) for counts in by_prompt.values())
    return {
        "images": min(kind.usual.images, fewest),
        "real_too": "" in collection.files,
        "prompts": len(by_prompt),
        "conditions": len(collection.files),
    }


def fill_prompted(aside: Path, collection: Collection | None) -> None:
    """Make the stimulus set with its prompts; without images only the folder for them."""
    stimuli = aside / "stimuli"
    (stimuli / "fake").mkdir(parents=True)
    if collection is None:
        return
    (stimuli / "fake").rmdir()  # the copies make it
    with progress() as bar:
        rows = copy_images(bar, stimuli, collection)
    described = (row | describe(stimuli, stimuli / row["path"]) for row in rows)
    columns = (*COLUMNS, "prompt", "original", SOURCE_FORMAT, JPEG_QUALITY)
    write_table(stimuli / MANIFEST, columns, described, private=False)


def print_next_prompted(
    folder: Path, collection: Collection | None, shape: PromptedShape, kind: PromptedTemplate
) -> None:
    """Say what was made, and what to do with it."""
    if collection is None:
        out.print(f"Made {folder}/study.toml. Next:", markup=False)
        out.print(f"  put images into {folder}/stimuli/fake/<model>/", markup=False)
        out.print(f"  hype stimuli scan {quoted(folder / 'stimuli')}", markup=False)
        out.print(
            f"  say what each shows in a column 'prompt' of {folder}/stimuli/manifest.csv",
            markup=False,
        )
    else:
        for line in (collection_in_words(folder, collection, shape), *kind.remarks(shape), "Next:"):
            out.print(line, markup=False)
    for command in ("check", kind.trial):
        out.print(f"  hype {command} {quoted(folder)}", markup=False)


def collection_in_words(folder: Path, collection: Collection, shape: PromptedShape) -> str:
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


def print_first_session(folder: Path, wanted: StudyDraft) -> None:
    command = "serve {}" if wanted.web else "run {} --evaluator p01"
    out.print(f"  hype {command.format(quoted(folder))}", markup=False)


REAL_AND_ONE: Final = 2

HYPE: Final = "hype"
"""The default template."""

JUDGED: Final = (HYPE, QUALIFICATION)
"""The templates of studies that ask what is real and what is fake."""


SizePx = Annotated[
    int | None,
    typer.Option(
        "--size",
        metavar="PX",
        min=1,
        max=8192,
        help="make all images this large (the smallest, at most 512)",
    ),
]
SkipSmaller = Annotated[
    bool,
    typer.Option(
        "--skip-smaller", metavar="", help="leave out images that are much smaller than the others"
    ),
]
Keep = Annotated[
    bool,
    typer.Option("--keep", metavar="", help="take images though only some of them were JPEG"),
]


def new(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="the new study's folder", show_default=False),
    ] = None,
    template: Annotated[
        str,
        typer.Option(
            "--template",
            metavar="KIND",
            help=f"what is asked: {'; '.join(protocol.asks for protocol in PROTOCOLS)}",
            autocompletion=beginnings(lambda: (*JUDGED, *prompted_templates())),
        ),
    ] = HYPE,
    real: Annotated[
        Path | None,
        typer.Option(
            "--real",
            metavar="FOLDER",
            help="images that are real; hype needs them, elsewhere they take part as well",
        ),
    ] = None,
    fake: Annotated[
        list[str] | None,
        typer.Option(
            "--fake",
            metavar="NAME=FOLDER",
            help="a model's images; may be repeated. But for hype their names say what they "
            "show: 'a sneaker/01.png', or 'a sneaker_01.png'",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="of hype: time or infinity; may be repeated (time, if the images suffice)",
        ),
    ] = None,
    masks: Annotated[
        int | None,
        typer.Option(
            "--masks",
            metavar="N",
            min=1,
            help="of HYPE_time: how many masks are made (enough for each to come 6 times a block)",
        ),
    ] = None,
    evaluators: Annotated[
        int | None,
        typer.Option(
            "--evaluators",
            metavar="N",
            min=1,
            help="how many are wanted: of hype for each condition and method, elsewhere for each "
            "comparison, item or group",
        ),
    ] = None,
    size: SizePx = None,
    skip_smaller: SkipSmaller = False,
    match_compression: Annotated[
        bool,
        typer.Option(
            "--match-compression",
            metavar="",
            help="put all images through one JPEG quality, where only some were JPEG",
        ),
    ] = False,
    keep: Keep = False,
    language: Annotated[
        str,
        typer.Option(
            "--language", metavar="CODE", help=f"what people read: {', '.join(LANGUAGES)}"
        ),
    ] = ENGLISH,
    web: Annotated[
        bool, typer.Option("--web", metavar="", help="evaluators take part with a browser")
    ] = False,
) -> None:
    """Begin a study. Given folders of images, it is ready to run: stimuli, masks and file.

    At a terminal, without options, it asks for what it needs.
    """
    options = (name for name in context.params if name != "folder")
    if somebody_is_there() and not any(is_given(context, name) for name in options):
        make(asked(kinds(), folder, require_free), by_questions=True)
        return
    if folder is None:
        context.fail("Missing argument 'DIR'.")
    make(
        StudyDraft(
            folder=folder,
            template=template,
            real=real,
            fake=tuple(fake or ()),
            methods=tuple(dict.fromkeys(method or ())),
            masks=masks,
            evaluators=evaluators,
            wishes=Wishes(
                side_px=size,
                skip_smaller=skip_smaller,
                match_compression=match_compression,
                keep=keep,
            ),
            language=language,
            web=web,
        )
    )


def is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def make(wanted: StudyDraft, *, by_questions: bool = False) -> None:
    """Begin a study, and say what was made and what comes next."""
    prompted, template = prompted_templates(), wanted.template
    if template not in (*JUDGED, *prompted):
        protocols = ", ".join((*JUDGED, *prompted))
        raise InputError("--template", f"{template!r} is not known", f"one of {protocols}")
    if wanted.language not in LANGUAGES:
        protocols = ", ".join(LANGUAGES)
        raise InputError("--language", f"{wanted.language!r} is not known", f"one of {protocols}")
    for method in wanted.methods:
        if method not in ("time", "infinity"):
            raise InputError("--method", f"{method!r} is not known", "time or infinity")
    if template == HYPE:
        new_hype(wanted)
    else:
        for option, given in (("--method", wanted.methods), ("--masks", wanted.masks)):
            if given:
                raise InputError(option, f"is for --template {HYPE}, not for {template}")
        if template == QUALIFICATION:
            new_qualification(wanted)
        else:
            new_prompted(wanted, prompted[template])
    if by_questions:
        out.print(f"The same without questions: {wanted.command(HYPE)}", markup=False)


def kinds() -> list[StudyKind]:
    """List what can be begun, HYPE's first."""
    judged = StudyKind(
        words="say real or fake of images that are flashed: HYPE_time",
        template=HYPE,
        real_needed=True,
        evaluators=int(usual_number(study_text("", FittedDesign(methods=("time",))), EVALUATORS)),
        of_each=" for each model",
    )
    untimed = replace(
        judged,
        words="say real or fake without a time limit: HYPE_∞",
        methods=("infinity",),
    )
    test = replace(
        judged,
        words="take a test on who can tell, which other studies ask for",
        template=QUALIFICATION,
        of_each=" who pass",
        worded=True,
    )
    return [judged, untimed, *map(kind_of, *zip(*prompted_templates().items(), strict=True)), test]


def kind_of(name: str, template: PromptedTemplate) -> StudyKind:
    usual = usual_number(template.text("", template.usual), template.wanted)
    return StudyKind(
        words=template.words or name,
        template=name,
        evaluators=int(usual) if usual else None,
        of_each=template.of_each,
    )


EVALUATORS: Final = "evaluators"
"""The key that says how many are wanted, of HYPE's studies."""


def usual_number(text: str, key: str) -> str:
    """Return the number that a study file to start from has for a key; empty if it has none."""
    match = re.search(rf"^{key} = (\d+)", text, re.MULTILINE) if key else None
    return match[1] if match else ""


def worded(text: str, wanted: StudyDraft, key: str) -> str:
    """Put the wanted changes into a study file to start from.

    ``key`` says there how many evaluators are wanted; it is empty if the number is not planned.

    Raises InputError: this kind of study does not take it.
    """
    if wanted.evaluators is not None:
        if not key:
            raise InputError("--evaluators", f"is not planned by --template {wanted.template}")
        text = put(text, rf"{key} = \d+ *", f"{key} = {wanted.evaluators} ")
    if wanted.language != ENGLISH:
        if wanted.template == QUALIFICATION:
            problem = f"is not for --template {QUALIFICATION}, whose file words texts in English"
            raise InputError("--language", problem)
        text = put(text, r'# language = "\w+" *', f'language = "{wanted.language}"')
    if wanted.web:
        text = re.sub(r"^# (?=\[web\]|most_at_once)", "", text, flags=re.MULTILINE)
    return text


def put(text: str, line: str, instead: str) -> str:
    """Replace how a line of a text begins; what stands behind it stays in its column."""
    return re.sub(f"^{line}", lambda match: instead.ljust(len(match[0])), text, flags=re.MULTILINE)


def prompted_templates() -> dict[str, PromptedTemplate]:
    """Return what studies of images of prompts are made from, by name."""
    return {
        name: kind
        for protocol in PROTOCOLS
        if protocol.name != HYPE
        for name, kind in protocol.templates.items()
    }


def new_hype(wanted: StudyDraft) -> None:
    """Begin a study of HYPE's methods."""
    shown, folder = wanted.folder, wanted.folder.resolve()
    collection = images_of_hype(wanted)
    if collection:
        design = fit_design(counts_of(collection), wanted.methods or None)
    else:
        design = FittedDesign(methods=wanted.methods or ("time",))
    masks = wanted.masks or 0
    if not masks and "time" in design.methods:  # only flashes are covered
        masks = number_of_masks(design.trials.time, TimeSettings().masks)
    if collection and masks and not is_installed("numba"):  # before images are copied for nothing
        raise ExtraMissing("numba")
    alone = len(counts_of(collection)) == REAL_AND_ONE
    text = worded(study_text(folder.name, design, alone=alone), wanted, EVALUATORS)
    build_aside(folder, text, partial(fill, collection=collection))
    if collection and masks:  # in place, so that the study can be tried while they are made
        make_masks_of(folder, collection, masks)
    print_next(shown, collection, design, masks)
    print_first_session(shown, wanted)
    if alone:
        out.print(
            "With one model no qualification is held: study.toml says why, and how one can be."
        )


def new_qualification(wanted: StudyDraft) -> None:
    """Begin a study of the qualification alone."""
    shown, folder = wanted.folder, wanted.folder.resolve()
    collection = images_of_hype(wanted)
    counts = counts_of(collection)
    trials = fit_qualification(counts) if counts else PAPER
    text = worded(pool_text(folder.name, trials), wanted, EVALUATORS)
    build_aside(folder, text, partial(fill, collection=collection))
    print_next(shown, collection, FittedDesign(methods=(QUALIFICATION,), trials=trials), 0)
    print_first_session(shown, wanted)


def images_of_hype(wanted: StudyDraft) -> Collection | None:
    """Look at the images that were named, if any were."""
    require_free(wanted.folder.resolve())
    if not wanted.real and not wanted.fake:
        return None
    if not wanted.real:
        raise InputError("--real", "is missing", "the folder of real images, beside --fake")
    if not wanted.fake:
        raise InputError("--fake", "is missing", "NAME=FOLDER of each model, beside --real")
    return look_at_images(wanted)


def counts_of(collection: Collection | None) -> dict[str, int]:
    """Count images by condition, the real ones under ""; empty if none were named."""
    return {n: len(p) for n, p in collection.files.items()} if collection else {}


def fill(aside: Path, collection: Collection | None) -> None:
    """Make the stimulus set; without images only the folders for it."""
    stimuli = aside / "stimuli"
    stimuli.mkdir()
    if collection is None:
        (stimuli / "real").mkdir()
        (stimuli / "fake").mkdir()
        return
    with progress() as bar:
        rows = copy_images(bar, stimuli, collection)
    columns = ("path", "original", SOURCE_FORMAT, JPEG_QUALITY)
    write_table(stimuli / MANIFEST, columns, rows, private=False)
    scan(stimuli)


def make_masks_of(folder: Path, collection: Collection, number: int) -> None:
    job = MaskJob(number=number, size_px=collection.side_px, seed=0, model=model_for(collection))
    images = read_manifest(folder / "stimuli")
    with worker_pool() as pool, progress() as bar:
        make_with_progress(bar, images, folder / "masks", job, pool)


def model_for(collection: Collection) -> TextureModel:
    """Return the masks' texture model: the usual one, or one with fewer scales for small images."""
    return TextureModel.suited((collection.side_px, collection.side_px))


def print_next(
    folder: Path, collection: Collection | None, design: FittedDesign, masks: int
) -> None:
    """Say what was made, and what to do with it."""
    where, stimuli = escape(str(folder)), quoted(folder / "stimuli")
    if collection is None:
        out.print(f"Made {where}/study.toml. Next:")
        out.print(f"  put images into {where}/stimuli/real and {where}/stimuli/fake/<model>/")
        out.print(f"  hype stimuli scan {stimuli}", markup=False)
        if masks:
            made = quoted(folder / "masks")
            out.print(f"  hype masks make {stimuli} -o {made} -n {masks}", markup=False)
    else:
        counts = ", ".join(f"{len(p)} {name or 'real'}" for name, p in collection.files.items())
        side = collection.side_px
        made = f", {masks} masks" if masks else ""
        out.print(f"Made the study {where}: {counts} images of {side} x {side} px{made}.")
        scales = model_for(collection).scales
        if masks and scales < DEFAULT_MODEL.scales:
            out.print(
                f"The masks keep {scales} octaves of the images' textures instead of "
                f"{DEFAULT_MODEL.scales}: more would show a picture of {side} px again."
            )
        if design.trials != PAPER:
            out.print("There are fewer images than the paper's design takes (see study.toml).")
        if design.why:
            out.print(design.why, markup=False)
        out.print("Next:")
    out.print(f"  hype check {quoted(folder)}", markup=False)
