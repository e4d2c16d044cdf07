"""What a leaderboard's folder keeps: how models stood on each day, and which were withdrawn.

Nothing is ever taken out of it: a day's line is written anew only on the same day, and an entry
that was withdrawn stays, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hype.errors import InputError
from hype.files import read_bytes

if TYPE_CHECKING:
    from hype.leaderboard.boards import Board, Entry

HISTORY: Final = "history.jsonl"
WITHDRAWN: Final = "withdrawn.json"
LARGEST_BYTES: Final = 256 << 20
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a model stood on a board on a day."""

    day: str  # ISO 8601
    value: float | None
    low: float | None
    high: float | None
    rank_low: int
    rank_high: int
    evaluators: int | None
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """How all models stood on a day: by board, and by model."""

    simulated: bool
    boards: Mapping[str, Mapping[str, Standing]]


Days = Mapping[str, Day]
"""By the day, as ISO 8601 has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """Why a model is no longer ranked, and since when."""

    day: str
    reason: str


def read_history(folder: Path) -> dict[str, Day]:
    """Read how models stood.

    Raises InputError: a line is none that was written here.
    """
    path = folder / HISTORY
    lines = _text(path).splitlines()
    problem = "is no line of a leaderboard's history"
    return dict(
        _read(f"{path}, row {number}", problem, line, _day_of)
        for number, line in enumerate(lines, start=1)
    )


def _day_of(item: Any) -> tuple[str, Day]:
    boards = {
        str(name): {str(model): Standing(**row) for model, row in rows.items()}
        for name, rows in item["boards"].items()
    }
    day = date.fromisoformat(item["day"]).isoformat()
    return day, Day(simulated=bool(item["simulated"]), boards=boards)


def _text(path: Path) -> str:
    if not path.exists():
        return ""
    try:
        return read_bytes(path, most_bytes=LARGEST_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"cannot be read: {error}") from None


def _read(where: object, problem: str, text: str, read: Callable[[Any], Read]) -> Read:
    try:
        return read(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(where, problem, "the file as it was") from None


def with_today(days: Days, boards: Sequence[Board], day: str) -> dict[str, Day]:
    """Add how models stand today, unless they stand as they did when it was last written.

    Raises InputError: there is a later day already.
    """
    standings = {
        board.name: {entry.model: _standing(entry, day) for entry in board.entries}
        for board in boards
    }
    if day in days:  # who stood there this morning stays
        for name, rows in days[day].boards.items():
            standings[name] = {**rows, **standings.get(name, {})}
    last = max(days, default="")
    if last > day:
        problem = f"has the day {last}, which is to come"
        raise InputError(HISTORY, problem, "set this machine's clock")
    if last and last != day and _undated(days[last].boards) == _undated(standings):
        return dict(days)
    return {**days, day: Day(simulated=any(b.simulated for b in boards), boards=standings)}


def _standing(entry: Entry, day: str) -> Standing:
    return Standing(
        day=day,
        value=entry.value,
        low=entry.low,
        high=entry.high,
        rank_low=entry.rank_low,
        rank_high=entry.rank_high,
        evaluators=entry.evaluators,
        answers=entry.answers,
    )


def _undated(boards: Mapping[str, Mapping[str, Standing]]) -> dict[str, dict[str, Standing]]:
    return {
        board: {model: replace(row, day="") for model, row in rows.items()}
        for board, rows in boards.items()
    }


def history_text(days: Days) -> str:
    """Write all days, each on a line."""
    lines = (
        json.dumps({"day": day, **asdict(kept)}, ensure_ascii=False, sort_keys=True)
        for day, kept in sorted(days.items())
    )
    return "".join(f"{line}\n" for line in lines)


def of_model(days: Days, board: str, model: str) -> tuple[Standing, ...]:
    """Give how a model stood on a board, the first day first."""
    rows = (kept.boards.get(board, {}).get(model) for _, kept in sorted(days.items()))
    return tuple(row for row in rows if row)


def read_withdrawn(folder: Path) -> dict[str, Withdrawal]:
    """Read which models were withdrawn.

    Raises InputError: the file is none that was written here.
    """
    path = folder / WITHDRAWN

    def withdrawn_in(items: Any) -> dict[str, Withdrawal]:
        return {str(model): Withdrawal(**row) for model, row in items.items()}

    return _read(path, "is no list of withdrawn models", _text(path) or "{}", withdrawn_in)


def withdrawn_text(withdrawn: Mapping[str, Withdrawal]) -> str:
    rows = {model: asdict(withdrawal) for model, withdrawal in sorted(withdrawn.items())}
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
