"""A leaderboard as one static page: the tables of today, how models stood before, the methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from hype.leaderboard.boards import HISTORY, Board, Entry, Standing
from hype.report import wording
from hype.report.methods import Methods, reference
from hype.report.parts import typeset

INDEX: Final = "index.html"
BAR_PX: Final = 150
PLOT_PX: Final = (640, 240)
MARGIN_PX: Final = 8
LANE_PX: Final = 6
COLOURS: Final = 8
MOST_DRAWN: Final = 16
"""Models of a plot: more lines could not be told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMethods:
    """The methods of boards that were scored together, and notes on their scores."""

    source: str
    methods: Methods
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardsPage:
    """Everything that the page says."""

    title: str
    day: str
    boards: tuple[Board, ...]
    history: Sequence[Standing]
    methods: tuple[WrittenMethods, ...]

    @property
    def simulated(self) -> bool:
        return any(board.simulated for board in self.boards)

    @property
    def models(self) -> tuple[str, ...]:
        """Every model, by the first board that has it."""
        return tuple(dict.fromkeys(e.model for board in self.boards for e in board.entries))

    def entry(self, board: Board, model: str) -> Entry | None:
        return next((entry for entry in board.entries if entry.model == model), None)

    def since(self, model: str) -> str:
        """Give the first day on which a model stood on any board."""
        return min((row.day for row in self.history if row.model == model), default=self.day)

    def to_json(self) -> dict[str, object]:
        return {
            "title": self.title,
            "day": self.day,
            "simulated": self.simulated,
            "boards": [asdict(board) for board in self.boards],
        }


def page_text(page: BoardsPage) -> str:
    """Write the page."""
    environment = Environment(
        loader=PackageLoader("hype.leaderboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(typeset=typeset)
    environment.globals.update(
        bars=bars,
        bar_px=BAR_PX,
        group_bars=group_bars,
        history=HISTORY,
        lane_px=LANE_PX,
        lanes=lanes,
        lettered=lettered,
        plot=plot,
        plot_px=PLOT_PX,
        ranks=ranks,
        reference=reference,
        wording=wording,
    )
    return environment.get_template(INDEX).render(site=page)


def ranks(entry: Entry) -> str:
    if entry.rank_low == entry.rank_high:
        return str(entry.rank_low)
    return f"{entry.rank_low} to {entry.rank_high}"


def letter(group: int) -> str:
    """Call a group a, b, …, z, aa, ab and so on; ``group``: from 1."""
    before, place = divmod(group - 1, 26)
    return (letter(before) if before else "") + chr(ord("a") + place)


def lettered(groups: Sequence[int]) -> str:
    """Name the groups of a model, which follow each other."""
    if len(groups) <= 2:
        return " ".join(map(letter, groups))
    return f"{letter(groups[0])} to {letter(groups[-1])}"


def lanes(board: Board) -> int:
    """Count the groups that a model is in at most: bars beside each other."""
    return max((len(entry.groups) for entry in board.entries), default=0)


def group_bars(groups: Sequence[int], lanes: int) -> str:
    """Draw a model's part of the bar of each of its groups, as the background of a cell in CSS."""
    bars = (
        f"linear-gradient(var(--bar), var(--bar)) {LANE_PX * (1 + group % lanes)}px 0 / "
        f"{LANE_PX // 2}px 100% no-repeat"
        for group in groups
    )
    return ", ".join(bars) or "none"


def span_of(rows: Sequence[Entry | Standing]) -> tuple[float, float]:
    """Give the least and the most over all intervals that are drawn together."""
    ends = [x for row in rows for x in (row.value, row.low, row.high) if x is not None]
    least, most = min(ends, default=0.0), max(ends, default=1.0)
    return least, most if most > least else least + 1.0


def placed(value: float, span: tuple[float, float], px: float) -> float:
    """Give the place of a value on an axis of this many px."""
    share = (value - span[0]) / (span[1] - span[0])
    return round(MARGIN_PX + share * (px - 2 * MARGIN_PX), 1)


def bars(board: Board) -> list[dict[str, float | None]]:
    """Place value, low and high of each entry on one scale, in px; None where it is not known."""
    span = span_of(board.entries)
    return [
        {
            name: None if end is None else placed(end, span, BAR_PX)
            for name, end in (("value", row.value), ("low", row.low), ("high", row.high))
        }
        for row in board.entries
    ]


def plot(history: Sequence[Standing], board: Board) -> dict[str, Any] | None:
    """Draw how the first models of a board stood; None where there is a single day."""
    models = [entry.model for entry in board.entries[:MOST_DRAWN]]
    rows = [row for row in history if row.board == board.title and row.model in models]
    days = [date.fromisoformat(row.day).toordinal() for row in rows]
    if len(set(days)) < 2:
        return None
    width_px, height_px = PLOT_PX
    span = span_of(rows)
    per_day_px = (width_px - 2 * MARGIN_PX) / (max(days) - min(days))
    points: dict[str, list[dict[str, float]]] = {model: [] for model in models}
    for day, row in zip(days, rows, strict=True):
        if row.value is not None:
            ends = (row.value if end is None else end for end in (row.value, row.low, row.high))
            y, low, high = (height_px - placed(end, span, height_px) for end in ends)
            x = round(MARGIN_PX + (day - min(days)) * per_day_px, 1)
            points[row.model].append({"x": x, "y": y, "low": low, "high": high})
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
