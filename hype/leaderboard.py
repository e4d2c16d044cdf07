"""Leaderboards: rankings of models with possible ranks, day by day.

One static page shows all boards: today's tables, the history and the methods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, Protocol

from hype.errors import InputError
from hype.files import csv_lines, read_table, unguard
from hype.report import wording
from hype.report.methods import Methods
from hype.report.page import page_environment
from hype.statistics.estimate import Estimate


class Tested(Protocol):
    """Two models that were compared."""

    @property
    def a(self) -> str:
        """The model that is ranked higher."""

    @property
    def b(self) -> str:
        """The other model."""

    @property
    def separable(self) -> bool | None:
        """Whether the two models are separable; None without a test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A model on a board."""

    model: str
    value: float | None
    low: float | None
    high: float | None
    evaluators: int | None
    answers: int
    # The best and the worst possible rank; 0 until `rank_entries` sets them
    rank_low: int = 0
    rank_high: int = 0
    not_separable: tuple[str, ...] = ()  # The models that are not separable from this one.
    groups: tuple[int, ...] = ()  # The numbers (from 1) of its groups, from `groups_of`.


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The scores of models on one measure of a protocol."""

    title: str  # Unique on the page.
    unit: str  # "ms", "%", "Elo" or ""
    decimals: int
    about: str  # a sentence on what is measured
    simulated: bool
    entries: tuple[Entry, ...]
    pairs: tuple[Tested, ...]
    source: str = ""  # the study or table behind the scores

    def rank(self, source: str) -> Board:
        """Return the board with its source and with ranked models, the best first."""
        return replace(self, source=source, entries=rank_entries(self.entries, self.pairs))


def distinctly_named(boards: Sequence[Board]) -> tuple[Board, ...]:
    """Add the source to each title that several boards have."""
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


def rank_entries(entries: Iterable[Entry], pairs: Sequence[Tested]) -> tuple[Entry, ...]:
    """Set the best and the worst possible rank of each entry.

    Best: 1 + the number of better models. Worst: the number of all models minus that of worse ones.
    Only separable ``pairs`` make a model better or worse. Entries that have ranks keep them.
    """
    order = sorted(entries, key=lambda e: (e.value is None, -(e.value or 0.0), e.model))
    values = {entry.model: entry.value for entry in order}
    above: dict[str, set[str]] = {name: set() for name in values}
    below: dict[str, set[str]] = {name: set() for name in values}
    for pair in pairs:
        if pair.separable and {pair.a, pair.b} <= values.keys():
            a, b = values[pair.a], values[pair.b]
            is_turned = a is not None and b is not None and b > a
            better, worse = (pair.b, pair.a) if is_turned else (pair.a, pair.b)
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
            not_separable=tuple(
                n for n in names if n != entry.model and n not in apart[entry.model]
            ),
            groups=tuple(n for n, own in enumerate(groups, start=1) if place in own),
        )
        for place, entry in enumerate(order)
    )


def groups_of(names: Sequence[str], apart: Mapping[str, set[str]]) -> list[range]:
    """Return groups of neighbours in a ranking: no two models of a group are separable.

    Each group is as large as possible, and has at least two models. ``names``: the models, the best
    first. ``apart``: for each model, the models that are separable from it.
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


HISTORY: Final = "history.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One model's score on one board on one day."""

    day: str  # ISO 8601
    board: str
    unit: str
    simulated: bool
    entry: Entry


COLUMNS: Final = (
    *("day", "board", "model", "rank_low", "rank_high", "value", "low", "high"),
    *("unit", "evaluators", "answers", "simulated"),
)


def list_standings(boards: Iterable[Board], day: str) -> list[Standing]:
    return [
        Standing(
            day=day,
            board=board.title,
            unit=board.unit,
            simulated=board.simulated,
            entry=replace(entry, not_separable=(), groups=()),
        )
        for board in boards
        for entry in board.entries
    ]


def read_history(folder: Path) -> list[Standing]:
    """Read the scores of earlier days, or return an empty list if there is no file.

    Raises InputError: a line has a wrong format.
    """
    path = folder / HISTORY
    if not path.exists():
        return []
    history = []
    for where, row in read_table(path, COLUMNS, made_by="hype leaderboard"):
        try:
            value, low, high = (
                float(row[name]) if row[name] else None for name in ("value", "low", "high")
            )
            entry = Entry(
                model=unguard(row["model"]),
                value=value,
                low=low,
                high=high,
                evaluators=int(row["evaluators"]) if row["evaluators"] else None,
                answers=int(row["answers"]),
                rank_low=int(row["rank_low"]),
                rank_high=int(row["rank_high"]),
            )
            simulated = {"true": True, "false": False}[row["simulated"]]
        except (ValueError, KeyError):
            raise InputError(
                where, "was not written by hype leaderboard", "restore the file or delete the line"
            ) from None
        board = unguard(row["board"])
        history.append(
            Standing(
                day=row["day"], board=board, unit=row["unit"], simulated=simulated, entry=entry
            )
        )
    return history


def add_today(history: Sequence[Standing], today: Sequence[Standing]) -> list[Standing]:
    """Add today's scores, and replace earlier scores of the same day and board.

    Raises InputError: one history would contain scores by people and by simulated evaluators.
    """
    if len({row.simulated for row in (*history, *today)}) > 1:
        problem = "would mix people and simulated evaluators"
        raise InputError("--out", problem, "use a separate folder for each")
    written = {(row.day, row.board) for row in today}
    return [*(row for row in history if (row.day, row.board) not in written), *today]


