"""Notes on possible faults in checked rows: repeats, similar names, times in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError, few
from hype.tables.cells import distinct
from hype.tables.codebook import STUDY, STUDY_VERSION
from hype.tables.columns import shorten
from hype.tables.reasons import Note, Weight

_SHOWN: Final = (
    *("image", "left_image", "right_image", "first_image", "second_image"),
    *("item", "axis", "group"),
)
"""Columns that name the images of an answer."""
_NAMES: Final = ("evaluator", "condition", "left", "right", "first", "second", "prompt", *_SHOWN)
_LONGEST_S: Final = 30
"""If all response times are below this many ms, they are probably in seconds."""


def find_doubts(table: pd.DataFrame) -> tuple[str, ...]:
    """Return notes on what may be wrong: several studies, times in seconds, similar names."""
    notes: list[str] = []
    if STUDY in table and len(table[STUDY].unique()) > 1:
        columns = [name for name in (STUDY, STUDY_VERSION) if name in table]
        studies = table[columns].astype(str).agg(" version ".join, axis=1)
        named = [
            f"{shorten(str(name)) or 'no name'} ({number:,} rows)"
            for name, number in studies.value_counts(sort=False).items()
        ]
        notes.append(
            f"The rows come from {table[STUDY].nunique():,} studies, which are scored as one: "
            f"{few(named, sign='; ')}. All results include the differences between these "
            "studies, and the same evaluator code in two studies counts as one person."
        )
    times = table.get("rt_ms")
    if times is not None and times.dtype.kind == "f" and 0 < times.max() < _LONGEST_S:
        seconds = (
            f"All response times (rt_ms) are below {_LONGEST_S} ms. If they are in seconds, "
            "multiply them by 1,000 first: --columns 'rt_ms=NAME*1000'."
        )
        notes.append(Note(seconds, Weight.DATA))
    names = []  # names that differ only in case or in slashes
    for column in (name for name in _NAMES if name in table):
        first: dict[str, str] = {}
        for name in distinct(table[column]).texts:
            other = first.setdefault(name.replace("\\", "/").casefold(), name)
            if other != name:
                names.append(f"{shorten(other)!r} and {shorten(name)!r} ({column})")
    if names:
        some = few(names, sign="; ")
        note = f"Names that differ only in case or slashes count as different: {some}."
        notes.append(Note(note, Weight.DATA))
    return tuple(notes)


def count_once(table: pd.DataFrame, answers: Sequence[str]) -> tuple[pd.DataFrame, list[Note]]:
    """Leave out rows that repeat another row in every column, and count them in a note.

    A table that does not name evaluators, or names neither images nor trials, is not checked: its
    rows can be equal by chance. If a table does not name trials, and some of its rows differ only
    in ``answers``, images were shown again, so all rows are kept.
    """
    if "evaluator" not in table or not {*_SHOWN, "trial"} & {*table}:
        return table, []
    again = pd.Series(_hash_rows(table)).duplicated().to_numpy()
    if not again.any():
        return table, []
    rows = [str(row) for row in table.index[again]]
    repeat = "1 row repeats another row" if len(rows) == 1 else f"{len(rows):,} rows repeat others"
    repeated = f"{repeat} in every column ({'row' if len(rows) == 1 else 'rows'} {few(rows)})"
    # A column computed from the answer, such as an accuracy, does not identify the question.
    known = ("truth", "left", "right", "first", "second", *answers)
    given = [name for name in known if name in table]
    by_answer = table.groupby(given, observed=True, dropna=False, sort=False)
    varies = {n: by_answer[n].nunique(dropna=False).gt(1).any() for n in table.columns.drop(given)}
    asked = [name for name, some in varies.items() if some or name in _NAMES]
    questions = table.loc[~again, [*(n for n in given if n not in answers), *asked]]
    if "trial" not in table and pd.Series(_hash_rows(questions)).duplicated().any():
        shown_again = (
            f"{repeated}. All rows count: some rows differ only in the answer, so images were "
            "shown again. If rows were pasted twice, every interval is too narrow."
        )
        return table, [Note(shown_again, Weight.DATA)]
    once = Note(f"{repeated}; each counts only once.", Weight.LEFT_OUT)
    return table[~again].copy(), [once]


def refuse_second_answers(
    table: pd.DataFrame, where: object, key: Sequence[str], answers: Sequence[str]
) -> None:
    """Refuse a second answer to the same trial; excluded rows do not count.

    ``key``: the columns that identify a trial. If the first or the last of them is not in the
    table, nothing is checked. Raises InputError, which names both rows.
    """
    names = [name for name in key if name in table]
    if not {key[0], key[-1]} <= {*names}:
        return
    named = table[key[-1]].notna() & table[key[-1]].ne("")
    if "excluded" in table:
        named &= table["excluded"].eq("")
    rows = table[named]
    same = _hash_rows(rows[names])
    again = pd.Series(same).duplicated().to_numpy()
    if not again.any():
        return
    second = int(again.argmax())
    one, other = rows.iloc[int((same == same[second]).argmax())], rows.iloc[second]
    cells = ", ".join(f"{name} {_show(other[name])}" for name in names)
    given = next(name for name in answers if name in rows)
    which = "the same" if one[given] == other[given] else "a different"
    problem = f"repeats row {one.name} ({cells}) with {which} {given}"
    allowed = f"one row for each {', '.join(key)}"
    raise InputError(f"{where}, row {other.name}", problem, allowed)


def _hash_rows(table: pd.DataFrame) -> npt.NDArray[np.uint64]:
    return np.asarray(pd.util.hash_pandas_object(table, index=False), dtype=np.uint64)


def refuse_changed(
    table: pd.DataFrame, name: str, of: Sequence[Any], where: object, allowed: str
) -> None:
    """Refuse a cell of the column ``name`` that differs from the first cell of its group.

    ``of``: names of columns, or arrays with a value per row; their values define the groups.
    ``allowed``: the rule.
    """
    rows = table.reset_index(drop=True)  # groupby refuses an index with the name of a column
    groups = rows.groupby([*of], observed=True, sort=False).ngroup().to_numpy()
    codes = table[name].cat.codes.to_numpy()
    starts = np.unique(groups, return_index=True)[1]
    changed = codes != codes[starts[groups]]
    if changed.any():
        row = int(changed.argmax())
        start = int(starts[groups[row]])
        cell, first = (repr(_show(table[name].iloc[place])) for place in (row, start))
        problem = f"{cell} differs from row {table.index[start]}"
        place = f"{where}, row {table.index[row]}, column {name}"
        raise InputError(place, problem, f"it must be {first}: {allowed}")


def _show(cell: object) -> str:
    return f"{cell:.0f}" if isinstance(cell, float) else shorten(str(cell))
