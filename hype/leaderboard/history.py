"""What a leaderboard's folder keeps: how models stood on each day, and which were withdrawn.

Nothing is ever taken out of it: a day's line is written anew only on the same day, and an entry
that was withdrawn stays, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hype.errors import InputError
from hype.files import read_bytes, write_bytes

if TYPE_CHECKING:
    from hype.leaderboard.boards import Board

HISTORY: Final = "history.jsonl"
WITHDRAWN: Final = "withdrawn.json"
LARGEST_BYTES: Final = 256 << 20


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
class Withdrawal:
    """Why a model is no longer ranked, and since when."""

    day: str
    reason: str


def read_history(folder: Path) -> dict[str, Any]:
    """Read how models stood: by day, whether people were asked, and by board and model.

    Raises InputError: a line is none that was written here.
    """
    path = folder / HISTORY
    days: dict[str, Any] = {}
    for number, line in enumerate(_lines(path), start=1):
        try:
            item = json.loads(line)
            days[str(item["day"])] = {
                "simulated": bool(item["simulated"]),
                "boards": {name: dict(rows) for name, rows in item["boards"].items()},
            }
        except (ValueError, KeyError, TypeError, RecursionError):
            problem = "is no line of a leaderboard's history"
            raise InputError(f"{path}, row {number}", problem, "the file as it was") from None
    return days


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    try:
        return read_bytes(path, most_bytes=LARGEST_BYTES).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"cannot be read: {error}") from None


def with_today(days: Mapping[str, Any], boards: Sequence[Board], day: str) -> dict[str, Any]:
    """Add how models stand today, unless they stand as they did when it was last written.

    Raises InputError: there is a later day already.
    """
    standings = {
        board.name: {
            entry.model: asdict(
                Standing(
                    day=day,
                    value=entry.value,
                    low=entry.low,
                    high=entry.high,
                    rank_low=entry.rank_low,
                    rank_high=entry.rank_high,
                    evaluators=entry.evaluators,
                    answers=entry.answers,
                )
            )
            for entry in board.entries
        }
        for board in boards
    }
    for name, rows in days.get(day, {}).get("boards", {}).items():  # who stood there this morning
        standings[name] = {**rows, **standings.get(name, {})}
    today = {"simulated": any(board.simulated for board in boards), "boards": standings}
    last = max(days, default="")
    if last > day:
        problem = f"has the day {last}, which is to come"
        raise InputError(HISTORY, problem, "set this machine's clock")
    if last and last != day and _undated(days[last]) == _undated(today):
        return dict(days)
    return {**days, day: today}


def _undated(day: Mapping[str, Any]) -> dict[str, Any]:
    return {
        board: {model: {**row, "day": ""} for model, row in rows.items()}
        for board, rows in day["boards"].items()
    }


def write_history(folder: Path, days: Mapping[str, Any]) -> None:
    """Write all days, each on a line; the file appears whole or not at all."""
    lines = (
        json.dumps({"day": day, **kept}, ensure_ascii=False, sort_keys=True)
        for day, kept in sorted(days.items())
    )
    write_bytes(folder / HISTORY, "".join(f"{line}\n" for line in lines).encode())


def of_model(days: Mapping[str, Any], board: str, model: str) -> tuple[Standing, ...]:
    """Give how a model stood on a board, the first day first."""
    rows = (kept["boards"].get(board, {}).get(model) for _, kept in sorted(days.items()))
    return tuple(Standing(**row) for row in rows if row)


def read_withdrawn(folder: Path) -> dict[str, Withdrawal]:
    """Read which models were withdrawn.

    Raises InputError: the file is none that was written here.
    """
    path = folder / WITHDRAWN
    text = "\n".join(_lines(path))
    try:
        return {str(model): Withdrawal(**row) for model, row in json.loads(text or "{}").items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        problem = "is no list of withdrawn models"
        raise InputError(path, problem, "the file as it was") from None


def write_withdrawn(folder: Path, withdrawn: Mapping[str, Withdrawal]) -> None:
    rows = {model: asdict(one) for model, one in sorted(withdrawn.items())}
    text = json.dumps(rows, ensure_ascii=False, indent=1)
    write_bytes(folder / WITHDRAWN, f"{text}\n".encode())
