"""Scores by group: where the column comes from that ``--by`` names, and what is scored within it.

A column is one of the answers; or, of a study, a question of ``[demographics]``, whose answers are
groups of evaluators; or a column that an experimenter added to the manifest of the stimuli, such as
a class, or a category or a style of prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np
import pandas as pd

from hype.answers.choices import Choices
from hype.errors import InputError
from hype.statistics.arrays import IntArray
from hype.statistics.cells import (
    CellEstimates,
    CellScores,
    GroupScores,
    GroupTests,
    cell_scores,
    corrected,
)
from hype.stimuli.manifest import MANIFEST
from hype.tables.answers import read_named_numbers
from hype.tables.distinct import classes

if TYPE_CHECKING:
    from hype.answers.sources import LoadedAnswers

IMAGES: Final = ("image", "left_image", "right_image", "first_image", "second_image")
"""Columns of images; those of one answer are in one class, or it is in none."""
NEAR: Final = 0.01
"""By how much shares of groups may miss 1 in all."""


@dataclass(frozen=True, kw_only=True)
class GroupMeasure:
    """What is scored by group: a method or an axis.

    ``rows``: the answers that are scored. ``cells``: makes cells of some of these, with the group
    of each, a place in the names that come last. ``groups_of``: of what it has groups. ``tests``:
    the protocol's own tests within a group, of its name and its answers. ``incomparable``: why
    conditions are not compared, so that there is no test and no total; empty where they are.
    """

    protocol: str
    title: str
    unit: str
    rows: pd.DataFrame
    cells: Callable[[pd.DataFrame, IntArray, tuple[str, ...]], CellEstimates]
    groups_of: Literal["people", "images", "both"] = "both"
    tests: Callable[[str, pd.DataFrame], GroupTests] | None = None
    incomparable: str = ""


def with_columns(answers: LoadedAnswers[Any], choices: Choices) -> LoadedAnswers[Any]:
    """Join the columns that answers are to be scored by, where they have not got them.

    Raises InputError: nothing has such a column; the study that may have it is not here.
    """
    for column in choices.by_columns:
        if column in answers.frame:
            continue
        if answers.study is None:
            where = answers.provenance.get("source", answers.title)
            columns = ", ".join(map(str, answers.frame.columns))
            problem = "there is no such column"
            raise InputError(f"{where}, --by {column}", problem, f"columns are {columns}")
        cells = _of_evaluators(answers, column, choices) or _of_images(answers, column)
        answers = replace(answers, frame=answers.frame.assign(**{column: cells}))
    return answers


def _of_evaluators(answers: LoadedAnswers[Any], column: str, choices: Choices) -> list[str] | None:
    study = cast("Any", answers.study)
    if column not in study.demographics:
        return None
    from hype.session.participation import statements_of

    given = statements_of(study, simulated=choices.simulated).get(column, {})
    return [given.get(name, "") for name in answers.frame["evaluator"].astype(str)]


def _of_images(answers: LoadedAnswers[Any], column: str) -> list[str]:
    from hype.session.materials import read_columns

    study = cast("Any", answers.study)
    extra = read_columns(study)
    names = dict.fromkeys(name for row in extra.values() for name in row)
    if column not in names:
        questions = ", ".join(study.demographics) or "none"
        raise InputError(
            f"--by {column}",
            f"there is no such column in the answers, nor in {study.stimuli_folder / MANIFEST}, "
            "and no such question about evaluators",
            f"columns are {', '.join((*answers.frame.columns, *names))}; questions {questions}",
        )
    of_images = [
        answers.frame[name].astype(object).map(lambda path: extra.get(path, {}).get(column, ""))
        for name in IMAGES
        if name in answers.frame
    ]
    return [_in_common(cells) for cells in zip(*of_images, strict=True)]


def _in_common(cells: tuple[str, ...]) -> str:
    named = set(cells) - {""}
    return named.pop() if len(named) == 1 else ""


def in_groups(
    answers: LoadedAnswers[Any], choices: Choices, measures: Callable[..., Iterator[GroupMeasure]]
) -> LoadedAnswers[Any]:
    """Score answers within the groups of each column that was chosen.

    Raises InputError: as of `classes` and of `weights_of`; weights without exactly one column.
    """
    columns = choices.by_columns
    if choices.weights and len(columns) != 1:
        raise InputError("--weights", "are shares of the groups of one column", "--by COLUMN")
    if not columns:
        return answers
    measured = list(measures(answers, choices))
    if not measured:
        raise InputError("--by", "nothing of these answers is scored by group")
    weights = None
    if choices.weights:
        weights = read_named_numbers(choices.weights, "group", "share")
    scored = [_grouped(measured, column, weights, choices) for column in columns]
    return replace(answers, grouped=corrected(scored))


def _grouped(
    measures: list[GroupMeasure],
    column: str,
    weights: dict[str, float] | None,
    choices: Choices,
) -> GroupScores:
    every = pd.concat([measure.rows[[column]].astype(object) for measure in measures])
    _, names = classes(every, column)
    if weights is not None:
        _check_weights(weights, column, names, choices)
        whole = sum(weights.values())
        weights = {group: share / whole for group, share in weights.items()}
    of_people = all(_is_of_people(measure.rows, column) for measure in measures)
    kinds = ("both", "people" if of_people else "images")
    kept = [one for one in measures if one.groups_of in kinds]
    return GroupScores(
        column=column,
        of_evaluators=of_people,
        groups=names,
        left_out=int(sum((_codes(one.rows, column, names) < 0).sum() for one in kept)),
        answers=int(sum(len(one.rows) for one in kept)),
        weights=weights,
        measures=tuple(_scores(kept, column, names, weights)),
    )


def _scores(
    measures: list[GroupMeasure],
    column: str,
    names: tuple[str, ...],
    weights: Mapping[str, float] | None,
) -> Iterator[CellScores]:
    for one in measures:
        codes = _codes(one.rows, column, names)
        rows, group = one.rows[codes >= 0], codes[codes >= 0]
        if not len(rows):
            continue
        scores = cell_scores(
            one.cells(rows, group, names),
            protocol=one.protocol,
            measure=one.title,
            unit=one.unit,
            shares=None if one.incomparable else weights,
            are_people="evaluator" in rows,
            confidence=CONFIDENCE,
        )
        if one.incomparable:
            scores = replace(scores, interaction=None, incomparable=one.incomparable)
        if one.tests is not None:
            used = np.unique(group).tolist()
            tests = [one.tests(names[at], rows[group == at]) for at in used]
            scores = replace(scores, tests=tuple(tests))
        yield scores


CONFIDENCE: Final = 0.95


def _codes(rows: pd.DataFrame, column: str, names: tuple[str, ...]) -> IntArray:
    """Give each row its group, -1 where it has none; a measure may not have all groups."""
    if rows[column].astype(object).astype(str).str.strip().eq("").all():
        return np.full(len(rows), -1, dtype=np.int64)
    own, known = classes(rows, column)
    places = np.array([*map(names.index, known), -1], dtype=np.int64)
    return np.asarray(places[own])


def _is_of_people(rows: pd.DataFrame, column: str) -> bool:
    """Tell whether each evaluator is in one group, and not all groups have everybody."""
    if "evaluator" not in rows:
        return False
    pairs = rows[["evaluator", column]].astype(str).drop_duplicates()
    return not pairs["evaluator"].duplicated().any()


def _check_weights(
    weights: Mapping[str, float], column: str, names: tuple[str, ...], choices: Choices
) -> None:
    where, allowed = choices.weights, f"the groups of {column}: {', '.join(names)}"
    for row, (group, share) in enumerate(weights.items(), start=2):
        if group not in names:
            raise InputError(f"{where}, row {row}", f"{group!r} is no group of {column}", allowed)
        if share < 0:
            problem = f"the share of {group!r} is {share:g}"
            raise InputError(f"{where}, row {row}", problem, "0 or more")
    if missing := [name for name in names if name not in weights]:
        raise InputError(where, f"gives no share to {missing[0]!r}", allowed)
    if abs(sum(weights.values()) - 1) > NEAR:
        problem = f"shares add up to {sum(weights.values()):g}"
        raise InputError(where, problem, f"1, or less than {NEAR:g} from it")


def add_groups(scored: object, grouped: tuple[GroupScores, ...]) -> object:
    """Put scores by group into what ``--json`` prints of each score."""
    if not grouped:
        return scored
    if isinstance(scored, list):
        return [add_groups(score, grouped) for score in scored]
    made = cast("dict[str, object]", scored)
    return {**made, "by": [one.of(str(made["protocol"])).to_json() for one in grouped]}
