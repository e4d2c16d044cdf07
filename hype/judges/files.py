"""The CSV files of automated judges and preference models: answers to items, or scores of images.

The header shows whether a file contains answers or scores. A file may contain several judges, and a
judge may have several files. Without a column judge, the file's name is the judge's name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.asking.questions import ImageQuestion, name_of_pair
from hype.errors import InputError
from hype.session.materials import read_columns, read_stimuli
from hype.stimuli.manifest import Truth
from hype.study.studies import AnyStudy
from hype.tables.answers import refuse_missing_names, remove_apostrophes
from hype.tables.cells import constant, distinct, make_categories, parse_column, refuse_cell
from hype.tables.columns import Column, Kind, Read, list_columns, match_names, several, shorten
from hype.tables.table_files import read_text_table

FILE, ROW = "file", "row"
"""Two added columns: the file that a row comes from, and the row's number in that file."""


def place_of(table: pd.DataFrame, row: int) -> str:
    return f"{table[FILE].iloc[row]}, row {table[ROW].iloc[row]}"


_ANSWER_COLUMNS: Final = ("judge", "item", "axis", "first_side", "answer", "repeat", "missing")
_SCORE_COLUMNS: Final = (
    *("judge", "image", "axis", "condition", "prompt", "style"),
    *("order", "repeat"),  # these columns distinguish scores of the same image
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Judges:
    """The answers and scores of judges, as in their files."""

    # Columns file, row, judge, item, axis, first_side, answer, repeat, missing; all are categories
    # except row, a whole number. first_side is "left" if the item's first image was shown first,
    # "right" if the second was, and empty if unknown.
    answers: pd.DataFrame
    # Columns file, row, judge, image, axis, condition, prompt, style, score; all are categories
    # except row and score, a float. Empty text if unknown.
    scores: pd.DataFrame


def join_files(answers: Sequence[pd.DataFrame], scores: Sequence[pd.DataFrame]) -> Judges:
    """Join the checked rows of several files.

    Raises InputError: a judge repeats an answer or a score, or has both answers and scores.
    """
    judges = Judges(answers=_stack(answers, _ANSWER_COLUMNS), scores=_stack(scores, _SCORE_COLUMNS))
    numbers = [table[_SCORE].to_numpy(dtype=float) for table in scores]
    judges.scores[_SCORE] = np.concatenate([*numbers, np.empty(0)])
    answering, scoring = (
        set(table["judge"].cat.categories) for table in (judges.answers, judges.scores)
    )
    for name in sorted(answering & scoring):
        scored, answered = (
            place_of(table, int(table["judge"].eq(name).to_numpy().argmax()))
            for table in (judges.scores, judges.answers)
        )
        problem = f"the judge {shorten(name)!r} scores images here, but has answers in {answered}"
        raise InputError(
            scored, problem, "a judge has either answers or scores; give two judges two names"
        )
    key = ("judge", "item", "axis", "first_side", "repeat")
    _refuse_repeated(judges.answers, key, "answers the same question")
    _refuse_repeated(judges.scores, _SCORE_COLUMNS, "scores the same image")
    return judges


def _stack(tables: Sequence[pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """Stack columns of several tables; if a table lacks a column, its cells are empty text."""
    rows = [table[ROW].to_numpy(dtype=np.int64) for table in tables]
    columns = {ROW: pd.Series(np.concatenate([*rows, np.empty(0, dtype=np.int64)]))}
    for name in (FILE, *names):
        cells = (
            table[name].astype(object)
            if name in table
            else pd.Series("", index=table.index, dtype=object)
            for table in tables
        )
        values = distinct(pd.concat([pd.Series(dtype=object), *cells]))
        columns[name] = make_categories(values.codes, values.texts, columns[ROW].index)
    return pd.DataFrame(columns)


def _refuse_repeated(table: pd.DataFrame, names: tuple[str, ...], does: str) -> None:
    if again := first_repeated(table, names):
        row = table.iloc[again[1]]
        cells = ", ".join(f"{name} {shorten(row[name])}" for name in names[1:] if row[name])
        first, second = (place_of(table, number) for number in again)
        problem = f"the judge {shorten(row['judge'])!r} {does} twice ({cells}), first in"
        raise InputError(second, f"{problem} {first}", f"the judge {does} only once")


def first_repeated(table: pd.DataFrame, names: Iterable[str]) -> tuple[int, int] | None:
    """Find the first row that repeats an earlier row; return the numbers of both rows.

    ``names``: the columns to compare; all of them are categories.
    """
    key = np.zeros(len(table), dtype=np.int64)
    for name in names:
        cells = table[name].cat
        # Renumber the codes after each column, so that codes of many columns fit into 64 bits.
        key = pd.factorize(key * max(1, len(cells.categories)) + cells.codes.to_numpy())[0]
    repeated = pd.Series(key).duplicated().to_numpy()
    second = int(repeated.argmax()) if repeated.any() else 0
    return (int((key == key[second]).argmax()), second) if second else None


def _column(name: str, meaning: str, *, gaps: bool = True) -> Column:
    read = Read.OPTIONAL if gaps else Read.NEEDED
    return Column(name, Kind.NAME, meaning, read=read)


_JUDGE: Final = _column("judge", "the name of the judge", gaps=False)
_REPEAT: Final = _column("repeat", "which repeat of the question this is")
_ANSWERED: Final = (
    _column("answer", "the judge's answer"),
    _REPEAT,
    _column("missing", "why there is no answer"),
)
_OF_ANSWERS: Final = {
    "item": (
        _column("item", "the pair, or the single image", gaps=False),
        _column("axis", "the question", gaps=False),
        _column(
            "first_side", "left if the item's first image was shown first, right if the second was"
        ),
        *_ANSWERED,
    ),
    "left_image": (
        _column("left_image", "the image shown first", gaps=False),
        _column("right_image", "the image shown second", gaps=False),
        *_ANSWERED,
    ),
    "image": (_column("image", "the image that was judged", gaps=False), *_ANSWERED),
}
"""The columns of a file of answers, for each column that can name the item (the key)."""
_OF_SCORES: Final = (
    _column("image", "path or name of the image", gaps=False),
    _column("axis", "the axis of the score"),
    _column("condition", "the model that made the image"),
    _column("prompt", "the prompt of the image"),
    _column("style", "the style of the prompt"),
    _column("order", "the order in which the images were shown"),
    _REPEAT,
)

_SCORE: Final = "score"


def read_judges(paths: str | PathLike[str] | Sequence[str | PathLike[str]]) -> Judges:
    """Read the files of judges, and check all that can be checked without people's answers.

    ``paths``: CSV files with answers or scores (see `read_text_table`), or folders with such
        files. A file that is given twice is read once. An empty answer or score counts as missing.

    Raises InputError for the first error, with the file and the number of the line: there is no
    file; a required column is missing; a file has both answers and scores; a name is missing or
    cannot be printed; a score is not a number; a judge repeats an answer or a score, or has both
    answers and scores.
    """
    answers, scores = [], []
    found: dict[Path, Path] = {}
    for path in map(Path, several("--judges", paths)):
        inside = sorted(path.glob("*.csv")) if path.is_dir() else [path]
        if not inside:
            raise InputError(path, "the folder has no CSV file", "files whose names end in .csv")
        for each in inside:
            found.setdefault(each.resolve(), each)
    if not found:
        raise InputError("judges", "no file is given", "one or more CSV files, or a folder of them")
    for path in found.values():
        table = match_names(read_text_table(path), _COLUMNS, path)
        if _has_scores(table, path):
            numbers = parse_scores(table[_SCORE], path)
            scores.append(_names(table, _OF_SCORES, path).assign(score=numbers))
        else:
            answers.append(_answers(table, path))
    return join_files(answers, scores)


_COLUMNS: Final = (
    *("judge", "item", "axis", "left_image", "right_image", "image", "answer", _SCORE),
)
"""Columns whose names in a file may differ from these in case, spaces or punctuation."""


def _has_scores(table: pd.DataFrame, path: Path) -> bool:
    """Return whether a file has scores (True) or answers; refuse a file with neither or both."""
    given = list(table.columns)
    if "answer" in given and _SCORE in given:
        problem = "has a column 'answer' and a column 'score'"
        raise InputError(path, problem, "answers and scores in separate files")
    scores = _SCORE in given or ("answer" not in given and "image" in given)
    about = next((name for name in _OF_ANSWERS if name in table), "item")
    of_answers = [column.name for column in _OF_ANSWERS[about] if not column.gaps]
    needed = ("image", _SCORE) if scores else (*of_answers, "answer")
    missing = [name for name in needed if name not in given]
    if missing:
        either = "" if scores else ", or image and score"
        allowed = f"required: {', '.join(needed)}{either}; found: {list_columns(given)}"
        raise InputError(path, f"the column {missing[0]!r} is missing", allowed)
    if table.empty:
        raise InputError(path, f"has no {'scores' if scores else 'answers'}", "one row for each")
    return scores


def _answers(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Read answers about items.

    Answers about a left and a right image become levels: 1 if the item's first image is better, 2
    for a tie, else 3. Answers about one image become yes (real) or no (fake).
    """
    about = next(name for name in _OF_ANSWERS if name in table)
    names, (checked, *words) = _names(table, _OF_ANSWERS[about], path), _WORDS[about]
    if checked in names and not (fine := names[checked].isin(["", *words]).to_numpy()).all():
        allowed = f"it must be {', '.join(words)}, or an empty cell"
        refuse_cell(names[checked], ~fine, path, checked, allowed)
    if about == "item":
        return names
    answer, axis = names["answer"].astype(str), pd.Categorical([""] * len(names))
    if about == "image":
        answer = answer.replace({"real": "yes", "fake": "no"})
        return names.assign(item=names["image"], axis=axis, answer=pd.Categorical(answer))
    left, right = (names[name].astype(str).to_numpy() for name in ("left_image", "right_image"))
    turned = left > right
    better = answer.where(~turned, answer.replace({"left": "right", "right": "left"}))
    return names.assign(
        item=pd.Categorical(list(map(name_of_pair, left, right))),
        axis=axis,
        first_side=pd.Categorical(np.where(turned, "right", "left")),
        answer=pd.Categorical(better.replace({"left": "1", "tie": "2", "right": "3"})),
    )


_WORDS: Final = {
    "item": ("first_side", "left", "right"),
    "left_image": ("answer", "left", "right", "tie"),
    "image": ("answer", "real", "fake"),
}
"""By the column that names the item: the column that allows only some words, then the words."""


def _names(table: pd.DataFrame, columns: tuple[Column, ...], path: Path) -> pd.DataFrame:
    held = [column for column in (_JUDGE, *columns) if column.name in table]
    refuse_missing_names(table, [column.name for column in held if column.name != "answer"], path)
    cells = pd.DataFrame({column.name: table[column.name] for column in held})
    remove_apostrophes(cells, [column.name for column in held])
    read = {column.name: parse_column(cells[column.name], column, path) for column in held}
    if "judge" not in read:
        read["judge"] = constant(path.stem, table.index)
    return pd.DataFrame(read).assign(file=str(path), row=table.index)


def parse_scores(cells: pd.Series, path: Path) -> pd.Series:
    """Read scores; they may be negative, and an empty cell becomes NaN."""
    values = distinct(cells)
    parsed = pd.to_numeric(pd.Series(values.texts, dtype=object), errors="coerce")
    numbers = parsed.to_numpy(dtype=float)
    fine = np.isfinite(numbers) | values.blank()
    if not fine.all():
        allowed = "it must be a number, such as -0.25, or an empty cell"
        refuse_cell(cells, ~values.rows(fine, missing=True), path, _SCORE, allowed)
    return pd.Series(values.rows(numbers, missing=np.nan), index=cells.index)


def judges_in(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    study: AnyStudy | None,
    asked: Iterable[ImageQuestion] = (),
    *,
    rated: Iterable[str] = (),
) -> Judges:
    """Read the files of judges, to compare them with the answers of a study or of a table.

    ``asked``: the study's questions to judges; read only if needed.
    ``rated``: the items that people rated; answers about other items of the study are dropped.

    Raises InputError: as in `read_judges`.
    """
    judges = read_judges(paths)
    if not judges.answers.empty:
        judges = drop_items(judges, {each.item for each in asked} - set(map(str, rated)))
    if judges.scores.empty or not (study and study.of_prompts):
        return judges
    return add_image_facts(judges, read_image_facts(study))


def margin_of(given: float | None, planned: Any) -> float | None:
    """Return the given margin for judges; if none is given, the study's planned margin."""
    margin: float | None = planned.judge_margin if given is None and planned else given
    return margin


ImageFacts = Mapping[str, str]
"""An image's condition, prompt and style; empty text for no style."""


def read_image_facts(study: AnyStudy) -> dict[str, ImageFacts]:
    """Read, from a study's manifest, the facts about each image that has a prompt.

    Raises InputError: the manifest cannot be read.
    """
    asked = study.of_prompts
    if asked is None:
        return {}
    extra = read_columns(study)
    columns: dict[str, ImageFacts] = {}
    for stimulus in read_stimuli(study).stimuli:
        cells = extra[stimulus.path]
        if shows := cells.get(asked.prompt_column, ""):
            columns[stimulus.path] = {
                "condition": "real" if stimulus.truth is Truth.REAL else stimulus.condition,
                "prompt": asked.prompts.get(shows, shows),
                "style": cells.get("style", ""),
            }
    return columns


def add_image_facts(judges: Judges, images: Mapping[str, ImageFacts]) -> Judges:
    """Add the study's facts about images, matched by path, to scores without a prompt."""
    scores = judges.scores
    paths, codes = scores["image"].cat.categories, scores["image"].cat.codes.to_numpy()
    bare = scores["prompt"].eq("").to_numpy()
    filled = scores.copy(deep=False)
    for name in ("condition", "prompt", "style"):
        of_path = [images[p][name] if p in images else "" for p in paths]
        of_study = pd.Series(of_path, dtype=object).to_numpy()[codes]
        filled[name] = pd.Categorical(np.where(bare, of_study, scores[name].astype(object)))
    return replace(judges, scores=filled)


def drop_items(judges: Judges, items: Collection[str]) -> Judges:
    """Drop the answers about some items, such as those that people have not rated yet."""
    answers = judges.answers
    kept = ~answers["item"].isin(list(items)).to_numpy()
    if kept.all():
        return judges
    left = answers[kept].reset_index(drop=True)
    for name in (FILE, *_ANSWER_COLUMNS):
        left[name] = left[name].cat.remove_unused_categories()
    return replace(judges, answers=left)
