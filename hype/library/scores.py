"""Answers, read and scored: tables, frames and studies of every protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from hype.answers.choices import Choices
from hype.errors import InputError
from hype.library.result import Result, all_named, from_python, seed_of, whole
from hype.protocols.comparison.scoring import options_for, scored_votes
from hype.protocols.facets import Report
from hype.protocols.hype.score import image_table
from hype.protocols.opening import chosen_answers, read_answers, score_sources
from hype.protocols.registry import HYPE
from hype.report.groups import group_drawings, group_tables
from hype.report.tabular import Table
from hype.tables.table_files import FrameTable

Source = str | PathLike[str] | pd.DataFrame
Sources = Source | Sequence[Source]
Tabular = str | PathLike[str] | pd.DataFrame

_FEWEST_DRAWS = 100


def source_of(source: Source) -> str | FrameTable:
    """Take what was given for what it is.

    Raises InputError: it is nothing that answers are read from.
    """
    if isinstance(source, pd.DataFrame):
        return FrameTable(source)
    if isinstance(source, str | PathLike):
        return fspath(source)
    problem = f"is of the type {type(source).__name__}"
    raise InputError("source", problem, "a pandas DataFrame, a path, a URL or a study")


def listed(name: str, value: Any) -> list[Any] | None:
    """Give one or several as a list; None where none was given."""
    if value is None:
        return None
    if isinstance(value, str | Path):
        return [value]
    if not isinstance(value, list | tuple):
        raise InputError(name, repr(value), "one, or a list")
    return list(value)


def renamed(columns: Mapping[str, str] | None) -> list[str] | None:
    return [f"{name}={theirs}" for name, theirs in columns.items()] if columns else None


def meanings_in(values: Mapping[str, Mapping[str, str]] | None) -> list[str] | None:
    """Give what values mean as ``--values`` takes it."""
    of = (values or {}).items()
    return [f"{name}={theirs}:{ours}" for name, own in of for theirs, ours in own.items()] or None


def table_of(source: Tabular | None) -> Any:
    """Give a path or a frame as what reads it takes it."""
    if source is None or isinstance(source, pd.DataFrame):
        return None if source is None else FrameTable(source)
    return Path(source)


@from_python
def read_table(
    source: Source,
    *,
    simulated: bool = False,
    people: bool = False,
    version: int | None = None,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, Mapping[str, str]] | None = None,
    missing: str | Sequence[str] | None = None,
    real: str | Sequence[str] | None = None,
    fake: str | Sequence[str] | None = None,
    real_condition: str | None = None,
    scale: str | None = None,
    shape: str | None = None,
    wide: str | None = None,
    key: Tabular | None = None,
) -> pd.DataFrame:
    """Read answers, and check all of them, as `score` does.

    Parameters
    ----------
    source
        As of `score`.
    simulated, people, version, columns, values, missing, real, fake, real_condition, scale, shape
        As of `score`; so are wide and key.

    Returns
    -------
    DataFrame
        One row per answer, in the order given, under a fresh index. Text is categorical, numbers
        are float (missing where empty), ``simulated`` is bool. Columns are those of the protocol
        (``docs/analyst.md``), others are kept. Of judgements practice and qualification are in it.

    Raises
    ------
    InputError
        The first thing that is wrong: the file or "the frame", the row as a text editor counts it
        or by the frame's index, the column, the value, and what is allowed.

    Warns
    -----
    UserWarning
        Rows are left out: they have no answer, or repeat others.

    Examples
    --------
    >>> import hype
    >>> hype.read_table(hype.example("comparisons"))["answer"].cat.categories.to_list()
    ['left', 'right', 'tie', 'none']
    """
    choices = Choices(
        simulated=simulated,
        people=people,
        version=version,
        columns=renamed(columns),
        meanings=meanings_in(values),
        missing=listed("missing", missing),
        real=listed("real", real),
        fake=listed("fake", fake),
        real_condition=real_condition,
        scale=scale,
        shape=shape,
        wide=wide,
        key=table_of(key),
    )
    protocol, found = chosen_answers(source_of(source), choices)
    answers = read_answers(protocol, found, choices)
    frame: pd.DataFrame = answers.table.rows_with_warning() if answers.table else answers.frame
    return frame


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scores(Result):
    """Scores of answers of any protocol; `score` gives them."""

    make_report: Callable[[Path | None], Report]

    @from_python
    def report(
        self, path: str | PathLike[str], *, stimuli: str | PathLike[str] | None = None
    ) -> Path:
        """Write the report page, as `hype report` does.

        Parameters
        ----------
        path
            Of the HTML file, which appears whole or not at all.
        stimuli
            The folder of the images that are to be pictured, where it is not a study's.

        Raises
        ------
        InputError
            It cannot be written.
        """
        return self.make_report(Path(stimuli) if stimuli else None).write_page(Path(path))

    @property
    def conditions(self) -> pd.DataFrame:
        """The scores of the conditions, as of ``to_frame("conditions")``."""
        return self.to_frame("conditions")

    @property
    def pairs(self) -> pd.DataFrame:
        """What is known of every two conditions, as of ``to_frame("pairs")``."""
        return self.to_frame("pairs")

    @property
    def _main(self) -> tuple[Table, ...]:
        return tuple(all_named("table", "conditions", self._tables))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out where answers come from: an unpickled result writes no report."""
        return super().__getstate__() | {"make_report": _no_report}


