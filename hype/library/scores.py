"""Read and score answers of every protocol: from tables, frames and studies."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from inspect import Parameter, Signature
from os import PathLike, fspath
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Concatenate,
    Final,
    Literal,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
)

import pandas as pd
import typer
from typer.models import OptionInfo

from hype.answers.choices import (
    OWNERS,
    Choices,
    ReadingChoices,
    ShellForm,
    declare_options,
    parameter,
)
from hype.errors import InputError
from hype.library.result import Result, all_named, library_function, whole, write_as_argument
from hype.protocols.comparison.score import choose_votes, options_for, require_one_criterion
from hype.protocols.facets import Report
from hype.protocols.hype.score import image_table
from hype.protocols.opening import open_answers, read_answers, score_sources
from hype.protocols.registry import HYPE
from hype.report.groups import group_drawings, group_tables
from hype.report.tabular import Table
from hype.tables.table_files import FrameTable

P = ParamSpec("P")
SourceT = TypeVar("SourceT")
ChoicesT = TypeVar("ChoicesT")
R = TypeVar("R")

_PYTHON = {"pd": pd}


def takes(
    options: Callable[P, ChoicesT],
) -> Callable[[Callable[[SourceT, ChoicesT], R]], Callable[Concatenate[SourceT, P], R]]:
    """Turn the fields of a function's options into keyword arguments of the function.

    ``options``: a dataclass of options; their help texts are added to the docstring.
    """
    declared = list(declare_options(options, _PYTHON))  # type: ignore[arg-type]
    parameters = [
        Parameter("source", Parameter.POSITIONAL_OR_KEYWORD),
        *(parameter(field, hint) for field, hint, *_ in declared),
    ]

    def decorate(
        function: Callable[[SourceT, ChoicesT], R],
    ) -> Callable[Concatenate[SourceT, P], R]:
        own = function.__annotations__
        parameters[0] = parameters[0].replace(annotation=own["source"])
        signature = Signature(parameters, return_annotation=own["return"])

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> R:
            given = signature.bind(*args, **kwargs).arguments
            source = given.pop("source")
            for field, hint, option, _ in declared:
                if field.name in given:
                    value = given[field.name]
                    check(field.name, value, hint, option)
                    if isinstance(value, pd.DataFrame):
                        given[field.name] = FrameTable(value)  # its name is used in messages
            return function(source, options(**given))  # type: ignore[call-arg]

        lines = "".join(
            f"{field.name}\n{textwrap.fill(text, 96, initial_indent=_IN, subsequent_indent=_IN)}\n"
            for field, text in ((f, describe_option(o, t)) for f, _, o, t in declared)
        )
        before, returns, after = (function.__doc__ or "").partition("    Returns\n")
        vars(called)["__signature__"] = signature
        called.__doc__ = f"{before.rstrip()}\n{textwrap.indent(lines, _IN)}\n{returns}{after}"
        return called

    return decorate


_IN = "    "


def describe_option(option: OptionInfo, typed: ShellForm | None) -> str:
    """Describe a Python parameter: the protocols that use it, and its meaning."""
    text = option.help or ""
    if typed:
        text = text.replace(typed.example, f"``{typed.parse([typed.example])}``")
    for in_a_shell in ("may be repeated", "several with commas"):
        text = text.replace(in_a_shell, "or a list")
    of = f"{option.rich_help_panel}: " if option.rich_help_panel in OWNERS else ""
    text = write_as_argument(f"{of}{text}.")
    return text[0].upper() + text[1:]


def check(name: str, value: Any, hint: Any, option: OptionInfo) -> None:
    """Refuse values that the command line would refuse."""
    words = [word for words in literals(hint) for word in get_args(words)]
    if words and value is not None and value not in words:
        raise InputError(name, repr(value), f"one of {', '.join(words)}")
    if option.min is not None and value is not None:
        whole(name, value, int(option.min))


def literals(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Literal:
        yield hint
    for part in get_args(hint):
        yield from literals(part)


Source = str | PathLike[str] | pd.DataFrame
Sources = Source | Sequence[Source]


def source_of(source: Source) -> str | FrameTable:
    """Turn the argument into a source. Raises InputError: it cannot be a source of answers."""
    if isinstance(source, pd.DataFrame):
        return FrameTable(source)
    if isinstance(source, str | PathLike):
        return fspath(source)
    problem = f"has the type {type(source).__name__}"
    raise InputError("source", problem, "a pandas DataFrame, a path, a URL or a study")


@library_function
@takes(ReadingChoices)
def read_table(source: Source, choices: ReadingChoices) -> pd.DataFrame:
    """Read and check answers, like `score`.

    Parameters
    ----------
    source
        As in `score`.

    Returns
    -------
    DataFrame
        One row per answer, in the given order, with a new index. Text is categorical, numbers are
        float (missing if empty), ``simulated`` is bool. The protocol defines the columns
        (``docs/analyst.md``); other columns are kept, and so are practice and qualification trials.

    Raises
    ------
    InputError
        The first problem: the file or "the frame", the row (a line number, or from the frame's
        index), the column, the value, and what is allowed.

    Warns
    -----
    UserWarning
        Some rows are left out, since they have no answer or repeat other rows.

    Examples
    --------
    >>> import hype
    >>> hype.read_table(hype.example("comparisons"))["answer"].cat.categories.to_list()
    ['left', 'right', 'tie', 'both-bad', 'none']
    """
    protocol, found = open_answers(source_of(source), choices)
    answers = read_answers(protocol, found, choices)
    frame: pd.DataFrame = answers.table.rows_with_warning() if answers.table else answers.frame
    return frame


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scores(Result):
    """The scores that `score` computes from the answers of any protocol."""

    make_report: Callable[[Path | None], Report]

    @library_function
    def report(
        self, path: str | PathLike[str], *, stimuli: str | PathLike[str] | None = None
    ) -> Path:
        """Write the report page, like `hype report`.

        Parameters
        ----------
        path
            Path of the HTML file, which is written completely or not at all.
        stimuli
            The folder of the images to show, if the source is not a study.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        return self.make_report(Path(stimuli) if stimuli else None).write_page(Path(path))

    @property
    def conditions(self) -> pd.DataFrame:
        """The scores of the conditions, from ``to_frame("conditions")``."""
        return self.to_frame("conditions")

    @property
    def pairs(self) -> pd.DataFrame:
        """The pairs of conditions, from ``to_frame("pairs")``."""
        return self.to_frame("pairs")

    @property
    def _main(self) -> tuple[Table, ...]:
        return tuple(all_named("table", "conditions", self._tables))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the source of the answers: an unpickled result cannot write a report."""
        return super().__getstate__() | {"make_report": _no_report}


def _no_report(_stimuli: Path | None) -> Report:
    raise InputError(
        "report", "this result was unpickled", "score the answers again with hype.score"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChoices(Choices):
    """Options that exist only in Python; commands always use one process for each core."""

    workers: Annotated[
        int,
        typer.Option(
            help="number of processes that fit thresholds; more than 1 needs the guard "
            '``if __name__ == "__main__":``'
        ),
    ] = 1


@library_function
@takes(ScoreChoices)
def score(source: Sources, choices: ScoreChoices) -> Scores:
    """Score judgements, comparisons, ratings or rankings; the columns show which of these they are.

    Parameters
    ----------
    source
        A frame or a table (.csv, .tsv, .parquet) with one row per answer; or a study: its file, its
        folder, or the result of `open_study`; or a list of these, which are scored together.
        Judgements need the columns evaluator, condition, truth and answer (both "real" or "fake"),
        and exposure_ms if images were flashed. Comparisons: left, right, answer. Ratings: item,
        axis, first, answer. Rankings: evaluator, group, condition, rank. All columns:
        ``docs/analyst.md``.

    Returns
    -------
    Scores
        The scores, which cannot be changed. ``to_json()`` returns what ``hype score --json`` prints
        for the same source and seed.

    Raises
    ------
    InputError
        As in `read_table`; or an argument is wrong, or belongs to another protocol.

    References
    ----------
    Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative
    Models", NeurIPS. ``docs/methods.md`` explains how each number is computed.

    Examples
    --------
    >>> import hype
    >>> scores = hype.score(hype.example("infinity"), seed=1)
    >>> scores.to_frame()[["condition", "score"]].round(1)
      condition  score
    0      flow   ...
    """
    sources = source if isinstance(source, list | tuple) else [source]
    made = score_sources(list(map(source_of, sources)), choices)
    answers = made.answers

    @cache
    def report(stimuli: Path | None = None) -> Report:
        return library_function(made.protocol.reporting.report)(
            answers, made.scored, choices, stimuli
        )

    of = "" if isinstance(source, pd.DataFrame) else f", {answers.title}"
    every = made.every
    return Scores(
        heading=f"Scores of {made.protocol.answers}{of}",
        notes=tuple(note for one in every for note in one.notes),
        simulated=any(one.simulated for one in every),
        make_object=made.to_object,
        make_tables=lambda: (*report().tables(), *group_tables(answers.grouped)),
        make_drawings=lambda: (*report().drawings(), *group_drawings(answers.grouped)),
        make_report=report,
    )


@library_function
@takes(ReadingChoices)
def image_scores(source: Source, choices: ReadingChoices) -> pd.DataFrame:
    """Count how often each image was shown and called fake.

    Parameters
    ----------
    source
        As in `score`; it must contain judgements with names of images.

    Returns
    -------
    DataFrame
        One row per image and condition, as in ``hype score --image-table CSV``.

    Raises
    ------
    InputError
        As in `score`; or the judgements have no names of images.

    Examples
    --------
    >>> import hype
    >>> hype.image_scores(hype.example("infinity")).columns.to_list()[:4]
    ['condition', 'task', 'truth', 'image']
    """
    protocol, answers = open_answers(source_of(source), choices)
    if protocol is not HYPE:
        raise InputError("source", f"contains {protocol.answers}", HYPE.answers)

    return image_table(read_answers(protocol, answers, choices))


@library_function
def elo(
    source: Source,
    *,
    k: float = 4.0,
    start: float = 1000.0,
    simulated: bool = False,
    people: bool = False,
) -> pd.DataFrame:
    """Compute Elo ratings, one comparison after the other, as on an arena's leaderboard.

    Unlike the strengths of `score`, Elo ratings depend on the order and have no intervals.

    Parameters
    ----------
    source, simulated, people
        As in `score`, for comparisons.
    k
        The largest change of a rating after one comparison.
    start
        The initial rating of every condition.

    Returns
    -------
    DataFrame
        The columns condition and elo, the highest rating first.

    Raises
    ------
    InputError
        As in `score`; or the source contains no comparisons.

    Examples
    --------
    >>> import hype
    >>> hype.elo(hype.example("comparisons"))["condition"].iloc[-1]
    'gaussian'
    """
    from hype.statistics.strengths import elo_stream

    choices = Choices(simulated=simulated, people=people)
    protocol, found = open_answers(source_of(source), choices)
    if protocol.name != "comparison":
        raise InputError("source", f"contains {protocol.answers}", "comparisons")
    answers = read_answers(protocol, found, choices)
    kept = choose_votes(answers.frame, options_for(answers, choices))
    require_one_criterion(kept.rows, "source")
    stream = elo_stream(kept.rows, k=k, start=start)
    return pd.DataFrame({"condition": [*stream], "elo": [*stream.values()]})


FOLDER: Final = Path(__file__).with_name("example_tables")


def example(name: str) -> pd.DataFrame:
    """Return a small table of simulated answers, to try the library.

    ``hype simulate`` and ``hype export`` made the answers, from the demonstration studies with
    Fashion-MNIST images; ``simulated`` is true in every row.

    Parameters
    ----------
    name
        "time" or "infinity" (judgements), "comparisons", "ratings" or "rankings".

    Returns
    -------
    DataFrame
        A new frame, with one row per answer.

    Raises
    ------
    InputError
        There is no such table.

    Examples
    --------
    >>> import hype
    >>> hype.example("time").columns.to_list()[:4]
    ['evaluator', 'condition', 'task', 'block']
    """
    import pandas as pd

    known = sorted(path.stem for path in FOLDER.glob("*.csv"))
    if name not in known:
        raise InputError("example", f"{name!r} is not known", f"one of {', '.join(known)}")
    path = FOLDER / f"{name}.csv"  # else pandas reads the task "infinity" as a number
    return pd.read_csv(path, dtype={"task": str}, keep_default_na=False, na_values=[""])
