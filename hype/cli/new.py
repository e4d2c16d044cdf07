"""`hype new`: a study to start from, or a whole one from folders of images."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from hype.cli.masks import make_with_progress
from hype.cli.options import err, out, progress
from hype.crew import crew
from hype.errors import InputError
from hype.files import write_bytes, write_table
from hype.masks.methods import DEFAULT_MODEL, MaskJob
from hype.masks.model import TextureModel
from hype.stimuli.collect import Collection, collect, copy_into
from hype.stimuli.manifest import MANIFEST, read_manifest
from hype.stimuli.scan import scan
from hype.study.fitting import PAPER, fitting_trials
from hype.study.load import STUDY_FILE
from hype.study.template import Trials, study_text

MASKS = 100


def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="the new study's folder")],
    real: Annotated[
        Path | None, typer.Option("--real", metavar="FOLDER", help="images that are real")
    ] = None,
    fake: Annotated[
        list[str] | None,
        typer.Option("--fake", metavar="NAME=FOLDER", help="a model's images; may be repeated"),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="NAME", help="time or infinity; may be repeated (time)"),
    ] = None,
    masks: Annotated[
        int, typer.Option("--masks", metavar="N", min=1, help="how many masks are made")
    ] = MASKS,
) -> None:
    """Begin a study. Given folders of images, it is ready to run: stimuli, masks and file."""
    methods = check_methods(method or ["time"])
    shown, folder = folder, folder.resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(folder, "is there already", "a new or an empty folder")
    if bool(real) != bool(fake):
        raise InputError("--real and --fake", "only one of them given", "both or neither")
    collection = None
    if real and fake:
        with err.status("Looking at the images"):
            collection = collect(real, parse_fakes(fake))
    trials = (
        fitting_trials({n: len(p) for n, p in collection.files.items()}) if collection else PAPER
    )
    build_aside(folder, collection, study_text(folder.name, methods, trials), masks)
    print_next(shown, collection, trials, masks)


def check_methods(methods: Sequence[str]) -> Sequence[str]:
    """Refuse a method that does not exist."""
    for method in methods:
        if method not in ("time", "infinity"):
            raise InputError("--method", f"{method!r} is not known", "time or infinity")
    return list(dict.fromkeys(methods))


def parse_fakes(fakes: Sequence[str]) -> Mapping[str, Path]:
    """Take NAME=FOLDER apart."""
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
        parsed[name] = Path(folder)
    return parsed


def build_aside(folder: Path, collection: Collection | None, text: str, masks: int) -> None:
    """Build the study in a temporary folder beside its place, and move it there when whole."""
    parent = folder.parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=parent))
    except OSError as error:
        raise InputError(folder, f"cannot be made: {error.strerror}") from None
    try:
        aside.chmod(0o755)
        write_bytes(aside / STUDY_FILE, text.encode(), private=False)
        if collection:
            fill(aside, collection, masks)
        else:
            (aside / "stimuli" / "real").mkdir(parents=True)
            (aside / "stimuli" / "fake").mkdir()
        if folder.exists():
            folder.rmdir()
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def fill(aside: Path, collection: Collection, masks: int) -> None:
    """Make the stimulus set and the masks."""
    stimuli = aside / "stimuli"
    stimuli.mkdir()
    with progress() as bar:
        task = bar.add_task("Copying images", total=len(collection))
        rows = []
        for row in copy_into(stimuli, collection):
            rows.append(row)
            bar.advance(task)
        write_table(stimuli / MANIFEST, ("path", "original"), rows, private=False)
        scan(stimuli)
        job = MaskJob(number=masks, size_px=collection.side_px, seed=0, model=model_for(collection))
        with crew() as hands:
            make_with_progress(bar, read_manifest(stimuli), aside / "masks", job, hands)


def model_for(collection: Collection) -> TextureModel:
    """Give the masks' texture model: the usual one, or one with fewer scales for small images."""
    return TextureModel.suited((collection.side_px, collection.side_px))


def print_next(folder: Path, collection: Collection | None, trials: Trials, masks: int) -> None:
    """Say what was made, and what to do with it."""
    where = escape(str(folder))
    if collection is None:
        out.print(f"Made {where}/study.toml. Next:")
        out.print(f"  put images into {where}/stimuli/real and {where}/stimuli/fake/<model>/")
        out.print(f"  hype stimuli scan {where}/stimuli")
        out.print(f"  hype masks make {where}/stimuli -o {where}/masks -n {masks}")
    else:
        counts = ", ".join(f"{len(p)} {name or 'real'}" for name, p in collection.files.items())
        side = collection.side_px
        out.print(f"Made the study {where}: {counts} images of {side} x {side} px, {masks} masks.")
        scales = model_for(collection).scales
        if scales < DEFAULT_MODEL.scales:
            out.print(
                f"The masks keep {scales} octaves of the images' textures instead of "
                f"{DEFAULT_MODEL.scales}: more would show a picture of {side} px again."
            )
        if trials != PAPER:
            out.print(
                f"There are fewer images than the paper's design takes, so it has {trials.time} "
                f"trials a block instead of {PAPER.time} (see study.toml)."
            )
        out.print("Next:")
    out.print(f"  hype check {where}")
    out.print(f"  hype run {where} --evaluator p01")
