"""What an analyst chooses of answers: the options that `hype score` and `hype report` share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, get_args, get_type_hints

import typer

from hype.errors import InputError

HYPE_PANEL: Final = "Real or fake"
PAIRED_PANEL: Final = "Comparisons, ratings and rankings"
RATING_PANEL: Final = "Ratings"
OWNERS: Final = {
    HYPE_PANEL: ("hype",),
    PAIRED_PANEL: ("comparison", "rating", "ranking"),
    RATING_PANEL: ("rating",),
}
"""The protocols that the options of a panel of the help are for; those of others are for all."""
JUDGES_PANEL: Final = "Judges beside people"
MORE_PANEL: Final = "More"

Simulated = Annotated[
    bool, typer.Option("--simulated", metavar="", help="simulated evaluators instead of people")
]
Version = Annotated[
    int | None,
    typer.Option(
        "--version",
        metavar="N",
        help="evaluators of one version of a study that was changed",
        rich_help_panel=MORE_PANEL,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options that say which answers are scored, and how."""

    simulated: Simulated = False
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="score again within each value of a column of the table or the manifest, or of an "
            "answer that evaluators gave about themselves; several with commas",
        ),
    ] = None
    images: Annotated[
        Literal["sample", "fixed"],
        typer.Option(
            "--images",
            metavar="HOW",
            help="speak of the models, whose images are a sample (sample), or of these images "
            "alone (fixed)",
        ),
    ] = "sample"
    shape: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SHAPE",
            help="read a table as others publish it: agiqa-3k, comparia, dgm-eval, evalica, "
            "genai-bench, gorilla, ground-truth, hpdv2 (-train), imagenhub, imagereward, jspsych, "
            "kamali, label-studio (-ratings), lmarena, matrix, pick-a-pic, psychopy, pwcmp, "
            "rapidata (-coherence, -alignment, -results), tifa",
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="OURS=THEIRS",
            help="what the table calls a column, such as truth=kind; several with commas; "
            "condition==NAME is the same everywhere",
        ),
    ] = None
    meanings: Annotated[
        list[str] | None,
        typer.Option(
            "--values",
            metavar="OURS=THEIRS:MEANING",
            help="what values of a column mean, such as answer=A:left,B:right,same:tie",
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            "--missing",
            metavar="VALUE",
            help='what the table writes for no answer, such as "Not sure"; may be repeated',
        ),
    ] = None
    wide: Annotated[
        str | None,
        typer.Option(
            "--wide",
            metavar="PATTERN",
            help="the table has a column for each image, such as 'Q*'; --key says what each is",
            rich_help_panel=MORE_PANEL,
        ),
    ] = None
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="CSV",
            help="of --wide: a table with the columns column, truth and condition, or the like",
            rich_help_panel=MORE_PANEL,
        ),
    ] = None
    real: Annotated[
        list[str] | None,
        typer.Option(
            "--real",
            metavar="VALUE",
            help="what the table writes for real, such as 1; may be repeated",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = None
    fake: Annotated[
        list[str] | None,
        typer.Option(
            "--fake",
            metavar="VALUE",
            help="what it writes for fake, such as 0; may be repeated",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = None
    real_condition: Annotated[
        str | None,
        typer.Option(
            "--real-condition",
            metavar="NAME",
            help="the condition of real images that count for every model, such as Reals",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = None
    thresholds: Annotated[
        bool,
        typer.Option(
            "--thresholds",
            metavar="",
            help="fit a psychometric function to each evaluator of HYPE_time",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = False
    at: Annotated[
        float,
        typer.Option(
            "--at",
            metavar="P",
            help="accuracy at which thresholds are taken, .5 to 1",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = 0.75
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="A,B,C",
            help="test for a trend along conditions, such as checkpoints",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = None
    metrics: Annotated[
        Path | None,
        typer.Option(
            "--metrics",
            metavar="CSV",
            help="correlate scores with metrics (condition, fid, …)",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = None
    spoiled: Annotated[
        Literal["keep", "leave-out"] | None,
        typer.Option(
            "--spoiled",
            metavar="HOW",
            help="keep or leave-out trials that the screen spoiled; else as the study says",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = None
    two_way: Annotated[
        bool,
        typer.Option(
            "--two-way",
            metavar="",
            help="also resample evaluators and images together",
            rich_help_panel=HYPE_PANEL,
        ),
    ] = False
    draws: Annotated[
        int | None,
        typer.Option(
            "--draws",
            metavar="N",
            help="bootstrap resamples (10,000)",
            min=100,
            rich_help_panel=HYPE_PANEL,
        ),
    ] = None
    ties: Annotated[
        Literal["davidson", "half", "drop"] | None,
        typer.Option(
            "--ties",
            metavar="HOW",
            help="a tie is a part of the model (davidson), half a win (half) or not counted "
            "(drop); else as the study says",
            rich_help_panel=PAIRED_PANEL,
        ),
    ] = None
    strengths: Annotated[
        Literal["elo", "log", "share"] | None,
        typer.Option(
            "--strengths",
            metavar="SCALE",
            help="show strengths in Elo points (elo), as logarithms (log) or as shares of 100 "
            "(share); else as the study says",
            rich_help_panel=PAIRED_PANEL,
        ),
    ] = None
    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            metavar="A-B",
            help="the ends of the table's scale (1-5 for pairs, 1-10 for images)",
            rich_help_panel=RATING_PANEL,
        ),
    ] = None
    leaderboard: Annotated[
        Path | None,
        typer.Option(
            "--leaderboard",
            metavar="CSV",
            help="correlate ratings with scores elsewhere (condition, score)",
            rich_help_panel=RATING_PANEL,
        ),
    ] = None
    judges: Annotated[
        list[Path] | None,
        typer.Option(
            "--judges",
            metavar="CSV",
            help="answers of hype judge, or scores of models (judge, image, score); a folder takes "
            "all its CSV files; may be repeated",
            rich_help_panel=JUDGES_PANEL,
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="M",
            help="a judge that agrees with people less than a second person by no more than "
            "this is as good (a share of answers; of ratings r); else as the study says",
            rich_help_panel=JUDGES_PANEL,
        ),
    ] = None
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            metavar="CSV",
            help="shares of the groups of --by in a population (group, share), for a total",
            rich_help_panel=MORE_PANEL,
        ),
    ] = None
    people: Annotated[
        bool,
        typer.Option(
            "--people",
            metavar="",
            help="people only, where a table has simulated ones too",
            rich_help_panel=MORE_PANEL,
        ),
    ] = False
    version: Version = None
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="S",
            help="of all that is drawn at random",
            rich_help_panel=MORE_PANEL,
        ),
    ] = 0

    @property
    def by_columns(self) -> tuple[str, ...]:
        """The columns to score by, each once. InputError for none between commas."""
        names = [name.strip() for name in self.by.split(",")] if self.by is not None else []
        if "" in names:
            raise InputError("--by", f"{self.by!r} names no column", "a column, or A,B,C")
        return tuple(dict.fromkeys(names))


def owned() -> Iterator[tuple[Field[Any], str, tuple[str, ...]]]:
    """Yield the choices that not all protocols have, as they are typed, and whose they are."""
    hints = get_type_hints(Choices, include_extras=True)
    for choice in fields(Choices):
        _, option = get_args(hints[choice.name])
        if owners := OWNERS.get(option.rich_help_panel):
            yield choice, f"--{choice.name.replace('_', '-')}", owners


def chosen(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that takes a dataclass of options be called with each field as an option.

    Typer reads a command's options off its signature, so it is given one that has them all, in the
    place of the dataclass.
    """
    # Python 3.10 takes what has the default None for optional once more, and hides its option.
    bare = SimpleNamespace(
        __annotations__=command.__annotations__, __globals__=inspect.unwrap(command).__globals__
    )
    hints = get_type_hints(bare, include_extras=True)
    together = next(name for name, hint in hints.items() if is_dataclass(hint))
    options = hints[together]
    known = get_type_hints(options, include_extras=True)

    @functools.wraps(command)
    def called(**arguments: Any) -> None:
        given = options(**{name: arguments.pop(name) for name in known})
        command(**arguments, **{together: given})

    parameters: list[inspect.Parameter] = []
    for own in inspect.signature(command).parameters.values():
        if own.name == together:
            parameters += [_parameter(field, known[field.name]) for field in fields(options)]
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(own.replace(annotation=hints[own.name], kind=kind))
    vars(called)["__signature__"] = inspect.Signature(parameters)
    return called


def _parameter(field: Field[Any], annotation: object) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=annotation)
