"""What every table of answers goes through, whatever was asked."""

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
    """Refuse names that a statistics program would take for a missing value, written plainly.

    ``table``: cells as they stand in the file.
    ``names``: the columns that hold names; those that are not there are passed over.
    ``where``: what a message calls the table.
    """
    for name in names:
        missing = table[name].isin(MISSING_WORDS).to_numpy() if name in table else np.array([False])
        if missing.any():
            allowed = "allowed is a name; one that looks like a missing value, written as 'NA"
            refuse_cell(table[name], missing, where, name, allowed)


def take_guards_off(table: pd.DataFrame, names: Iterable[Hashable]) -> None:
    """Take off, in place, the apostrophes that keep a spreadsheet from reading text its own way."""
    for name in names:
        cells = distinct(table[name])
        texts = [unguard(text) for text in cells.texts]
        if texts != cells.texts:
            table[name] = make_categories(cells.codes, texts, table.index)


def read_named_numbers(path: TableSource, name: str, number: str) -> dict[str, float]:
    """Read a table of two columns, of names and of numbers, in its order; others are passed over.

    Raises InputError: it is no such table, or lists nothing; a name is empty or stands there twice;
    a number is missing or none.
    """
    table = match_names(read_text_cells(path), (name, number), path)
    given = [str(column) for column in table.columns]
    for column in (name, number):
        if column not in given:
            allowed = f"needed are {name} and {number}; found are {list_columns(given)}"
            raise InputError(path, f"the column {column!r} is missing", allowed)
    if table.empty:
        raise InputError(path, f"lists no {name}", f"one row per {name}")
    refuse_missing_names(table, [name], path)
    take_guards_off(table, [name])
    names, cells = (table[c].astype(object).astype(str).map(normalise_name) for c in (name, number))
    numbers = pd.to_numeric(cells, errors="coerce").astype(float)
    for series, refused, allowed in (
        (names, names.eq(""), f"a name of a {name}"),
        (names, names.duplicated(), f"each {name} once"),
        (cells, ~numbers.map(math.isfinite), "a number, with a decimal point"),
    ):
        if refused.any():
            refuse_cell(series, refused.to_numpy(), path, str(series.name), f"allowed is {allowed}")
    return dict(zip(names, numbers.tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class TableReader:
    """How a table of one kind of answers is read, and checked."""

    row: Row  # what its columns are
    # Takes a table whose cells have their types, what messages call it, and options; gives it with
    # what follows from its cells, or raises `InputError`
    own_checks: Callable[..., pd.DataFrame]
    # The columns that name an answer, as in `refuse_second_answers`; empty if `own_checks` refuses
    # these
    key: Sequence[str] = ()
    # Whether rows without an answer stay, since an answer has several rows
    keeps_unanswered: bool = False
    further: Sequence[str] = ()  # names of columns from which others are made before the check
    # Makes of a table, whose columns have our names, one with the needed columns; and gives options
    # for ``own_checks`` and ``finish``; None if nothing is to be made
    prepare: (
        Callable[[pd.DataFrame, Codebook, object], tuple[pd.DataFrame, dict[str, Any]]] | None
    ) = None
    # Makes of a checked table what is scored; None if it is that already
    finish: Callable[..., CheckedTable] | None = None

    def load(
        self,
        path: TableSource,
        *,
        simulated: bool | None = None,
        codebook: Codebook = PLAIN,
        **options: Any,
    ) -> CheckedTable:
        """Read a file, which may use other column names, and check all of it.

        Of names and other text in a text file, an apostrophe that guards them from a spreadsheet is
        taken off; the file may be Parquet too.

        Raises InputError: for the first wrong thing, with the row as a text editor counts it. Where
        a name must not be missing, NA and NaN are refused without the apostrophe.
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
            take_guards_off(table, [name for name in table if name not in others])
        images = [c.name for c in self.row.read if set(c.levels) >= set(TRUTHS)]
        table, doubts = codebook.recode(table, images)
        left_out = Counter(source.left_out)
        if "status" in table and is_filled(table["status"]):  # sums below the rows have none
            status = distinct(table["status"])
            blank = status.rows(status.blank(), missing=True)
            left_out["nothing stands in status"] = int(blank.sum())
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

        ``frame``: messages name rows by its index. ``where``: what messages call the table, usually
        its file. ``simulated``: True keeps the simulated evaluators, False people, None all, and
        refuses a table that mixes the two.

        Returns a new frame, rows in the given order under a fresh index, with the columns that are
        needed, task and simulated always there. Numbers are float, NaN if empty; words are
        categories, all that are declared; other columns that are read are categories, sorted, each
        of them in use, empty text where there is none. Optional columns that are empty are gone;
        columns that are not read are kept as they are. Checking it again changes nothing.

        Raises InputError: a needed column is missing, or a column has almost the name of one; there
        is no row, or none with an answer; a value is not allowed; two rows have different answers
        for the same trial; people and simulated evaluators are mixed, or none of the wanted is
        left; or what the protocol's own checks refuse.
        """
        where = self.row.answers if where is None else where
        table = parse_table(use_known_names(frame, self.row, where), self.row, where)
        table = keep_chosen_kind(table, where, simulated, answers=self.row.answers)
        empty = find_unanswered(table, self.row, where)
        missing: tuple[dict[str, Any], ...] = ()
        if empty.any() and not self.keeps_unanswered:
            missing = list_unanswered(table[empty])
            table = table[~empty].copy()
        elif empty.any():  # rows that the table itself leaves out need no answer
            own = table["excluded"].eq("").to_numpy() if "excluded" in table else True
            missing = list_unanswered(table[empty & own])
        if len(table) < len(frame):  # what only rows had that were left out goes with them
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
        """Check a table as `checked` does, and warn of rows that are left out."""
        checked = self.check_table(frame, where=where, simulated=simulated, **options)
        return checked.frame if self.keeps_unanswered else checked.rows_with_warning()


def parse_table(frame: pd.DataFrame, row: Row, where: object) -> pd.DataFrame:
    """Require the columns of a row, and give each that is read its proper type.

    Of a table without a column for tasks all rows are of the scored one, where there is one.
    """
    refuse_names(frame, row, where)
    if frame.empty:
        raise InputError(where, f"holds no {row.answers}", f"one row per {row.per_row}")
    # Tables that were glued together have some names twice.
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
    return InputError(where, "no row has an answer", f"one in the column {columns}")


def keep_chosen_kind(
    table: pd.DataFrame, where: object, simulated: bool | None, *, answers: str
) -> pd.DataFrame:
    """Keep people or simulated evaluators; never let both through.

    ``table``: checked so far; gets the column ``simulated``, false, if it has none.
    ``where``, ``answers``: what messages call the table, and what is in it.
    ``simulated``: which are wanted; None for those that there are, if they are of one kind.
    """
    if "simulated" not in table:
        table["simulated"] = False
    flags = table["simulated"].to_numpy()
    if simulated is None and flags.any() and not flags.all():
        raise InputError(
            where,
            "holds people and simulated evaluators, which are never mixed",
            "choose with --simulated or --people",
        )
    chosen = flags if simulated else ~flags
    if simulated is None or chosen.all():
        return table
    if not chosen.any():
        who = "simulated evaluators" if simulated else "people"
        raise InputError(where, f"holds no {answers} by {who}")
    return table[chosen].copy()


def find_unanswered(table: pd.DataFrame, row: Row, where: object) -> npt.NDArray[np.bool_]:
    """Tell which rows have no answer; shape (rows,).

    Raises InputError: no row has one; of two columns of answers one is filled and the other not.
    """
    names = [name for name in row.holding_answers if name in table]
    empty = {n: (table[n].isna() | table[n].eq("")).to_numpy(dtype=bool) for n in names}
    none = np.logical_and.reduce([*empty.values()]) if empty else np.zeros(len(table), dtype=bool)
    if none.all():
        raise no_answer(row, where)
    for name, cells in empty.items():
        if (cells & ~none).any():
            refuse_cell(table[name], cells & ~none, where, name, f"allowed is {row[name].allowed}")
    return none


def share_conditions(table: pd.DataFrame, places: Sequence[str]) -> None:
    """Return columns of conditions, in place, the same categories, sorted; each is somewhere."""
    cells = [distinct(only_used(table[name])) for name in places]
    names = sorted({text for each in cells for text in each.texts})
    for name, each in zip(places, cells, strict=True):
        table[name] = fix_categories(each.codes, each.texts, names, table.index)


def drop_unused_categories(rows: pd.DataFrame, places: Sequence[str], *names: str) -> pd.DataFrame:
    """Return rows without the categories that none of them has.

    ``places``: the columns of conditions, which share theirs. ``names``: further columns.
    """
    rows = rows.copy(deep=False)
    share_conditions(rows, [place for place in places if place in rows])
    for name in names:
        if name in rows:
            rows[name] = only_used(rows[name])
    return rows


def list_unanswered(rows: pd.DataFrame) -> tuple[dict[str, Any], ...]:
    """List rows as messages count them, each with its evaluator; None if it does not say whose."""
    labels = [int(n) if isinstance(n, int | np.integer) else str(n) for n in rows.index]
    people = rows["evaluator"].astype(str) if "evaluator" in rows else [None] * len(rows)
    pairs = zip(people, labels, strict=True)
    return tuple({"evaluator": who, "row": label} for who, label in pairs)


def note_unanswered(
    missing: Sequence[Mapping[str, Any]], *, lacking: str = "answer"
) -> tuple[str, ...]:
    """State how many rows, and which, have no answer or no rank, which excludes their rankings."""
    if not missing:
        return ()
    one = len(missing) == 1
    have, are, rows = ("has", "it is", "row") if one else ("have", "they are", "rows")
    left_out = f"{are} left out" if lacking != "rank" else "the whole ranking is left out"
    which = few([str(each["row"]) for each in missing])
    return (f"{len(missing):,} {rows} {have} no {lacking}, and {left_out}: {rows} {which}.",)


Scored = TypeVar("Scored", bound=Any)


@dataclass(frozen=True, kw_only=True)
class CheckedTable:
    """Answers that were checked."""

    frame: pd.DataFrame  # the rows that have an answer
    missing: tuple[dict[str, Any], ...] = ()  # those that have none: evaluator and row
    lacking: str = "answer"  # the column of what it is that they lack
    doubts: tuple[str, ...] = ()  # what is doubtful in the rows as they stood in the table
    left_out: Mapping[str, int] = field(default_factory=dict)  # rows that are not answers, by why

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits whatever is made of the rows."""
        unanswered = note_unanswered(self.missing, lacking=self.lacking)
        left_out = weigh(Weight.LEFT_OUT, (*note_left_out(self.left_out), *unanswered))
        return (*left_out, *self.doubts)

    def rows_with_warning(self) -> pd.DataFrame:
        """Return the rows alone, and warn of what was left out."""
        for note in self.notes:
            if getattr(note, "weight", None) is Weight.LEFT_OUT:
                warnings.warn(note, stacklevel=3)
        return self.frame

    def add_notes(self, score: Scored) -> Scored:
        notes = sort_notes((*self.notes, *score.notes))
        noted: Scored = replace(score, notes=notes, missing_answers=self.missing)
        return noted
