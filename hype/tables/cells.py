"""The cells of a declared column: from what was given to its proper type, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError, few
from hype.files import as_name
from hype.session.timing import Verdict
from hype.tables.columns import Column, Declared, Kind, Prose, shortened
from hype.tables.distinct import as_categories, distinct, with_categories
from hype.tables.spreadsheet_text import without_missing_words

Flags = npt.NDArray[np.bool_]

TRUTHS = ("fake", "real")
"""The categories of truth and of answer, also where only one of them occurs."""


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

    Returns numbers as floats, NaN where there is none; flags as booleans; all others as categories,
    empty text where there is none.
    """
    if column.kind.is_number and cells.dtype.kind in "iuf":
        return _checked_numbers(cells, column, where)
    if column.kind.is_number and (numbers := _plain_numbers(cells, column)) is not None:
        return numbers
    if column.kind is Kind.LABEL:
        refuse_rounded(cells, column.name, where)
    values = distinct(cells)
    if column.gaps and column.kind is not Kind.LABEL:
        values = replace(values, texts=without_missing_words(values.texts))
    parsed, valid = _PARSERS[column.kind](values.texts)
    fine = np.where(values.blank(), column.gaps, valid)
    if not fine.all() or not column.gaps:
        _refuse_any(cells, ~values.rows(fine, missing=column.gaps), column, where)
    if column.kind is Kind.FLAG:
        return pd.Series(values.rows(parsed, missing=False), index=cells.index)
    if column.kind.is_number:
        return pd.Series(values.rows(parsed, missing=np.nan), index=cells.index)
    texts = parsed.tolist()
    if column.kind is Kind.KIND:
        return with_categories(values.codes, texts, TRUTHS, cells.index)
    return as_categories(values.codes, texts, cells.index)


def parse_declared(cells: pd.Series, column: Declared, where: object) -> pd.Series:
    """Give a column its proper type, or raise `InputError` for the first cell that has none."""
    if isinstance(column, Column):
        return parse_column(cells, column, where)
    values = distinct(cells)
    texts = ["" if not text.strip() else as_name(text) for text in values.texts]
    if isinstance(column, Prose):
        return as_categories(values.codes, texts, cells.index)
    texts = [plain_word(text, column.words) for text in texts]
    fine = values.rows(np.array([text in column.words for text in texts]), "" in column.words)
    if not fine.all():
        said = f"allowed is {column.said}; --values {column.name}=THEIRS:MEANING says what is meant"
        refuse_cell(cells, ~fine.astype(bool), where, column.name, said)
    return with_categories(values.codes, texts, column.words, cells.index)


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
    word = text.strip().casefold()
    return word if word in allowed else text


def refuse_cell(
    cells: pd.Series, refused: Flags, where: object, name: str, allowed: str
) -> NoReturn:
    """Raise `InputError` for the first refused cell of a column."""
    first = int(refused.argmax())
    value = cells.iloc[first]
    text = "" if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)
    problem = f"{shortened(text)!r} is not allowed" if text.strip() else "is empty"
    raise InputError(f"{where}, row {cells.index[first]}, column {name}", problem, allowed)


def _plain_numbers(cells: pd.Series, column: Column) -> pd.Series | None:
    """Read a column of text that is all allowed numbers; None where it is not."""
    plain = cells.dtype.kind == "O" and not isinstance(cells.dtype, pd.CategoricalDtype)
    if not plain or pd.api.types.infer_dtype(cells, skipna=False) != "string":
        return None
    values = floats(cells)
    fine = _NUMBERS[column.kind](values).all()
    return pd.Series(values, index=cells.index) if fine else None


def _checked_numbers(cells: pd.Series, column: Column, where: object) -> pd.Series:
    values = cells.to_numpy(dtype=float, na_value=np.nan)
    fine = np.where(np.isnan(values), column.gaps, _NUMBERS[column.kind](values))
    _refuse_any(cells, ~fine, column, where)
    return pd.Series(values, index=cells.index)


def _refuse_any(cells: pd.Series, refused: Flags, column: Column, where: object) -> None:
    if refused.any():
        text = str(cells.iloc[int(refused.argmax())])
        allowed = f"allowed is {column.kind.value}{_hint(text, column, cells)}"
        refuse_cell(cells, refused, where, column.name, allowed)


