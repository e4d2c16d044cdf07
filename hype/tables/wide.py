"""Wide tables: a row for each person, a column for each image, as survey programs export them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.tables.columns import listed
from hype.tables.formats import read_text_cells
from hype.tables.table_files import FrameTable

COLUMN: Final = "column"
"""In the key: the name of the column in the wide table."""


def as_long(table: FrameTable, pattern: str, key: Path | FrameTable) -> FrameTable:
    """Make a row of each answer.

    ``pattern``: of the names of the columns that hold answers, such as ``Q*``.
    ``key``: a table that says in ``column`` which of them it speaks of, and in columns of ours what
    was shown there, such as truth, condition and image.

    Raises InputError: no column is so named, or the key does not fit.
    """
    known = read_text_cells(key)
    if COLUMN not in known:
        problem = f"has no column {COLUMN!r}"
        allowed = f"one with the names of columns in {table}, and truth, condition, image, …"
        raise InputError(key, problem, allowed)
    names = [str(name) for name in table.frame.columns]
    asked = [name for name in names if fnmatchcase(name, pattern)]
    if not asked:
        raise InputError("--wide", f"no column of {table} is like {pattern!r}", listed(names))
    about = known.astype(str).set_index(known[COLUMN].astype(str).str.strip()).drop(columns=COLUMN)
    if about.index.has_duplicates:
        twice = about.index[about.index.duplicated()][0]
        raise InputError(key, f"speaks twice of {twice!r}", "each column once")
    if absent := [name for name in about.index if name not in names]:
        raise InputError(key, f"speaks of {listed(absent)}, which {table} does not have", "")
    answers = [name for name in asked if name in about.index]
    if not answers:
        problem = f"speaks of none of the columns that are like {pattern!r}"
        raise InputError(key, problem, listed(asked))
    people = table.frame.drop(columns=[*asked, *(c for c in about if c in table.frame)])
    rows = []
    for name in answers:
        shown = {str(column): cell for column, cell in about.loc[name].items()}
        rows.append(people.assign(answer=table.frame[name].astype(str), **shown))
        rows[-1].index = [f"{row} ({name})" for row in people.index]
    frame = pd.concat(rows).iloc[
        np.arange(len(rows) * len(people)).reshape(len(rows), -1).T.ravel()
    ]
    ignored = len(asked) - len(answers)
    note = f"{ignored} columns like {pattern} are not in {key}: left out." if ignored else ""
    return FrameTable(
        frame, table.name, f"{table.note} {note}".strip(), file=table.file, guarded=table.guarded
    )
