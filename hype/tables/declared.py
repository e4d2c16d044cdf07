"""How the columns of answers are declared: a name or a number, one of a few words, or any text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hype.tables.cells import parse_column, plain_word, refuse_cell
from hype.tables.columns import Column, Kind
from hype.tables.distinct import as_categories, distinct, with_categories

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Words:
    """A column whose cells hold one of a few words.

    Parameters
    ----------
    name, meaning
        As of `Column`.
    words
        The categories; an empty one says that a cell may be empty.
    """

    name: str
    meaning: str
    words: tuple[str, ...]

    @property
    def said(self) -> str:
        named = [word or "nothing" for word in sorted(self.words, key=lambda word: not word)]
        return f"{', '.join(named[:-1])} or {named[-1]}"


@dataclass(frozen=True, kw_only=True)
class Prose:
    """A column of any text, which is looked at only to tell one from another."""

    name: str
    meaning: str


Declared = Column | Words | Prose


def label(name: str, meaning: str, *, gaps: bool = True) -> Column:
    return Column(name=name, kind=Kind.LABEL, meaning=meaning, gaps=gaps)


SESSION: Final = label("session", "which session of the evaluator")
BLOCK: Final = label("block", "which block of the session")
RT_MS: Final = Column(
    name="rt_ms", kind=Kind.NUMBER, gaps=True, meaning="time to the answer, in ms"
)
STATUS: Final = label(
    "status",
    "how far the evaluator came; where the column is there, only complete ones are scored",
    gaps=False,
)
SIMULATED: Final = Column(
    name="simulated",
    kind=Kind.FLAG,
    meaning="whether the evaluator is a simulated one; false where the column is missing",
)


def is_name(column: Declared) -> bool:
    """Tell whether a column holds names, or prose, which is read like one."""
    return isinstance(column, Prose) or (isinstance(column, Column) and column.kind is Kind.LABEL)


def parse_declared(cells: pd.Series, column: Declared, where: object) -> pd.Series:
    """Give a column its proper type, or raise `InputError` for the first cell that has none."""
    if isinstance(column, Column):
        return parse_column(cells, column, where)
    values = distinct(cells)
    texts = ["" if not text.strip() else text for text in values.texts]
    if isinstance(column, Prose):
        return as_categories(values.codes, texts, cells.index)
    texts = [plain_word(text, column.words) for text in texts]
    fine = values.rows(np.array([text in column.words for text in texts]), "" in column.words)
    if not fine.all():
        refuse_cell(cells, ~fine.astype(bool), where, column.name, f"allowed is {column.said}")
    return with_categories(values.codes, texts, column.words, cells.index)
