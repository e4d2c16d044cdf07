"""The tidy table of judgements, and the checks that only such a table needs."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.rows import ROW
from hype.protocols.hype.trial import SCORED_TASKS, Task
from hype.tables.answers import TableReader
from hype.tables.cells import refuse_cell
from hype.tables.distinct import as_categories, constant, distinct, with_categories

MOST_REALS: Final = 20
"""Answers to real images that a model can have by chance before one of a fake, half being fake."""


def complete_judgements(table: pd.DataFrame, where: object) -> pd.DataFrame:
    """Give judgements with a task and a block each.

    Where the column task is missing, all are of HYPE_time if any has an exposure, else of
    HYPE_infinity. Where block is, all trials form one.

    Raises
    ------
    InputError
        Block or trial is given for some rows of a task and not for others; an exposure is missing
        in HYPE_time; a condition holds real images alone, and others hold fakes.

    Notes
    -----
    An evaluator may judge an image more often than once; the column trial tells these apart. The
    condition is part of what names a trial: one who served two conditions is worth a note under the
    scores, but is no double entry.
    """
    if "task" not in table:
        timed = "exposure_ms" in table and bool(table["exposure_ms"].notna().any())
        task = Task.TIME.value if timed else Task.INFINITY.value
        codes, levels = np.zeros(len(table), dtype=np.int8), [*ROW["task"].levels]
        table["task"] = with_categories(codes, [task], levels, table.index)
    for task in SCORED_TASKS:
        rows = table["task"].eq(task)
        for name in ("block", "trial", "exposure_ms"):
            if rows.any():
                refuse_gaps(table, rows, name, task, where)
    if "block" not in table:
        table["block"] = constant("1", table.index)
    elif "" in table["block"].cat.categories:
        blocks = distinct(table["block"])
        texts = [text or "1" for text in blocks.texts]
        table["block"] = as_categories(blocks.codes, texts, table.index)
    refuse_real_conditions(table, where)
    return table


def refuse_gaps(table: pd.DataFrame, rows: pd.Series, name: str, task: str, where: object) -> None:
    needed = name == "exposure_ms" and task == Task.TIME.value
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


def refuse_real_conditions(table: pd.DataFrame, where: object) -> None:
    """Refuse a condition that holds real images alone beside others that hold fakes."""
    fakes = (
        table["truth"].eq("fake").groupby(table["condition"], observed=True).agg(["sum", "size"])
    )
    alone = fakes[(fakes["sum"] == 0) & (fakes["size"] > MOST_REALS)]
    if len(alone) and fakes["sum"].any():
        problem = f"the condition {alone.index[0]!r} holds only real images, so it is no model"
        allowed = "write beside each real image the model whose fakes it was shown with"
        raise InputError(where, problem, allowed)


TABLE: Final = TableReader(
    row=ROW,
    own_checks=complete_judgements,
    key=("evaluator", "condition", "task", "block", "trial"),
)
check_judgements: Final = TABLE.check
load_judgements: Final = TABLE.load
read_judgements: Final = TABLE.read
