"""Convert the cells of a column to its type, or refuse them.

Each distinct value is examined once, not once per row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError, few
from hype.files import blank_missing_words, normalise_name
from hype.tables.columns import CellType, Column, Kind, Read, shorten

Codes = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """The distinct values of a column, and the value of each row."""

    codes: Codes  # for each row the index of its text, -1 if the cell is missing; shape (rows,)
    # The values as text. Different values can have the same text; some texts occur in no row
    texts: list[str]

    def rows(self, values: npt.NDArray[Any], missing: Any) -> npt.NDArray[Any]:
        """Return each row's value, by its text (``values``: one per text), or ``missing``."""
        return np.append(values, missing)[self.codes]  # code -1 takes the last entry

    def blank(self) -> npt.NDArray[np.bool_]:
        """Mark texts that are only white space."""
        return np.array([not text.strip() for text in self.texts], dtype=bool)


def distinct(cells: pd.Series) -> Distinct:
    """Return the distinct values of a column of any type, as text."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        codes, values = cells.cat.codes.to_numpy(), cells.cat.categories
    elif cells.dtype == object and pd.api.types.infer_dtype(cells) != "string":
        # As text, because 1 equals True, and some objects cannot be hashed.
        codes, values = pd.factorize(cells.map(_text, na_action="ignore"))
    else:
        codes, values = pd.factorize(cells)
    texts = [v if isinstance(v, str) else _text(v) for v in values.tolist()]
    return Distinct(codes=codes, texts=texts)


def is_filled(cells: pd.Series) -> bool:
    if cells.dtype.kind in "iufb":
        return bool(cells.notna().any())
    values = distinct(cells)
    return not bool(values.rows(values.blank(), missing=True).all())


def make_categories(codes: Codes, texts: Sequence[str], index: pd.Index) -> pd.Series:
    """Make a categorical column; its categories are the sorted texts of its rows.

    ``codes``: the index of each row's text; -1 if empty. ``texts``: may repeat.
    """
    said = {texts[code] if code >= 0 else "" for code in np.unique(codes)}
    return fix_categories(codes, texts, sorted(said), index)


def fix_categories(
    codes: Codes, texts: Sequence[str], categories: Sequence[str], index: pd.Index
) -> pd.Series:
    """Make a categorical column. ``categories`` must include all texts of the rows."""
    if texts != categories or (codes < 0).any():
        place = {category: number for number, category in enumerate(categories)}
        moved = np.array([place.get(text, -1) for text in (*texts, "")])
        codes = moved[codes]
    values = pd.Categorical.from_codes(codes, categories=pd.Index(categories))
    return pd.Series(values, index=index)


def only_used(cells: pd.Series) -> pd.Series:
    """Drop the categories that no row has."""
    is_categorical = isinstance(cells.dtype, pd.CategoricalDtype)
    return cells.cat.remove_unused_categories() if is_categorical else cells


def constant(text: str, index: pd.Index) -> pd.Series:
    return make_categories(np.zeros(len(index), dtype=np.int8), [text], index)


def plain(text: str) -> str:
    """Return a text in the form for comparisons: trimmed, in lower case, with 1 written as 1.0."""
    folded = text.strip().casefold()
    try:
        return str(float(folded))
    except ValueError:
        return folded


def _text(value: object) -> str:
    # pandas reads 1 as 1.0 if another cell of the column is empty; here it becomes 1 again.
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value)


MOST_CLASSES: Final = 50
"""The maximum number of classes that a column may have."""


def classes(rows: pd.DataFrame, column: str) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Return the class of each row (-1 if its cell is empty) and the names of the classes.

    Names are sorted as numbers if all are numbers. Raises InputError: the column is missing, is
    empty, has more values than `MOST_CLASSES`, or has a value that cannot be printed.
    """
    if column not in rows:
        columns = ", ".join(map(str, rows.columns))
        raise InputError(column, "there is no such column", f"columns are {columns}")
    cells = distinct(rows[column])
    texts = [normalise_name(text.strip()) for text in cells.texts]
    used = {texts[code] for code in np.unique(cells.codes[cells.codes >= 0])} - {""}
    numbers = pd.to_numeric(pd.Series([*used], dtype=object), errors="coerce")
    ranks = dict(zip(used, numbers, strict=True)) if np.isfinite(numbers).all() else {}
    names = sorted(used, key=lambda text: (ranks.get(text, 0), text))
    place = {name: number for number, name in enumerate(names)}
    codes = cells.rows(np.array([place.get(text, -1) for text in texts], dtype=np.int64), -1)
    if not names:
        raise InputError(column, "the column is empty", "a class for at least some answers")
    if len(names) > MOST_CLASSES:
        problem = f"does not look like classes: it has {len(names)} values"
        raise InputError(column, problem, f"at most {MOST_CLASSES}")
    if odd := next((name for name in names if not name.isprintable()), None):
        raise InputError(column, f"{odd!r} cannot be printed", "printable values")
    return codes, tuple(names)


