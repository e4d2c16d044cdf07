"""The cells of a declared column: from what was given to its proper type, or a refusal.

A column is taken as its distinct values: what holds for a value is found out once, not row by row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.session.timing import Verdict
from hype.tables.columns import Column, Kind, Prose, shortened
from hype.tables.spreadsheet_text import without_missing_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from hype.tables.columns import Declared


Codes = npt.NDArray[np.integer[Any]]

_FIRST: Final = 16


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
        """Tell which of the texts are nothing but space."""
        return np.array([not text.strip() for text in self.texts], dtype=bool)


def distinct(cells: pd.Series) -> Distinct:
    """Give the distinct values of a column of any type as text."""
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
    """Tell whether any cell of a column holds anything."""
    if cells.dtype.kind in "iufb":
        return bool(cells.notna().any())
    # The first cells tell, but where a column begins with a gap.
    return any(_any_filled(part) for part in (cells.iloc[:_FIRST], cells.iloc[_FIRST:]))


def _any_filled(cells: pd.Series) -> bool:
    values = distinct(cells)
    return not bool(values.rows(values.blank(), missing=True).all())


def as_categories(codes: Codes, texts: Sequence[str], index: pd.Index) -> pd.Series:
    """Make a categorical column; its categories are sorted, and each is there in some row.

    ``codes``: for each row the position of its text; -1 for an empty one.
    ``texts``: what the rows say. Equal ones become one category.
    """
    used = np.bincount(np.add(codes, 1, dtype=np.intp), minlength=len(texts) + 1) > 0
    every = [*texts, ""]  # -1 is the last one
    categories = sorted(
        {text for text, there in zip(every, np.roll(used, -1), strict=True) if there}
    )
    return with_categories(codes, texts, categories, index)


def with_categories(
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
    """Leave out the categories that no row has of a column without missing cells."""
    if not isinstance(cells.dtype, pd.CategoricalDtype):
        return cells
    codes, categories = cells.cat.codes.to_numpy(), cells.cat.categories
    used = np.bincount(codes, minlength=len(categories)) > 0
    if used.all():
        return cells
    values = pd.Categorical.from_codes((np.cumsum(used) - 1)[codes], categories=categories[used])
    return pd.Series(values, index=cells.index)


def constant(text: str, index: pd.Index) -> pd.Series:
    return as_categories(np.zeros(len(index), dtype=np.int8), [text], index)


def _text(value: object) -> str:
    # A whole number becomes a float in pandas when some other cell of its column is empty.
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value)


Kept = npt.NDArray[np.bool_]


def rows_of(votes: pd.DataFrame, kept: Kept) -> pd.DataFrame:
    """Keep some rows, over the conditions, evaluators and prompts they have.

    ``votes``: as `check_comparisons` returns them.
    ``kept``: shape (rows,).
    """
    rows = votes[kept].copy(deep=False)
    both = {side: distinct(rows[side]) for side in ("left", "right")}
    names = sorted({str(name) for side in both for name in rows[side].unique()})
    for side, cells in both.items():
        rows[side] = with_categories(cells.codes, cells.texts, names, rows.index)
    for name in ("evaluator", "prompt"):
        if name in rows:
            rows[name] = only_used(rows[name])
    return rows


Flags = npt.NDArray[np.bool_]

TRUTHS = ("fake", "real")
"""The categories of truth and of answer, also where only one of them occurs."""


_MOST_VALUES = 5
_LONGEST_VALUE = 20

_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+\s*")


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
    texts = ["" if not text.strip() else text for text in values.texts]
    if isinstance(column, Prose):
        return as_categories(values.codes, texts, cells.index)
    texts = [plain_word(text, column.words) for text in texts]
    fine = values.rows(np.array([text in column.words for text in texts]), "" in column.words)
    if not fine.all():
        refuse_cell(cells, ~fine.astype(bool), where, column.name, f"allowed is {column.said}")
    return with_categories(values.codes, texts, column.words, cells.index)


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
    values = _floats(cells)
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
    more = f" and {len(others) - _MOST_VALUES} more" if len(others) > _MOST_VALUES else ""
    named = ", ".join(repr(shortened(text, _LONGEST_VALUE)) for text in others[:_MOST_VALUES])
    return f"; found are {named}{more}: --real VALUE and --fake VALUE say what stands for what"


def _label(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
    # Names end up on terminals and in figures: no control characters, no line breaks.
    return _words(texts), np.array([text.isprintable() for text in texts], dtype=bool)


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
        values = _floats(texts)
        return values, _NUMBERS[kind](values)

    return parse


def _numbers(texts: Sequence[str]) -> tuple[npt.NDArray[Any], Flags]:
    each = [text.split() for text in texts]
    wrong = ~_not_negative(_floats(list(chain.from_iterable(each))))
    text_of = np.repeat(np.arange(len(each)), [len(numbers) for numbers in each])
    valid = np.ones(len(each), dtype=bool)
    valid[text_of[wrong]] = False
    return _words(texts), valid


def _words(texts: Sequence[str]) -> npt.NDArray[Any]:
    return np.array([text if text.strip() else "" for text in texts], dtype=object)


def _floats(texts: Sequence[str] | pd.Series) -> npt.NDArray[np.float64]:
    column = pd.Series(texts, dtype=object)
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
    Kind.NUMBERS: _numbers,
    **{kind: _one_number(kind) for kind in _NUMBERS},
}
