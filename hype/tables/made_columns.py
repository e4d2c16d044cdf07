"""Columns made from others, as described by ``--columns`` and published shapes.

``a.b`` is the value with the key ``b`` in the objects of column ``a``; ``a.*`` is the only item of
an object or a list. ``a+b`` joins two columns. ``a*1000`` multiplies. ``a~images/(.+)/`` is the
text that the brackets of a pattern match; of several brackets, only the first that match are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.files import blank_missing_words
from hype.tables.cells import distinct, floats, refuse_cell
from hype.tables.columns import shorten


def parts_of(theirs: str) -> tuple[str, float, str]:
    """Split a formula into its column names (still joined by ``+``), its factor and its pattern."""
    theirs, _, pattern = theirs.partition("~")
    name, mark, factor = theirs.rpartition("*")
    if mark and factor.strip().replace(".", "", 1).isdigit():
        return name.strip(), float(factor), pattern
    return "+".join(sources_of(theirs)), 1, pattern


def sources_of(name: str) -> list[str]:
    return [part.strip() for part in name.split("+")]


def make_columns(table: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """Add those columns ``a.b`` and ``a+b`` for which the table has ``a`` and ``b``."""
    for name in names:
        outer, _, inner = name.partition(".")
        parts = sources_of(name)
        if name in table:
            continue
        if len(parts) > 1:
            table = make_columns(table, parts)
            if all(part in table for part in parts):
                joined = zip(*(table[part].astype(str) for part in parts), strict=True)
                table = table.assign(**{name: [*map(" ".join, joined)]})
        elif inner and outer in table:
            read = {text: _inside(text, inner.split(".")) for text in distinct(table[outer]).texts}
            if any(read.values()):
                cells = table[outer].astype(object).map(read).fillna("")
                table = table.assign(**{name: cells})
    return table


def _inside(value: Any, steps: Sequence[str]) -> str:
    """Return the value in a cell's nested objects at the given keys; empty if a key is missing."""
    for step in steps:
        try:
            value = json.loads(value) if isinstance(value, str) else value
        except (ValueError, RecursionError):
            return ""
        if isinstance(value, list):
            value = {str(place): item for place, item in enumerate(value)}
        if not isinstance(value, dict):
            return ""
        value = value.get(step) if step != "*" or len(value) != 1 else next(iter(value.values()))
    return json_text(value)


def json_text(value: Any) -> str:
    """Write a JSON value as the text of a cell: text stays unchanged, null becomes empty."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def change_cells(
    cells: pd.Series, factor: float, pattern: str, option: str, where: object
) -> pd.Series:
    """Keep the part of each text that matches a pattern, and multiply it by a factor.

    Raises InputError: the pattern is not valid or matches nothing; a cell is not a number.
    """
    if pattern and len(cells):
        try:
            found = cells.str.extract(f"({pattern})", expand=True)
        except re.error as error:
            raise InputError(option, f"{pattern!r} is not a pattern ({error})", "_(.+)_") from None
        # The first column is the whole match; the others, if any, match the brackets.
        part = found.iloc[:, min(1, found.shape[1] - 1) :].bfill(axis=1).iloc[:, 0]
        if part.isna().all():
            problem = f"no cell of {cells.name} matches {pattern!r}"
            raise InputError(
                option, problem, f"a pattern for cells such as {shorten(cells.iloc[0])!r}"
            )
        cells = part.fillna("")
    if factor == 1:
        return cells
    numbers = floats(cells)
    wrong = np.isnan(numbers) & [bool(text.strip()) for text in blank_missing_words(cells)]
    if wrong.any():
        refuse_cell(cells, wrong, where, str(cells.name), "it must be a number")
    return pd.Series(factor * numbers, cells.index).round(6)
