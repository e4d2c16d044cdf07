"""Scores by group: where the column of ``--by`` comes from, and the scores within groups.

The column of ``--by`` may be a column of the answers. In a study, this column may also be a
question of ``[demographics]``, which groups the evaluators, or a column that the experimenter added
to the manifest of the stimuli, such as a class of images or a style of prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np
import pandas as pd

from hype.answers.choices import Choices, ReadingChoices
from hype.errors import InputError
from hype.statistics.arrays import IntArray
from hype.statistics.cells import (
    CellEstimates,
    CellScores,
    GroupScores,
    GroupTests,
    cell_scores,
    correct,
)
from hype.stimuli.manifest import MANIFEST
from hype.tables.answers import read_named_numbers
from hype.tables.cells import classes
from hype.tables.table_files import TableSource

if TYPE_CHECKING:
    from hype.answers.sources import LoadedAnswers

IMAGES: Final = ("image", "left_image", "right_image", "first_image", "second_image")
"""Columns of images. An answer's class is the class that all its images with a class share."""
NEAR: Final = 0.01
"""The sum of the shares of groups may differ from 1 by this much."""


@dataclass(frozen=True, kw_only=True)
class GroupMeasure:
    """A measure that is scored by group: a method or an axis.

    ``rows``: the scored answers. ``cells``: estimates each condition in each group; takes rows,
    their groups (indexes) and the groups' names. ``groups_of``: whether people, images or both have
    groups. ``tests``: runs the protocol's tests within a group, given its name and answers.
    ``incomparable``: why there are no comparisons of conditions and no total; "" if there are.
    """

    protocol: str
    title: str
    unit: str
    rows: pd.DataFrame
    cells: Callable[[pd.DataFrame, IntArray, tuple[str, ...]], CellEstimates]
    groups_of: Literal["people", "images", "both"] = "both"
    tests: Callable[[str, pd.DataFrame], GroupTests] | None = None
    incomparable: str = ""


def join_columns(answers: LoadedAnswers[Any], choices: ReadingChoices) -> LoadedAnswers[Any]:
    """Add the columns that define groups to answers that lack them.

    Raises InputError: there is no such column, or there is no study to look it up in.
    """
    for column in choices.by_columns:
        if column in answers.frame:
            continue
        study = cast("Any", answers.study)
        if study is None:
            where = answers.provenance.get("source", answers.title)
            columns = ", ".join(map(str, answers.frame.columns))
            problem = "there is no such column"
            raise InputError(f"{where}, --by {column}", problem, f"columns are {columns}")
        if column in study.demographics:
            from hype.session.participation import statements_of

            given = statements_of(study, simulated=choices.simulated).get(column, {})
            cells = [given.get(name, "") for name in answers.frame["evaluator"].astype(str)]
        else:
            cells = _classes_of_images(answers, study, column)
        answers = replace(answers, frame=answers.frame.assign(**{column: cells}))
    return answers


def _classes_of_images(answers: LoadedAnswers[Any], study: Any, column: str) -> list[str]:
    """Look up the class of each answer's images in the manifest."""
    from hype.session.materials import read_columns

    extra = read_columns(study)
    names = dict.fromkeys(name for row in extra.values() for name in row)
    if column not in names:
        questions = ", ".join(study.demographics) or "none"
        raise InputError(
            f"--by {column}",
            f"there is no such column in the answers or in {study.stimuli_folder / MANIFEST}, "
            "and no such question about evaluators",
            f"columns are {', '.join((*answers.frame.columns, *names))}; questions are {questions}",
        )
    of_images = [
        answers.frame[name].astype(object).map(lambda path: extra.get(path, {}).get(column, ""))
        for name in IMAGES
        if name in answers.frame
    ]
    return [common_class(cells) for cells in zip(*of_images, strict=True)]


def common_class(cells: tuple[str, ...]) -> str:
    """Return the class that all images with a class share; empty if they differ."""
    named = {*cells} - {""}
    return named.pop() if len(named) == 1 else ""


