"""The tidy table of ratings, and its checks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.rating.rows import ROW, SCORED_TASK
from hype.statistics.arrays import IntArray
from hype.study.scales import NO, NOT_RELEVANT, YES, Scale, is_pairs
from hype.tables.answers import TableReader, share_conditions
from hype.tables.cells import distinct, make_categories, plain_word, refuse_cell
from hype.tables.columns import shorten
from hype.tables.doubts import refuse_changed

NEITHER, NUMBER, WORD = 0, 1, 2
"""The kinds of answers: "not relevant" or missing, a number or level, and yes or no."""
_SAID: Final = {NUMBER: "a number", WORD: "yes or no"}


def add_values(table: pd.DataFrame, where: object, scale: Scale) -> pd.DataFrame:
    """Check the answers and add the column value.

    Raises InputError: an answer is not on the scale, or one axis has both numbers and yes or no.
    """
    pairs = "second" in table
    cells = distinct(table["answer"])
    plain = [scale.plain_answer(text, pairs=pairs) for text in cells.texts]
    fine = cells.rows(np.array([text is not None for text in plain]), missing=False)
    if not fine.all():
        refuse_cell(table["answer"], ~fine, where, "answer", scale.allowed(pairs=pairs))
    answers = [text or "" for text in plain]
    kinds = cells.rows(np.array([_kind(text) for text in answers]), missing=NEITHER)
    _refuse_both_kinds(table, kinds, where)
    table["answer"] = make_categories(cells.codes, answers, table.index)
    values = np.array([scale.value(answer, pairs=pairs) for answer in answers], dtype=np.float64)
    table["value"] = cells.rows(values, missing=np.nan)
    return table


def add_truths(table: pd.DataFrame, where: object) -> pd.DataFrame:
    """Check the right answers, if known, and add the column truth_value.

    Raises InputError: scored pairs have a truth, or a truth is not of the same kind as the answers.
    """
    if "truth" not in table:
        return table.drop(columns="truth_value", errors="ignore")
    if "second" in table:
        if table["truth"][table["task"].eq(SCORED_TASK)].astype(bool).any():
            problem = "has the column 'truth' for pairs"
            raise InputError(where, problem, "only single images and pairs of a test have a truth")
        return table.drop(columns=["truth", "truth_value"], errors="ignore")
    cells = distinct(table["truth"])
    cells = replace(cells, texts=[plain_word(text, (YES, NO)) for text in cells.texts])
    table["truth"] = make_categories(cells.codes, cells.texts, table.index)
    values = np.array([_truth(text) for text in cells.texts], dtype=np.float64)
    wrong = np.array([bool(text) for text in cells.texts]) & np.isnan(values)
    kinds = cells.rows(np.array([_kind(text) for text in cells.texts]), missing=NEITHER)
    answered, axes = distinct(table["answer"]), table["axis"].cat
    given = answered.rows(np.array([_kind(text) for text in answered.texts]), missing=NEITHER)
    kind_of = np.zeros(len(axes.categories), dtype=np.int64)  # kind of answers of each axis
    np.maximum.at(kind_of, axes.codes.to_numpy(), given)
    expected = kind_of[axes.codes.to_numpy()]
    refused = cells.rows(wrong, missing=False)
    refused |= (kinds != expected) & (kinds != NEITHER) & (expected != NEITHER)
    if refused.any():
        kind = _SAID.get(int(expected[int(refused.argmax())]), "a number, yes or no")
        refuse_cell(table["truth"], refused, where, "truth", f"it must be {kind}, like the answers")
    table["truth_value"] = cells.rows(values, missing=np.nan)
    return table


def _kind(text: str) -> int:
    if text in ("", NOT_RELEVANT):
        return NEITHER
    return WORD if text in (YES, NO) else NUMBER


def _truth(text: str) -> float:
    if text in (YES, NO):
        return float(text == YES)
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _refuse_both_kinds(table: pd.DataFrame, kinds: IntArray, where: object) -> None:
    axes = table["axis"].cat.codes.to_numpy().astype(np.int64)
    size = len(table["axis"].cat.categories)
    there = np.bincount(axes * 3 + kinds, minlength=size * 3).reshape(size, 3) > 0
    both = there[:, NUMBER] & there[:, WORD]
    if not both.any():
        return
    own = (axes == int(both.argmax())) & (kinds != NEITHER)
    first = int(own.argmax())
    other = int((own & (kinds != kinds[first])).argmax())
    name = shorten(str(table["axis"].iloc[other]))
    problem = f"answers {name!r} with {_SAID[int(kinds[other])]}"
    before = f"row {table.index[first]} answers it with {_SAID[int(kinds[first])]}"
    allowed = f"{before}; the answers on an axis are all numbers, or all yes and no"
    raise InputError(f"{where}, row {table.index[other]}", problem, allowed)


def complete_ratings(
    table: pd.DataFrame, where: object, scale: Scale | None = None
) -> pd.DataFrame:
    """Check ratings, and add the columns value and truth_value.

    ``scale``: the possible answers; by default five levels for pairs, 1 to 10 for images. The
    column value is an answer's number by `Scale.value`, NaN for "not relevant"; truth_value is the
    number of the truth. Existing values are replaced. First and second get the same categories.

    Raises InputError: a value is not on the scale; pairs and single images are mixed; one axis has
    both numbers and yes or no; a scored row rates a condition against itself; rows of one item
    differ in their conditions or images, or in the truth of one axis. Rows of a test are compared
    only with each other, since a test's own images can also be images of the study.
    """
    for name in ("second_image", "first_side"):
        if name in table and "second" not in table:
            allowed = "pairs need the column 'second'; single images have no second image or side"
            raise InputError(where, f"has the column {name!r}, but no column 'second'", allowed)
    share_conditions(table, ("first", "second") if is_pairs(table) else ("first",))
    table = add_truths(add_values(table, where, scale or Scale()), where)
    _refuse_same_condition(table, where)
    for name in ("first", "second", "first_image", "second_image"):
        if name in table:
            same = "an item has the same images in every row; --columns item=A+B joins columns"
            refuse_changed(table, name, ["task", "item"], where, same)
    if "truth" in table:
        same = "an item has only one truth on an axis"
        refuse_changed(table, "truth", ["task", "item", "axis"], where, same)
    return table


def _refuse_same_condition(table: pd.DataFrame, where: object) -> None:
    if not is_pairs(table):
        return
    same = table["first"].cat.codes.to_numpy() == table["second"].cat.codes.to_numpy()
    same &= table["task"].eq(SCORED_TASK).to_numpy()
    if same.any():
        row = table.iloc[int(same.argmax())]
        problem = f"rates {shorten(str(row['first']))!r} against itself"
        allowed = (
            "'first' and 'second' must be two conditions; two images of one condition do not "
            "compare conditions"
        )
        raise InputError(f"{where}, row {row.name}", problem, allowed)


TABLE: Final = TableReader(
    row=ROW, own_checks=complete_ratings, key=("evaluator", "task", "item", "axis")
)
check_ratings: Final = TABLE.check
