"""The versions of a study in one table: they measure different things, so one at a time is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hype.analysis.tables.distinct import distinct
from hype.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

STUDY_VERSION: Final = "study_version"
"""The column by which an export tells them apart."""


def of_one_version(table: pd.DataFrame, version: int | None, where: object) -> pd.DataFrame:
    """Keep the rows of one version of a study.

    Parameters
    ----------
    table
        As it was read. Without the column `STUDY_VERSION` all of it is one version.
    version
        Which; None where there is but one.
    where
        What messages call the table.

    Raises
    ------
    InputError
        There are several, and none was chosen; or not the one that was.
    """
    if STUDY_VERSION not in table:
        if version is not None:
            raise InputError("--version", f"{where} has no column {STUDY_VERSION}", "leave it out")
        return table
    cells = distinct(table[STUDY_VERSION])
    names = [_plain(text) for text in cells.texts]
    there = sorted(set(names), key=lambda name: (len(name), name))
    if version is None and len(there) <= 1:
        return table
    listed = ", ".join(f"--version {name}" for name in there)
    if version is None:
        problem = f"holds {len(there)} versions of a study, which are never scored together"
        raise InputError(where, problem, f"choose one: {listed}")
    if str(version) not in there:
        raise InputError("--version", f"{where} has no version {version}", f"one of: {listed}")
    wanted = cells.rows(np.array([name == str(version) for name in names]), missing=False)
    kept = table[wanted].copy()
    for name in kept.select_dtypes("category"):
        kept[name] = kept[name].cat.remove_unused_categories()
    return kept


def _plain(text: str) -> str:
    """Write the number of a version one way: a column with a gap says 1.0 and 2.0."""
    stripped = text.strip()
    return stripped[:-2] if stripped.endswith(".0") else stripped
