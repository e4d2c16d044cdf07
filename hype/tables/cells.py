"""The cells of a declared column: from what was given to its proper type, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError, few
from hype.files import as_name
from hype.tables.columns import CellType, Column, Kind, Read, shortened
from hype.tables.distinct import as_categories, distinct, with_categories
from hype.tables.spreadsheet_text import without_missing_words

Flags = npt.NDArray[np.bool_]

TRUTHS = ("fake", "real")
"""What an image is, and what it is judged to be."""


_MOST_VALUES = 5
_LONGEST_VALUE = 20

MOST_EXACT = 2.0**53
"""From here on, decimals leave out whole numbers."""
IN_POWERS = re.compile(r"\d(\.\d+)?[eE]\+\d\d")
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+\s*")
_THOUSANDS = re.compile(r"\s*[-+]?\d{1,3},\d{3}\s*")


def parse_column(cells: pd.Series, column: Column, where: object) -> pd.Series:
    """Give a column its proper type, or raise `InputError` for the first cell that has none.

    ``cells``: the column as given, of any type; its index names the rows.
    ``column``: what it should be.
    ``where``: what a message calls the table.

    Returns numbers as floats, NaN where there is none; flags as booleans; words as categories, of
    which those of an answer have none for an empty cell; all others as categories, empty text where
    there is none.
    """
    if column.is_text:
        return _texts(cells, column, where)
    if column.kind.is_number:
        numbers = floats(cells)
        refused = ~_are_allowed(numbers, column.kind)
        if column.gaps and refused.any():
            refused[refused] = ~_are_gaps(cells[refused])
        _refuse_any(cells, refused, column, where)
        return pd.Series(numbers, index=cells.index)
    values = distinct(cells)
    texts = values.texts
    if column.gaps:
        filled = without_missing_words(texts)
        texts = [t if _word(t) in column.levels else f for t, f in zip(texts, filled, strict=True)]
        values = replace(values, texts=texts)
    parsed, valid = _parsed(texts, column)
    fine = np.where(values.blank(), column.gaps, valid)
    _refuse_any(cells, ~values.rows(fine, missing=column.gaps), column, where)
    if column.kind is Kind.FLAG:
        return pd.Series(values.rows(parsed, missing=False), index=cells.index)
    if column.kind is Kind.NUMBERS:
        return as_categories(values.codes, parsed.tolist(), cells.index)
    gap = [""] if column.read is Read.OPTIONAL else []
    return with_categories(values.codes, parsed.tolist(), [*gap, *column.levels], cells.index)


def _are_gaps(cells: pd.Series) -> Flags:
    """Tell which cells are empty, or say that there is nothing."""
    values = distinct(cells)
    gaps = np.array([not text.strip() for text in without_missing_words(values.texts)])
    return np.asarray(values.rows(gaps, missing=True), dtype=bool)


def _texts(cells: pd.Series, column: Column, where: object) -> pd.Series:
    values = distinct(cells)
    texts = values.texts
    if column.kind is Kind.TEXT and column.read is Read.ANSWER:
        texts = without_missing_words(texts)
    names = [as_name(text) if text.strip() else "" for text in texts]
    if column.kind is not Kind.TEXT:
        refuse_rounded(cells, column.name, where)
        # Names end up on terminals and in figures: no control characters, no line breaks.
        fine = np.array([n.isprintable() and bool(n or column.gaps) for n in names], dtype=bool)
        _refuse_any(cells, ~values.rows(fine, missing=column.gaps), column, where)
    return as_categories(values.codes, names, cells.index)


def _parsed(texts: Sequence[str], column: Column) -> tuple[npt.NDArray[Any], Flags]:
    """Give each distinct value its proper type, and tell which may stand in the column."""
    if column.kind is Kind.WORD:
        words = [_word(text) for text in texts]
        fine = np.array([word in column.levels for word in words], dtype=bool)
        return np.array([word if word.strip() else "" for word in words], dtype=object), fine
    if column.kind is Kind.FLAG:
        # Spreadsheets and pandas spell the two words True, TRUE and true.
        flags = np.array([text.lower() for text in texts], dtype=object)
        return flags == "true", np.isin(flags, ("true", "false"))
    each = [_are_allowed(floats(text.split()), Kind.NUMBER).all() for text in texts]
    given = [text if text.strip() else "" for text in texts]
    return np.array(given, dtype=object), np.array(each, dtype=bool)


def refuse_rounded(cells: pd.Series, name: str, where: object) -> None:
    """Refuse names that a program took for decimals and rounded: two may have become one."""
    if cells.dtype.kind == "f":
        rounded = (cells.abs() >= MOST_EXACT).to_numpy()
    else:
        values = distinct(cells)
        in_powers = [IN_POWERS.fullmatch(text.strip()) is not None for text in values.texts]
        rounded = values.rows(np.array(in_powers, dtype=bool), missing=False)
    if rounded.any():
        refuse_cell(cells, rounded, where, name, "it was rounded; read the column as text")


def plain_word(text: str, allowed: Collection[str]) -> str:
    """Give one of a few words as it is written here, whatever its case and the space around it."""
    word = _word(text)
    return word if word in allowed else text


def _word(text: str) -> str:
    # pandas.read_csv takes the word infinity for a number.
    word = text.strip().casefold()
    return "infinity" if word == "inf" else word


def refuse_cell(
    cells: pd.Series, refused: Flags, where: object, name: str, allowed: str
) -> NoReturn:
    """Raise `InputError` for the first refused cell of a column."""
    first = int(refused.argmax())
    value = cells.iloc[first]
    text = "" if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)
    problem = f"{shortened(text)!r} is not allowed" if text.strip() else "is empty"
    raise InputError(f"{where}, row {cells.index[first]}, column {name}", problem, allowed)


def _refuse_any(cells: pd.Series, refused: Flags, column: Column, where: object) -> None:
    if not refused.any():
        return
    text, hint = str(cells.iloc[int(refused.argmax())]), column.hint
    if column.kind.is_number and _DECIMAL_COMMA.fullmatch(text):
        hint = ", with a decimal point instead of the comma"
    elif set(column.levels) == set(TRUTHS) and any(without_missing_words([text])):
        hint = _other_values(cells)
    refuse_cell(cells, refused, where, column.name, f"allowed is {column.allowed}{hint}")


def _other_values(cells: pd.Series) -> str:
    """Name the values of a column of real and fake that are neither, and the way to say it."""
    values = distinct(cells)
    used = {values.texts[code] for code in np.unique(values.codes) if code >= 0}
    words = without_missing_words(plain_word(text, TRUTHS) for text in used)
    others = sorted({word for word in words if word.strip()} - set(TRUTHS))
    named = few([repr(shortened(text, _LONGEST_VALUE)) for text in others], _MOST_VALUES)
    said = "--real VALUE and --fake VALUE say what stands for what, --missing VALUE what for none"
    return f"; found are {named}: {said}"


def floats(cells: Sequence[str] | pd.Series) -> npt.NDArray[np.float64]:
    """Read numbers, NaN where a text is none.

    A comma is a decimal one where some cell has it elsewhere than before three digits, as thousands
    have it.
    """
    if isinstance(cells, pd.Series) and cells.dtype.kind in "iuf":
        return cells.to_numpy(dtype=float, na_value=np.nan)
    column = pd.Series(cells, dtype=object)
    texts = (text for text in column if isinstance(text, str) and "," in text)
    commas = [text for text in texts if _DECIMAL_COMMA.fullmatch(text)]
    if any(not _THOUSANDS.fullmatch(text) for text in commas):
        column = column.replace({text: text.replace(",", ".") for text in commas})
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)


_LOWEST: Final = {Kind.WHOLE: 0.0, Kind.COUNT: 1.0, Kind.NUMBER: 0.0, Kind.SIGNED: -np.inf}


def _are_allowed(numbers: npt.NDArray[np.float64], kind: Kind) -> Flags:
    fine: Flags = np.isfinite(numbers)
    fine &= numbers > 0 if kind is Kind.POSITIVE else numbers >= _LOWEST[kind]
    if kind.cell_type is CellType.WHOLE:
        fine &= np.floor(numbers) == numbers
    return fine