def codes_of(cells: pd.Series) -> npt.NDArray[np.int64]:
    return np.asarray(cells.cat.codes.to_numpy(), dtype=np.int64)


Flags = npt.NDArray[np.bool_]

TRUTHS = ("fake", "real")
"""The two values of the columns truth and answer."""

MOST_EXACT = 2.0**53
"""Above this number, floats cannot represent every whole number."""
IN_POWERS = re.compile(r"\d(\.\d+)?[eE]\+\d\d")
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+\s*")
_THOUSANDS = re.compile(r"\s*[-+]?\d{1,3},\d{3}\s*")


def parse_column(cells: pd.Series, column: Column, where: object) -> pd.Series:
    """Convert a column to its type, or raise `InputError` for the first cell that does not fit.

    ``cells``: the column as read, of any type; messages name its rows by its index. ``column``: its
    declaration. ``where``: the table's name in messages. Returns numbers as floats, flags as
    booleans, and everything else as categories. Empty numbers are NaN, and so are empty words in a
    column of answers; empty flags are False; any other empty cell is empty text.
    """
    if column.is_text:
        return _texts(cells, column, where)
    if column.kind.is_number:
        numbers = floats(cells)
        refused = ~_are_allowed(numbers, column.kind)
        if column.gaps and refused.any():
            left = distinct(cells[refused])
            gaps = np.array([not text.strip() for text in blank_missing_words(left.texts)])
            refused[refused] = ~np.asarray(left.rows(gaps, missing=True), dtype=bool)
        _refuse_any(cells, refused, column, where)
        return pd.Series(numbers, index=cells.index)
    values = distinct(cells)
    texts = values.texts
    if column.gaps:
        filled = blank_missing_words(texts)
        texts = [t if _word(t) in column.levels else f for t, f in zip(texts, filled, strict=True)]
        values = replace(values, texts=texts)
    parsed, valid = _parse(texts, column)
    fine = np.where(values.blank(), column.gaps, valid)
    _refuse_any(cells, ~values.rows(fine, missing=column.gaps), column, where)
    if column.kind is Kind.FLAG:
        return pd.Series(values.rows(parsed, missing=False), index=cells.index)
    if column.kind is Kind.NUMBERS:
        return make_categories(values.codes, parsed.tolist(), cells.index)
    gap = [""] if column.read is Read.OPTIONAL else []
    return fix_categories(values.codes, parsed.tolist(), [*gap, *column.levels], cells.index)


def _texts(cells: pd.Series, column: Column, where: object) -> pd.Series:
    values = distinct(cells)
    texts = values.texts
    if column.kind is Kind.TEXT and column.read is Read.ANSWER:
        texts = blank_missing_words(texts)
    names = [normalise_name(text) if text.strip() else "" for text in texts]
    if column.kind is not Kind.TEXT:
        refuse_rounded(cells, column.name, where)
        # Names appear on terminals and in figures, so they must be printable.
        fine = np.array([n.isprintable() and bool(n or column.gaps) for n in names], dtype=bool)
        _refuse_any(cells, ~values.rows(fine, missing=column.gaps), column, where)
    return make_categories(values.codes, names, cells.index)


