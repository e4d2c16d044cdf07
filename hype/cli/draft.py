"""A draft of a new study: the options of `hype new`, and the questions that stand for them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Final, TypeVar

import typer

from hype.answers.choices import option_name, shell_option
from hype.cli.options import Keep, SkipSmaller, beginnings, require_free
from hype.console import IN_NAMES, err
from hype.errors import InputError
from hype.files import normalise_name
from hype.protocols.hype.design import FittedDesign, study_text
from hype.protocols.hype.settings import QUALIFICATION
from hype.protocols.prompted.settings import PromptedTemplate
from hype.protocols.registry import PROTOCOLS
from hype.stimuli.collection import images_in
from hype.stimuli.images import SUFFIXES
from hype.stimuli.manifest import LONGEST
from hype.study.texts import ENGLISH, LANGUAGES, pack_of

Answer = TypeVar("Answer")

HYPE: Final = "hype"
"""The default template."""
JUDGED: Final = (HYPE, QUALIFICATION)
"""The templates of studies that ask what is real and what is fake."""
EVALUATORS: Final = "evaluators"
"""The key of these studies that says how many evaluators are wanted."""


def templates_with_prompts() -> dict[str, PromptedTemplate]:
    """Return the templates of studies of images of prompts, by name."""
    return {
        name: kind
        for protocol in PROTOCOLS
        if protocol.name != HYPE
        for name, kind in protocol.templates.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDraft:
    """What is to be in a new study."""

    template: Annotated[
        str,
        shell_option(
            "--template KIND",
            f"what is asked: {'; '.join(protocol.asks for protocol in PROTOCOLS)}",
            autocompletion=beginnings(lambda: (*JUDGED, *templates_with_prompts())),
        ),
    ] = HYPE
    real: Annotated[
        Path | None,
        shell_option(
            "--real FOLDER",
            "images that are real; hype needs them, elsewhere they take part as well",
        ),
    ] = None
    fake: Annotated[
        list[str] | None,
        shell_option(
            "--fake NAME=FOLDER",
            "a model's images; may be repeated. But for hype their names say what they "
            "show: 'a sneaker/01.png', or 'a sneaker_01.png'",
        ),
    ] = None
    method: Annotated[
        list[str] | None,
        shell_option(
            "--method NAME",
            "of hype: time or infinity; may be repeated (time, if the images suffice)",
        ),
    ] = None
    masks: Annotated[
        int | None,
        shell_option(
            "--masks N",
            "of HYPE_time: how many masks are made (enough for each to come 6 times a block)",
            min=1,
        ),
    ] = None
    evaluators: Annotated[
        int | None,
        shell_option(
            "--evaluators N",
            "how many are wanted: of hype for each condition and method, elsewhere for each "
            "comparison, item or group",
            min=1,
        ),
    ] = None
    size: Annotated[
        int | None,
        shell_option(
            "--size PX", "make all images this large (the smallest, at most 512)", min=1, max=8192
        ),
    ] = None
    skip_smaller: SkipSmaller = False
    match_compression: Annotated[
        bool,
        shell_option(
            "--match-compression",
            "put all images through one JPEG quality, where only some were JPEG",
        ),
    ] = False
    validation: Annotated[
        int | None,
        shell_option(
            "--validation N",
            "of comparisons: mix in N pairs of an image and its own strongly degraded copy",
            min=1,
        ),
    ] = None
    keep: Keep = False
    language: Annotated[
        str, shell_option("--language CODE", f"what people read: {', '.join(LANGUAGES)}")
    ] = ENGLISH
    web: Annotated[bool, shell_option("--web", "evaluators take part with a browser")] = False

    def command(self, folder: Path) -> str:
        """Return the command that begins the same study without asking."""
        words = ["hype", "new", str(folder)]
        for field in fields(self):
            given, name = getattr(self, field.name), option_name(field.name)
            if given is True:
                words.append(name)
            elif given != field.default:
                values = given if isinstance(given, list) else [given]
                words += [word for value in values for word in (name, str(value))]
        return shlex.join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyKind:
    """A kind of study, as a person chooses it."""

    words: str  # what evaluators do
    template: str = HYPE
    methods: tuple[str, ...] = ()
    evaluators: int | None = None  # how many are usual; None if the number is not planned
    of_each: str = ""  # how the question "How many evaluators" ends


def kinds() -> list[StudyKind]:
    """List what can be begun, HYPE's first."""
    usual = usual_number(study_text("", FittedDesign(methods=("time",))), EVALUATORS)
    return [
        StudyKind(
            words="say real or fake of images that are flashed: HYPE_time",
            evaluators=usual,
            of_each=" for each model",
        ),
        StudyKind(
            words="say real or fake without a time limit: HYPE_∞",
            methods=("infinity",),
            evaluators=usual,
            of_each=" for each model",
        ),
        *(
            StudyKind(
                words=kind.words or name,
                template=name,
                evaluators=usual_number(kind.text("", kind.usual), kind.wanted),
                of_each=kind.of_each,
            )
            for name, kind in templates_with_prompts().items()
        ),
        StudyKind(
            words="take a test on who can tell, which other studies ask for",
            template=QUALIFICATION,
            evaluators=usual,
            of_each=" who pass",
        ),
    ]


