"""Arguments, options and questions that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from hype.answers.choices import shell_option
from hype.console import err
from hype.errors import InputError
from hype.files import normalise_name


def beginnings(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Make the function that completes an option's value to one of ``names``."""
    return lambda incomplete: [name for name in names() if name.startswith(incomplete)]


StudyPath = Annotated[Path, typer.Argument(metavar="STUDY", help="a study.toml, or its folder")]

Source = Annotated[
    str,
    typer.Argument(
        metavar="STUDY-or-CSV", help="a study, or a tidy table of answers (.csv, .parquet)"
    ),
]

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="STUDY-or-CSV",
        help="a study, or a tidy table of answers (.csv, .parquet); several sources with common "
        "settings are scored together",
    ),
]

Json = Annotated[bool, shell_option("--json", "print JSON instead of text")]

Seed = Annotated[int, shell_option("--seed S", "seed of all random numbers")]

NewVersion = Annotated[
    bool,
    shell_option(
        "--new-version",
        "accept a changed study file: new evaluators get a new version of the study, which is "
        "scored separately",
    ),
]

Windowed = Annotated[bool, shell_option("--windowed", "a window instead of full screen")]

OnScreen = Annotated[int | None, shell_option("--screen N", "number of the screen; the first is 0")]

SkipSmaller = Annotated[
    bool, shell_option("--skip-smaller", "leave out images that are much smaller than the others")
]

Keep = Annotated[bool, shell_option("--keep", "accept images even if only some were JPEG")]


def parse_fakes(fakes: Sequence[str]) -> Mapping[str, Path]:
    """Read --fake: the folder of each model's images."""
    parsed: dict[str, Path] = {}
    for text in fakes:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            allowed = "NAME=FOLDER, as in --fake mymodel=samples/"
            raise InputError("--fake", f"{text!r} does not name a folder", allowed)
        if name in parsed:
            raise InputError("--fake", f"{name!r} is given twice", "each condition once")
        parsed[normalise_name(name)] = Path(folder)
    return parsed


def require_free(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(folder, "exists already", "a new or an empty folder")


def check_seed(seed: int) -> None:
    if seed < 0:
        raise InputError("--seed", f"{seed} is negative", "0 or more")


def is_interactive() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str) -> str:
    """Read a line of standard input; a person at a terminal sees the question.

    Bytes that are not UTF-8 become surrogate characters, which every check refuses.
    """
    if is_interactive():
        err.print(f"{question} ", end="", markup=False, soft_wrap=True)
    line = b"" if sys.stdin is None else sys.stdin.buffer.readline()
    return line.decode(errors="surrogateescape").strip()
