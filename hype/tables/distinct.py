"""A column as its distinct values: what holds for a value is found out once, not row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.files import as_name

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
    values = distinct(cells)
    return not bool(values.rows(values.blank(), missing=True).all())


def as_categories(codes: Codes, texts: Sequence[str], index: pd.Index) -> pd.Series:
    """Make a categorical column; its categories are sorted, and each is there in some row.

    ``codes``: for each row the position of its text; -1 for an empty one.
    ``texts``: what the rows say. Equal ones become one category.
    """
    said = {texts[code] if code >= 0 else "" for code in np.unique(codes)}
    return with_categories(codes, texts, sorted(said), index)


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
    """Leave out the categories that no row has."""
    is_categorical = isinstance(cells.dtype, pd.CategoricalDtype)
    return cells.cat.remove_unused_categories() if is_categorical else cells


def constant(text: str, index: pd.Index) -> pd.Series:
    return as_categories(np.zeros(len(index), dtype=np.int8), [text], index)


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
    """Give the class of each row, -1 where it has none, and the names: by number if all are.

    Raises InputError: there is no such column, it is empty, or it does not look like classes: more
    than `MOST_CLASSES` values, or numbers most of which differ; a value that cannot be printed.
    """
    if column not in rows:
        columns = ", ".join(map(str, rows.columns))
        raise InputError(column, "there is no such column", f"columns are {columns}")
    cells = distinct(rows[column])
    texts = [as_name(text.strip()) for text in cells.texts]
    used = {texts[code] for code in np.unique(cells.codes[cells.codes >= 0])} - {""}
    numbers = all(map(_is_number, used))
    names = sorted(used, key=lambda text: (float(text) if numbers else 0.0, text))
    place = {name: number for number, name in enumerate(names)}
    codes = cells.rows(np.array([place.get(text, -1) for text in texts], dtype=np.int64), -1)
    filled = int((codes >= 0).sum())
    if not names:
        raise InputError(column, "the column is empty", "a class for at least some judgements")
    if len(names) > MOST_CLASSES:
        problem = f"does not look like classes: it has {len(names)} values"
        raise InputError(column, problem, f"at most {MOST_CLASSES}")
    if numbers and len(names) > filled / 2:
        problem = f"does not look like classes: {len(names)} numbers in {filled} judgements"
        raise InputError(column, problem, "values that many judgements share")
    if odd := next((name for name in names if not name.isprintable()), None):
        raise InputError(column, f"{odd!r} cannot be printed", "printable values")
    return codes, tuple(names)


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def codes_of(cells: pd.Series) -> npt.NDArray[np.int64]:
    return np.asarray(cells.cat.codes.to_numpy(), dtype=np.int64)
