"""What of judgements is scored by group (`hype.answers.groups`).

Zhou et al. (2019, section 5.1) score five ImageNet classes apart, with one analysis of variance
each; so HYPE_infinity has the paper's tests within each group.

A HYPE_time score is the mode of a staircase, and a staircase runs over images of all classes: the
trials of one class are no staircase and have no mode of their own. So HYPE_time is scored in groups
of evaluators; in classes of images its error rates are given instead. They compare classes within a
condition, at the same exposures; between conditions they say nothing, since each staircase sets its
own exposures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from hype.answers.groups import GroupMeasure
from hype.protocols.hype.condition_scores import ALPHA, JudgementRows, Options, inference, rows_of
from hype.protocols.hype.error_rates import error_counts, percent
from hype.protocols.hype.exclusion import are_left_out, counted, finished
from hype.protocols.hype.images import label_codes
from hype.protocols.hype.inference import OWNER
from hype.protocols.hype.results import unit_of
from hype.protocols.hype.separability import papers_tests
from hype.protocols.hype.trial import SCORED_TASKS
from hype.statistics.arrays import IntArray
from hype.statistics.cells import CellEstimates, GroupTests

TIMED_CLASSES = (
    "HYPE_time has no score within a class of images, since a staircase runs over all of them. "
    "These are its error rates: compare classes within a condition, not conditions, since each has "
    "exposures of its own."
)


def judgement_measures(judgements: pd.DataFrame, options: Options) -> Iterator[GroupMeasure]:
    """Yield what is scored by group of each method."""
    for task in SCORED_TASKS:
        own = finished(judgements) & judgements["task"].eq(task) & counted(judgements)
        if not own.any():
            continue
        rows = rows_of(judgements[own & ~are_left_out(judgements)], task, options).scored
        if task == "infinity":
            yield GroupMeasure(
                protocol=task,
                title="HYPE_∞",
                unit=unit_of(task),
                rows=rows,
                cells=partial(_error_cells, options),
                tests=_papers_tests,
            )
            continue
        yield GroupMeasure(
            protocol=task,
            title="HYPE_time",
            unit=unit_of(task),
            rows=rows,
            cells=partial(_cells, task, options),
            groups_of="people",
        )
        yield GroupMeasure(
            protocol=task,
            title="errors in HYPE_time",
            unit="%",
            rows=rows,
            cells=partial(_error_cells, options),
            groups_of="images",
            incomparable=TIMED_CLASSES,
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


def _error_cells(
    options: Options, rows: pd.DataFrame, group: IntArray, names: tuple[str, ...]
) -> CellEstimates:
    """Take error rates as cells, those of fake and of real images beside them."""
    cells = _cells("infinity", options, rows, group, names)
    codes, _ = label_codes(rows["condition"])
    real = rows["truth"].eq("real").to_numpy()
    wrong = real != rows["answer"].eq("real").to_numpy()
    size = len(cells.conditions) * len(names)
    place = cells.condition * len(names) + cells.group
    parts = {}
    for name, kind in (("fakes_error", ~real), ("reals_error", real)):
        of = (codes * len(names) + group)[kind]
        shown, missed = np.bincount(of, minlength=size), np.bincount(of, wrong[kind], size)
        with np.errstate(invalid="ignore"):
            parts[name] = (100 * missed / shown)[place]
    return replace(cells, parts=parts)


def _papers_tests(group: str, rows: pd.DataFrame) -> GroupTests:
    """Compute the paper's tests within a group, the highest error first."""
    people: dict[str, dict[str, float]] = {}
    for (condition, evaluator), counts in error_counts(rows).items():
        error = percent(counts.wrong, counts.judgements)
        people.setdefault(condition, {})[evaluator] = error or 0.0
    means = {name: float(np.mean(list(own.values()))) for name, own in people.items()}
    best_first = sorted(people, key=lambda name: (-means[name], name))
    tests = papers_tests({name: people[name] for name in best_first}, alpha=ALPHA)
    return GroupTests(group=group, anova=tests.anova, pairwise=tests.pairwise)
