"""The tidy table of judgements, and the checks that every such table passes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from os import PathLike
from typing import Any, Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.rows import COLUMNS
from hype.protocols.hype.trial import SCORED_TASKS
from hype.tables.answers import (
    CheckedTable,
    TableReader,
    answered_rows,
    empty_columns,
    people_or_simulated,
    refuse_copies,
    refuse_missing_names,
    refuse_repeated_trials,
    take_guards_off,
    with_rows,
)
from hype.tables.cells import parse_column, refuse_cell
from hype.tables.codebook import PLAIN, Codebook
from hype.tables.columns import Kind, listed, with_names
from hype.tables.distinct import as_categories, constant, distinct, only_used, plain
from hype.tables.formats import read_table
from hype.tables.reasons import Note, Weight
from hype.tables.table_files import TableSource

OPTIONAL: Final = [column.name for column in COLUMNS if not column.required]


def read_judgements(path: str | PathLike[str], *, simulated: bool | None = None) -> pd.DataFrame:
    """Read a file of judgements, one row per trial, and check all of it.

    Parameters
    ----------
    path
        A table with the columns of `COLUMNS`. Either a text file, as `read_text_table` reads it:
        UTF-8, separated by commas, semicolons or tabs, no larger than 1 GiB. Names and the columns
        outside `COLUMNS` are text: an apostrophe that keeps a spreadsheet from taking text for a
        formula (``'=1+1`` or ``'-2``) or for a missing value (``'NA``) is taken off. Or a Parquet
        file, whose text is as it is.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        file that mixes the two.

    Returns
    -------
    DataFrame
        As `check_judgements` returns it.

    Raises
    ------
    InputError
        For the first thing that is wrong, naming the file, the row as a text editor counts it,
        the column, the value and what is allowed. Beside what `check_judgements` refuses these
        are evaluators and conditions called NA or NaN, without the apostrophe: programs write a
        name so that they do not have.
    """
    return load_judgements(path, simulated=simulated).rows_with_warning()


def check_judgements(
    frame: pd.DataFrame, *, where: object = "judgements", simulated: bool | None = None
) -> pd.DataFrame:
    """Check a table of judgements and give every column its proper type.

    Parameters
    ----------
    frame
        One row per trial; those without an answer are left out. Messages name rows by its index.
    where
        What messages call the table: usually its file.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        table that mixes the two.

    Returns
    -------
    DataFrame
        A new frame, rows in the given order under a fresh index, with evaluator, condition,
        truth, answer, task, block (block is 1 where missing) and simulated (bool) always there.
        Numbers are float, NaN where empty. All other columns of `COLUMNS` are categorical: text,
        empty where there is none, categories sorted and each of them in use; truth and answer
        always have the two categories fake and real. Columns outside `COLUMNS` are kept as they
        are. Checking it again changes nothing.

    Raises
    ------
    InputError
        A required column is missing, or a column has a name that is almost one of `COLUMNS`;
        there is no row at all or none of a scored task; a value is not allowed; block or trial
        is given for some rows of a task and not for others; an exposure is missing in the time
        task; two rows are alike or claim the same trial of an evaluator in a condition; answers
        come again under another code; no row has an answer; people and simulated evaluators are
        mixed, or none of the wanted ones left.

    Warns
    -----
    UserWarning
        Rows have no answer (empty, NA and the like): they are left out.

    Notes
    -----
    An evaluator may judge an image more often than once; the column trial tells these apart.
    """
    return checked_judgements(frame, where=where, simulated=simulated).rows_with_warning()


def checked_judgements(
    frame: pd.DataFrame,
    *,
    where: object = "judgements",
    simulated: bool | None = None,
    shared: str | None = None,
) -> CheckedTable:
    """Check judgements as `check_judgements`, and tell which rows have no answer.

    ``shared``: the condition of real images that count for every condition.
    """
    table = _parsed(_present(by_known_names(frame, where), where), where)
    table, missing = answered_rows(_chosen(table, where, simulated), ["answer"], where)
    table = _without_unused(table) if missing else table
    _add_task(table, where)
    _refuse_gaps(table, where)
    _fill_block(table)
    _refuse_real_conditions(table, where, shared)
    # The condition is part of the key: an evaluator who served two conditions is worth a note
    # under the scores, but is no double entry.
    refuse_copies(table, where)
    refuse_repeated_trials(table, where, ("evaluator", "condition", "task", "block", "trial"))
    return CheckedTable.of(table, missing)


def _text_columns(table: pd.DataFrame) -> list[Hashable]:
    """Name the columns of names, and those that `COLUMNS` knows nothing of."""
    others = {column.name for column in COLUMNS if column.kind is not Kind.LABEL}
    return [name for name in table if name not in others]


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require at least one row; drop the optional columns that are empty."""
    frame = with_rows(frame, where, answers="judgements", row="one row per answered trial")
    return frame.drop(columns=empty_columns(frame, OPTIONAL))


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    parsed = table.copy(deep=False)
    for column in COLUMNS:
        if column.name in table:
            parsed[column.name] = parse_column(table[column.name], column, where)
    return parsed


def _chosen(table: pd.DataFrame, where: object, simulated: bool | None) -> pd.DataFrame:
    kept = people_or_simulated(table, where, simulated, answers="judgements")
    return table if kept is table else _without_unused(kept)


def _without_unused(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out what only rows had that were left out: columns and categories."""
    table = table.drop(columns=empty_columns(table, OPTIONAL))
    texts = (c.name for c in COLUMNS if c.kind.is_text and c.kind is not Kind.KIND)
    for name in texts:
        if name in table:
            table[name] = only_used(table[name])
    return table


def _add_task(table: pd.DataFrame, where: object) -> None:
    if "task" not in table:
        timed = "exposure_ms" in table and bool(table["exposure_ms"].notna().any())
        table["task"] = constant("time" if timed else "infinity", table.index)
    if set(SCORED_TASKS).isdisjoint(table["task"].cat.categories):
        raise InputError(
            where,
            "holds only practice and qualification, which are never scored",
            "judgements of the task time or infinity",
        )


MOST_REALS: Final = 20
"""Answers to real images that a model can have by chance before one of a fake, half being fake."""


def _refuse_real_conditions(table: pd.DataFrame, where: object, shared: str | None) -> None:
    """Refuse a condition that holds real images alone beside others that hold fakes."""
    fakes = (
        table["truth"].eq("fake").groupby(table["condition"], observed=True).agg(["sum", "size"])
    )
    alone = fakes[(fakes["sum"] == 0) & (fakes["size"] > MOST_REALS) & (fakes.index != shared)]
    if len(alone) and fakes["sum"].any():
        problem = f"the condition {alone.index[0]!r} holds only real images, so it is no model"
        allowed = f"--real-condition {alone.index[0]!r} counts them for every model, or write "
        allowed += "beside each real image the model whose fakes it was shown with"
        raise InputError(where, problem, allowed)


def _refuse_gaps(table: pd.DataFrame, where: object) -> None:
    for task in SCORED_TASKS:
        rows = table["task"].eq(task)
        for name in ("block", "trial", "exposure_ms"):
            if rows.any():
                _refuse_gaps_in(table, rows, name, task, where)


def _refuse_gaps_in(
    table: pd.DataFrame, rows: pd.Series, name: str, task: str, where: object
) -> None:
    needed = name == "exposure_ms" and task == "time"
    if needed and name not in table:
        problem = "the column 'exposure_ms' is missing"
        raise InputError(where, problem, "the task time needs the exposure of every trial")
    if name not in table or (name == "exposure_ms" and not needed):
        return
    cells = table[name]
    empty = rows & (cells.eq("") if name == "block" else cells.isna())
    if empty.any() and (needed or not empty.equals(rows)):
        allowed = f"every row of the task {task} needs it" + ("" if needed else ", or none")
        refuse_cell(cells, empty.to_numpy(), where, name, allowed)


def _fill_block(table: pd.DataFrame) -> None:
    if "block" not in table:
        table["block"] = constant("1", table.index)
    elif "" in table["block"].cat.categories:
        blocks = distinct(table["block"])
        texts = [text or "1" for text in blocks.texts]
        table["block"] = as_categories(blocks.codes, texts, table.index)


def by_known_names(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give the columns the names of `COLUMNS`.

    Raises InputError: a needed column is missing, or could be either of two.
    """
    known = [column.name for column in COLUMNS]
    needed = [column.name for column in COLUMNS if column.required]
    return with_names(frame, known, needed, where, said=", ".join(needed))


RIGHT: Final = "correct"
"""The column that says whether an answer is right; with it a truth or an answer may be missing."""
_TRUE: Final = ("true", "1", "1.0", "yes", "correct", "right")
_FALSE: Final = ("false", "0", "0.0", "no", "incorrect", "wrong")
REALS: Final = "(real images)"
"""Where real images stand that a table gives no condition."""


def with_both(table: pd.DataFrame) -> pd.DataFrame:
    """Make the truth of answers, or the answers of truths, where a table says which are right."""
    missing = [name for name in ("truth", "answer") if name not in table]
    if RIGHT not in table or len(missing) != 1:
        return table
    (known,) = {"truth", "answer"} - {*missing}
    cells, right = distinct(table[known]), distinct(table[RIGHT])
    words = [plain(text) for text in right.texts]
    is_right = right.rows(np.array([word in {*map(plain, _TRUE)} for word in words]), missing=False)
    is_known = is_right | right.rows(
        np.array([word in {*map(plain, _FALSE)} for word in words]), missing=False
    )
    other = {"real": "fake", "fake": "real"}
    texts = [*cells.texts, *(other.get(text, text) for text in cells.texts), ""]
    codes = np.where(is_right, cells.codes, cells.codes + len(cells.texts))
    codes = np.where(is_known.astype(bool) & (cells.codes >= 0), codes, len(texts) - 1)
    return table.assign(**{missing[0]: as_categories(codes, texts, table.index)})


def named_reals(table: pd.DataFrame, name: str | None, where: object) -> tuple[pd.DataFrame, str]:
    """Give real images without a condition one, under which all stand that count everywhere.

    ``name``: the condition under which they stand in the table, if it has one.

    Raises InputError: there is no such condition, or it holds fakes.
    """
    if not {"condition", "truth"} <= set(table):
        return table, name or ""
    conditions, truth = distinct(table["condition"]), distinct(table["truth"])
    is_real = truth.rows(np.array([text == "real" for text in truth.texts]), missing=False)
    blank = conditions.rows(conditions.blank(), missing=True).astype(bool)
    if name is not None:
        named = conditions.rows(np.array([t == name for t in conditions.texts]), missing=False)
        if not named.any():
            found = listed(sorted(conditions.texts))
            raise InputError("--real-condition", f"{where} has no condition {name!r}", found)
        if (wrong := named.astype(bool) & ~is_real.astype(bool)).any():
            row = table.index[wrong][0]
            problem = f"row {row} of {name!r} is not of a real image"
            raise InputError("--real-condition", problem, "a condition of real images alone")
    unnamed = blank & is_real.astype(bool)
    elsewhere = is_real.astype(bool) & ~blank
    if name is None and elsewhere.any():  # where some real images have a condition, all need one
        return table, ""
    if not unnamed.any():
        return table, name or ""
    texts = [*conditions.texts, name or REALS]
    codes = np.where(unnamed, len(texts) - 1, conditions.codes)
    return table.assign(condition=as_categories(codes, texts, table.index)), name or REALS


def with_shared_reals(checked: CheckedTable, name: str) -> CheckedTable:
    """Let real images count for every condition that their evaluator judged.

    ``name``: the condition under which they stand.
    """
    frame = checked.frame
    shared = frame["condition"].eq(name).to_numpy()
    if not shared.any():
        return checked
    judged = frame.loc[~shared, ["evaluator", "condition"]].drop_duplicates()
    reals = frame[shared].drop(columns="condition").merge(judged, on="evaluator")
    alone = int((~frame["evaluator"][shared].isin(judged["evaluator"])).sum())
    rows = pd.concat([frame[~shared], reals[frame.columns]], ignore_index=True)
    for column in frame.columns:
        if isinstance(frame[column].dtype, pd.CategoricalDtype):
            categories = frame[column].cat.categories
            rows[column] = only_used(rows[column].astype(pd.CategoricalDtype(categories)))
    rows["truth"] = rows["truth"].cat.set_categories(frame["truth"].cat.categories)
    rows["answer"] = rows["answer"].cat.set_categories(frame["answer"].cat.categories)
    note = (
        f"{int(shared.sum()):,} answers to real images count for each of the conditions that "
        "their evaluators judged: error rates of real images are shared."
    )
    if alone:
        note += f" {alone:,} are left out: their evaluators judged no fakes."
    return replace(checked, frame=rows, doubts=(Note(note, Weight.SCOPE), *checked.doubts))


class JudgementReader(TableReader):
    """How a table of judgements is read, which may call real and fake by other names."""

    def load(
        self,
        path: TableSource,
        *,
        simulated: bool | None = None,
        codebook: Codebook = PLAIN,
        **_more: Any,
    ) -> CheckedTable:
        source = read_table(path)
        known = [*(column.name for column in COLUMNS), RIGHT]
        table = codebook.understood(source.frame, known, path)
        if source.guarded:
            refuse_missing_names(table, self.never_missing, path)
            take_guards_off(table, _text_columns(table))
        doubts = codebook.doubts(table)
        table = with_both(codebook.recoded(table))
        table, shared = named_reals(table, codebook.real_condition, path)
        checked = checked_judgements(table, where=path, simulated=simulated, shared=shared)
        checked = replace(checked, doubts=(*doubts, *checked.doubts))
        return with_shared_reals(checked, shared) if shared else checked


TABLE: Final = JudgementReader(
    columns=COLUMNS, never_missing=("evaluator", "condition"), checked=checked_judgements
)
load_judgements: Final = TABLE.load
