"""The CSV files of automated judges and preference models: answers to items, or scores of images.

A file says by its header which of the two it holds. It may hold several judges, and a judge may be
spread over several files; a file without the column judge holds one, which is called as the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.judges.table import Judges, joined
from hype.tables.cells import parse_column, refuse_cell
from hype.tables.column_names import listed, refuse_doubtful
from hype.tables.columns import Column, Kind
from hype.tables.csv_table import read_text_table
from hype.tables.distinct import constant, distinct
from hype.tables.names import refuse_missing_names, take_guards_off

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

_JUDGE: Final = Column(name="judge", kind=Kind.LABEL, meaning="who judged, by machine")
_ANSWER: Final = Column(name="answer", kind=Kind.LABEL, gaps=True, meaning="what it answered")

_OF_ANSWERS: Final = (
    Column(name="item", kind=Kind.LABEL, meaning="the pair, or the single image"),
    Column(name="axis", kind=Kind.LABEL, meaning="what was asked"),
    _ANSWER,
)
_OF_SCORES: Final = (
    Column(name="image", kind=Kind.LABEL, meaning="path or name of the image"),
    Column(name="axis", kind=Kind.LABEL, gaps=True, meaning="what the score is of"),
    Column(name="condition", kind=Kind.LABEL, gaps=True, meaning="what made the image"),
    Column(name="prompt", kind=Kind.LABEL, gaps=True, meaning="what the image shows"),
    Column(name="style", kind=Kind.LABEL, gaps=True, meaning="the style of the prompt"),
)
_SCORE: Final = "score"
_NEEDED: Final = "needed are item, axis, answer, or else image, score"


def read_judges(paths: Sequence[str | PathLike[str]]) -> Judges:
    """Read the files of judges, and check all that can be checked without people's answers.

    Parameters
    ----------
    paths
        CSV files of either shape, as `read_text_table` reads them; of a folder all ``*.csv``. The
        same file twice counts once. An empty answer or score counts as none.

    Raises
    ------
    InputError
        For the first thing that is wrong, naming the file, and the row as a text editor counts it:
        there is no file; a needed column is missing, or a file has both shapes; a name is missing
        or cannot be printed; a score is no number; a judge answers or scores the same twice, or has
        files of both shapes.
    """
    answers, scores = [], []
    for path in _files(paths):
        table = read_text_table(path)
        if _has_scores(table, path):
            scores.append((str(path), _scores(table, path)))
        else:
            answers.append((str(path), _answers(table, path)))
    return joined(answers, scores)


def _files(paths: Sequence[str | PathLike[str]]) -> list[Path]:
    found: dict[Path, Path] = {}
    for path in _each(map(Path, paths)):
        found.setdefault(path.resolve(), path)
    if not found:
        raise InputError("judges", "no file is given", "one CSV file or more, or a folder of them")
    return list(found.values())


def _each(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(path.glob("*.csv"))
        if not inside:
            raise InputError(path, "the folder holds no CSV file", "files whose names end in .csv")
        yield from inside


def _has_scores(table: pd.DataFrame, path: Path) -> bool:
    """Tell which shape a file has, and refuse one that has neither or both."""
    given = list(table.columns)
    refuse_doubtful(given, ["judge", "item", "axis", "answer", "image", _SCORE], path)
    if "answer" in given and _SCORE in given:
        problem = "has both a column 'answer' and a column 'score'"
        raise InputError(path, problem, "answers and scores in files of their own")
    scores = _SCORE in given or ("answer" not in given and "image" in given)
    needed = ("image", _SCORE) if scores else ("item", "axis", "answer")
    missing = [name for name in needed if name not in given]
    if missing:
        allowed = f"{_NEEDED}; found are {listed(given)}"
        raise InputError(path, f"the column {missing[0]!r} is missing", allowed)
    if table.empty:
        raise InputError(path, f"holds no {'scores' if scores else 'answers'}", "one row for each")
    return scores


def _answers(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    return _names(table, _OF_ANSWERS, path)


def _scores(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    numbers = _numbers(table[_SCORE], path)
    return _names(table, _OF_SCORES, path).assign(score=numbers)


def _names(table: pd.DataFrame, columns: tuple[Column, ...], path: Path) -> pd.DataFrame:
    """Read the columns of names, the judge's among them."""
    held = [column for column in (_JUDGE, *columns) if column.name in table]
    refuse_missing_names(table, [column.name for column in held if column is not _ANSWER], path)
    cells = pd.DataFrame({column.name: table[column.name] for column in held})
    take_guards_off(cells, [column.name for column in held])
    read = {column.name: parse_column(cells[column.name], column, path) for column in held}
    if "judge" not in read:
        read["judge"] = constant(path.stem, table.index)
    return pd.DataFrame(read)


def _numbers(cells: pd.Series, path: Path) -> pd.Series:
    """Read scores, which may be below zero; NaN where the cell is empty."""
    values = distinct(cells)
    parsed = pd.to_numeric(pd.Series(values.texts, dtype=object), errors="coerce")
    numbers = parsed.to_numpy(dtype=float)
    fine = np.isfinite(numbers) | values.blank()
    if not fine.all():
        allowed = "allowed is a number with a decimal point, or nothing where there is no score"
        refuse_cell(cells, ~values.rows(fine, missing=True), path, _SCORE, allowed)
    return pd.Series(values.rows(numbers, missing=np.nan), index=cells.index)
