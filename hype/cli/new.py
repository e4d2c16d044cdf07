"""`hype new`: a study to start from, or a whole one from folders of images."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape

from hype.cli.building import build_aside, copy_images, parse_fakes, require_free
from hype.cli.masks import make_with_progress
from hype.cli.new_prompted import new_prompted
from hype.console import err, out, progress
from hype.errors import InputError
from hype.files import write_table
from hype.masks.make import DEFAULT_MODEL, MaskJob
from hype.masks.model import TextureModel
from hype.protocols.hype.settings import QUALIFICATION
from hype.protocols.hype.template import (
    PAPER,
    FittedDesign,
    fitted_design,
    fitting_qualification,
    pool_text,
    study_text,
)
from hype.protocols.prompted.protocol import PromptedProtocol
from hype.protocols.registry import PROTOCOLS
from hype.stimuli.manifest import MANIFEST, read_manifest
from hype.stimuli.scan import Collection, collect, scan
from hype.workers import worker_pool

MASKS = 100
REAL_AND_ONE: Final = 2
HYPE: Final = "hype"
"""The template that is taken where none is named."""
JUDGED: Final = (HYPE, QUALIFICATION)
"""The templates of studies that ask what is real and what is fake."""


def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="the new study's folder")],
    template: Annotated[
        str,
        typer.Option(
            "--template",
            metavar="KIND",
            help=f"what is asked: {'; '.join(protocol.asks for protocol in PROTOCOLS)}",
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
            "--masks", metavar="N", min=1, help=f"of hype: how many masks are made ({MASKS})"
        ),
    ] = None,
) -> None:
    """Begin a study. Given folders of images, it is ready to run: stimuli, masks and file."""
    prompted = {
        name: kind
        for protocol in PROTOCOLS
        if isinstance(protocol, PromptedProtocol)
        for name, kind in protocol.templates.items()
    }
    if template not in (*JUDGED, *prompted):
        known = ", ".join((*JUDGED, *prompted))
        raise InputError("--template", f"{template!r} is not known", f"one of {known}")
    if template == HYPE:
        new_hype(folder, real, fake, check_methods(method), masks or MASKS)
        return
    for option, given in (("--method", method), ("--masks", masks)):
        if given:
            raise InputError(option, f"is for --template {HYPE}, not for {template}")
    if template == QUALIFICATION:
        new_qualification(folder, real, fake)
        return
    new_prompted(folder, prompted[template], real, fake)


def new_hype(
    folder: Path,
    real: Path | None,
    fake: Sequence[str] | None,
    methods: tuple[str, ...] | None,
    masks: int,
) -> None:
    """Begin a study of HYPE's methods."""
    shown, folder = folder, folder.resolve()
    collection = collected(folder, real, fake)
    design = designed(collection, methods)
    alone = len(counts_of(collection)) == REAL_AND_ONE
    text = study_text(
        folder.name,
        design.methods,
        design.trials,
        timed=design.timed,
        methods_why=design.without_time,
        alone=alone,
    )
    build_aside(folder, text, partial(fill, collection=collection, masks=masks))
    print_next(shown, collection, design, masks)
    if alone:
        out.print(
            "With one model no qualification is held: study.toml says why, and how one can be."
        )


def new_qualification(folder: Path, real: Path | None, fake: Sequence[str] | None) -> None:
    """Begin a study of the qualification alone."""
    shown, folder = folder, folder.resolve()
    collection = collected(folder, real, fake)
    counts = counts_of(collection)
    trials = fitting_qualification(counts) if counts else PAPER
    text = pool_text(folder.name, trials)
    build_aside(folder, text, partial(fill, collection=collection, masks=0))
    print_next(shown, collection, FittedDesign(methods=(QUALIFICATION,), trials=trials), 0)


def collected(folder: Path, real: Path | None, fake: Sequence[str] | None) -> Collection | None:
    """Look at the images that were named, if any were; ``folder`` is where the study is to be."""
    require_free(folder)
    if bool(real) != bool(fake):
        raise InputError("--real and --fake", "only one of them given", "both or neither")
    if not real or not fake:
        return None
    with err.status("Looking at the images"):
        return collect(real, parse_fakes(fake))


def counts_of(collection: Collection | None) -> dict[str, int]:
    """Count images by condition, the real ones under ""; nothing where none were named."""
    return {n: len(p) for n, p in collection.files.items()} if collection else {}


def designed(collection: Collection | None, methods: tuple[str, ...] | None) -> FittedDesign:
    """Fit the paper's design to the images; without images it is the paper's."""
    if collection is None:
        return FittedDesign(methods=methods or ("time",))
    return fitted_design(counts_of(collection), methods)


def check_methods(methods: Sequence[str] | None) -> tuple[str, ...] | None:
    """Refuse a method that does not exist; None where none is asked for."""
    for method in methods or ():
        if method not in ("time", "infinity"):
            raise InputError("--method", f"{method!r} is not known", "time or infinity")
    return tuple(dict.fromkeys(methods)) if methods else None


def fill(aside: Path, collection: Collection | None, masks: int) -> None:
    """Make the stimulus set and the masks; without images only the folders for them."""
    stimuli = aside / "stimuli"
    stimuli.mkdir()
    if collection is None:
        (stimuli / "real").mkdir()
        (stimuli / "fake").mkdir()
        return
    with progress() as bar:
        rows = copy_images(bar, stimuli, collection)
        write_table(stimuli / MANIFEST, ("path", "original"), rows, private=False)
        scan(stimuli)
        if not masks:
            return
        job = MaskJob(number=masks, size_px=collection.side_px, seed=0, model=model_for(collection))
        with worker_pool() as pool:
            make_with_progress(bar, read_manifest(stimuli), aside / "masks", job, pool)


def model_for(collection: Collection) -> TextureModel:
    """Give the masks' texture model: the usual one, or one with fewer scales for small images."""
    return TextureModel.suited((collection.side_px, collection.side_px))


def print_next(
    folder: Path, collection: Collection | None, design: FittedDesign, masks: int
) -> None:
    """Say what was made, and what to do with it."""
    where = escape(str(folder))
    if collection is None:
        out.print(f"Made {where}/study.toml. Next:")
        out.print(f"  put images into {where}/stimuli/real and {where}/stimuli/fake/<model>/")
        out.print(f"  hype stimuli scan {where}/stimuli")
        if masks:
            out.print(f"  hype masks make {where}/stimuli -o {where}/masks -n {masks}")
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
        if why := design.without_time or design.timed.why:
            out.print(why, markup=False)
        out.print("Next:")
    out.print(f"  hype check {where}")
    out.print(f"  hype run {where} --evaluator p01")
