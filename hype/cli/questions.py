"""The questions of `hype new` without options; the answers stand for the options.

Nothing is made before the last question is answered.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import typer

from hype.console import IN_NAMES, err
from hype.errors import InputError
from hype.files import as_name
from hype.stimuli.collection import Wishes, images_in
from hype.stimuli.images import SUFFIXES
from hype.stimuli.manifest import LONGEST
from hype.study.texts import ENGLISH, LANGUAGES, pack_of

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDraft:
    """A draft of the study to begin.

    ``methods`` are HYPE's; empty if the images decide. ``evaluators`` and ``masks`` are None if
    nobody said how many.
    """

    folder: Path
    template: str
    real: Path | None = None
    fake: tuple[str, ...] = ()  # NAME=FOLDER of each model
    methods: tuple[str, ...] = ()
    masks: int | None = None
    evaluators: int | None = None
    wishes: Wishes = field(default_factory=Wishes)
    language: str = ENGLISH
    web: bool = False

    def command(self, usual_template: str) -> str:
        """Return the command that begins the same study without asking."""
        words = ["hype", "new", str(self.folder)]
        if self.template != usual_template:
            words += ["--template", self.template]
        if self.real:
            words += ["--real", str(self.real)]
        words += [word for fake in self.fake for word in ("--fake", fake)]
        words += [word for method in self.methods for word in ("--method", method)]
        if self.evaluators is not None:
            words += ["--evaluators", str(self.evaluators)]
        if self.language != ENGLISH:
            words += ["--language", self.language]
        return shlex.join([*words, "--web"] if self.web else words)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyKind:
    """A kind of study, as a person chooses it."""

    words: str  # what evaluators do
    template: str
    methods: tuple[str, ...] = ()
    real_needed: bool = False
    evaluators: int | None = None  # how many are usual; None if the number is not planned
    of_each: str = ""  # how the question "How many evaluators" ends
    worded: bool = False  # whether its file has texts in English, whatever the language


FREE: Final = "my-study"
PLACES: Final = {"station": "at this station, in a window", "browser": "in browsers"}


def asked(
    kinds: Sequence[StudyKind], folder: Path | None, check: Callable[[Path], None]
) -> StudyDraft:
    """Ask for a study; ``check`` refuses a folder that is taken.

    Raises InputError: the ``folder`` that was named is taken.
    """
    err.print("Enter takes what stands in brackets; Ctrl-C ends it, and nothing was made.")
    if folder is not None:
        check(folder)
    kind = kinds[chosen("What do evaluators do?", [kind_of_study.words for kind_of_study in kinds])]
    if folder is None:
        folder = answer("Folder of the new study", FREE, lambda text: free_folder(text, check))
    real, fakes = images_asked(kind)
    evaluators = None
    if kind.evaluators is not None:
        question = f"How many evaluators{kind.of_each}"
        number = answer(question, str(kind.evaluators), at_least_one)
        evaluators = None if number == kind.evaluators else number
    web = bool(chosen("Where do they take part?", list(PLACES.values())))
    language = ENGLISH
    if not kind.worded:
        names = ", ".join(f"{code} {pack_of(code).name}" for code in LANGUAGES)
        err.print(f"\n{names}", markup=False)
        language = answer("Language of what they read", ENGLISH, language_named)
    wanted = StudyDraft(
        folder=folder,
        template=kind.template,
        real=real,
        fake=tuple(f"{name}={where}" for name, where in fakes.items()),
        methods=kind.methods,
        evaluators=evaluators,
        language=language,
        web=web,
    )
    err.print()
    typer.confirm(f"Make {folder}?", default=True, abort=True, err=True)
    return wanted


def answer(question: str, usual: str | None, taken: Callable[[str], Answer]) -> Answer:
    """Ask until an answer is accepted; ``usual`` is the answer for Enter alone."""

    def refusing(text: str) -> Answer:
        if IN_NAMES.search(text) or not text.isprintable():
            raise typer.BadParameter("holds what cannot be printed")
        try:
            return taken(text.strip())
        except InputError as error:
            raise typer.BadParameter(str(error)) from None

    given: Answer = typer.prompt(
        question, default=usual, value_proc=refusing, err=True, show_default=bool(usual)
    )
    return given


def chosen(question: str, choices: Sequence[str]) -> int:
    """Let one of several be chosen by its number; give its place."""

    def place(text: str) -> int:
        if not (text.isdecimal() and 1 <= int(text) <= len(choices)):
            raise typer.BadParameter(f"a number from 1 to {len(choices)}")
        return int(text) - 1

    err.print(f"\n{question}", markup=False)
    for number, words in enumerate(choices, start=1):
        err.print(f"  {number}  {words}", markup=False)
    return answer("Number", "1", place)


def free_folder(text: str, check: Callable[[Path], None]) -> Path:
    folder = Path(text).expanduser()
    check(folder)
    return folder


def at_least_one(text: str) -> int:
    if not (text.isdecimal() and int(text)):
        raise typer.BadParameter("a whole number, 1 or more")
    return int(text)


def language_named(text: str) -> str:
    if text not in LANGUAGES:
        raise typer.BadParameter(f"one of {', '.join(LANGUAGES)}")
    return text


def images_asked(kind: StudyKind) -> tuple[Path | None, Mapping[str, Path]]:
    """Ask where images lie: the real ones, and those of each model; neither if they come later."""
    later = "" if kind.real_needed else "; none take part without"
    real = answer(f"\nFolder of real images (Enter: none yet{later})", "", folder_of_images)
    if real:
        err.print(f"  {len(images_in(real))} real images", markup=False)
    elif kind.real_needed:
        return None, {}
    question = "Folder of generated images, with a folder for each model"
    while True:
        question_now = question if real else f"{question} (Enter: none yet)"
        models = answer(question_now, None if real else "", lambda text: models_in(text, real))
        if not models:
            return None, {}
        for name, folder in models.items():
            err.print(f"  {name}: {len(images_in(folder))} images", markup=False)
        number = "this one model" if len(models) == 1 else f"these {len(models)} models"
        if typer.confirm(f"Are {number} meant?", default=True, err=True):
            return real, models


def folder_of_images(text: str) -> Path | None:
    if not text:
        return None
    folder = Path(text).expanduser()
    images_in(folder)
    return folder


def models_in(text: str, real: Path | None) -> dict[str, Path]:
    """Find the models whose images a folder holds, by name; it is itself one's if it has images."""
    if not text:
        return {}
    folder = Path(text).expanduser()
    images_in(folder)
    if any(path.suffix.lower() in SUFFIXES for path in folder.iterdir()):
        return {condition_called(folder.resolve().name): folder}
    models = {}
    for path in sorted(folder.iterdir()):
        is_real = path.name == "real" or (real is not None and path.samefile(real))
        if path.is_dir() and not is_real and not path.name.startswith("."):
            images_in(path)
            models[condition_called(path.name)] = path
    return models


def condition_called(name: str) -> str:
    """Return a name that a condition may have, which a folder's need not be."""
    return as_name("".join(filter(str.isprintable, name)))[:LONGEST] or "model"
