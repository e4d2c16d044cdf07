"""The answers of a table of ratings as numbers, and a refusal of those that are none."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.analysis.ratings.scale import NO, NOT_RELEVANT, YES, values_of
from hype.analysis.tables.cells import plain_word, refuse_cell
from hype.analysis.tables.distinct import as_categories, distinct
from hype.analysis.tables.shortened import shortened
from hype.errors import InputError

if TYPE_CHECKING:
    from hype.analysis.ratings.scale import Scale

IntArray = npt.NDArray[np.int64]

NEITHER, NUMBER, WORD = 0, 1, 2
"""What an answer is: not relevant, a number or level, or yes or no."""

_SAID: Final = {NUMBER: "a number", WORD: "yes or no"}


def with_values(table: pd.DataFrame, where: object, scale: Scale) -> pd.DataFrame:
    """Check the answers and add the column value; axes have numbers, or yes and no.

    Raises
    ------
    InputError
        An answer is not on the scale, or an axis has both kinds.
    """
    pairs = "second" in table
    cells = distinct(table["answer"])
    plain = [scale.plain_answer(text, pairs=pairs) for text in cells.texts]
    fine = cells.rows(np.array([text is not None for text in plain]), missing=False)
    if not fine.all():
        refuse_cell(table["answer"], ~fine, where, "answer", scale.said(pairs=pairs))
    answers = [text or "" for text in plain]
    kinds = cells.rows(np.array([_kind(text) for text in answers]), missing=NEITHER)
    _refuse_both_kinds(table, kinds, where)
    table["answer"] = as_categories(cells.codes, answers, table.index)
    table["value"] = cells.rows(values_of(answers, scale, pairs=pairs), missing=np.nan)
    return table


def with_truths(table: pd.DataFrame, where: object) -> pd.DataFrame:
    """Check what is right, where that is known, and add the column truth_value.

    Raises
    ------
    InputError
        Pairs have a truth; or it is not in the terms of its axis's answers.
    """
    if "truth" not in table:
        return table.drop(columns="truth_value", errors="ignore")
    if "second" in table:
        raise InputError(where, "has the column 'truth' beside pairs", "single images have a truth")
    cells = distinct(table["truth"])
    cells = replace(cells, texts=[plain_word(text, (YES, NO)) for text in cells.texts])
    table["truth"] = as_categories(cells.codes, cells.texts, table.index)
    values = np.array([_truth(text) for text in cells.texts], dtype=np.float64)
    wrong = np.array([bool(text) for text in cells.texts]) & np.isnan(values)
    kinds = cells.rows(np.array([_kind(text) for text in cells.texts]), missing=NEITHER)
    expected = _kind_of_axes(table)[table["axis"].cat.codes.to_numpy()]
    refused = cells.rows(wrong, missing=False)
    refused |= (kinds != expected) & (kinds != NEITHER) & (expected != NEITHER)
    if refused.any():
        said = _SAID.get(int(expected[int(refused.argmax())]), "a number, yes or no")
        refuse_cell(table["truth"], refused, where, "truth", f"allowed is {said}, as are answers")
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


def _kind_of_axes(table: pd.DataFrame) -> IntArray:
    """Give the kind of each axis, in the order of the categories."""
    cells = distinct(table["answer"])
    kinds = cells.rows(np.array([_kind(text) for text in cells.texts]), missing=NEITHER)
    found = np.zeros(len(table["axis"].cat.categories), dtype=np.int64)
    np.maximum.at(found, table["axis"].cat.codes.to_numpy(), kinds)
    return found


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
    name = shortened(str(table["axis"].iloc[other]))
    problem = f"answers {name!r} with {_SAID[int(kinds[other])]}"
    before = f"row {table.index[first]} with {_SAID[int(kinds[first])]}"
    allowed = f"{before}; an axis has numbers, or yes and no"
    raise InputError(f"{where}, row {table.index[other]}", problem, allowed)
