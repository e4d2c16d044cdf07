"""A table of picks, checked, and which of its rows are not scored."""

from __future__ import annotations

import pandas as pd

from hype.tables import answers
from hype.tables.answers import CheckedTable
from hype.tables.columns import refuse_names
from hype.tables.reasons import by_rule, facts_in, reason_of_row
from picking.rows import MEANINGS, NAMES, NEEDED, PICK_COLUMNS
from picking.trial import PickingTask


def checked_picks(
    frame: pd.DataFrame, *, where: object, simulated: bool | None = None
) -> CheckedTable:
    refuse_names(frame, NAMES, NEEDED, where, said="condition and picked")
    table = answers.with_rows(frame, where, answers="picks", row="one row per image")
    optional = [name for name in NAMES if name not in NEEDED]
    table = table.drop(columns=answers.empty_columns(table, optional))
    table = answers.parsed_answers(table, PICK_COLUMNS, (PickingTask.PICK.value,), where)
    table = answers.people_or_simulated(table, where, simulated, answers="picks")
    answers.drop_unused_names(table, PICK_COLUMNS)
    answers.refuse_copies(table, where)
    return CheckedTable.of(table, lacking="picked")


TABLE = answers.TableReader(
    columns=PICK_COLUMNS, never_missing=("evaluator", "condition"), checked=checked_picks
)


def reasons_of(picks: pd.DataFrame) -> pd.Series:
    facts = facts_in(picks, "status", "excluded")
    return by_rule(reason_of_row, facts, list(MEANINGS), picks.index)
