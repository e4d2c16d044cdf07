"""What several judges answered, or how they scored images: one table of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError
from hype.tables.columns import shortened
from hype.tables.distinct import as_categories, distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

IntArray = npt.NDArray[np.int64]

FILE, ROW = "file", "row"

"""The columns that say where a row stood."""


def gathered(
    tables: Sequence[tuple[str, pd.DataFrame]], names: Sequence[str], numbers: Sequence[str] = ()
) -> pd.DataFrame:
    """Put tables below each other.

    Parameters
    ----------
    tables
        Each with the name of its file; their index counts rows as a text editor does.
    names
        The columns that hold names; where a table lacks one, its cells are empty text.
    numbers
        The columns that hold numbers, which every table has.

    Returns
    -------
    DataFrame
        Names as categories, numbers as floats, and the columns `FILE` and `ROW`.
    """
    lengths = [len(table) for _, table in tables]
    index = pd.RangeIndex(sum(lengths))
    files = np.repeat(np.arange(len(tables)), lengths)
    columns = {FILE: as_categories(files, [name for name, _ in tables], index)}
    rows = [table.index.to_numpy(dtype=np.int64) for _, table in tables]
    columns[ROW] = pd.Series(_joined(rows), index=index)
    for name in names:
        columns[name] = _names_of_files([table for _, table in tables], name, index)
    for name in numbers:
        values = [table[name].to_numpy(dtype=float) for _, table in tables]
        columns[name] = pd.Series(np.concatenate([*values, np.empty(0)]), index=index)
    return pd.DataFrame(columns)


def place_of(table: pd.DataFrame, row: int) -> str:
    return f"{table[FILE].iloc[row]}, row {table[ROW].iloc[row]}"


def _names_of_files(tables: list[pd.DataFrame], name: str, index: pd.Index) -> pd.Series:
    known: dict[str, int] = {}
    codes = [_codes(table, name, known) for table in tables]
    return as_categories(_joined(codes), list(known), index)


def _codes(table: pd.DataFrame, name: str, known: dict[str, int]) -> IntArray:
    """Number the cells of a column as all tables number them; -1 for empty ones."""
    if name not in table:
        return np.full(len(table), -1)
    cells = distinct(table[name])
    texts = [known.setdefault(text, len(known)) if text else -1 for text in cells.texts]
    return np.asarray(cells.rows(np.array(texts, dtype=np.int64), -1), dtype=np.int64)


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate([*parts, np.empty(0, dtype=np.int64)])


_OF_ANSWERS: Final = ("judge", "item", "axis", "answer")

_OF_SCORES: Final = ("judge", "image", "axis", "condition", "prompt", "style")


@dataclass(frozen=True, kw_only=True, eq=False)
class Judges:
    """Judges, as their files say.

    Parameters
    ----------
    answers
        Columns file, row, judge, item, axis, answer; categories, but the row, a whole number.
    scores
        Columns file, row, judge, image, axis, condition, prompt, style, all categories but row and
        score, a float; empty text where a file does not tell.
    """

    answers: pd.DataFrame
    scores: pd.DataFrame

    @property
    def names(self) -> tuple[str, ...]:
        """All judges, sorted."""
        return tuple(sorted({*self.answering, *self.scoring}))

    @property
    def answering(self) -> tuple[str, ...]:
        """Those who answer, sorted."""
        return tuple(self.answers["judge"].cat.categories)

    @property
    def scoring(self) -> tuple[str, ...]:
        """Those who score images, sorted."""
        return tuple(self.scores["judge"].cat.categories)


def joined(
    answers: Sequence[tuple[str, pd.DataFrame]], scores: Sequence[tuple[str, pd.DataFrame]]
) -> Judges:
    """Put the tables of several files together.

    Parameters
    ----------
    answers, scores
        Of each file its name and its checked rows.

    Raises
    ------
    InputError
        A judge says the same twice, or has rows in both.
    """
    judges = Judges(
        answers=gathered(answers, _OF_ANSWERS),
        scores=gathered(scores, _OF_SCORES, ["score"]),
    )
    _refuse_both_shapes(judges)
    _refuse_repeated(judges.answers, ("judge", "item", "axis"), "answers")
    _refuse_repeated(judges.scores, _OF_SCORES, "scores")
    return judges


def _refuse_both_shapes(judges: Judges) -> None:
    for name in sorted(set(judges.answering) & set(judges.scoring)):
        places = [
            place_of(table, int(table["judge"].eq(name).to_numpy().argmax()))
            for table in (judges.scores, judges.answers)
        ]
        problem = f"the judge {shortened(name)!r} scores images here, and answers in {places[1]}"
        raise InputError(places[0], problem, "one or the other; or two judges of two names")


def _refuse_repeated(table: pd.DataFrame, names: tuple[str, ...], does: str) -> None:
    key = np.zeros(len(table), dtype=np.int64)
    for name in names:
        cells = table[name].cat
        # Compacted, so that the product of many columns still fits.
        key = pd.factorize(key * max(1, len(cells.categories)) + cells.codes.to_numpy())[0]
    repeated = pd.Series(key).duplicated().to_numpy()
    if repeated.any():
        second = int(repeated.argmax())
        _refuse_row(table, int((key == key[second]).argmax()), second, names, does)


def _refuse_row(
    table: pd.DataFrame, first: int, second: int, names: tuple[str, ...], does: str
) -> NoReturn:
    cells = [(name, str(table[name].iloc[second])) for name in names[1:]]
    said = ", ".join(f"{name} {shortened(text)}" for name, text in cells if text)
    judge = shortened(str(table["judge"].iloc[second]))
    problem = f"the judge {judge!r} {does} the same twice ({said}), first in"
    allowed = f"one of its {does} for each"
    raise InputError(place_of(table, second), f"{problem} {place_of(table, first)}", allowed)
