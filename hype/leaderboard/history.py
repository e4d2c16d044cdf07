"""How models stood on each day: one table, which grows by a line for each model and day."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.files import read_table
from hype.leaderboard.boards import Board
from hype.tables.spreadsheet_text import guarded, unguarded

HISTORY: Final = "history.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a model stood on a board on a day."""

    day: str  # ISO 8601
    board: str
    model: str
    rank_low: int
    rank_high: int
    value: float | None
    low: float | None
    high: float | None
    unit: str
    evaluators: int | None
    answers: int
    simulated: bool


COLUMNS: Final = tuple(field.name for field in fields(Standing))


def standings_of(boards: Iterable[Board], day: str) -> list[Standing]:
    """Say how models stand today."""
    return [
        Standing(
            day=day,
            board=board.title,
            model=entry.model,
            rank_low=entry.rank_low,
            rank_high=entry.rank_high,
            value=entry.value,
            low=entry.low,
            high=entry.high,
            unit=board.unit,
            evaluators=entry.evaluators,
            answers=entry.answers,
            simulated=board.simulated,
        )
        for board in boards
        for entry in board.entries
    ]


def read_history(folder: Path) -> list[Standing]:
    """Read how models stood; nothing where nothing was written yet.

    Raises InputError: a line is none that was written here.
    """
    path = folder / HISTORY
    if not path.exists():
        return []
    return [
        _standing(where, row)
        for where, row in read_table(path, COLUMNS, made_by="hype leaderboard")
    ]


def _standing(where: str, row: dict[str, str]) -> Standing:
    try:
        return Standing(
            day=row["day"],
            board=unguarded(row["board"]),
            model=unguarded(row["model"]),
            rank_low=int(row["rank_low"]),
            rank_high=int(row["rank_high"]),
            value=_number(row["value"]),
            low=_number(row["low"]),
            high=_number(row["high"]),
            unit=row["unit"],
            evaluators=int(row["evaluators"]) if row["evaluators"] else None,
            answers=int(row["answers"]),
            simulated={"true": True, "false": False}[row["simulated"]],
        )
    except (ValueError, KeyError):
        raise InputError(where, "is no line of a leaderboard", "the line as it was") from None


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def with_today(history: Sequence[Standing], today: Sequence[Standing]) -> list[Standing]:
    """Add how models stand today; lines of the same day and board give way.

    Raises InputError: people and simulated evaluators would share a table.
    """
    if len({row.simulated for row in (*history, *today)}) > 1:
        problem = "has people, or simulated evaluators, and these are the other kind"
        raise InputError("--out", problem, "a folder for each")
    written = {(row.day, row.board) for row in today}
    return [*(row for row in history if (row.day, row.board) not in written), *today]


def history_text(history: Iterable[Standing]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in history:
        cells = asdict(row) | {"board": guarded(row.board), "model": guarded(row.model)}
        cells["simulated"] = str(row.simulated).lower()
        writer.writerow("" if cell is None else cell for cell in cells.values())
    return text.getvalue()
