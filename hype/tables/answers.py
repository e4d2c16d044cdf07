"""The checks of tables of answers that all protocols share."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.errors import InputError, few
from hype.files import MISSING_WORDS, blank_missing_words, normalise_name, unguard
from hype.tables.cells import (
    TRUTHS,
    distinct,
    fix_categories,
    is_filled,
    make_categories,
    only_used,
    parse_column,
    refuse_cell,
)
from hype.tables.codebook import PLAIN, Codebook
from hype.tables.columns import (
    Kind,
    Read,
    Row,
    list_columns,
    match_names,
    refuse_names,
    use_known_names,
)
from hype.tables.doubts import count_once, find_doubts, refuse_second_answers
from hype.tables.formats import read_table, read_text_cells
from hype.tables.reasons import Weight, note_left_out, sort_notes, weigh
from hype.tables.table_files import TableSource


def refuse_missing_names(table: pd.DataFrame, names: Iterable[str], where: object) -> None:
    """Refuse names that look like a missing value, such as NA, unless they have an apostrophe.

    ``table``: the cells as they are in the file. ``names``: the columns that contain names; absent
    columns are skipped. ``where``: the table's name in messages.
    """
    for name in names:
        missing = table[name].isin(MISSING_WORDS).to_numpy() if name in table else np.array([False])
        if missing.any():
            allowed = "it must be a name; a name like NA needs an apostrophe: 'NA"
            refuse_cell(table[name], missing, where, name, allowed)


def remove_apostrophes(table: pd.DataFrame, names: Iterable[Hashable]) -> None:
    """Remove, in place, the apostrophes that protect text from spreadsheets."""
    for name in names:
        cells = distinct(table[name])
        texts = [unguard(text) for text in cells.texts]
        if texts != cells.texts:
            table[name] = make_categories(cells.codes, texts, table.index)


def read_named_numbers(path: TableSource, name: str, number: str) -> dict[str, float]:
    """Read a table that has the columns ``name`` and ``number``; return the number for each name.

    Raises InputError: a column is missing; the table is empty; a name is empty or appears twice; a
    number is missing or wrong.
    """
    table = match_names(read_text_cells(path), (name, number), path)
    given = [str(column) for column in table.columns]
    for column in (name, number):
        if column not in given:
            allowed = f"required: {name} and {number}; found: {list_columns(given)}"
            raise InputError(path, f"the column {column!r} is missing", allowed)
    if table.empty:
        raise InputError(path, f"lists no {name}", f"one row per {name}")
    refuse_missing_names(table, [name], path)
    remove_apostrophes(table, [name])
    names, cells = (table[c].astype(object).astype(str).map(normalise_name) for c in (name, number))
    numbers = pd.to_numeric(cells, errors="coerce").astype(float)
    for series, refused, allowed in (
        (names, names.eq(""), f"a name of a {name}"),
        (names, names.duplicated(), f"each {name} once"),
        (cells, ~numbers.map(math.isfinite), "a number, with a decimal point"),
    ):
        if refused.any():
            refuse_cell(series, refused.to_numpy(), path, str(series.name), f"it must be {allowed}")
    return dict(zip(names, numbers.tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class TableReader:
    """Reads and checks tables of one kind of answers."""

    row: Row  # the columns of the table.
    # The protocol's own checks. Gets a table with typed cells, its name in messages, and options;
    # returns the table with derived columns, or raises `InputError`
    own_checks: Callable[..., pd.DataFrame]
    # The columns that identify an answer, as in `refuse_second_answers`; empty if `own_checks`
    # finds second answers
    key: Sequence[str] = ()
    # Whether to keep rows without an answer: a ranking is one answer in several rows
    keeps_unanswered: bool = False
    further: Sequence[str] = ()  # columns that `prepare` uses
    # Before the check, computes more columns, and returns options for ``own_checks`` and
    # ``finish``; None if not needed
    prepare: (
        Callable[[pd.DataFrame, Codebook, object], tuple[pd.DataFrame, dict[str, Any]]] | None
    ) = None
    # Turns a checked table into scored rows; None if not needed
    finish: Callable[..., CheckedTable] | None = None

    def load(
        self,
        path: TableSource,
        *,
        simulated: bool | None = None,
        codebook: Codebook = PLAIN,
        **options: Any,
    ) -> CheckedTable:
        """Read a table, whose columns may have other names, and check it.

        An apostrophe that protects text from spreadsheets is removed. In columns of required names,
        NA and NaN without an apostrophe are refused. Raises InputError for the first fault, with
        the row's line number in the file.
        """
        source = read_table(path)
        table = codebook.translate(source.frame, self.row, self.further, path)
        if source.guarded:
            for column in self.row.read:
                if column.read is Read.ANSWER and column.kind is Kind.NAME and column.name in table:
                    cells = distinct(table[column.name])
                    texts = blank_missing_words(cells.texts, names=True)
                    filled = make_categories(cells.codes, texts, table.index)
                    table = table.assign(**{column.name: filled})
            names = [c.name for c in self.row.read if c.kind is Kind.NAME and not c.gaps]
            refuse_missing_names(table, names, path)
            others = {column.name for column in self.row.read if not column.is_text}
            remove_apostrophes(table, [name for name in table if name not in others])
        images = [c.name for c in self.row.read if set(c.levels) >= set(TRUTHS)]
        table, doubts = codebook.recode(table, images)
        left_out = Counter(source.left_out)
        # rows without a status, such as totals below the answers, are not answers
        if "status" in table and is_filled(table["status"]):
            status = distinct(table["status"])
            blank = status.rows(status.blank(), missing=True)
            left_out["the column 'status' is empty"] = int(blank.sum())
            table = table[~blank]
        table, more = self.prepare(table, codebook, path) if self.prepare else (table, {})
        checked = self.check_table(table, where=path, simulated=simulated, **options, **more)
        checked = replace(checked, doubts=(*doubts, *checked.doubts), left_out=left_out)
        return self.finish(checked, **more) if self.finish else checked

    def check_table(
        self,
        frame: pd.DataFrame,
        *,
        where: object = None,
        simulated: bool | None = None,
        **options: Any,
    ) -> CheckedTable:
        """Check a table and give every column its proper type.

        ``frame``: the table; messages name its rows by its index. ``where``: its name in messages,
        usually its file. ``simulated``: True keeps simulated evaluators, False people; None keeps
        all, and refuses a table that mixes the two.

        Returns a new frame with a new index and the rows in the given order. It has all needed
        columns, including task and simulated. Numbers are floats, NaN if empty. Words are
        categories, including unused ones. Names and other texts are sorted categories without
        unused ones; missing cells are empty text. Optional columns without any content are dropped;
        columns that are not read stay unchanged. A second check would change nothing.

        Raises InputError: a needed column is missing, or two columns fit the same name; there
        are no rows, or none with an answer; a value is not allowed; two rows answer the same trial;
        people and simulated evaluators are mixed, or no row of the wanted kind is left; or the
        protocol's own checks refuse the table.
        """
        where = self.row.answers if where is None else where
        table = parse_table(use_known_names(frame, self.row, where), self.row, where)
        table = keep_chosen_kind(table, where, simulated, answers=self.row.answers)
        empty = find_unanswered(table, self.row, where)
        missing: tuple[dict[str, Any], ...] = ()
        if empty.any() and not self.keeps_unanswered:
            missing = list_unanswered(table[empty])
            table = table[~empty].copy()
        elif empty.any():  # rows with a reason in the column ``excluded`` need no answer
            own = table["excluded"].eq("").to_numpy() if "excluded" in table else True
            missing = list_unanswered(table[empty & own])
        if len(table) < len(frame):  # drop columns and categories that only removed rows used
            for column in self.row.read:
                if column.name in table and column.gaps and not is_filled(table[column.name]):
                    table = table.drop(columns=column.name)
                elif column.name in table and column.is_text:
                    table[column.name] = only_used(table[column.name])
        table, repeats = count_once(table, self.row.holding_answers)
        table = self.own_checks(table, where, **options)
        doubts = (*repeats, *find_doubts(table))
        if self.key:
            refuse_second_answers(table, where, self.key, self.row.holding_answers)
        return CheckedTable(
            frame=table.reset_index(drop=True),
            missing=missing,
            lacking=next(iter(self.row.holding_answers), ""),
            doubts=doubts,
        )

    def check(
        self,
        frame: pd.DataFrame,
        *,
        where: object = None,
        simulated: bool | None = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Check a table like `check_table`, and warn of rows that are left out."""
        checked = self.check_table(frame, where=where, simulated=simulated, **options)
        return checked.frame if self.keeps_unanswered else checked.rows_with_warning()


