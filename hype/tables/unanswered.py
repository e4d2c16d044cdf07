"""Rows without an answer: they are left out, counted, and named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.tables.distinct import as_categories, distinct
from hype.tables.shortened import shortened
from hype.tables.spreadsheet_text import without_missing_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_NAMED: Final = 5
"""How many evaluators, and how many rows of each, a sentence names before it only counts."""


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """Rows of one evaluator that have no answer.

    Parameters
    ----------
    evaluator
        Whose; None where the table does not say who answered.
    rows
        As messages count them.
    """

    evaluator: str | None
    rows: tuple[int | str, ...]


def blank_missing(
    table: pd.DataFrame, name: str, *, names: bool = False, words: Collection[str] = ()
) -> pd.DataFrame:
    """Write nothing where a column of answers says that there is none, such as NA.

    Parameters
    ----------
    table
        Any; the column need not be there.
    name
        Of the column.
    names
        Whether its answers are names.
    words
        Answers, in small letters, that are none of these.
    """
    if name not in table:
        return table
    cells = distinct(table[name])
    plain = without_missing_words(cells.texts, names=names)
    texts = [
        text if text.strip().casefold() in words else less
        for text, less in zip(cells.texts, plain, strict=True)
    ]
    return table.assign(**{name: as_categories(cells.codes, texts, table.index)})


def answered_rows(
    table: pd.DataFrame, names: Sequence[str], where: object
) -> tuple[pd.DataFrame, tuple[Unanswered, ...]]:
    """Part the rows that have an answer from those that have none.

    Parameters
    ----------
    table
        Its evaluators, where it has them, are categories.
    names
        The columns of which any can hold the answer; one that is not there is passed over.
    where
        What a message calls the table.

    Raises
    ------
    InputError
        No row has an answer.
    """
    empty = np.logical_and.reduce([_is_blank(table[name]) for name in names if name in table])
    if not empty.any():
        return table, ()
    if empty.all():
        raise InputError(where, "no row has an answer", f"one in the column {' or '.join(names)}")
    return table[~empty].copy(), tuple(by_evaluator(table[empty]))


def _is_blank(cells: pd.Series) -> np.ndarray:
    values = distinct(cells)
    return values.rows(values.blank(), missing=True)


def by_evaluator(rows: pd.DataFrame) -> Iterator[Unanswered]:
    """Name rows by whose they are."""
    labels = pd.Series([n if isinstance(n, int) else str(n) for n in rows.index.tolist()])
    if "evaluator" not in rows:
        yield Unanswered(evaluator=None, rows=tuple(labels.tolist()))
        return
    for evaluator, own in labels.groupby(rows["evaluator"].astype(str).to_numpy()):
        yield Unanswered(evaluator=str(evaluator), rows=tuple(own.tolist()))


def unanswered_note(
    missing: Sequence[Unanswered], *, lacking: Literal["answer", "rank"] = "answer"
) -> tuple[str, ...]:
    """Say how many rows have no answer, or no rank, which leaves their rankings out; and which."""
    number = sum(len(one.rows) for one in missing)
    if not number:
        return ()
    have, are = ("1 row has", "it is") if number == 1 else (f"{number:,} rows have", "they are")
    named = "; ".join(_rows_of(one) for one in missing[:_NAMED])
    more = len(missing) - _NAMED
    rest = f"; and those of {more:,} more evaluators" if more > 0 else ""
    left_out = f"{are} left out" if lacking == "answer" else "the whole ranking is left out"
    return (f"{have} no {lacking}, and {left_out}: {named}{rest}.",)


def _rows_of(one: Unanswered) -> str:
    rows = ", ".join(map(str, one.rows[:_NAMED]))
    more = len(one.rows) - _NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    whose = "" if one.evaluator is None else f" of {shortened(one.evaluator)}"
    return f"row{'s' if len(one.rows) > 1 else ''} {rows}{rest}{whose}"
