"""What every table of answers goes through, whatever was asked."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import gammaln

from hype.errors import InputError
from hype.tables.cells import parse_declared, refuse_cell
from hype.tables.codebook import STUDY, STUDY_VERSION
from hype.tables.columns import is_name, listed, refuse_doubtful, shortened
from hype.tables.distinct import as_categories, distinct, is_filled, only_used, with_categories
from hype.tables.spreadsheet_text import MISSING_WORDS, unguarded, without_missing_words
from hype.tables.table_files import read_text_cells

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence

    from hype.tables.columns import Declared
    from hype.tables.table_files import TableSource

Hashes = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.intp]
_TELLING: Final = 4
"""Fewer different rows may all come twice by chance."""
_IN_ORDER: Final = 10
"""Somebody who answers so many questions twice in one order does not always answer the same."""
_TIMES: Final = (2, 3)
"""How often a table is looked for in itself."""
_SURE: Final = 10
"""Of how many rows each may be there an odd number of times; in bits, one in 1,000."""
_WINDOW: Final = 16
"""Rows in a row by which it is found that a longer run comes again: a power of two."""
_FEW: Final = 10
"""Columns of fewer values do not say by themselves what single rows are of."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)


def refuse_pasted(
    table: pd.DataFrame, where: object, *, named_by: Sequence[str], of: Sequence[str]
) -> None:
    """Refuse rows that were pasted again, in a table that says what its rows are of.

    ``table``: checked, but for this.
    ``where``: what a message calls it.
    ``named_by``: columns any of which, where it is there, makes rows that are alike one row.
    ``of``: columns whose values part the table into what one evaluator answered in a row; those
        that are not there are passed over.

    Raises InputError: naming the first row that was pasted again, and what it repeats.
    """
    if not any(name in table for name in named_by):
        return
    rows = _hashes(table)
    again = pd.Series(rows).duplicated().to_numpy()
    if not again.any():
        return
    counts = np.unique(rows, return_counts=True)[1]
    if len(counts) >= _TELLING and (counts > 1).all():
        _refuse(table, rows, np.flatnonzero(again), where)
    for places in _places(table, again, [name for name in of if name in table]):
        if times := _times(rows[places], _IN_ORDER):
            _refuse(table, rows, places[len(places) // times :], where)


def refuse_repeated_trials(table: pd.DataFrame, where: object, key: Sequence[str]) -> None:
    """Refuse two rows of one trial, where the table numbers trials and says whose they are.

    ``key``: the columns that name a trial, its number last; those that are not there are passed
    over.
    """
    if "trial" not in table or "evaluator" not in table:
        return
    names = [name for name in key if name in table]
    placed = table.loc[table["trial"].notna(), names]
    repeated = placed.duplicated().to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    same = np.logical_and.reduce([placed[k].eq(placed[k].iloc[second]).to_numpy() for k in names])
    cells = ", ".join(f"{name} {shortened(str(placed[name].iloc[second]))}" for name in names[:-1])
    number = f"trial {placed['trial'].iloc[second]:.0f}"
    first = int(same.argmax())
    problem = f"repeats row {placed.index[first]} ({cells}, {number})"
    hint = pasted_hint(table.loc[placed.index[[first, second]]])
    allowed = f"one row per trial of an evaluator{hint}"
    raise InputError(f"{where}, row {placed.index[second]}", problem, allowed)


def pasted_note(table: pd.DataFrame, answer: str) -> tuple[str, ...]:
    """Say which rows are there again, where chance hardly makes so many alike.

    ``table``: checked, with the names that its rows had where they came from. ``answer``: the
        column of what was answered; all others say to what.

    Rows that do not say what they are of may be alike and honest. So one of these must hold: the
    table is the same rows in the same order; a run of rows comes again whose answers could have
    come in so many orders that one table in 1,000 has such a run by chance; or every row is there
    two, three, … times, or a multiple, which is as improbable.
    """
    if {"evaluator", "trial"} <= set(table):  # no trial is there twice: that is refused
        return ()
    rows = _hashes(table)
    if not pd.Series(rows).duplicated().any():
        return ()
    several = "evaluator" in table and len(table["evaluator"].unique()) > 1  # who all begin again
    times = _times(rows, _TELLING)
    if times and _orders(table[: len(rows) // times], answer) > (0 if several else _SURE):
        again = len(rows) // times
        sentence = f"The table is the same rows in the same order {times} times over"
        return (_pasted(table, sentence, again, 0, len(rows) - again),)
    asked = pd.factorize(_hashes(table.drop(columns=[answer, "value"], errors="ignore")))[0]
    codes = pd.factorize(rows)[0]
    if run := _run_again(table, answer, rows):
        first, second, length = run
        sentence = f"{length:,} rows in a row are there again in the same order"
        return (_pasted(table, sentence, second, first, length),)
    if times := _times_each(table, answer, codes, asked):
        again = int(pd.Series(codes).duplicated().to_numpy().argmax())
        sentence = f"Every row is there {times} times, or a multiple of it"
        first = int((codes == codes[again]).argmax())
        return (_pasted(table, sentence, again, first, len(codes) - len(codes) // times),)
    return ()


def _pasted(table: pd.DataFrame, sentence: str, second: int, first: int, copies: int) -> str:
    return (
        f"{sentence}: {copies:,} of {len(table):,} rows may be copies, the first of them row "
        f"{table.index[second]}, which repeats row {table.index[first]} in every column. If they "
        "were pasted, every interval is too narrow; a column such as trial or image tells honest "
        "rows apart."
    )


def _run_again(table: pd.DataFrame, answer: str, rows: Hashes) -> tuple[int, int, int] | None:
    """Find the longest run of rows that comes again: where it begins, where again, its length."""
    hashes, width = rows, 1
    while width < _WINDOW:
        hashes = hashes[:-width] * _ODD + hashes[width:]
        width *= 2
    order = np.argsort(hashes, kind="stable")
    apart = np.diff(order)[hashes[order][1:] == hashes[order][:-1]]
    offsets, often = np.unique(apart[apart >= _WINDOW], return_counts=True)
    if not len(offsets):
        return None
    offset = int(offsets[often.argmax()])
    ends = np.flatnonzero(np.concatenate([[True], rows[:-offset] != rows[offset:], [True]]))
    longest = int(np.diff(ends).argmax())
    first, length = int(ends[longest]), int(np.diff(ends)[longest]) - 1
    bits = _orders(table[first : first + length], answer)
    return (first, first + offset, length) if bits > _SURE + np.log2(len(rows) * length) else None


def _orders(run: pd.DataFrame, answer: str) -> float:
    """Count in how many orders answers could be to the same questions; as a logarithm to base 2.

    Of one evaluator's, what makes each question another one does not count: few people always
    answer alike. Without evaluators it does, since several people may have.
    """
    asked = run.drop(columns=[answer, "value", "evaluator"], errors="ignore")
    if "evaluator" in run:
        asked = asked[[name for name in asked if asked[name].nunique() < _FEW]]
    groups = _hashes(asked) if len(asked.columns) else np.zeros(len(run), dtype=np.uint64)
    each = pd.Series(groups).groupby([groups, _hashes(run[[answer]])]).size()
    total = gammaln(each.groupby(level=0).sum() + 1).sum() - gammaln(each + 1).sum()
    return float(total / np.log(2))


def _times_each(table: pd.DataFrame, answer: str, codes: Codes, asked: Codes) -> int:
    """Tell how often every row is there, or a multiple; 0 where chance makes that."""
    if (together := _common(_lengths(codes))) > 1 and _changes(codes) - _changes(asked) >= _SURE:
        return together
    counts = np.bincount(codes)
    if (times := _common(counts)) < 2:
        return 0
    # Whatever was asked, in each pair of answers to it the one may be there an odd number of times.
    free = len(counts) - (asked.max() + 1)
    others = table.columns.difference([answer, "value", "evaluator"])
    told_apart = any(table[name].nunique() >= _FEW for name in others)
    exact = (counts == times).all() and len(counts) >= 2 * _FEW and len(table[answer].unique()) > 1
    return times if free >= _SURE or (free == 0 and exact and told_apart) else 0


def _common(counts: Codes) -> int:
    return int(np.gcd.reduce(counts))


def _lengths(codes: Codes) -> Codes:
    """Give how many rows in a row are alike."""
    return np.diff(np.flatnonzero(np.concatenate([[True], np.diff(codes) != 0, [True]])))


def _changes(codes: Codes) -> int:
    return int((np.diff(codes) != 0).sum())


def pooled_note(table: pd.DataFrame) -> tuple[str, ...]:
    """Name the studies and their versions, where a table says that its rows are of several."""
    if STUDY not in table or len(studies := sorted(table[STUDY].astype(str).unique())) < 2:
        return ()
    each = [(name, table[table[STUDY].astype(str).eq(name).to_numpy()]) for name in studies]
    named = "; ".join(_study(name, rows) for name, rows in each[:_NAMED])
    more = f"; and {len(each) - _NAMED:,} more" if len(each) > _NAMED else ""
    met = Counter(who for _, rows in each for who in rows.get("evaluator", pd.Series()).unique())
    several = sum(times > 1 for times in met.values())
    same = f" Evaluators in several, each taken for one person: {several:,}." * bool(several)
    return (
        f"The rows are of {len(each):,} studies, which are scored as one: {named}{more}. Whatever "
        f"differs between these is part of every figure.{same}",
    )


def _study(name: str, rows: pd.DataFrame) -> str:
    versions = sorted(rows[STUDY_VERSION].astype(str).unique()) if STUDY_VERSION in rows else []
    version = f" (version {', '.join(versions)})" if any(versions) else ""
    number = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    return f"{shortened(name) or 'no name'}{version} {number}"


def pasted_hint(two: pd.DataFrame) -> str:
    first, second = _hashes(two)
    return "; the two are alike in every column: was it pasted twice?" if first == second else ""


def _hashes(table: pd.DataFrame) -> Hashes:
    return np.asarray(pd.util.hash_pandas_object(table, index=False), dtype=np.uint64)


def _places(
    table: pd.DataFrame, again: npt.NDArray[np.bool_], names: Sequence[str]
) -> Iterator[npt.NDArray[np.intp]]:
    """Give the places of the rows of each group that has a row that came before."""
    if names:
        groups = table.groupby(list(names), observed=True, sort=False).ngroup().to_numpy()
        order = np.argsort(groups, kind="stable")
        ends = np.cumsum(np.bincount(groups))
        for group in np.unique(groups[again]):
            yield order[ends[group - 1] if group else 0 : ends[group]]


def _times(rows: Hashes, fewest: int) -> int:
    """Tell how often rows are the same, one after the other; 0 where they are not."""
    for times in _TIMES:
        each, left = divmod(len(rows), times)
        if not left and each >= fewest:
            parts = rows.reshape(times, each)
            if (parts == parts[0]).all() and (parts[0] != rows[0]).any():
                return times
    return 0


def _refuse(
    table: pd.DataFrame, rows: Hashes, pasted: npt.NDArray[np.intp], where: object
) -> NoReturn:
    first = int((rows == rows[pasted[0]]).argmax())
    more = len(pasted) - 1
    problem = f"repeats row {table.index[first]} in every column, and {more:,} more rows repeat too"
    allowed = (
        "each row once; where evaluators did answer the same twice, a column trial tells rows apart"
    )
    raise InputError(f"{where}, row {table.index[pasted[0]]}", problem, allowed)


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
        texts = [unguarded(text) for text in cells.texts]
        if texts != cells.texts:
            table[name] = as_categories(cells.codes, texts, table.index)


def read_named_numbers(path: TableSource, name: str, number: str) -> dict[str, float]:
    """Read a table of two columns, of names and of numbers, in its order; others are passed over.

    Raises InputError: it is no such table, or lists nothing; a name is empty or stands there twice;
    a number is missing or none.
    """
    table = read_text_cells(path)
    given = [str(column) for column in table.columns]
    refuse_doubtful(given, (name, number), path)
    for column in (name, number):
        if column not in given:
            allowed = f"needed are {name} and {number}; found are {listed(given)}"
            raise InputError(path, f"the column {column!r} is missing", allowed)
    if table.empty:
        raise InputError(path, f"lists no {name}", f"one row per {name}")
    refuse_missing_names(table, [name], path)
    take_guards_off(table, [name])
    names, cells = (table[c].astype(object).astype(str).str.strip() for c in (name, number))
    numbers = pd.to_numeric(cells, errors="coerce").astype(float)
    for series, refused, allowed in (
        (names, names.eq(""), f"a name of a {name}"),
        (names, names.duplicated(), f"each {name} once"),
        (cells, ~numbers.map(math.isfinite), "a number, with a decimal point"),
    ):
        if refused.any():
            refuse_cell(series, refused.to_numpy(), path, str(series.name), f"allowed is {allowed}")
    return dict(zip(names, numbers.tolist(), strict=True))


def unguard_names(
    table: pd.DataFrame, columns: Sequence[Declared], never_missing: Collection[str], where: object
) -> None:
    """Take spreadsheets' guards off names and prose, in place; some may not read like a gap.

    Raises InputError: a name in a column of `never_missing` is NA or NaN, without an apostrophe.
    """
    refuse_missing_names(table, never_missing, where)
    take_guards_off(table, [c.name for c in columns if is_name(c) and c.name in table])


def with_rows(frame: pd.DataFrame, where: object, *, answers: str, row: str) -> pd.DataFrame:
    """Require a row; give each a name of its own.

    ``where``, ``answers``, ``row``: what messages call the table, what is in it, and what a row
        should be.
    """
    if frame.empty:
        raise InputError(where, f"holds no {answers}", row)
    # Tables that were glued together have some names twice.
    return frame if frame.index.is_unique else frame.reset_index(drop=True)


def empty_columns(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Give those of the columns that are there, and empty from top to bottom."""
    return [name for name in names if name in frame and not is_filled(frame[name])]


def parsed_answers(
    table: pd.DataFrame, columns: Sequence[Declared], tasks: Sequence[str], where: object
) -> pd.DataFrame:
    """Give every declared column its proper type; without a task, all rows have the first one."""
    parsed = table.copy(deep=False)
    for column in columns:
        if column.name in table:
            parsed[column.name] = parse_declared(table[column.name], column, where)
    if "task" not in parsed:
        codes = np.zeros(len(parsed), dtype=np.int8)
        parsed["task"] = with_categories(codes, tasks, tasks, parsed.index)
    return parsed


def people_or_simulated(
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


def drop_unused_names(table: pd.DataFrame, columns: Sequence[Declared]) -> None:
    for column in columns:
        if column.name in table and is_name(column):
            table[column.name] = only_used(table[column.name])


def share_conditions(table: pd.DataFrame, places: Sequence[str]) -> None:
    """Give columns of conditions, in place, the same categories, sorted; each is somewhere."""
    cells = [distinct(only_used(table[name])) for name in places]
    names = sorted({text for each in cells for text in each.texts})
    for name, each in zip(places, cells, strict=True):
        table[name] = with_categories(each.codes, each.texts, names, table.index)


_NAMED: Final = 5
"""How many evaluators, and how many rows of each, a sentence names before it only counts."""


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """Rows of one evaluator that have no answer."""

    evaluator: str | None  # whose; None where the table does not say who answered
    rows: tuple[int | str, ...]  # as messages count them


def blank_missing(
    table: pd.DataFrame, name: str, *, names: bool = False, words: Collection[str] = ()
) -> pd.DataFrame:
    """Write nothing where a column of answers says that there is none, such as NA.

    ``table``: any; the column need not be there.
    ``names``: whether its answers are names.
    ``words``: answers, in small letters, that are none of these.
    """
    if name not in table:
        return table
    cells = distinct(table[name])
    plain = without_missing_words(cells.texts, names=names)
    texts = [
        text if text.strip().casefold() in words else less
        for text, less in zip(cells.texts, plain, strict=True)
    ]
    return table.assign(**{name: as_categories(cells.codes, texts, table.index)})


def answered_rows(
    table: pd.DataFrame, names: Sequence[str], where: object
) -> tuple[pd.DataFrame, tuple[Unanswered, ...]]:
    """Part the rows that have an answer from those that have none.

    ``table``: its evaluators, where it has them, are categories.
    ``names``: the columns of which any can hold the answer; one that is not there is passed over.
    ``where``: what a message calls the table.

    Raises InputError: no row has an answer.
    """
    empty = np.logical_and.reduce([_is_blank(table[name]) for name in names if name in table])
    if not empty.any():
        return table, ()
    if empty.all():
        raise InputError(where, "no row has an answer", f"one in the column {' or '.join(names)}")
    return table[~empty].copy(), tuple(by_evaluator(table[empty]))


def _is_blank(cells: pd.Series) -> np.ndarray:
    values = distinct(cells)
    return values.rows(values.blank(), missing=True)


def by_evaluator(rows: pd.DataFrame) -> Iterator[Unanswered]:
    """Name rows by whose they are."""
    labels = pd.Series([n if isinstance(n, int) else str(n) for n in rows.index.tolist()])
    if "evaluator" not in rows:
        yield Unanswered(evaluator=None, rows=tuple(labels.tolist()))
        return
    for evaluator, own in labels.groupby(rows["evaluator"].astype(str).to_numpy()):
        yield Unanswered(evaluator=str(evaluator), rows=tuple(own.tolist()))


def unanswered_note(missing: Sequence[Unanswered], *, lacking: str = "answer") -> tuple[str, ...]:
    """Say how many rows have no answer, or no rank, which leaves their rankings out; and which."""
    number = sum(len(each.rows) for each in missing)
    if not number:
        return ()
    have, are = ("1 row has", "it is") if number == 1 else (f"{number:,} rows have", "they are")
    named = "; ".join(_rows_of(each) for each in missing[:_NAMED])
    more = len(missing) - _NAMED
    rest = f"; and those of {more:,} more evaluators" if more > 0 else ""
    left_out = f"{are} left out" if lacking != "rank" else "the whole ranking is left out"
    return (f"{have} no {lacking}, and {left_out}: {named}{rest}.",)


def _rows_of(missing: Unanswered) -> str:
    rows = ", ".join(map(str, missing.rows[:_NAMED]))
    more = len(missing.rows) - _NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    whose = "" if missing.evaluator is None else f" of {shortened(missing.evaluator)}"
    return f"row{'s' if len(missing.rows) > 1 else ''} {rows}{rest}{whose}"


Scored = TypeVar("Scored", bound=Any)


@dataclass(frozen=True, kw_only=True)
class CheckedTable:
    """Answers that were checked."""

    frame: pd.DataFrame  # the rows that have an answer
    missing: tuple[Unanswered, ...] = ()  # those that have none, by evaluator
    lacking: str = "answer"  # the column of what it is that they lack
    doubts: tuple[str, ...] = ()  # what is doubtful in the rows as they stood in the table

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        missing: tuple[Unanswered, ...] = (),
        lacking: str = "answer",
    ) -> CheckedTable:
        """Take rows that are checked, by the names that they had where they came from."""
        return cls(
            frame=table.reset_index(drop=True),
            missing=missing,
            lacking=lacking,
            doubts=(*pooled_note(table), *pasted_note(table, lacking)),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits whatever is made of the rows."""
        return (*unanswered_note(self.missing, lacking=self.lacking), *self.doubts)

    def rows_with_warning(self) -> pd.DataFrame:
        """Give the rows alone; that some have no answer becomes a warning."""
        for note in unanswered_note(self.missing):
            warnings.warn(note, stacklevel=3)
        return self.frame

    def add_notes(self, score: Scored) -> Scored:
        notes = (*self.notes, *score.notes)
        noted: Scored = replace(score, notes=notes, missing_answers=self.missing)
        return noted
