"""The cells of a column: its distinct values; and their proper type, or a refusal.

What holds for a value is found out once, not row by row.
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
    """The values of a column, and which of them each row holds."""

    # For each row the position of its value, -1 where the cell is missing; shape (rows,)
    codes: Codes
    # The values as text; none twice, unless two of them read alike, and some perhaps unused
    texts: list[str]

    def rows(self, values: npt.NDArray[Any], missing: Any) -> npt.NDArray[Any]:
        """Give each row what `values` says of its text, and `missing` where there is none."""
        return np.append(values, missing)[self.codes]  # -1 is the last one

    def blank(self) -> npt.NDArray[np.bool_]:
        """Mark the texts that are only white space."""
        return np.array([not text.strip() for text in self.texts], dtype=bool)


def distinct(cells: pd.Series) -> Distinct:
    """Return the distinct values of a column of any type as text."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        codes, values = cells.cat.codes.to_numpy(), cells.cat.categories
    elif cells.dtype == object and pd.api.types.infer_dtype(cells) != "string":
        # Objects that are equal need not read alike (1 and True), and some have no hash.
        codes, values = pd.factorize(cells.map(_text, na_action="ignore"))
    else:
        codes, values = pd.factorize(cells)
    texts = [v if isinstance(v, str) else _text(v) for v in values.tolist()]
    return Distinct(codes=codes, texts=texts)


def is_filled(cells: pd.Series) -> bool:
    """Return whether any cell of a column holds anything."""
    if cells.dtype.kind in "iufb":
        return bool(cells.notna().any())
    values = distinct(cells)
    return not bool(values.rows(values.blank(), missing=True).all())


def make_categories(codes: Codes, texts: Sequence[str], index: pd.Index) -> pd.Series:
    """Make a categorical column; its categories are sorted, and each is there in some row.

    ``codes``: for each row the position of its text; -1 for an empty one.
    ``texts``: what the rows say. Equal ones become one category.
    """
    said = {texts[code] if code >= 0 else "" for code in np.unique(codes)}
    return fix_categories(codes, texts, sorted(said), index)


def fix_categories(
    codes: Codes, texts: Sequence[str], categories: Sequence[str], index: pd.Index
) -> pd.Series:
    """Make a categorical column with these categories; every text that a row says is among them."""
    if texts != categories or (codes < 0).any():
        place = {category: number for number, category in enumerate(categories)}
        moved = np.array([place.get(text, -1) for text in (*texts, "")])
        codes = moved[codes]
    values = pd.Categorical.from_codes(codes, categories=pd.Index(categories))
    return pd.Series(values, index=index)


def only_used(cells: pd.Series) -> pd.Series:
    """Leave out the categories that no row has."""
    is_categorical = isinstance(cells.dtype, pd.CategoricalDtype)
    return cells.cat.remove_unused_categories() if is_categorical else cells


def constant(text: str, index: pd.Index) -> pd.Series:
    return make_categories(np.zeros(len(index), dtype=np.int8), [text], index)


def plain(text: str) -> str:
    """Give a value without what does not count: a column of 1 and 0 with a gap says 1.0 and 0.0."""
    folded = text.strip().casefold()
    try:
        return str(float(folded))
    except ValueError:
        return folded


def _text(value: object) -> str:
    # A whole number becomes a float in pandas when some other cell of its column is empty.
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value)


MOST_CLASSES: Final = 50
"""Values beyond which a column does not hold classes."""


def classes(rows: pd.DataFrame, column: str) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Return the class of each row, -1 where it has none, and the names: by number if all are.

    Raises InputError: there is no such column, it is empty, or it has more values than
    `MOST_CLASSES`, or one that cannot be printed.
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
        raise InputError(column, "the column is empty", "a class for at least some judgements")
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
"""What an image is, and what it is judged to be."""

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

    Returns numbers as floats, NaN if there is none; flags as booleans; words as categories, of
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


def _are_gaps(cells: pd.Series) -> Flags:
    """Mark the cells that are empty or hold a word for "missing"."""
    values = distinct(cells)
    gaps = np.array([not text.strip() for text in blank_missing_words(values.texts)])
    return np.asarray(values.rows(gaps, missing=True), dtype=bool)


def _texts(cells: pd.Series, column: Column, where: object) -> pd.Series:
    values = distinct(cells)
    texts = values.texts
    if column.kind is Kind.TEXT and column.read is Read.ANSWER:
        texts = blank_missing_words(texts)
    names = [normalise_name(text) if text.strip() else "" for text in texts]
    if column.kind is not Kind.TEXT:
        refuse_rounded(cells, column.name, where)
        # Names end up on terminals and in figures: no control characters, no line breaks.
        fine = np.array([n.isprintable() and bool(n or column.gaps) for n in names], dtype=bool)
        _refuse_any(cells, ~values.rows(fine, missing=column.gaps), column, where)
    return make_categories(values.codes, names, cells.index)


def _parse(texts: Sequence[str], column: Column) -> tuple[npt.NDArray[Any], Flags]:
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
    """Return one of a few known words, whatever its case and the space around it."""
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
    refuse_cell(cells, refused, where, column.name, f"allowed is {column.allowed}{hint}")


def _other_values(cells: pd.Series) -> str:
    """Name values of a column that mean neither real nor fake, and how to give a meaning."""
    values = distinct(cells)
    used = {values.texts[code] for code in np.unique(values.codes) if code >= 0}
    words = blank_missing_words(plain_word(text, TRUTHS) for text in used)
    others = sorted({word for word in words if word.strip()} - set(TRUTHS))
    named = few([repr(shorten(text)) for text in others], 12)
    said = "--real VALUE and --fake VALUE say what stands for what, --missing VALUE what for none"
    return f"; found are {named}: {said}"


def floats(cells: Sequence[str] | pd.Series) -> npt.NDArray[np.float64]:
    """Read numbers, NaN if a text is none.

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


def _are_allowed(numbers: npt.NDArray[np.float64], kind: Kind) -> Flags:
    fine: Flags = np.isfinite(numbers)
    fine &= numbers > 0 if kind is Kind.POSITIVE else numbers >= kind.least
    if kind.cell_type is CellType.WHOLE:
        fine &= np.floor(numbers) == numbers
    return fine