def write_history(history: Iterable[Standing]) -> str:
    rows = [asdict(row.entry) | asdict(row) for row in history]
    return csv_lines([COLUMNS, *([row[name] for name in COLUMNS] for row in rows)])


INDEX: Final = "index.html"
BAR_PX: Final = 150
PLOT_PX: Final = (640, 240)
MARGIN_PX: Final = 8
LANE_PX: Final = 6
COLOURS: Final = 8
MOST_DRAWN: Final = 16
"""A plot has at most this many models, since more lines cannot be distinguished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardsPage:
    """What the page of leaderboards shows."""

    title: str
    day: str
    boards: tuple[Board, ...]
    history: Sequence[Standing]
    # Source, methods and notes of each set of boards that were scored together
    methods: Sequence[tuple[str, Methods, Sequence[str]]]

    @property
    def simulated(self) -> bool:
        return any(board.simulated for board in self.boards)

    @property
    def models(self) -> tuple[str, ...]:
        """All models, in the order in which they first appear on the boards."""
        return tuple(dict.fromkeys(e.model for board in self.boards for e in board.entries))

    def entry(self, board: Board, model: str) -> Entry | None:
        return next((entry for entry in board.entries if entry.model == model), None)

    def since(self, model: str) -> str:
        """Return the first day on which a model was on any board."""
        return min((row.day for row in self.history if row.entry.model == model), default=self.day)

    def to_json(self) -> dict[str, object]:
        return {
            "title": self.title,
            "day": self.day,
            "simulated": self.simulated,
            "boards": [asdict(board) for board in self.boards],
        }


def page_text(page: BoardsPage) -> str:
    return (
        page_environment()
        .get_template("leaderboard.html")
        .render(
            site=page,
            bars=bars,
            bar_px=BAR_PX,
            group_bars=group_bars,
            history=HISTORY,
            lane_px=LANE_PX,
            lanes=lanes,
            lettered=name_groups,
            plot=plot,
            plot_px=PLOT_PX,
            ranks=ranks,
            wording=wording,
        )
    )


def ranks(entry: Entry) -> str:
    if entry.rank_low == entry.rank_high:
        return str(entry.rank_low)
    return f"{entry.rank_low} to {entry.rank_high}"


def letter(group: int) -> str:
    """Return the name of a group: a for 1, b for 2, …, z, aa, ab and so on."""
    before, place = divmod(group - 1, 26)
    return (letter(before) if before else "") + chr(ord("a") + place)


def name_groups(groups: Sequence[int]) -> str:
    """Write the consecutive groups of a model, such as "a b" or "a to d"."""
    if len(groups) <= 2:
        return " ".join(map(letter, groups))
    return f"{letter(groups[0])} to {letter(groups[-1])}"


def lanes(board: Board) -> int:
    """Return the number of bars that a cell needs: the largest number of groups of any model."""
    return max((len(entry.groups) for entry in board.entries), default=0)


def group_bars(groups: Sequence[int], lanes: int) -> str:
    """Return a CSS background of a model's cell: one vertical bar for each of its groups."""
    bars = (
        f"linear-gradient(var(--bar), var(--bar)) {LANE_PX * (1 + group % lanes)}px 0 / "
        f"{LANE_PX // 2}px 100% no-repeat"
        for group in groups
    )
    return ", ".join(bars) or "none"


def span_of(rows: Iterable[Entry]) -> tuple[float, float]:
    """Return the smallest and the largest of all values and ends of intervals."""
    ends = [x for row in rows for x in (row.value, row.low, row.high) if x is not None]
    least, most = min(ends, default=0.0), max(ends, default=1.0)
    return least, most if most > least else least + 1.0


def place_on_axis(value: float, span: tuple[float, float], px: float) -> float:
    share = (value - span[0]) / (span[1] - span[0])
    return round(MARGIN_PX + share * (px - 2 * MARGIN_PX), 1)


def bars(board: Board) -> list[dict[str, float | None]]:
    """Return the positions of each entry's value, low and high, in px; None if unknown."""
    span = span_of(board.entries)
    return [
        {
            name: None if end is None else place_on_axis(end, span, BAR_PX)
            for name, end in (("value", row.value), ("low", row.low), ("high", row.high))
        }
        for row in board.entries
    ]


def plot(history: Sequence[Standing], board: Board) -> dict[str, Any] | None:
    """Draw the history of a board's best models; None if there is only one day."""
    models = [entry.model for entry in board.entries[:MOST_DRAWN]]
    rows = [row for row in history if row.board == board.title and row.entry.model in models]
    days = [date.fromisoformat(row.day).toordinal() for row in rows]
    if len(set(days)) < 2:
        return None
    width_px, height_px = PLOT_PX
    span = span_of(row.entry for row in rows)
    per_day_px = (width_px - 2 * MARGIN_PX) / (max(days) - min(days))
    points: dict[str, list[dict[str, float]]] = {model: [] for model in models}
    for day, row in zip(days, rows, strict=True):
        entry = row.entry
        if entry.value is not None:
            ends = (entry.value if x is None else x for x in (entry.value, entry.low, entry.high))
            y, low, high = (height_px - place_on_axis(end, span, height_px) for end in ends)
            x = round(MARGIN_PX + (day - min(days)) * per_day_px, 1)
            points[entry.model].append({"x": x, "y": y, "low": low, "high": high})
    return {
        "lines": [
            {"model": model, "colour": number % COLOURS, "points": points[model]}
            for number, model in enumerate(models)
            if points[model]
        ],
        "first": min(row.day for row in rows),
        "last": max(row.day for row in rows),
        "least": span[0],
        "most": span[1],
    }
