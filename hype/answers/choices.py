"""The options for reading and scoring answers, declared once for commands and for `import hype`.

Each field is an option of `hype score` and `hype report`, and a parameter of `hype.score`. The
option's help also describes the parameter in the docstring of `hype.score`.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from hype.errors import InputError
from hype.tables.columns import several

if TYPE_CHECKING:
    import pandas as pd

HYPE_PANEL: Final = "Real or fake"
PAIRED_PANEL: Final = "Comparisons, ratings and rankings"
COMPARISON_PANEL: Final = "Comparisons"
RATING_PANEL: Final = "Ratings"
OWNERS: Final = {
    HYPE_PANEL: ("hype",),
    PAIRED_PANEL: ("comparison", "rating", "ranking"),
    COMPARISON_PANEL: ("comparison",),
    RATING_PANEL: ("rating",),
}
"""The protocols to which the options of a help panel apply.

Options of other panels apply to all protocols.
"""
JUDGES_PANEL: Final = "Judges compared with people"
TABLE_PANEL: Final = "A table of another program"
MORE_PANEL: Final = "More"
_PANELS: Final = (None, TABLE_PANEL, *OWNERS, JUDGES_PANEL, MORE_PANEL)
"""The panels in the order of the help; None stands for the first one, which has no title."""

Texts = str | Sequence[str]
Names = str | Sequence[str]
Columns = Mapping[str, str]
Values = Mapping[str, Mapping[str, str]]
Tabular = Union[str, PathLike[str], "pd.DataFrame"]
Files = str | PathLike[str] | Sequence[str | PathLike[str]]
"""The types of options in Python; `_SHELL` has their types in a shell."""

_SHELL: Final[dict[str, Any]] = {
    "Texts": list[str],
    "Names": str,
    "Columns": list[str],
    "Values": list[str],
    "Tabular": Path,
    "Files": list[Path],
}


def read_columns(pieces: Iterable[str]) -> dict[str, str]:
    """Read the names of columns, ``OURS=THEIRS``; commas separate several pairs.

    Raises InputError: a pair is not understood, or a column is named twice.
    """
    columns: dict[str, str] = {}
    for piece in (part for text in pieces for part in re.split(r",(?=\s*\w+\s*=|[^=]*$)", text)):
        name, _, theirs = (part.strip() for part in piece.partition("="))
        if not name or not theirs:
            allowed = "hype's name of a column = the table's name: evaluator=participant"
            raise InputError("--columns", f"{piece!r} is not understood", allowed)
        if name in columns:
            raise InputError("--columns", f"{name!r} is given twice", "each column once")
        columns[name] = theirs
    return columns


def read_values(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Read the values of a column, ``COLUMN=THEIRS:OURS``; commas separate several pairs.

    Raises InputError: a text is not understood.
    """
    values: dict[str, dict[str, str]] = {}
    for text in texts:
        name, _, pairs = text.partition("=")
        for pair in pairs.split(","):
            theirs, colon, ours = pair.rpartition(":")
            if not name.strip() or not colon:
                allowed = "a column, a value in the table and its meaning: answer=A:left,B:right"
                raise InputError("--values", f"{text!r} is not understood", allowed)
            values.setdefault(name.strip(), {})[theirs.strip()] = ours.strip()
    return values


@dataclass(frozen=True)
class ShellForm:
    """How to parse an option that is a mapping in Python, with an example for the help."""

    parse: Callable[[Iterable[str]], Any]
    example: str


def shell_option(usage: str, text: str, panel: str | None = None, **more: Any) -> OptionInfo:
    """Declare an option as the help shows it (``-o --out FILE``); a flag has no ``FILE``."""
    words = usage.split(" ")
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :])
    made: OptionInfo = typer.Option(
        *names, metavar=metavar, help=text, rich_help_panel=panel, **more
    )
    return made


