"""What an analyst chooses of answers: the options that `hype score` and `hype report` share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, get_type_hints

import typer

from hype.errors import InputError

Simulated = Annotated[
    bool, typer.Option("--simulated", metavar="", help="the simulated evaluators instead of people")
]
Version = Annotated[
    int | None,
    typer.Option(
        "--version",
        metavar="N",
        help="the evaluators of one version, where the study was changed under way",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options that say which judgements are scored, and how."""

    simulated: Simulated = False
    version: Version = None
    people: Annotated[
        bool,
        typer.Option("--people", metavar="", help="people only, where a table holds both kinds"),
    ] = False
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", help="of all that is drawn at random")
    ] = 0
    draws: Annotated[
        int | None,
        typer.Option(
            "--draws",
            metavar="N",
            help="bootstrap resamples of judgements (10,000)",
            min=100,
        ),
    ] = None
    images_given: Annotated[
        list[str] | None,
        typer.Option(
            "--images",
            metavar="WHICH",
            help="what is spoken of: the model, of which images and prompts are a sample, or these "
            "images alone (fixed); score takes a CSV too, to which it writes how often each image "
            "was shown and called fake",
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
            help="resample evaluators and images together as well (1.5 s for 174,000 judgements)",
        ),
    ] = False
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
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="score again within each value of a column: of the table, of the stimuli's "
            "manifest, or what evaluators answered to a question about themselves; several with "
            "commas",
        ),
    ] = None
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            metavar="CSV",
            help="shares of the groups of --by in a population (group, share), for which totals "
            "are given",
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
    strengths: Annotated[
        Literal["elo", "log", "share"] | None,
        typer.Option(
            "--strengths",
            metavar="HOW",
            help="of comparisons, ratings and rankings: show strengths in Elo points (elo), as "
            "log-strengths (log) or as shares of 100 (share); else as the study says",
        ),
    ] = None
    judges: Annotated[
        list[Path] | None,
        typer.Option(
            "--judges",
            metavar="CSV",
            help="answers of automated judges, as hype judge writes them, or scores of preference "
            "models (judge, image, score) to hold against people; a folder takes all its CSV "
            "files; may be repeated",
        ),
    ] = None
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="M",
            help="of judges: one that agrees with people less than a second person by no more than "
            "this is as good (a share of answers, of ratings r); else as the study says",
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
    shape: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SHAPE",
            help="of a table as others publish it: dgm-eval, hpdv2, pick-a-pic, rapidata (or "
            "rapidata-coherence, rapidata-alignment), lmarena, jspsych or psychopy",
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

    @property
    def by_columns(self) -> tuple[str, ...]:
        """The columns to score by, each once. InputError for none between commas."""
        names = [name.strip() for name in self.by.split(",")] if self.by is not None else []
        if "" in names:
            raise InputError("--by", f"{self.by!r} names no column", "a column, or A,B,C")
        return tuple(dict.fromkeys(names))

    @property
    def images(self) -> Literal["sample", "fixed"]:
        """Whether images are a sample of what a model makes, or all that is spoken of."""
        return "fixed" if FIXED in (self.images_given or ()) else SAMPLE

    @property
    def image_table(self) -> Path | None:
        """Where image scores are to be written. InputError for several places."""
        paths = [name for name in self.images_given or () if name not in (SAMPLE, FIXED)]
        if len(paths) > 1:
            raise InputError("--images", ", ".join(paths), "one table")
        return Path(paths[0]) if paths else None


SAMPLE: Final = "sample"
FIXED: Final = "fixed"


def chosen(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that takes a dataclass of options be called with each field as an option.

    Typer reads a command's options off its signature, so it is given one that has them all.
    """
    # Python 3.10 takes what has the default None for optional once more, and hides its option.
    bare = SimpleNamespace(
        __annotations__=command.__annotations__, __globals__=inspect.unwrap(command).__globals__
    )
    hints = get_type_hints(bare, include_extras=True)
    together = next(name for name, hint in hints.items() if is_dataclass(hint))
    options = hints[together]
    known = get_type_hints(options, include_extras=True)
    own = [p for p in inspect.signature(command).parameters.values() if p.name != together]

    @functools.wraps(command)
    def called(**arguments: Any) -> None:
        given = options(**{name: arguments.pop(name) for name in known})
        command(**arguments, **{together: given})

    parameters = [
        *(parameter.replace(annotation=hints[parameter.name]) for parameter in own),
        *(_parameter(field, known[field.name]) for field in fields(options)),
    ]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    vars(called)["__signature__"] = inspect.Signature(parameters)
    return called


def _parameter(field: Field[Any], annotation: object) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=annotation)