def score_groups(
    answers: LoadedAnswers[Any], choices: Choices, measures: Callable[..., Iterator[GroupMeasure]]
) -> LoadedAnswers[Any]:
    """Score answers within the groups of each chosen column.

    Raises InputError: as in `classes` and `_read_weights`; or there are weights, but not exactly
    one column.
    """
    columns = choices.by_columns
    if choices.weights and len(columns) != 1:
        raise InputError("--weights", "needs the groups of exactly one column", "--by COLUMN")
    if not columns:
        return answers
    measured = list(measures(answers, choices))
    if not measured:
        raise InputError("--by", "these answers cannot be scored by group")
    scored = []
    for column in columns:
        every = pd.concat([measure.rows[[column]].astype(object) for measure in measured])
        _, names = classes(every, column)
        weights = _read_weights(choices.weights, column, names) if choices.weights else None
        of_people = all(
            "evaluator" in one.rows
            and one.rows.groupby("evaluator", observed=True)[column]
            .nunique(dropna=False)
            .le(1)
            .all()
            for one in measured
        )
        kinds = ("both", "people" if of_people else "images")
        kept = [one for one in measured if one.groups_of in kinds]
        codes = [_codes(one.rows, column, names) for one in kept]
        each = zip(kept, codes, strict=True)
        scores = GroupScores(
            column=column,
            of_evaluators=of_people,
            groups=names,
            left_out=int(sum((own < 0).sum() for own in codes)),
            answers=sum(len(one.rows) for one in kept),
            weights=weights,
            measures=tuple(
                _score_cells(one, own, names, weights) for one, own in each if (own >= 0).any()
            ),
        )
        scored.append(scores)
    return replace(answers, grouped=correct(scored))


def _score_cells(
    one: GroupMeasure, codes: IntArray, names: tuple[str, ...], weights: Mapping[str, float] | None
) -> CellScores:
    rows, group = one.rows[codes >= 0], codes[codes >= 0]
    scores = cell_scores(
        one.cells(rows, group, names),
        protocol=one.protocol,
        measure=one.title,
        unit=one.unit,
        shares=None if one.incomparable else weights,
        are_people="evaluator" in rows,
    )
    if one.incomparable:
        scores = replace(scores, interaction=None, incomparable=one.incomparable)
    if one.tests is not None:
        tests = [one.tests(names[at], rows[group == at]) for at in np.unique(group).tolist()]
        scores = replace(scores, tests=tuple(tests))
    return scores


def _codes(rows: pd.DataFrame, column: str, names: tuple[str, ...]) -> IntArray:
    """Return each row's group as an index of ``names``; -1 if it has none."""
    if rows[column].astype(object).astype(str).str.strip().eq("").all():
        return np.full(len(rows), -1, dtype=np.int64)
    own, known = classes(rows, column)
    places = np.array([*map(names.index, known), -1], dtype=np.int64)
    return np.asarray(places[own])


def _read_weights(path: TableSource, column: str, names: tuple[str, ...]) -> dict[str, float]:
    """Read the shares of groups in a population, and make them sum to 1.

    Raises InputError: an unknown group, a group without a share, or shares that do not sum to 1.
    """
    weights = read_named_numbers(path, "group", "share")
    allowed = f"the groups of {column}: {', '.join(names)}"
    for row, (group, share) in enumerate(weights.items(), start=2):
        if group not in names:
            raise InputError(f"{path}, row {row}", f"{group!r} is not a group of {column}", allowed)
        if share < 0:
            problem = f"the share of {group!r} is {share:g}"
            raise InputError(f"{path}, row {row}", problem, "0 or more")
    if missing := [name for name in names if name not in weights]:
        raise InputError(path, f"has no share for {missing[0]!r}", allowed)
    whole = sum(weights.values())
    if abs(whole - 1) > NEAR:
        raise InputError(path, f"shares add up to {whole:g}", f"a sum of 1, to within {NEAR:g}")
    return {group: share / whole for group, share in weights.items()}
