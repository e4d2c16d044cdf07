"""The tidy table of judgements, and the checks that every such table passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hype.analysis.columns import COLUMNS, SCORED_TASKS, filled, parse_column, refuse_cell
from hype.analysis.csv_table import read_text_table
from hype.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd


def read_judgements(path: str | PathLike[str], *, simulated: bool | None = None) -> pd.DataFrame:
    """Read a CSV file of judgements, one row per answered trial, and check all of it.

    Parameters
    ----------
    path
        Comma-separated UTF-8 text with the columns of `COLUMNS`.
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
        the column, the value and what is allowed.
    """
    table = read_text_table(Path(path))
    return check_judgements(table, where=path, simulated=simulated)


def check_judgements(
    frame: pd.DataFrame, *, where: object = "judgements", simulated: bool | None = None
) -> pd.DataFrame:
    """Check a table of judgements and give every column its proper type.

    Parameters
    ----------
    frame
        One row per answered trial. Messages name rows by its index.
    where
        What messages call the table: usually its file.
    simulated
        True keeps the simulated evaluators, False keeps people, None keeps all and refuses a
        table that mixes the two.

    Returns
    -------
    DataFrame
        A new frame, rows in the given order under a fresh index, with evaluator, condition,
        truth, answer, task, block (text; block is 1 where missing) and simulated (bool)
        always there, and trial, exposure_ms, rt_ms (float, NaN where empty) if they were given.
        Columns outside `COLUMNS` are kept as they are. Checking it again changes nothing.

    Raises
    ------
    InputError
        A required column is missing; there is no row at all or none of a scored task; a value
        is not allowed; block or trial is given for some rows of a task and not for others; an
        exposure is missing in the time task; two rows claim the same trial of an evaluator in
        a condition; people and simulated evaluators are mixed, or none of the wanted ones left.
    """
    table = _parsed(_present(frame, where), where)
    table = _chosen(table, where, simulated)
    table = _with_task(table, where)
    _refuse_gaps(table, where)
    table["block"] = table["block"].where(table["block"].ne(""), "1") if "block" in table else "1"
    _refuse_repeated_trials(table, where)
    return table.reset_index(drop=True)


def _present(frame: pd.DataFrame, where: object) -> pd.DataFrame:
    """Require the required columns and at least one row; drop the empty optional columns."""
    for column in COLUMNS:
        if column.required and column.name not in frame:
            needed = ", ".join(c.name for c in COLUMNS if c.required)
            found = ", ".join(map(str, frame.columns))
            allowed = f"needed are {needed}; found are {found}"
            raise InputError(where, f"the column {column.name!r} is missing", allowed)
    if frame.empty:
        raise InputError(where, "holds no judgements", "one row per answered trial")
    if not frame.index.is_unique:  # tables glued together; a row must have one name
        frame = frame.reset_index(drop=True)
    optional = [c.name for c in COLUMNS if not c.required and c.name in frame]
    return frame.drop(columns=[name for name in optional if not filled(frame[name]).any()])


def _parsed(table: pd.DataFrame, where: object) -> pd.DataFrame:
    parsed = table.copy()
    for column in COLUMNS:
        if column.name in table:
            parsed[column.name] = parse_column(table[column.name], column, where)
    return parsed


def _chosen(table: pd.DataFrame, where: object, simulated: bool | None) -> pd.DataFrame:
    """Keep people or simulated evaluators; never let both through."""
    if "simulated" not in table:
        table["simulated"] = False
    flags = table["simulated"]
    if simulated is None and flags.any() and not flags.all():
        raise InputError(
            where,
            "holds people and simulated evaluators, which are never mixed",
            "choose with --simulated or --people",
        )
    chosen = table if simulated is None else table[flags.eq(simulated)].copy()
    if chosen.empty:
        who = "simulated evaluators" if simulated else "people"
        raise InputError(where, f"holds no judgements by {who}")
    return chosen


def _with_task(table: pd.DataFrame, where: object) -> pd.DataFrame:
    if "task" not in table:
        timed = "exposure_ms" in table and bool(table["exposure_ms"].notna().any())
        table["task"] = "time" if timed else "infinity"
    if not table["task"].isin(SCORED_TASKS).any():
        raise InputError(
            where,
            "holds only practice and qualification, which are never scored",
            "judgements of the task time or infinity",
        )
    return table


def _refuse_gaps(table: pd.DataFrame, where: object) -> None:
    """Refuse a column that is given for some rows of a task and not for others."""
    for task in SCORED_TASKS:
        rows = table[table["task"].eq(task)]
        for name in ("block", "trial", "exposure_ms"):
            _refuse_gaps_in(rows, name, task, where)


def _refuse_gaps_in(rows: pd.DataFrame, name: str, task: str, where: object) -> None:
    needed = name == "exposure_ms" and task == "time"
    if needed and name not in rows and not rows.empty:
        problem = "the column 'exposure_ms' is missing"
        raise InputError(where, problem, "the task time needs the exposure of every trial")
    if name not in rows or (name == "exposure_ms" and not needed):
        return
    empty = ~filled(rows[name])
    if empty.any() and (needed or not empty.all()):
        allowed = f"every row of the task {task} needs it" + ("" if needed else ", or none")
        refuse_cell(rows[name], empty, where, name, allowed)


def _refuse_repeated_trials(table: pd.DataFrame, where: object) -> None:
    # The condition is part of the key: an evaluator who served two conditions is worth a note
    # under the scores, but is no double entry.
    if "trial" not in table:
        return
    key = ["evaluator", "condition", "task", "block", "trial"]
    placed = table[table["trial"].notna()]
    trial = placed.groupby(key, dropna=False).ngroup()
    repeated = trial.duplicated()
    if not repeated.any():
        return
    second = int(repeated.to_numpy().argmax())
    first = int(trial.eq(trial.iloc[second]).to_numpy().argmax())
    said = ", ".join(f"{name} {placed[name].iloc[second]}" for name in key)
    problem = f"repeats row {placed.index[first]} ({said})"
    allowed = "one row per trial of an evaluator"
    raise InputError(f"{where}, row {placed.index[second]}", problem, allowed)
