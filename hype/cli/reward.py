"""`hype reward`: reward models trained on people's choices."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from hype.answers.choices import Simulated, Version, shell_option
from hype.cli.new import build_aside, make_stimuli, print_prompted, templates_with_prompts
from hype.cli.options import Json, Seed, StudyPath, check_seed, require_free
from hype.console import out, print_json, progress, warn
from hype.errors import InputError
from hype.files import write_bytes, write_table
from hype.protocols.load import load_any
from hype.protocols.prompted.settings import PromptedShape
from hype.protocols.registry import protocol_of
from hype.report.tabular import Row
from hype.reward.card import (
    SIMULATED,
    card_of,
    describe_model,
    few_prompts,
    scores_in_words,
    shortcut_in_words,
)
from hype.reward.model import (
    ImagesToScore,
    ModelSettings,
    picks_of,
    pictures_at,
    predict_win_rate,
    read_model,
    score_table,
    scores_of,
    write_model,
)
from hype.reward.train import train_on_study
from hype.reward.votes import VoteSplit
from hype.session.outgoing import choose_version
from hype.stimuli.collection import LARGEST_SIDE_PX, Collection, look_of
from hype.study.studies import AnyStudy

app = typer.Typer(
    help="Reward models: train them on people's choices, and test them.",
    no_args_is_help=True,
)
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="a model from hype reward train")]
FeaturesFile = Annotated[
    Path, shell_option("--features FILE", "features of the images, as .csv, .npy or .npz")
]
PICKED, RANDOM = "picked", "random"
PICKS: Final = "picks.csv"


@app.command()
def train(
    study: StudyPath,
    *,
    folder: Annotated[Path, shell_option("-o --out MODEL", "the folder to write")],
    features: FeaturesFile,
    simulated: Simulated = False,
    version: Version = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Train a model on people's choices between two images, and test it on other prompts.

    Choices come from comparisons, rankings, or ratings of pairs. About 70 % of the prompts are for
    training, 15 % for validation and 15 % for the test, unless the study reserves test prompts.
    """
    check_seed(seed)
    require_free(folder)
    loaded = choose_version(load_any(study), version, simulated=simulated)
    with progress() as bar:
        fits = bar.add_task("Training", total=None)  # the number of fits is not known
        settings, evaluation = train_on_study(
            loaded,
            protocol_of(loaded).export_kind(loaded),
            features,
            simulated=simulated,
            seed=seed,
            tell=lambda: bar.advance(fits),
        )
    write_model(folder, settings, card_of(folder.resolve().name, settings, evaluation))
    if as_json:
        facts = settings.model_dump(mode="json", exclude={"offset", "weight"})
        print_json({"model": str(folder), **facts})
        return
    warn_of_simulated(settings)
    out.print(f"{folder}: {describe_model(settings)}", markup=False)
    for line in (*scores_in_words(evaluation), *shortcut_in_words(evaluation)):
        out.print(f"  {line}", markup=False)
    if few := few_prompts(settings):
        out.print(few, markup=False)
    out.print(f"Limits of the model: {folder / 'card.md'}", markup=False)


def warn_of_simulated(settings: ModelSettings) -> None:
    if settings.data.simulated:
        warn(SIMULATED)


@app.command()
def score(
    model: ModelPath,
    images: Annotated[
        Path,
        typer.Argument(
            metavar="IMAGES-or-STUDY", help="a study, a stimulus set, or any folder of images"
        ),
    ],
    *,
    file: Annotated[Path, shell_option("-o --out CSV", "the table to write")],
    part: Annotated[
        str,
        shell_option(
            "--part NAME", "only images of prompts in this part: test, train or validation"
        ),
    ] = "",
    features: FeaturesFile,
    as_json: Json = False,
) -> None:
    """Score images, and write a table for hype score --judges.

    Higher is better. The difference of two images is the log-odds that people choose the first.
    """
    if part and part not in [one.value for one in VoteSplit]:
        allowed = f"one of {', '.join(one.value for one in VoteSplit)}"
        raise InputError("--part", f"{part!r} is not known", allowed)
    reward, pictures = read_model(model), pictures_at(images, load_any)
    prompts = {name: known["prompt"] for name, known in pictures.known.items()}
    parts = {name: reward.part_of_prompt.get(prompts.get(name, ""), "") for name in pictures.images}
    wanted = [name for name in pictures.images if not part or parts[name] == part]
    if not wanted:
        raise InputError(images, "has no image to score", "images of known prompts")
    scores = scores_of(reward, pictures, wanted, features)
    rows = [(name, parts[name]) for name in wanted]
    write_bytes(file, score_table(reward, rows, scores).encode())
    seen = sum(parts[name] in ("train", "validation") for name in wanted)
    if as_json:
        facts = {"scores": str(file), "judge": reward.name, "images": len(wanted)}
        print_json({**facts, "of_trained_prompts": seen, "trained_on": reward.training_evaluators})
        return
    warn_of_simulated(reward.settings)
    out.print(f"{file}: scores of {len(wanted):,} images by {reward.name}", markup=False)
    if seen:
        out.print(
            f"{seen:,} images show prompts from the model's training, so the model's accuracy on "
            "them is too high. --part test leaves these images out.",
            markup=False,
        )