def parse_table(frame: pd.DataFrame, row: Row, where: object) -> pd.DataFrame:
    """Require the columns that ``row`` needs, and convert each read column to its type.

    If the column ``task`` is missing and only one task is scored, all rows get this task.
    """
    refuse_names(frame, row, where)
    if frame.empty:
        raise InputError(where, f"contains no {row.answers}", f"one row per {row.per_row}")
    # In joined tables, several rows may have the same index.
    table = frame.copy(deep=False) if frame.index.is_unique else frame.reset_index(drop=True)
    answers = [name for name in row.holding_answers if name in table]
    filled = [name for name in answers if is_filled(table[name])]
    if answers and not filled:
        raise no_answer(row, where)
    for column in row.read:
        if column.name not in table:
            continue
        optional = column.read is not Read.NEEDED and column.name not in filled
        if optional and not is_filled(table[column.name]):
            table = table.drop(columns=column.name)
        else:
            table[column.name] = parse_column(table[column.name], column, where)
    if "task" not in table and len(row.scored) == 1:
        codes = np.zeros(len(table), dtype=np.int8)
        words = tuple(row["task"].levels)
        table["task"] = fix_categories(codes, row.scored, words, table.index)
    return table


def no_answer(row: Row, where: object) -> InputError:
    columns = " or ".join(row.holding_answers)
    return InputError(where, "no row has an answer", f"an answer in the column {columns}")