Simulated = Annotated[bool, shell_option("--simulated", "use simulated evaluators, not people")]
Version = Annotated[
    int | None,
    shell_option(
        "--version N", "read only evaluators of this version of a changed study", MORE_PANEL
    ),
]
Apart = Annotated[
    bool,
    shell_option(
        "--apart",
        "count the same evaluator code in two studies as two people",
        MORE_PANEL,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingChoices:
    """The options for reading answers, and for the names that a table uses."""

    simulated: Simulated = False
    columns: Annotated[
        Columns | None,
        shell_option(
            "--columns OURS=THEIRS",
            "the table's name for a column, such as truth=kind,answer=said; condition==mymodel "
            "puts this text in every row, A+B joins two columns, A*1000 multiplies, A.B takes "
            "the value of B in the JSON of A, A~/(.+)_/ takes what the brackets match",
            TABLE_PANEL,
        ),
        ShellForm(read_columns, "truth=kind,answer=said"),
    ] = None
    values: Annotated[
        Values | None,
        shell_option(
            "--values OURS=THEIRS:MEANING",
            "the meaning of a column's values, such as answer=A:left,B:right",
            TABLE_PANEL,
        ),
        ShellForm(read_values, "answer=A:left,B:right"),
    ] = None
    missing: Annotated[
        Texts | None,
        shell_option(
            "--missing VALUE",
            'how the table marks a missing answer, such as "Not sure"; may be repeated',
            TABLE_PANEL,
        ),
    ] = None
    real: Annotated[
        Texts | None,
        shell_option(
            "--real VALUE",
            "the table's word for real, such as photo; may be repeated (default: true and 1)",
            HYPE_PANEL,
        ),
    ] = None
    fake: Annotated[
        Texts | None,
        shell_option(
            "--fake VALUE",
            "the table's word for fake, such as made; may be repeated (default: false and 0)",
            HYPE_PANEL,
        ),
    ] = None
    real_condition: Annotated[
        str | None,
        shell_option(
            "--real-condition NAME",
            "the table's name for real images that all models share, such as Reals",
            HYPE_PANEL,
        ),
    ] = None
    scale: Annotated[
        str | None,
        shell_option(
            "--scale A-B",
            "the ends of the table's scale: 1-7 for whole numbers, -100:100 for a slider (default: "
            "1-5 for pairs, 1-10 for images)",
            RATING_PANEL,
        ),
    ] = None
    shape: Annotated[
        str | None,
        shell_option(
            "--from SHAPE",
            "read a published data set or the file of another program: agiqa-3k, comparia, "
            "dgm-eval, evalica, genai-bench, gorilla, ground-truth, hpdv2, hpdv2-train, imagenhub, "
            "imagereward, jspsych, kamali, koniq, label-studio, label-studio-ratings, labjs, "
            "lmarena, matrix, pick-a-pic, potato, psychopy, pwcmp, rapidata, rapidata-coherence, "
            "rapidata-alignment, rapidata-results, tifa, votes",
            TABLE_PANEL,
        ),
    ] = None
    header_row: Annotated[
        int | None,
        shell_option(
            "--header-row N",
            "the row with the names of columns, if it is not the first",
            TABLE_PANEL,
            min=1,
        ),
    ] = None
    key: Annotated[
        Tabular | None,
        shell_option(
            "--key CSV",
            "for a table with a column for each image: a CSV that describes each column "
            "(column, truth, condition, image, …)",
            TABLE_PANEL,
        ),
    ] = None
    wide: Annotated[
        str | None,
        shell_option(
            "--wide PATTERN",
            "read only columns whose names match, such as 'Q*' (with --key)",
            TABLE_PANEL,
        ),
    ] = None
    people: Annotated[
        bool,
        shell_option(
            "--people", "score only people, if a table also has simulated evaluators", MORE_PANEL
        ),
    ] = False
    version: Version = None

    @property
    def by_columns(self) -> tuple[str, ...]:
        """The columns that divide answers into groups; these columns are read too."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices(ReadingChoices):
    """The options for scoring answers."""

    by: Annotated[
        Names | None,
        shell_option(
            "--by COLUMN",
            "also score groups: one for each value of this column of the table or the manifest, or "
            "for each answer to this question about evaluators; commas separate several",
        ),
    ] = None
    images: Annotated[
        Literal["sample", "fixed"],
        shell_option(
            "--images HOW",
            "generalise to the models' other images (sample), or only describe these images "
            "(fixed); both give the same intervals if images differ no more than chance predicts",
        ),
    ] = "sample"
    apart: Apart = False
    thresholds: Annotated[
        bool,
        shell_option(
            "--thresholds", "fit a psychometric function to each evaluator of HYPE_time", HYPE_PANEL
        ),
    ] = False
    at: Annotated[
        float, shell_option("--at P", "accuracy that defines thresholds, .5 to 1", HYPE_PANEL)
    ] = 0.75
    order: Annotated[
        Names | None,
        shell_option("--order A,B,C", "test for a trend over conditions in this order", HYPE_PANEL),
    ] = None
    metrics: Annotated[
        Tabular | None,
        shell_option(
            "--metrics CSV", "correlate scores with metrics (condition, fid, …)", HYPE_PANEL
        ),
    ] = None
    spoiled: Annotated[
        Literal["keep", "leave-out"] | None,
        shell_option(
            "--spoiled HOW",
            "keep or leave-out trials not shown as requested (default: as in the study)",
            HYPE_PANEL,
        ),
    ] = None
    two_way: Annotated[
        bool, shell_option("--two-way", "also resample evaluators and images together", HYPE_PANEL)
    ] = False
    draws: Annotated[
        int | None, shell_option("--draws N", "bootstrap resamples (10,000)", HYPE_PANEL, min=100)
    ] = None
    ties: Annotated[
        Literal["davidson", "half", "drop"] | None,
        shell_option(
            "--ties HOW",
            "count ties as part of the model (davidson), as half a win (half) or not at all (drop) "
            "(default: as in the study)",
            PAIRED_PANEL,
        ),
    ] = None
    strengths: Annotated[
        Literal["elo", "log", "share"] | None,
        shell_option(
            "--strengths SCALE",
            "show strengths in Elo points (elo), as logarithms (log) or as shares of 100 (share) "
            "(default: as in the study)",
            PAIRED_PANEL,
        ),
    ] = None
    over_criteria: Annotated[
        bool,
        shell_option(
            "--over-criteria",
            "correct p by Holm's rule over the pairs of all criteria",
            COMPARISON_PANEL,
        ),
    ] = False
    leaderboard: Annotated[
        Tabular | None,
        shell_option(
            "--leaderboard CSV",
            "correlate ratings with an external leaderboard (condition, score)",
            RATING_PANEL,
        ),
    ] = None
    judges: Annotated[
        Files | None,
        shell_option(
            "--judges CSV",
            "answers of hype judge, or scores of models (judge, image, score); all CSV files "
            "of a folder are read; may be repeated",
            JUDGES_PANEL,
        ),
    ] = None
    margin: Annotated[
        float | None,
        shell_option(
            "--margin M",
            "a judge is as good as a second person if its agreement with people is at most M lower "
            "(a share of answers; for ratings, a difference in r; default: as in the study)",
            JUDGES_PANEL,
        ),
    ] = None
    weights: Annotated[
        Tabular | None,
        shell_option(
            "--weights CSV",
            "the share of each --by group in a population (group, share), for a total score",
            MORE_PANEL,
        ),
    ] = None
    seed: Annotated[
        int, shell_option("--seed S", "seed of all random numbers", MORE_PANEL, min=0)
    ] = 0

    @property
    def by_columns(self) -> tuple[str, ...]:
        """The columns that define groups, each once. Raises InputError: a name is ""."""
        return tuple(dict.fromkeys(names_in("--by", self.by)))


def names_in(option: str, given: Names | None) -> tuple[str, ...]:
    """Read names: a list in Python, or text with commas from a shell.

    Raises InputError: a name between commas is empty.
    """
    if not isinstance(given, str):
        return several(option, given)
    names = [name.strip() for name in given.split(",")]
    if "" in names:
        raise InputError(option, f"{given!r} names no column", "a column, or A,B,C")
    return tuple(names)


def option_name(choice: str) -> str:
    return "--from" if choice == "shape" else f"--{choice.replace('_', '-')}"


def declare_options(
    options: type[Any], names: Mapping[str, Any]
) -> Iterator[tuple[Field[Any], Any, OptionInfo, ShellForm | None]]:
    """Yield each field of a dataclass of options, with its type, option and `ShellForm`.

    ``names``: the type for each name in annotations; it differs between shell and Python.
    """
    hints = get_type_hints(options, localns=dict(names), include_extras=True)
    for field in fields(options):
        hint, option, *typed = get_args(hints[field.name])
        yield field, hint, option, typed[0] if typed else None


def own_choices(choices: ReadingChoices) -> Iterator[tuple[Field[Any], str, tuple[str, ...]]]:
    """Yield each choice that applies to only some protocols, with its option and the protocols."""
    for choice, _, option, _ in declare_options(type(choices), _SHELL):
        if owners := OWNERS.get(option.rich_help_panel or ""):
            yield choice, option_name(choice.name), owners


def options_on_tables(choices: ReadingChoices) -> Iterator[str]:
    """Yield the given options that only apply to tables."""
    for choice, _, option, _ in declare_options(type(choices), _SHELL):
        names_values = choice.name in ("real", "fake", "real_condition")
        is_of_tables = names_values or option.rich_help_panel == TABLE_PANEL
        if is_of_tables and getattr(choices, choice.name) is not None:
            yield option_name(choice.name)


def take_options(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a command that takes a dataclass of options into one with an option for each field.

    Typer reads a command's options from its signature. So the new signature has all the options, in
    the order of the help, instead of the dataclass.
    """
    # If a default is None, Python 3.10 puts Optional around the annotation, which hides the option.
    bare = SimpleNamespace(
        __annotations__=command.__annotations__, __globals__=inspect.unwrap(command).__globals__
    )
    hints = get_type_hints(bare, include_extras=True)
    together = next(name for name, hint in hints.items() if is_dataclass(hint))
    declared = list(declare_options(hints[together], _SHELL))
    parsers = {field.name: typed.parse for field, _, _, typed in declared if typed}

    @functools.wraps(command)
    def called(**arguments: Any) -> None:
        given = {field.name: arguments.pop(field.name) for field, *_ in declared}
        for name, parse in parsers.items():
            given[name] = parse(given[name]) if given[name] else None
        command(**arguments, **{together: hints[together](**given)})

    declared.sort(key=lambda one: _PANELS.index(one[2].rich_help_panel))
    parameters: list[inspect.Parameter] = []
    for own in inspect.signature(command).parameters.values():
        if own.name == together:
            parameters += [
                parameter(field, Annotated[hint, option]) for field, hint, option, _ in declared
            ]
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(own.replace(annotation=hints[own.name], kind=kind))
    vars(called)["__signature__"] = inspect.Signature(parameters)
    return called


def parameter(field: Field[Any], annotation: object) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=annotation)