@app.command()
def pick(
    study: StudyPath,
    model: ModelPath,
    *,
    n: Annotated[int, shell_option("--n N", "pick the best of this many images", min=2)],
    folder: Annotated[Path, shell_option("-o --out DIR", "the new study")],
    condition: Annotated[
        str, shell_option("--condition NAME", "pick among images of this condition")
    ] = "",
    features: FeaturesFile,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Make a study in which people choose between the model's best of N and a random image.

    If a reward model tunes a generator or picks its images, it rates the resulting images high.
    This study asks whether people like these images too: for each prompt, it compares the picked
    image with a random one.
    """
    check_seed(seed)
    require_free(folder)
    reward, pictures = read_model(model), pictures_at(study, load_any)
    if pictures.study is None:
        raise InputError(study, "is not a study", "a study.toml, or its folder")
    name = condition_named(pictures, condition, study)
    wanted = [image for image, known in pictures.known.items() if known["condition"] == name]
    scores = scores_of(reward, pictures, wanted, features).tolist()
    by_name = dict(zip(wanted, scores, strict=True))
    picks = picks_of(by_name, pictures.known, n, seed)
    rate = predict_win_rate(picks)
    collection, kind = collection_of(pictures, picks), templates_with_prompts()["comparison"]
    prompts = len(set(collection.prompts.values()))
    shape = kind.shape(images=len(picks) // prompts, prompts=prompts, conditions=2, real_too=False)
    write_picks(folder.resolve(), pictures.study, shape, collection, picks)
    if as_json:
        facts = {"condition": name, "n": n, "picks": len(picks), "expected_win_rate": rate}
        print_json({"study": str(folder), **facts})
        return
    warn_of_simulated(reward.settings)
    print_prompted(folder, collection, shape, kind)
    out.print(
        f"The model expects the picked image to get {rate:.1%} of the votes. If it gets fewer, the "
        "model likes images that people do not like. Try other N to see where this starts.",
        markup=False,
    )


def condition_named(pictures: ImagesToScore, condition: str, study: Path) -> str:
    """Return the condition to pick images from: the named one, or else the only one."""
    names = sorted({known["condition"] for known in pictures.known.values()})
    if not names:
        raise InputError(study, "has no image with a prompt", "a study with prompts")
    if condition and condition not in names:
        raise InputError("--condition", f"{condition!r} is not known", f"one of {', '.join(names)}")
    if not condition and len(names) > 1:
        raise InputError("--condition", "is missing", f"one of {', '.join(names)}")
    return condition or names[0]


def write_picks(
    folder: Path,
    study: AnyStudy,
    shape: PromptedShape,
    collection: Collection,
    picks: Sequence[Row],
) -> None:
    """Make the study of the picked images, with the question of ``study``."""
    asked = question_settings(study)
    if asked["criterion"] != '"alignment"':
        shape = replace(shape, prompts=1)  # so that no comparison shows another prompt's image
    text = templates_with_prompts()["comparison"].text(folder.name, shape)
    for key, value in asked.items():
        text = set_key(text, key, value)

    def fill(temporary: Path) -> None:
        make_stimuli(temporary, collection, prompted=True)
        write_table(temporary / PICKS, list(picks[0]), picks, private=False)

    build_aside(folder, text, fill)


def set_key(text: str, key: str, value: str) -> str:
    """Set the first key with this name in a study file; it may be commented out."""
    line = rf'^(# )?{key} = "[^"]*"'
    return re.sub(line, lambda _: f"{key} = {value}", text, count=1, flags=re.MULTILINE)


def question_settings(study: AnyStudy) -> dict[str, str]:
    """Return keys and values for a new study of comparisons with the question of ``study``.

    If ``study`` does not ask for comparisons, the new study asks which image people prefer.
    """
    facts = protocol_of(study).export_kind(study).asked(study.settings)
    prompt = getattr(study.of_prompts, "shown_prompt", getattr(study.of_prompts, "prompt", "shown"))
    asked = {"criterion": "preference", "prompt": prompt}
    if "criterion" in facts:
        asked |= {key: facts[key] for key in ("criterion", "question")}
    return {key: json.dumps(value, ensure_ascii=False) for key, value in asked.items()}


def collection_of(pictures: ImagesToScore, picks: Sequence[Row]) -> Collection:
    """Make a collection of two conditions: the picked images and the random ones."""
    places = pictures.images
    files = {
        PICKED: [places[pick["picked"]] for pick in picks],
        RANDOM: [places[pick["random"]] for pick in picks],
    }
    looks = {path: look_of(path) for paths in files.values() for path in paths}
    return Collection(
        files=files,
        formats={path: look.format for path, look in looks.items()},
        side_px=min(LARGEST_SIDE_PX, *(look.side_px for look in looks.values())),
        mode="L" if all(look.mode == "L" for look in looks.values()) else "RGB",
        prompts={
            places[pick[side]]: pick["prompt"] for pick in picks for side in ("picked", "random")
        },
    )
