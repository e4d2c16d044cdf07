"""Scores within the classes of a column, such as the object that an image shows.

Zhou et al. (2019, section 5.1) score five ImageNet classes apart, with one analysis of variance
each. Here any column will do that `hype.answers.groups` finds.

Only HYPE_infinity is scored within a class. A HYPE_time score is the mode of a staircase, and a
staircase runs over images of all classes: the trials of one class are no staircase and have no
mode of their own. For these trials the error rates within a class are given instead. They compare
classes within a condition, at the same exposures; between conditions they say nothing, since
each staircase sets its own exposures, so there is no test.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hype.protocols.hype.condition_scores import JudgementRows, inference, rows_of
from hype.protocols.hype.exclusion import are_left_out, counted, finished
from hype.protocols.hype.images import label_codes
from hype.protocols.hype.inference import OWNER
from hype.protocols.hype.results import unit_of
from hype.protocols.hype.trial import SCORED_TASKS
from hype.statistics.cells import CellEstimates
from hype.tables.distinct import classes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from hype.answers.groups import GroupMeasure
    from hype.protocols.hype.condition_scores import Options
    from hype.protocols.hype.results import Score
    from hype.statistics.arrays import IntArray


@dataclass(frozen=True, kw_only=True)
class TimedErrors:
    """The errors of one condition of HYPE_time within a class."""

    condition: str
    evaluators: int
    judgements: int
    # error, fakes_error, reals_error: percent wrong of all judgements, of those of fake and of real
    # images; None without any
    error: float
    fakes_error: float | None
    reals_error: float | None


@dataclass(frozen=True, kw_only=True)
class Facet:
    """One class."""

    value: str
    judgements: int  # how many are of it, of both protocols
    # Of HYPE_infinity, with its analysis of variance; empty where there is none
    scores: tuple[Score, ...]
    # Error rates of HYPE_time, by condition; empty where there are none
    timed: tuple[TimedErrors, ...]
    notes: tuple[str, ...]  # conditions that have no image of this class


@dataclass(frozen=True, kw_only=True)
class Facets:
    """The outcome of `score_by`."""

    column: str  # what told the classes apart
    facets: tuple[Facet, ...]  # sorted by value: as numbers if all are, else as text
    left_out: int  # judgements without a value
    notes: tuple[str, ...]  # sentences the reader must know in order to read the figures rightly


def score_by(
    judgements: pd.DataFrame,
    column: str,
    score: Callable[[pd.DataFrame], tuple[Score, ...]],
) -> Facets:
    """Score judgements within each value of a column.

    InputError as of `classes`; or nobody has finished.
    """
    scored = judgements[judgements["task"].isin(("time", "infinity"))]
    scored = scored[finished(scored)]
    codes, values = classes(scored, column)
    conditions = _conditions(scored)
    return Facets(
        column=column,
        facets=tuple(
            _facet(value, scored[codes == code], conditions, score)
            for code, value in enumerate(values)
        ),
        left_out=int((codes < 0).sum()),
        notes=tuple(_notes(scored, column, codes)),
    )


def _conditions(rows: pd.DataFrame) -> list[str]:
    return sorted(map(str, rows["condition"].unique()))


def _facet(
    value: str,
    rows: pd.DataFrame,
    conditions: list[str],
    score: Callable[[pd.DataFrame], tuple[Score, ...]],
) -> Facet:
    untimed = rows[rows["task"].eq("infinity")]
    absent = [name for name in conditions if name not in _conditions(rows)]
    note = f"no judgements of {value} in: {', '.join(absent)}."
    return Facet(
        value=value,
        judgements=len(rows),
        scores=score(untimed) if len(untimed) else (),
        timed=tuple(_timed(rows[rows["task"].eq("time")])),
        notes=(note[0].upper() + note[1:],) if absent else (),
    )


def _timed(rows: pd.DataFrame) -> Iterator[TimedErrors]:
    fake = rows["truth"].eq("fake")
    wrong = 100.0 * (fake != rows["answer"].eq("fake"))
    for name, group in wrong.groupby(rows["condition"], observed=True, sort=True):
        fakes = fake[group.index]
        yield TimedErrors(
            condition=str(name),
            evaluators=rows.loc[group.index, "evaluator"].nunique(),
            judgements=len(group),
            error=float(group.mean()),
            fakes_error=float(group[fakes].mean()) if fakes.any() else None,
            reals_error=float(group[~fakes].mean()) if not fakes.all() else None,
        )


def _notes(scored: pd.DataFrame, column: str, codes: np.ndarray) -> Iterator[str]:
    left_out = codes < 0
    if left_out.any():
        yield f"{left_out.sum()} of {len(codes)} judgements have no {column} and are left out."
    fake = scored["truth"].eq("fake").to_numpy()
    for truth, rows in (("fake", fake), ("real", ~fake)):
        if rows.any() and left_out[rows].all():
            other = "real" if truth == "fake" else "fake"
            yield f"No {truth} image has a {column}: these are errors on {other} images alone."
    if scored["task"].eq("time").any():
        yield (
            "HYPE_time has no score within a class, since a staircase runs over all of them; its "
            "error rates compare classes within a condition, not conditions."
        )


def judgement_measures(judgements: pd.DataFrame, options: Options) -> Iterator[GroupMeasure]:
    """Yield the scores of each protocol, which are scored by group.

    A staircase runs over images of all classes, so that HYPE_time has groups of evaluators alone.
    """
    from hype.answers.groups import GroupMeasure

    for task in SCORED_TASKS:
        own = finished(judgements) & judgements["task"].eq(task) & counted(judgements)
        if own.any():
            kept = rows_of(judgements[own & ~are_left_out(judgements)], task, options)
            yield GroupMeasure(
                protocol=task,
                title=f"HYPE_{task}".replace("infinity", "∞"),
                unit=unit_of(task),
                rows=kept.scored,
                cells=partial(_cells, task, options),
                of_people_alone=task == "time",
            )


def _cells(
    task: str, options: Options, rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]
) -> CellEstimates:
    """Score each group of each condition as a condition of its own, of the same images."""
    codes, conditions = label_codes(rows["condition"])
    cell = codes * len(names) + group
    labels = np.char.zfill(cell.astype(str), 12)  # which sort like their numbers
    own = rows.assign(condition=labels)
    own[OWNER] = rows["condition"].astype(str)
    inferred = inference(JudgementRows(protocol=task, shown=own, scored=own), options)
    place = np.array(list(map(int, inferred.conditions)))
    return CellEstimates(
        conditions=tuple(conditions),
        groups=names,
        condition=place // len(names),
        group=place % len(names),
        values=inferred.score,
        people=np.array(inferred.evaluators),
        answers=np.unique(cell, return_counts=True)[1],
        crossed=inferred.scores,
        whole=100.0 if task == "infinity" else None,
    )
