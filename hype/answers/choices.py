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
from typer.models import OptionInfo

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


def _option(usage: str, text: str, panel: str | None = None, **limits: Any) -> OptionInfo:
    """Declare an option as its help shows it: ``--by COLUMN``; a flag has no second word."""
    name, _, metavar = usage.partition(" ")
    made: OptionInfo = typer.Option(
        name, metavar=metavar, help=text, rich_help_panel=panel, **limits
    )
    return made


Simulated = Annotated[bool, _option("--simulated", "simulated evaluators instead of people")]
Version = Annotated[
    int | None,
    _option("--version N", "evaluators of one version of a study that was changed", MORE_PANEL),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options that say which answers are scored, and how."""

    simulated: Simulated = False
    by: Annotated[
        str | None,
        _option(
            "--by COLUMN",
            "score again within each value of a column of the table or the manifest, or of "
            "an answer that evaluators gave about themselves; several with commas",
        ),
    ] = None
    images: Annotated[
        Literal["sample", "fixed"],
        _option(
            "--images HOW",
            "speak of the models, whose images are a sample (sample), or of these images "
            "alone (fixed)",
        ),
    ] = "sample"
    shape: Annotated[
        str | None,
        _option(
            "--from SHAPE",
            "read a table as others publish it: agiqa-3k, comparia, dgm-eval, evalica, "
            "genai-bench, gorilla, ground-truth, hpdv2 (-train), imagenhub, imagereward, "
            "jspsych, kamali, koniq, label-studio (-ratings), labjs, lmarena, matrix, "
            "pick-a-pic, potato, psychopy, pwcmp, rapidata (-coherence, -alignment, -results), "
            "tifa",
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        _option(
            "--columns OURS=THEIRS",
            "what the table calls a column, such as truth=kind; several with commas; "
            "condition==NAME is the same everywhere",
        ),
    ] = None
    meanings: Annotated[
        list[str] | None,
        _option(
            "--values OURS=THEIRS:MEANING",
            "what values of a column mean, such as answer=A:left,B:right,same:tie",
        ),
    ] = None
    missing: Annotated[
        list[str] | None,
        _option(
            "--missing VALUE",
            'what the table writes for no answer, such as "Not sure"; may be repeated',
        ),
    ] = None
    wide: Annotated[
        str | None,
        _option(
            "--wide PATTERN",
            "the table has a column for each image, such as 'Q*'; --key says what each is",
            MORE_PANEL,
        ),
    ] = None
    key: Annotated[
        Path | None,
        _option(
            "--key CSV",
            "of --wide: a table with the columns column, truth, condition and others",
            MORE_PANEL,
        ),
    ] = None
    real: Annotated[
        list[str] | None,
        _option(
            "--real VALUE",
            "what the table writes for real, such as 1; may be repeated",
            HYPE_PANEL,
        ),
    ] = None
    fake: Annotated[
        list[str] | None,
        _option("--fake VALUE", "what it writes for fake, such as 0; may be repeated", HYPE_PANEL),
    ] = None
    real_condition: Annotated[
        str | None,
        _option(
            "--real-condition NAME",
            "the condition of real images that count for every model, such as Reals",
            HYPE_PANEL,
        ),
    ] = None
    thresholds: Annotated[
        bool,
        _option(
            "--thresholds",
            "fit a psychometric function to each evaluator of HYPE_time",
            HYPE_PANEL,
        ),
    ] = False
    at: Annotated[
        float, _option("--at P", "accuracy at which thresholds are taken, .5 to 1", HYPE_PANEL)
    ] = 0.75
    order: Annotated[
        str | None,
        _option(
            "--order A,B,C", "test for a trend along conditions, such as checkpoints", HYPE_PANEL
        ),
    ] = None
    metrics: Annotated[
        Path | None,
        _option("--metrics CSV", "correlate scores with metrics (condition, fid, …)", HYPE_PANEL),
    ] = None
    spoiled: Annotated[
        Literal["keep", "leave-out"] | None,
        _option(
            "--spoiled HOW",
            "keep or leave-out trials that the screen spoiled; else as the study says",
            HYPE_PANEL,
        ),
    ] = None
    two_way: Annotated[
        bool, _option("--two-way", "also resample evaluators and images together", HYPE_PANEL)
    ] = False
    draws: Annotated[
        int | None, _option("--draws N", "bootstrap resamples (10,000)", HYPE_PANEL, min=100)
    ] = None
    ties: Annotated[
        Literal["davidson", "half", "drop"] | None,
        _option(
            "--ties HOW",
            "a tie is a part of the model (davidson), half a win (half) or not counted "
            "(drop); else as the study says",
            PAIRED_PANEL,
        ),
    ] = None
    strengths: Annotated[
        Literal["elo", "log", "share"] | None,
        _option(
            "--strengths SCALE",
            "show strengths in Elo points (elo), as logarithms (log) or as shares of 100 "
            "(share); else as the study says",
            PAIRED_PANEL,
        ),
    ] = None
    scale: Annotated[
        str | None,
        _option(
            "--scale A-B",
            "the ends of the table's scale (1-5 for pairs, 1-10 for images)",
            RATING_PANEL,
        ),
    ] = None
    leaderboard: Annotated[
        Path | None,
        _option(
            "--leaderboard CSV",
            "correlate ratings with scores elsewhere (condition, score)",
            RATING_PANEL,
        ),
    ] = None
    judges: Annotated[
        list[Path] | None,
        _option(
            "--judges CSV",
            "answers of hype judge, or scores of models (judge, image, score); a folder "
            "takes all its CSV files; may be repeated",
            JUDGES_PANEL,
        ),
    ] = None
    margin: Annotated[
        float | None,
        _option(
            "--margin M",
            "a judge that agrees with people less than a second person by no more than "
            "this is as good (a share of answers; of ratings r); else as the study says",
            JUDGES_PANEL,
        ),
    ] = None
    weights: Annotated[
        Path | None,
        _option(
            "--weights CSV",
            "shares of the groups of --by in a population (group, share), for a total",
            MORE_PANEL,
        ),
    ] = None
    people: Annotated[
        bool,
        _option("--people", "people only, where a table has simulated ones too", MORE_PANEL),
    ] = False
    version: Version = None
    seed: Annotated[int, _option("--seed S", "of all that is drawn at random", MORE_PANEL)] = 0

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
