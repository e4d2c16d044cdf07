"""The tidy table of ratings, and the checks that every such table passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.rating.rows import ALIASES, NEEDED, RATING_COLUMNS, SCORED_TASK, TASKS
from hype.statistics.arrays import IntArray
from hype.tables.answers import (
    CheckedTable,
    TableReader,
    answered_rows,
    blank_missing,
    drop_unused_names,
    empty_columns,
    parsed_answers,
    people_or_simulated,
    refuse_copies,
    share_conditions,
    with_rows,
)
from hype.tables.cells import plain_word, refuse_cell
from hype.tables.columns import shortened, with_names
from hype.tables.distinct import as_categories, distinct
from hype.tables.scales import NO, NOT_RELEVANT, YES, Scale, is_pairs

_OF_ITEM: Final = ("first", "second", "first_image", "second_image")


def with_known_columns(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give the columns the names of `RATING_COLUMNS`.

    Raises InputError: a needed column is missing, or could be either of two.
    """
    aliases = {alias: name for alias, name in ALIASES.items() if name not in frame}
    table = frame.rename(columns=aliases)
    known = [column.name for column in RATING_COLUMNS]
    said = "item, axis, answer, and first or condition"
    return with_names(table, known, NEEDED, where, said=said)


def refuse_changed_items(table: pd.DataFrame, where: object) -> None:
    """Refuse an item whose rows differ in conditions or images, or, on one axis, in the truth.

    Raises
    ------
    InputError
        Naming the first row that differs from the first one of its item.
    """
    items = _codes(table, ["item"])
    for name in _OF_ITEM:
        if name in table:
            _refuse_changed(table, items, name, where)
    if "truth" in table:
        _refuse_changed(table, _codes(table, ["item", "axis"]), "truth", where)


def refuse_repeated(table: pd.DataFrame, where: object) -> None:
    """Refuse two answers of an evaluator to one item and axis, but for excluded ones.

    Raises
    ------
    InputError
        Naming the second of the rows, and the first.
    """
    if "evaluator" not in table:
        return
    kept = table
    if "excluded" in table:
        kept = table[table["excluded"].eq("").to_numpy()]
    keys = pd.Series(_codes(kept, ["task", "evaluator", "item", "axis"]))
    repeated = keys.duplicated().to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    first = int(keys.eq(keys.iloc[second]).to_numpy().argmax())
    cells = [f"{name} {_shown(kept, name, second)}" for name in ("evaluator", "item", "axis")]
    problem = f"repeats row {kept.index[first]} ({', '.join(cells)})"
    allowed = "one answer of an evaluator to an item and axis"
    raise InputError(f"{where}, row {kept.index[second]}", problem, allowed)


def _refuse_changed(table: pd.DataFrame, groups: IntArray, name: str, where: object) -> None:
    """Compare each row with the first one of its group."""
    codes = table[name].cat.codes.to_numpy()
    starts = np.flatnonzero(~pd.Series(groups).duplicated().to_numpy())
    first = np.empty(int(groups.max()) + 1, dtype=np.int64)
    first[groups[starts]] = starts
    changed = codes != codes[first[groups]]
    if not changed.any():
        return
    row = int(changed.argmax())
    start = int(first[groups[row]])
    problem = f"{_shown(table, name, row)} is not what row {table.index[start]} says"
    before = f"{_shown(table, name, start)} of item {_shown(table, 'item', start)}"
    allowed = f"{before}; an item is the same images in every row: --columns item=A+B joins columns"
    raise InputError(f"{where}, row {table.index[row]}, column {name}", problem, allowed)


