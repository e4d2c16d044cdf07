"""Boards: how models stand by their scores, with the ranks that tests leave open, day by day."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Final, Protocol

from hype.errors import InputError
from hype.files import read_table
from hype.statistics.estimate import Estimate
from hype.tables.spreadsheet_text import guarded, unguarded


class Tested(Protocol):
    """Two models that were compared."""

    @property
    def a(self) -> str:
        """The one that is ranked higher."""

    @property
    def b(self) -> str:
        """The other one."""

    @property
    def separable(self) -> bool | None:
        """Whether they can be told apart; None where that was not tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A model on a board."""

    model: str
    value: float | None
    low: float | None
    high: float | None
    evaluators: int | None
    answers: int
    # rank_low, rank_high: the best and the worst rank that tests leave open; 0 where pairs say it
    rank_low: int = 0
    rank_high: int = 0
    alike: tuple[str, ...] = ()  # the models that it cannot be told apart from
    groups: tuple[int, ...] = ()  # those of `groups_of` that it is in, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Models by one measure, as a protocol scored them."""

    title: str
    unit: str  # "ms", "%", "Elo" or ""
    decimals: int
    about: str  # a sentence: what is measured
    simulated: bool
    entries: tuple[Entry, ...]
    pairs: tuple[Tested, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Models by one measure, the best first; ``title`` is unlike those of other boards."""

    title: str
    unit: str
    decimals: int
    about: str
    source: str
    simulated: bool
    entries: tuple[Entry, ...]


def board_of(measured: Measured, source: str) -> Board:
    """Rank what was measured."""
    return Board(
        title=measured.title,
        unit=measured.unit,
        decimals=measured.decimals,
        about=measured.about,
        source=source,
        simulated=measured.simulated,
        entries=ranked(measured.entries, measured.pairs),
    )


def distinctly_named(boards: Sequence[Board]) -> tuple[Board, ...]:
    """Name boards of the same measure by what they are of."""
    number = Counter(board.title for board in boards)
    return tuple(
        replace(board, title=f"{board.title}, {board.source}") if number[board.title] > 1 else board
        for board in boards
    )


def entry_of(
    model: str,
    estimate: Estimate | None,
    *,
    evaluators: int | None,
    answers: int,
    value: float | None = None,
    ranks: tuple[int | None, int | None] = (None, None),
) -> Entry:
    """Make an entry of an estimate; of a bare ``value`` where there is none."""
    return Entry(
        model=model,
        value=value if estimate is None else estimate.value,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        evaluators=evaluators,
        answers=answers,
        rank_low=ranks[0] or 0,
        rank_high=ranks[1] or 0,
    )


def ranked(entries: Iterable[Entry], pairs: Sequence[Tested]) -> tuple[Entry, ...]:
    """Give entries the ranks that are left open: of K models, 1 + those above to K - those below.

    ``pairs`` are of models that were tested; of others nothing is known. Entries that have ranks
    keep them.
    """
    order = sorted(entries, key=_best_first)
    values = {entry.model: entry.value for entry in order}
    above: dict[str, set[str]] = {name: set() for name in values}
    below: dict[str, set[str]] = {name: set() for name in values}
    for pair in pairs:
        if pair.separable and {pair.a, pair.b} <= values.keys():
            better, worse = in_order(pair, values)
            above[worse].add(better)
            below[better].add(worse)
    apart = {entry.model: above[entry.model] | below[entry.model] for entry in order}
    names = [entry.model for entry in order]
    groups = groups_of(names, apart)
    return tuple(
        replace(
            entry,
            rank_low=entry.rank_low or 1 + len(above[entry.model]),
            rank_high=entry.rank_high or len(order) - len(below[entry.model]),
            alike=tuple(n for n in names if n != entry.model and n not in apart[entry.model]),
            groups=tuple(n for n, own in enumerate(groups, start=1) if place in own),
        )
        for place, entry in enumerate(order)
    )


def groups_of(names: Sequence[str], apart: Mapping[str, set[str]]) -> list[range]:
    """Give the places of neighbours in a ranking of which no two can be told apart.

    Each group is as large as it can be, and has two models or more. ``names``: the best first.
    ``apart``: the models that each one is told apart from.
    """
    groups: list[range] = []
    stop = 0
    for start in range(len(names)):
        end = max(start + 1, stop)
        while end < len(names) and not apart[names[end]] & set(names[start:end]):
            end += 1
        if end > max(stop, start + 1):
            groups.append(range(start, end))
            stop = end
    return groups


def in_order(pair: Tested, values: Mapping[str, float | None]) -> tuple[str, str]:
    """Name the better of two first, by their values."""
    a, b = values[pair.a], values[pair.b]
    return (pair.b, pair.a) if a is not None and b is not None and b > a else (pair.a, pair.b)


def _best_first(entry: Entry) -> tuple[bool, float, str]:
    return entry.value is None, -(entry.value or 0.0), entry.model


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