def keep_chosen_kind(
    table: pd.DataFrame, where: object, simulated: bool | None, *, answers: str
) -> pd.DataFrame:
    """Keep the rows of people or of simulated evaluators, never both.

    ``table``: a partly checked table; without a column ``simulated``, all rows are of people.
    ``where``, ``answers``: the names of the table and its answers in messages. ``simulated``: which
    rows to keep; None if the table has only rows of people or only of simulated evaluators.
    """
    if "simulated" not in table:
        table["simulated"] = False
    flags = table["simulated"].to_numpy()
    if simulated is None and flags.any() and not flags.all():
        raise InputError(
            where,
            "contains people and simulated evaluators, which are never mixed",
            "choose with --simulated or --people",
        )
    chosen = flags if simulated else ~flags
    if simulated is None or chosen.all():
        return table
    if not chosen.any():
        who = "simulated evaluators" if simulated else "people"
        raise InputError(where, f"contains no {answers} by {who}")
    return table[chosen].copy()


def find_unanswered(table: pd.DataFrame, row: Row, where: object) -> npt.NDArray[np.bool_]:
    """Return for each row whether it has no answer, shape (rows,).

    Raises InputError: no row has an answer; or a row fills only one of two columns of answers.
    """
    names = [name for name in row.holding_answers if name in table]
    empty = {n: (table[n].isna() | table[n].eq("")).to_numpy(dtype=bool) for n in names}
    none = np.logical_and.reduce([*empty.values()]) if empty else np.zeros(len(table), dtype=bool)
    if none.all():
        raise no_answer(row, where)
    for name, cells in empty.items():
        if (cells & ~none).any():
            refuse_cell(table[name], cells & ~none, where, name, f"it must be {row[name].allowed}")
    return none


def share_conditions(table: pd.DataFrame, places: Sequence[str]) -> None:
    """Give the columns of conditions the same, sorted categories, in place."""
    cells = [distinct(only_used(table[name])) for name in places]
    names = sorted({text for each in cells for text in each.texts})
    for name, each in zip(places, cells, strict=True):
        table[name] = fix_categories(each.codes, each.texts, names, table.index)


def drop_unused_categories(rows: pd.DataFrame, places: Sequence[str], *names: str) -> pd.DataFrame:
    """Drop categories that no row has.

    ``places``: the columns of conditions, which share their categories. ``names``: further columns.
    """
    rows = rows.copy(deep=False)
    share_conditions(rows, [place for place in places if place in rows])
    for name in names:
        if name in rows:
            rows[name] = only_used(rows[name])
    return rows


def list_unanswered(rows: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """Return, for each row, its evaluator (None if unknown) and its number in messages."""
    labels = [int(n) if isinstance(n, int | np.integer) else str(n) for n in rows.index]
    people = rows["evaluator"].astype(str) if "evaluator" in rows else [None] * len(rows)
    pairs = zip(people, labels, strict=True)
    return tuple({"evaluator": who, "row": label} for who, label in pairs)


def note_unanswered(
    missing: Sequence[Mapping[str, Any]], *, lacking: str = "answer"
) -> tuple[str, ...]:
    """Write which rows have no answer or rank; a ranking that lacks a rank is left out entirely."""
    if not missing:
        return ()
    one = len(missing) == 1
    have, are, rows = ("has", "it is", "row") if one else ("have", "they are", "rows")
    if lacking == "rank":
        are = "its ranking is" if one else "their rankings are"
    which = few([str(each["row"]) for each in missing])
    return (f"{len(missing):,} {rows} {have} no {lacking}, and {are} left out: {rows} {which}.",)


Scored = TypeVar("Scored", bound=Any)


@dataclass(frozen=True, kw_only=True)
class CheckedTable:
    """A checked table of answers."""

    frame: pd.DataFrame  # the rows with an answer
    missing: tuple[dict[str, Any], ...] = ()  # evaluator and row of each missing answer
    lacking: str = "answer"  # the column that is empty in the rows of ``missing``
    doubts: tuple[str, ...] = ()  # notes on what may be wrong in the original table
    # Numbers of rows that are not answers, by reason
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        unanswered = note_unanswered(self.missing, lacking=self.lacking)
        left_out = weigh(Weight.LEFT_OUT, (*note_left_out(self.left_out), *unanswered))
        return (*left_out, *self.doubts)

    def rows_with_warning(self) -> pd.DataFrame:
        for note in self.notes:
            if getattr(note, "weight", None) is Weight.LEFT_OUT:
                warnings.warn(note, stacklevel=3)
        return self.frame

    def add_notes(self, score: Scored) -> Scored:
        notes = sort_notes((*self.notes, *score.notes))
        noted: Scored = replace(score, notes=notes, missing_answers=self.missing)
        return noted
