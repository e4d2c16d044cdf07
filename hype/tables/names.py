"""Columns of names in a file of text: a spreadsheet's guards are taken off, none is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hype.tables.cells import refuse_cell
from hype.tables.distinct import as_categories, distinct
from hype.tables.spreadsheet_text import MISSING_WORDS, unguarded

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    import pandas as pd


def refuse_missing_names(table: pd.DataFrame, names: Iterable[str], where: object) -> None:
    """Refuse names that a statistics program would take for a missing value, written plainly.

    Parameters
    ----------
    table
        Cells as they stand in the file.
    names
        The columns that hold names; those that are not there are passed over.
    where
        What a message calls the table.
    """
    for name in names:
        missing = table[name].isin(MISSING_WORDS).to_numpy() if name in table else np.array([False])
        if missing.any():
            allowed = "allowed is a name; one that looks like a missing value, written as 'NA"
            refuse_cell(table[name], missing, where, name, allowed)


def take_guards_off(table: pd.DataFrame, names: Iterable[Hashable]) -> None:
    """Take off, in place, the apostrophes that keep a spreadsheet from reading text its own way."""
    for name in names:
        cells = distinct(table[name])
        texts = [unguarded(text) for text in cells.texts]
        if texts != cells.texts:
            table[name] = as_categories(cells.codes, texts, table.index)
