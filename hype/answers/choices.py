"""What `hype score` and `hype report` have in common: their options, and how they score."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer

from hype.cli.options import Central, Simulated, Version
from hype.console import drawn_on, progress
from hype.protocols.hype.judgements import Judgements, load_judgements
from hype.tables.codebook import codebook_of

if TYPE_CHECKING:
    from hype.answers.sources import Opened
    from hype.protocols.hype.exclusion import Treatment
    from hype.protocols.hype.options import Options
    from hype.protocols.hype.results import Score

DRAWS: Final = 10_000
"""Of the bootstrap of judgements, unless it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options that say which judgements are scored, and how."""

    simulated: Simulated = False
    central: Central = False
    version: Version = None
    people: Annotated[
        bool,
        typer.Option("--people", metavar="", help="people only, where a table holds both kinds"),
    ] = False
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="of every bootstrap")] = 0
    draws: Annotated[
        int | None,
        typer.Option(
            "--draws",
            metavar="N",
            help="bootstrap resamples (10,000 of judgements, else 1,000)",
            min=100,
        ),
    ] = None
    keep_spoiled: Annotated[
        bool | None,
        typer.Option(
            "--keep-spoiled/--leave-out-spoiled",
            metavar="",
            help="score trials that the screen spoiled, or not; else as the study says, and those "
            "of a table are scored unless it says otherwise",
            show_default=False,
        ),
    ] = None
    two_way: Annotated[
        bool,
        typer.Option(
            "--two-way/--no-two-way",
            metavar="",
            help="resample evaluators and images together as well",
        ),
    ] = True
    thresholds: Annotated[
        bool,
        typer.Option(
            "--thresholds",
            metavar="",
            help="fit a psychometric function to each evaluator and condition (HYPE_time; half a "
            "second each)",
        ),
    ] = False
    at: Annotated[
        float,
        typer.Option(
            "--at", metavar="P", help="accuracy at which --thresholds are taken, 0.5 to 1"
        ),
    ] = 0.75
    mixed: Annotated[
        bool,
        typer.Option(
            "--mixed",
            metavar="",
            help="fit a mixed-effects logistic model of evaluators and images (HYPE_∞)",
        ),
    ] = False
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="score again within each value of a column of the table, or of the stimuli's "
            "manifest",
        ),
    ] = None
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="A,B,C",
            help="conditions in an order, such as training checkpoints, to test for a trend",
        ),
    ] = None
    metrics: Annotated[
        Path | None,
        typer.Option(
            "--metrics",
            metavar="CSV",
            help="automated metrics (condition, fid, …) to correlate the scores with",
        ),
    ] = None
    ties: Annotated[
        str | None,
        typer.Option(
            "--ties",
            metavar="HOW",
            help="of comparisons, ratings and rankings: a tie as a part of the model (davidson), "
            "as half a win to either (half), or not counted (drop); else as the study says",
        ),
    ] = None
    judges: Annotated[
        list[Path] | None,
        typer.Option(
            "--judges",
            metavar="CSV",
            help="of ratings and rankings: answers of automated judges (judge, item, axis, answer) "
            "or scores of preference models (judge, image, score) to hold against people; a folder "
            "takes all its CSV files; may be repeated",
        ),
    ] = None
    leaderboard: Annotated[
        Path | None,
        typer.Option(
            "--leaderboard",
            metavar="CSV",
            help="of ratings: scores of the conditions elsewhere (condition, score)",
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAME=THEIRS,…",
            help="of a table: its own name of a column, such as truth=kind; several with commas",
        ),
    ] = None
    real: Annotated[
        list[str] | None,
        typer.Option(
            "--real",
            metavar="VALUE",
            help="of a table: what stands for real in truth and answer, such as 1; may be repeated",
        ),
    ] = None
    fake: Annotated[
        list[str] | None,
        typer.Option(
            "--fake", metavar="VALUE", help="what stands for fake, such as 0; may be repeated"
        ),
    ] = None
    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            metavar="A-B",
            help="of a table of ratings: the ends of the scale (1-5 for pairs, 1-10 for images)",
        ),
    ] = None


def chosen(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command whose last argument is ``choices`` be called with each choice as an option.

    Typer reads a command's options off its signature, so it is given one that has them all.
    """
    # Python 3.10 takes what has the default None for optional once more, and hides its option.
    bare = SimpleNamespace(
        __annotations__=command.__annotations__, __globals__=inspect.unwrap(command).__globals__
    )
    hints = get_type_hints(bare, include_extras=True)
    known = get_type_hints(Choices, include_extras=True)
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "choices"]

    @functools.wraps(command)
    def called(**arguments: Any) -> None:
        choices = Choices(**{name: arguments.pop(name) for name in known})
        command(**arguments, choices=choices)

    parameters = [
        *(parameter.replace(annotation=hints[parameter.name]) for parameter in own),
        *(_parameter(field, known[field.name]) for field in fields(Choices)),
    ]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    vars(called)["__signature__"] = inspect.Signature(parameters)
    return called


def _parameter(field: Field[Any], annotation: object) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=annotation)


def judgements_for(source: Opened, choices: Choices) -> Judgements:
    """Read the judgements that were chosen."""
    return load_judgements(
        source,
        simulated=choices.simulated,
        people=choices.people,
        column=choices.by,
        codebook=codebook_of(choices),
    )


def score_judgements(judgements: Judgements, choices: Choices | None = None) -> tuple[Score, ...]:
    """Score judgements as their study says, or as the command line overrules it."""
    from hype.protocols.hype.scoring import score_checked

    options = options_of(judgements, choices or Choices())
    if options.thresholds_at is None:
        scores = score_checked(judgements.frame, options)
    else:
        with progress() as bar:
            shown = drawn_on(bar, "psychometric functions")
            scores = score_checked(judgements.frame, replace(options, progress=shown))
    return tuple(map(judgements.table.beside, scores)) if judgements.table else scores


def options_of(judgements: Judgements, choices: Choices) -> Options:
    """Translate choices for the analysis."""
    from hype.protocols.hype.metrics import read_metrics
    from hype.protocols.hype.options import Options

    return Options(
        draws=choices.draws or DRAWS,
        seed=choices.seed,
        spoiled=spoiled_by(judgements, choices),
        two_way=choices.two_way,
        thresholds_at=choices.at if choices.thresholds else None,
        mixed=choices.mixed,
        order=conditions_in(choices.order),
        metrics=read_metrics(choices.metrics) if choices.metrics else None,
        by=choices.by,
        processes=os.cpu_count() or 1,
    )


def spoiled_by(judgements: Judgements, choices: Choices) -> Treatment:
    if choices.keep_spoiled is None:
        return judgements.spoiled
    return "keep" if choices.keep_spoiled else "leave-out"


def conditions_in(order: str | None) -> tuple[str, ...]:
    """Take the names out of what stands behind ``--order``."""
    return tuple(name.strip() for name in order.split(",")) if order else ()