def _codes(table: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Number the combinations of some columns; not every number need occur."""
    codes = np.zeros(len(table), dtype=np.int64)
    for name in names:
        codes = codes * len(table[name].cat.categories) + table[name].cat.codes.to_numpy()
    return codes


def _shown(table: pd.DataFrame, name: str, row: int) -> str:
    return repr(shortened(str(table[name].iloc[row])))


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
        refuse_cell(table["answer"], ~fine, where, "answer", scale.allowed(pairs=pairs))
    answers = [text or "" for text in plain]
    kinds = cells.rows(np.array([_kind(text) for text in answers]), missing=NEITHER)
    _refuse_both_kinds(table, kinds, where)
    table["answer"] = as_categories(cells.codes, answers, table.index)
    values = np.array([scale.value(answer, pairs=pairs) for answer in answers], dtype=np.float64)
    table["value"] = cells.rows(values, missing=np.nan)
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
        kind = _SAID.get(int(expected[int(refused.argmax())]), "a number, yes or no")
        refuse_cell(table["truth"], refused, where, "truth", f"allowed is {kind}, as are answers")
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
    kind_of = np.zeros(len(table["axis"].cat.categories), dtype=np.int64)
    np.maximum.at(kind_of, table["axis"].cat.codes.to_numpy(), kinds)
    return kind_of


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


_ANSWER: Final = next(column for column in RATING_COLUMNS if column.name == "answer")


def check_ratings(
    frame: pd.DataFrame,
    *,
    where: object = "ratings",
    simulated: bool | None = None,
    scale: Scale | None = None,
) -> pd.DataFrame:
    """Check a table of ratings and give every column its proper type.

    ``frame``: one row per answer; messages name rows by its index. ``where``: what messages call
    the table, usually its file. ``simulated``: True keeps the simulated evaluators, False people,
    None all, and refuses a table that mixes the two. ``scale``: what may be answered; None
    for five levels, and numbers from 1 to 10.

    Returns
    -------
    DataFrame
        A new frame, rows in the given order under a fresh index, with item, axis, answer, value,
        first, task and simulated (bool) always there; second, where and only where pairs are
        rated. First and second are categories over the same sorted conditions. Answer has the
        categories that occur, "not-relevant" for one that says "not relevant"; value is its number
        as of `Scale.value`, NaN where not relevant. Where there is truth, truth_value is its
        number. Numbers are float, NaN where empty; other columns of `RATING_COLUMNS` are
        categories, empty text where there is none. Optional columns that are empty are gone;
        columns outside of `RATING_COLUMNS` are kept as they are, but value and truth_value are
        always made anew. Checking it again changes nothing.

    Raises
    ------
    InputError
        A needed column is missing; there is no row at all or none of the task rating; a value is
        not allowed, or not on the scale; pairs and single images are mixed; an axis has numbers
        as well as yes and no; a condition is rated against itself (but for practice); rows of one
        item differ in their conditions or images; an evaluator answered the same item and axis
        twice (rows that are excluded do not count); answers come again under another code; people
        and simulated evaluators are mixed, or none of the wanted left; no row has an answer.

    Warns
    -----
    UserWarning
        Rows have no answer (empty, NA and the like): they are left out.
    """
    return checked_ratings(frame, where=where, simulated=simulated, scale=scale).rows_with_warning()


def checked_ratings(
    frame: pd.DataFrame,
    *,
    where: object = "ratings",
    simulated: bool | None = None,
    scale: Scale | None = None,
) -> CheckedTable:
    """Check ratings as `check_ratings`, and tell which rows have no answer."""
    scale = scale or Scale()
    given = blank_missing(with_known_columns(frame, where), "answer")
    table = _parsed(_present(given, where), where)
    _refuse_mixed_kinds(table, where)
    table = people_or_simulated(table, where, simulated, answers="ratings")
    table, missing = answered_rows(table, ["answer"], where)
    table = parsed_answers(table, [_ANSWER], TASKS, where)
    drop_unused_names(table, RATING_COLUMNS)
    share_conditions(table, ("first", "second") if is_pairs(table) else ("first",))
    table = with_truths(with_values(table, where, scale), where)
    _refuse_selves(table, where)
    refuse_changed_items(table, where)
    refuse_repeated(table, where)
    refuse_copies(table, where)
    return CheckedTable.of(table, missing)


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row; drop the optional columns that are empty."""
    frame = with_rows(frame, where, answers="ratings", row="one row per answer")
    optional = [column.name for column in RATING_COLUMNS if column.name not in NEEDED]
    return frame.drop(columns=empty_columns(frame, optional))


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    others = [column for column in RATING_COLUMNS if column is not _ANSWER]
    parsed = parsed_answers(table, others, TASKS, where)
    if not parsed["task"].eq(SCORED_TASK).any():
        problem = "holds only practice, which is never scored"
        raise InputError(where, problem, "rows of the task rating")
    return parsed


def _refuse_mixed_kinds(table: pd.DataFrame, where: object) -> None:
    for name in ("second", "second_image", "first_side"):
        if name != "second" and name in table and "second" not in table:
            allowed = "pairs need the column second; single images have no second image and no side"
            raise InputError(where, f"has the column {name!r} and no second", allowed)
    if "second" not in table:
        return
    empty = table["second"].eq("").to_numpy()
    if empty.any():
        allowed = "pairs and single images are tables of their own"
        refuse_cell(table["second"], empty, where, "second", allowed)


def _refuse_selves(table: pd.DataFrame, where: object) -> None:
    if not is_pairs(table):
        return
    same = table["first"].cat.codes.to_numpy() == table["second"].cat.codes.to_numpy()
    same &= table["task"].eq(SCORED_TASK).to_numpy()
    if same.any():
        row = table.iloc[int(same.argmax())]
        problem = f"rates {shortened(str(row['first']))!r} against itself"
        allowed = "first and second are two conditions; two images of one say nothing about them"
        raise InputError(f"{where}, row {row.name}", problem, allowed)


TABLE: Final = TableReader(
    columns=RATING_COLUMNS,
    never_missing=("evaluator", "item", "axis", "first", "second"),
    checked=checked_ratings,
    aliases=ALIASES,
    renamed=with_known_columns,
)
load_ratings: Final = TABLE.load