def usual_number(text: str, key: str) -> int | None:
    """Return the number that a study file to start from has for a key; None if it has none."""
    match = re.search(rf"^{key} = (\d+)", text, re.MULTILINE) if key else None
    return int(match[1]) if match else None


FREE: Final = "my-study"


def ask_for_study(folder: Path | None) -> tuple[Path, StudyDraft]:
    """Ask for a study and, unless it is given, for its folder. Nothing is made meanwhile.

    Raises InputError: the ``folder`` that was given is taken.
    """
    err.print("Enter takes what stands in brackets; Ctrl-C ends it, and nothing was made.")
    if folder is not None:
        require_free(folder)
    every = kinds()
    kind = every[choose("What do evaluators do?", [one.words for one in every])]
    if folder is None:
        folder = ask("Folder of the new study", FREE, parse_new_folder)
    real, models = ask_for_images(real_needed=kind.template in JUDGED)
    evaluators = None
    if kind.evaluators is not None:
        usual = str(kind.evaluators)
        number = ask(f"How many evaluators{kind.of_each}", usual, parse_number)
        evaluators = None if number == kind.evaluators else number
    station, browsers = "at this station, in a window", "in browsers"
    web = choose("Where do they take part?", [station, browsers]) == 1
    language = ENGLISH
    if kind.template != QUALIFICATION:  # whose file has texts in English
        names = ", ".join(f"{code} {pack_of(code).name}" for code in LANGUAGES)
        err.print(f"\n{names}", markup=False)
        language = ask("Language of what they read", ENGLISH, parse_language)
    err.print()
    typer.confirm(f"Make {folder}?", default=True, abort=True, err=True)
    draft = StudyDraft(
        template=kind.template,
        real=real,
        fake=[f"{name}={where}" for name, where in models.items()] or None,
        method=[*kind.methods] or None,
        evaluators=evaluators,
        language=language,
        web=web,
    )
    return folder, draft


def ask(question: str, usual: str | None, parse: Callable[[str], Answer]) -> Answer:
    """Ask until an answer is accepted; ``usual`` is the answer for Enter alone."""

    def refusing(text: str) -> Answer:
        if IN_NAMES.search(text) or not text.isprintable():
            raise typer.BadParameter("holds what cannot be printed")
        try:
            return parse(text.strip())
        except InputError as error:
            raise typer.BadParameter(str(error)) from None

    given: Answer = typer.prompt(
        question, default=usual, value_proc=refusing, err=True, show_default=bool(usual)
    )
    return given


def choose(question: str, choices: Sequence[str]) -> int:
    """Let one of several be chosen by its number; give its place."""

    def parse(text: str) -> int:
        if not (text.isdecimal() and 1 <= int(text) <= len(choices)):
            raise typer.BadParameter(f"a number from 1 to {len(choices)}")
        return int(text) - 1

    err.print(f"\n{question}", markup=False)
    for number, words in enumerate(choices, start=1):
        err.print(f"  {number}  {words}", markup=False)
    return ask("Number", "1", parse)


def parse_new_folder(text: str) -> Path:
    folder = Path(text).expanduser()
    require_free(folder)
    return folder


def parse_number(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise typer.BadParameter("a whole number, 1 or more")
    return int(text)


def parse_language(text: str) -> str:
    if text not in LANGUAGES:
        raise typer.BadParameter(f"one of {', '.join(LANGUAGES)}")
    return text


def ask_for_images(*, real_needed: bool) -> tuple[Path | None, Mapping[str, Path]]:
    """Ask where images lie: the real ones, and those of each model; neither if they come later."""

    def parse_folder(text: str) -> Path | None:
        folder = Path(text).expanduser() if text else None
        if folder:
            images_in(folder)
        return folder

    later = "" if real_needed else "; none take part without"
    real = ask(f"\nFolder of real images (Enter: none yet{later})", "", parse_folder)
    if real:
        err.print(f"  {len(images_in(real))} real images", markup=False)
    elif real_needed:
        return None, {}
    question = "Folder of generated images, with a folder for each model"
    while True:
        question_now = question if real else f"{question} (Enter: none yet)"
        models = ask(question_now, None if real else "", lambda text: find_models(text, real))
        if not models:
            return None, {}
        for name, folder in models.items():
            err.print(f"  {name}: {len(images_in(folder))} images", markup=False)
        number = "this one model" if len(models) == 1 else f"these {len(models)} models"
        if typer.confirm(f"Are {number} meant?", default=True, err=True):
            return real, models


def find_models(text: str, real: Path | None) -> dict[str, Path]:
    """Find the models whose images a folder holds, by name; it is itself one's if it has images."""
    if not text:
        return {}
    folder = Path(text).expanduser()
    images_in(folder)
    if any(path.suffix.lower() in SUFFIXES for path in folder.iterdir()):
        return {name_condition(folder.resolve().name): folder}
    models = {}
    for path in sorted(folder.iterdir()):
        is_real = path.name == "real" or (real is not None and path.samefile(real))
        if path.is_dir() and not is_real and not path.name.startswith("."):
            images_in(path)
            models[name_condition(path.name)] = path
    return models


def name_condition(folder_name: str) -> str:
    """Return a name that a condition may have, which a folder's need not be."""
    return normalise_name("".join(filter(str.isprintable, folder_name)))[:LONGEST] or "model"