def _no_report(_stimuli: Path | None) -> Report:
    raise InputError("report", "this result was unpickled", "hype.score of the answers again")


@from_python
def score(
    source: Sources,
    *,
    apart: bool = False,
    seed: int | np.random.Generator = 0,
    simulated: bool = False,
    people: bool = False,
    version: int | None = None,
    images: Literal["sample", "fixed"] = "sample",
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, Mapping[str, str]] | None = None,
    missing: str | Sequence[str] | None = None,
    real: str | Sequence[str] | None = None,
    fake: str | Sequence[str] | None = None,
    real_condition: str | None = None,
    scale: str | None = None,
    shape: str | None = None,
    wide: str | None = None,
    key: Tabular | None = None,
    draws: int | None = None,
    spoiled: Literal["keep", "leave-out"] | None = None,
    two_way: bool = False,
    thresholds: bool = False,
    at: float = 0.75,
    by: str | Sequence[str] | None = None,
    weights: Tabular | None = None,
    order: Sequence[str] | None = None,
    metrics: Tabular | None = None,
    ties: Literal["davidson", "half", "drop"] | None = None,
    strengths: Literal["elo", "log", "share"] | None = None,
    judges: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
    margin: float | None = None,
    leaderboard: Tabular | None = None,
    workers: int = 1,  # noqa: ARG001 - `from_python` takes it
) -> Scores:
    """Score judgements, comparisons, ratings or rankings: the columns tell which they are.

    Parameters
    ----------
    source
        A frame or a table (.csv, .tsv, .parquet) with one row per answer; or a study: its file, its
        folder, or what `open_study` gave. Judgements have the columns
        evaluator, condition, truth, answer (the last two "real" or "fake") and, if images were
        flashed, exposure_ms; comparisons left, right, answer; ratings item, axis, first, answer;
        rankings evaluator, group, condition, rank. All columns: ``docs/analyst.md``.
    seed
        Of all that is drawn, or a generator that gives one. The same seed gives the same figures,
        whatever the order of the rows.
    simulated, people
        The simulated evaluators alone, or people alone, where there are both. Of a study people,
        unless ``simulated``.
    version
        Of a study that was changed under way: the number of the version.
    images
        What is spoken of: the model, of which images and prompts are a "sample", or these images
        alone ("fixed").
    columns
        Names of columns here, and what the table calls them: ``{"truth": "kind"}``. ``"=text"`` is
        the same in every row, ``"rt*1000"`` multiplies, ``"file~/(.+)/"`` takes a part, ``"a+b"``
        joins, ``"a.b"`` looks into objects.
    values
        Of a column by its name here, what its values mean: ``{"answer": {"A": "left"}}``.
    missing
        What stands for no answer in any column, such as "Not sure"; or several.
    real, fake
        What stands for real and for fake in truth and answer, such as ``"photo"`` and ``"made"``;
        true and 1 are real, false and 0 are fake, unless you say otherwise.
    real_condition
        Of judgements: the condition of real images that count for every model, such as "Reals".
    scale
        Of ratings: the ends of the scale, such as "1-7"; of any numbers "-100:100".
    shape
        Of a table as others publish it: what ``--from`` takes, such as "lmarena" or "psychopy".
    wide, key
        Of a table with a column for each image: a pattern of their names, such as "Q*", and a frame
        or a table that says in the column ``column`` which is which, with truth, condition, image.
    draws
        Of judgements: resamples of the bootstrap, 100 or more (10,000).
    spoiled
        Of judgements: "keep" or "leave-out" trials that the screen spoiled; else as the study says.
    two_way
        Of judgements: resample evaluators and images together as well.
    thresholds, at
        Of flashed judgements: fit a psychometric function to each evaluator,
        and take thresholds at this share of correct answers, 0.5 to 1.
    by
        A column, within each of whose values to score again: of the table, of the manifest of a
        study's stimuli, or a question that its evaluators were asked about themselves; or several.
    weights
        Of one such column: shares of its groups in a population, for which totals are given: a
        frame or a table with the columns group and share.
    order
        Of judgements: conditions in an order, such as checkpoints, to test for a trend.
    metrics
        Of judgements: automated metrics to correlate the scores with: a frame or a table with the
        column condition and one for each metric.
    ties
        Of comparisons, ratings and rankings: "davidson" (a part of the model), "half" (half a win
        to either) or "drop".
    strengths
        Of the same: the scale of tables and figures, "elo", "log" or "share"; else as the study
        says. ``to_json()`` has log-strengths as well.
    judges
        Tables of automated judges, as of ``hype judge``, or a folder of them.
    margin
        Of judges: how much less than a second person one may agree and still be as good, as a share
        of answers, of ratings in r; else as the study says, and without either no verdict.
    leaderboard
        Of ratings: scores elsewhere, with the columns condition and score.
    workers
        Processes that fit thresholds. A script that wants more than 1 needs the guard
        ``if __name__ == "__main__":``.

    Returns
    -------
    Scores
        Frozen. ``to_json()`` is what ``hype score --json`` prints of the same source and seed.

    Raises
    ------
    InputError
        As of `read_table`; or an argument is wrong, or for answers of another protocol.

    References
    ----------
    Zhou et al. (2019), "HYPE: A Benchmark for Human eYe Perceptual Evaluation of Generative
    Models", NeurIPS. How each figure is computed: ``docs/methods.md``.

    Examples
    --------
    >>> import hype
    >>> scores = hype.score(hype.example("infinity"), seed=1)
    >>> scores.to_frame()[["condition", "score"]].round(1)
      condition  score
    0      flow   ...
    """
    choices = Choices(
        simulated=simulated,
        people=people,
        version=version,
        seed=seed_of(seed),
        draws=None if draws is None else whole("draws", draws, _FEWEST_DRAWS),
        images=one_of("images", images, ("sample", "fixed")),
        spoiled=spoiled,
        two_way=two_way,
        thresholds=thresholds,
        at=at,
        by=",".join(listed("by", by) or ()) or None,
        weights=table_of(weights),
        order=",".join(listed("order", order) or ()) or None,
        metrics=table_of(metrics),
        ties=ties,
        strengths=strengths,
        judges=[Path(path) for path in listed("judges", judges) or ()] or None,
        margin=margin,
        leaderboard=table_of(leaderboard),
        columns=renamed(columns),
        meanings=meanings_in(values),
        missing=listed("missing", missing),
        real=listed("real", real),
        fake=listed("fake", fake),
        real_condition=real_condition,
        scale=scale,
        shape=shape,
        wide=wide,
        key=table_of(key),
    )
    sources = source if isinstance(source, list | tuple) else [source]
    made = score_sources(list(map(source_of, sources)), choices, apart=apart)
    answers = made.answers

    @cache
    def report(stimuli: Path | None = None) -> Report:
        return from_python(made.protocol.reporting.report)(answers, made.scored, choices, stimuli)

    of = "" if isinstance(source, pd.DataFrame) else f", {answers.title}"
    every = made.every
    return Scores(
        heading=f"Scores of {made.protocol.answers}{of}",
        notes=tuple(note for one in every for note in one.notes),
        simulated=any(one.simulated for one in every),
        make_object=made.as_object,
        make_tables=lambda: (*report().tables(), *group_tables(answers.grouped)),
        make_drawings=lambda: (*report().drawings(), *group_drawings(answers.grouped)),
        make_report=report,
    )