def _parse(texts: Sequence[str], column: Column) -> tuple[npt.NDArray[Any], Flags]:
    """Convert each distinct value to the column's type, and mark the allowed ones."""
    if column.kind is Kind.WORD:
        words = [_word(text) for text in texts]
        fine = np.array([word in column.levels for word in words], dtype=bool)
        return np.array([word if word.strip() else "" for word in words], dtype=object), fine
    if column.kind is Kind.FLAG:
        # Spreadsheets write TRUE, pandas writes True.
        flags = np.array([text.lower() for text in texts], dtype=object)
        return flags == "true", np.isin(flags, ("true", "false"))
    each = [_are_allowed(floats(text.split()), Kind.NUMBER).all() for text in texts]
    given = [text if text.strip() else "" for text in texts]
    return np.array(given, dtype=object), np.array(each, dtype=bool)


def refuse_rounded(cells: pd.Series, name: str, where: object) -> None:
    """Refuse names that a program read as numbers and rounded: different names may now be equal."""
    if cells.dtype.kind == "f":
        rounded = (cells.abs() >= MOST_EXACT).to_numpy()
    else:
        values = distinct(cells)
        in_powers = [IN_POWERS.fullmatch(text.strip()) is not None for text in values.texts]
        rounded = values.rows(np.array(in_powers, dtype=bool), missing=False)
    if rounded.any():
        refuse_cell(cells, rounded, where, name, "the number was rounded; read the column as text")


def plain_word(text: str, allowed: Collection[str]) -> str:
    """Return the allowed word that equals a text except for case and spaces, or the text itself."""
    word = _word(text)
    return word if word in allowed else text


def _word(text: str) -> str:
    # pandas.read_csv reads the word "infinity" as a number and writes that number as "inf".
    word = text.strip().casefold()
    return "infinity" if word == "inf" else word


def refuse_cell(
    cells: pd.Series, refused: Flags, where: object, name: str, allowed: str
) -> NoReturn:
    """Raise `InputError` for the first refused cell of a column."""
    first = int(refused.argmax())
    value = cells.iloc[first]
    text = "" if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)
    problem = f"{shorten(text)!r} is not allowed" if text.strip() else "is empty"
    raise InputError(f"{where}, row {cells.index[first]}, column {name}", problem, allowed)


def _refuse_any(cells: pd.Series, refused: Flags, column: Column, where: object) -> None:
    if not refused.any():
        return
    text, hint = str(cells.iloc[int(refused.argmax())]), column.hint
    if column.kind.is_number and _DECIMAL_COMMA.fullmatch(text):
        hint = ", with a decimal point instead of the comma"
    elif set(column.levels) >= set(TRUTHS) and any(blank_missing_words([text])):
        hint = _other_values(cells)
    refuse_cell(cells, refused, where, column.name, f"it must be {column.allowed}{hint}")


def _other_values(cells: pd.Series) -> str:
    """List the values that mean neither real nor fake, and the options that give their meaning."""
    values = distinct(cells)
    used = {values.texts[code] for code in np.unique(values.codes) if code >= 0}
    words = blank_missing_words(plain_word(text, TRUTHS) for text in used)
    others = sorted({word for word in words if word.strip()} - set(TRUTHS))
    named = few([repr(shorten(text)) for text in others], 12)
    said = (
        "--real VALUE and --fake VALUE give the meaning of a value in 'truth' and 'answer', "
        "and may be repeated; --missing VALUE marks a missing answer"
    )
    return f"; found: {named}; {said}"


def floats(cells: Sequence[str] | pd.Series) -> npt.NDArray[np.float64]:
    """Convert cells to numbers; other text becomes NaN.

    A comma is read as a decimal comma. But if three digits follow every comma in the column, commas
    may separate thousands, so these cells become NaN.
    """
    if isinstance(cells, pd.Series) and cells.dtype.kind in "iuf":
        return cells.to_numpy(dtype=float, na_value=np.nan)
    column = pd.Series(cells, dtype=object)
    texts = (text for text in column if isinstance(text, str) and "," in text)
    commas = [text for text in texts if _DECIMAL_COMMA.fullmatch(text)]
    if any(not _THOUSANDS.fullmatch(text) for text in commas):
        column = column.replace({text: text.replace(",", ".") for text in commas})
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)


def _are_allowed(numbers: npt.NDArray[np.float64], kind: Kind) -> Flags:
    fine: Flags = np.isfinite(numbers)
    fine &= numbers > 0 if kind is Kind.POSITIVE else numbers >= kind.least
    if kind.cell_type is CellType.WHOLE:
        fine &= np.floor(numbers) == numbers
    return fine