def _hint(text: str, column: Column, cells: pd.Series) -> str:
    if column.name == "condition":
        return "; rows of real images too carry the condition"
    if column.kind.is_number and _DECIMAL_COMMA.fullmatch(text):
        return ", with a decimal point instead of the comma"
    if column.kind is Kind.KIND and any(without_missing_words([text])):
        return _other_values(cells)
    return ""


def _other_values(cells: pd.Series) -> str:
    """Name the values of a column of real and fake that are neither, and the way to say it."""
    values = distinct(cells)
    used = {values.texts[code] for code in np.unique(values.codes) if code >= 0}
    words = without_missing_words(plain_word(text, TRUTHS) for text in used)
    others = sorted({word for word in words if word.strip()} - set(TRUTHS))
    named = few([repr(shortened(text, _LONGEST_VALUE)) for text in others], _MOST_VALUES)
    said = "--real VALUE and --fake VALUE say what stands for what, --missing VALUE what for none"
    return f"; found are {named}: {said}"


def _label(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
    names = list(map(as_name, texts))
    # Names end up on terminals and in figures: no control characters, no line breaks.
    return _words(names), np.array([name.isprintable() for name in names], dtype=bool)


def _one_of(*allowed: str) -> Callable[[Sequence[str]], tuple[npt.NDArray[Any], Flags]]:
    def parse(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
        words = [plain_word(text, allowed) for text in texts]
        return _words(words), np.array([word in allowed for word in words], dtype=bool)

    return parse


def _task(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
    # pandas.read_csv takes the word infinity for a number.
    words = ["infinity" if text.strip() == "inf" else text for text in texts]
    return _one_of(*Kind.TASK.words)(words)


def _flag(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
    # Spreadsheets and pandas spell the two words True, TRUE and true.
    words = np.array([text.lower() for text in texts], dtype=object)
    return words == "true", np.isin(words, ("true", "false"))


def _one_number(kind: Kind) -> Callable[[Sequence[str]], tuple[npt.NDArray[Any], Flags]]:
    def parse(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
        values = floats(texts)
        return values, _NUMBERS[kind](values)

    return parse


def _numbers(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
    each = [text.split() for text in texts]
    wrong = ~_not_negative(floats(list(chain.from_iterable(each))))
    text_of = np.repeat(np.arange(len(each)), [len(numbers) for numbers in each])
    valid = np.ones(len(each), dtype=bool)
    valid[text_of[wrong]] = False
    return _words(texts), valid


def _words(texts: Sequence[str]) -> npt.NDArray[Any]:
    return np.array([text if text.strip() else "" for text in texts], dtype=object)


def floats(texts: Sequence[str] | pd.Series) -> npt.NDArray[np.float64]:
    """Read numbers, NaN where a text is none.

    A comma is a decimal one where some cell has it elsewhere than before three digits, as thousands
    have it.
    """
    column = pd.Series(texts, dtype=object)
    commas = [text for text in column if isinstance(text, str) and _DECIMAL_COMMA.fullmatch(text)]
    if any(not _THOUSANDS.fullmatch(text) for text in commas):
        column = column.replace({text: text.replace(",", ".") for text in commas})
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)


def _not_negative(values: npt.NDArray[np.float64]) -> Flags:
    flags: Flags = (values >= 0) & (values < np.inf)
    return flags


def _whole(values: npt.NDArray[np.float64]) -> Flags:
    flags: Flags = _not_negative(values) & (np.floor(values) == values)
    return flags


_NUMBERS: dict[Kind, Callable[[npt.NDArray[np.float64]], Flags]] = {
    Kind.WHOLE: _whole,
    Kind.COUNT: lambda values: _whole(values) & (values > 0),
    Kind.POSITIVE: lambda values: _not_negative(values) & (values > 0),
    Kind.NUMBER: _not_negative,
}

_PARSERS: dict[Kind, Callable[[Sequence[str]], tuple[npt.NDArray[Any], Flags]]] = {
    Kind.LABEL: _label,
    Kind.KIND: _one_of(*TRUTHS),
    Kind.TASK: _task,
    Kind.FLAG: _flag,
    Kind.VERDICT: _one_of(*(verdict.value for verdict in Verdict)),
    Kind.RULE: _one_of(*Kind.RULE.words[:-1]),
    Kind.NUMBERS: _numbers,
    **{kind: _one_number(kind) for kind in _NUMBERS},
}