def one_of(name: str, value: Any, allowed: Sequence[str]) -> Any:
    if value not in allowed:
        raise InputError(name, repr(value), f"one of {', '.join(allowed)}")
    return value


@from_python
def image_scores(source: Source, *, simulated: bool = False, people: bool = False) -> pd.DataFrame:
    """Say of each image how often it was shown, and how often called fake.

    Parameters
    ----------
    source, simulated, people
        As of `score`, of judgements that name their images.

    Returns
    -------
    DataFrame
        One row per image and condition, as ``hype score --image-table CSV`` writes them.

    Raises
    ------
    InputError
        As of `score`; or the judgements name no images.

    Examples
    --------
    >>> import hype
    >>> hype.image_scores(hype.example("infinity")).columns.to_list()[:4]
    ['condition', 'task', 'truth', 'image']
    """
    choices = Choices(simulated=simulated, people=people)
    given = source_of(source)
    protocol, answers = chosen_answers(given, choices)
    if protocol is not HYPE:
        raise InputError("source", f"holds {protocol.answers}", HYPE.answers)

    return image_table(read_answers(protocol, answers, choices))


@from_python
def elo_stream(
    source: Source,
    *,
    k: float = 4.0,
    start: float = 1000.0,
    simulated: bool = False,
    people: bool = False,
) -> pd.DataFrame:
    """Follow Elo's numbers through comparisons in their order, as an arena's board would show them.

    They depend on that order, and have no intervals. The strengths of `score` do not, and have.

    Parameters
    ----------
    source, simulated, people
        As of `score`, of comparisons.
    k
        The most that one comparison moves a number.
    start
        The number with which every condition begins.

    Returns
    -------
    DataFrame
        The columns condition and elo, the highest number first.

    Raises
    ------
    InputError
        As of `score`; or the source holds no comparisons.

    Examples
    --------
    >>> import hype
    >>> hype.elo_stream(hype.example("comparisons"))["condition"].iloc[-1]
    'gaussian'
    """
    from hype.statistics.strengths import elo_stream, matches

    choices = Choices(simulated=simulated, people=people)
    protocol, found = chosen_answers(source_of(source), choices)
    if protocol.name != "comparison":
        raise InputError("source", f"holds {protocol.answers}", "comparisons")
    answers = read_answers(protocol, found, choices)
    kept = scored_votes(answers.frame, options_for(answers, choices))
    stream = elo_stream(matches(kept.rows), k=k, start=start)
    return pd.DataFrame({"condition": [*stream], "elo": [*stream.values()]})


FOLDER: Final = Path(__file__).with_name("example_tables")


def example(name: str) -> pd.DataFrame:
    """Give a small table of simulated answers, to try things on.

    They are of the demonstration's studies of Fashion-MNIST, as ``hype simulate`` and ``hype
    export`` made them; ``simulated`` says true in every row.

    Parameters
    ----------
    name
        "time" or "infinity" (judgements), "comparisons", "ratings" or "rankings".

    Returns
    -------
    DataFrame
        A fresh one, one row per answer.

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
    return pd.read_csv(FOLDER / f"{name}.csv", keep_default_na=False, na_values=[""])
