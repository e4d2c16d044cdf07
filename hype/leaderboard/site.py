"""A leaderboard as a static site: one page of all boards, one of each model, and downloads."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from hype.files import make_folder, write_bytes
from hype.leaderboard.history import of_model
from hype.report import wording
from hype.report.parts import typeset
from hype.tables.spreadsheet_text import guarded

if TYPE_CHECKING:
    from hype.leaderboard.boards import Board, Entry
    from hype.leaderboard.history import Standing, Withdrawal

MODELS: Final = "models"
INDEX: Final = "index.html"
TABLE: Final = "standings.csv"
OBJECT: Final = "standings.json"
MOST_NAMED: Final = 6
BAR_PX: Final = 150
CHART_PX: Final = (640, 180)
MARGIN_PX: Final = 8
Pictured = Callable[[str], tuple[str, int, int] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Everything that the site says."""

    title: str
    day: str
    boards: tuple[Board, ...]
    days: Mapping[str, Any]
    withdrawn: Mapping[str, Withdrawal]
    pictured: Pictured

    @property
    def simulated(self) -> bool:
        return any(board.simulated for board in self.boards)

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is or was on a board, by the first board that has it."""
        now = [model for board in self.boards for model in board.models]
        before = [
            model
            for _, kept in sorted(self.days.items(), reverse=True)
            for rows in kept["boards"].values()
            for model in sorted(rows)
        ]
        return tuple(dict.fromkeys([*now, *before, *self.withdrawn]))

    def entry(self, board: Board, model: str) -> Entry | None:
        return next((entry for entry in board.entries if entry.model == model), None)

    def history(self, board: str, model: str) -> tuple[Standing, ...]:
        return of_model(self.days, board, model)

    def boards_ever(self, model: str) -> Iterator[tuple[str, str]]:
        """Yield name and title of each board on which a model is or was."""
        titles = {board.name: board.title for board in self.boards}
        every = dict.fromkeys(
            [*titles, *(n for kept in self.days.values() for n in kept["boards"])]
        )
        for name in every:
            if self.history(name, model):
                yield name, titles.get(name, name)

    def since(self, model: str) -> str:
        """Give the first day on which a model stood on any board."""
        days = [
            day
            for day, kept in sorted(self.days.items())
            if any(model in rows for rows in kept["boards"].values())
        ]
        return days[0] if days else self.day


def page_of(model: str) -> str:
    """Give the file of a model's page: a name that every system takes, and nobody else has."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", model).strip("-")[:40] or "model"
    return f"{MODELS}/{plain}-{hashlib.sha256(model.encode()).hexdigest()[:8]}.html"


def write_site(site: Site, folder: Path) -> int:
    """Write the site; gives how many files. Each appears whole or not at all.

    Raises InputError: it cannot be written.
    """
    make_folder(folder / MODELS)
    files = dict(_files(site))
    for name, content in files.items():
        write_bytes(folder / name, content.encode())
    return len(files)


def _files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield each file, those that others lead to first."""
    environment = _environment()
    for model in site.models:
        page = environment.get_template("model.html").render(site=site, model=model, root="../")
        yield page_of(model), page
    yield TABLE, _table(site)
    yield OBJECT, json.dumps(object_of(site), ensure_ascii=False, indent=1) + "\n"
    yield INDEX, environment.get_template("index.html").render(site=site, root="")


def object_of(site: Site) -> dict[str, object]:
    """Give what the site says as JSON."""
    return {
        "title": site.title,
        "day": site.day,
        "simulated": site.simulated,
        "boards": [asdict(board) for board in site.boards],
        "withdrawn": {model: asdict(one) for model, one in site.withdrawn.items()},
    }


COLUMNS: Final = (
    *("board", "model", "rank_low", "rank_high", "value", "low", "high", "unit"),
    *("evaluators", "answers", "since", "simulated"),
)


def _table(site: Site) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for board in site.boards:
        for entry in board.entries:
            cells = (
                *(guarded(board.name), guarded(entry.model), entry.rank_low, entry.rank_high),
                *(entry.value, entry.low, entry.high, board.unit),
                *(entry.evaluators, entry.answers, site.since(entry.model)),
                str(board.simulated).lower(),
            )
            writer.writerow(["" if cell is None else cell for cell in cells])
    return text.getvalue()


def ranks(entry: Entry | Standing) -> str:
    if entry.rank_low == entry.rank_high:
        return str(entry.rank_low)
    return f"{entry.rank_low} to {entry.rank_high}"


def few(names: Sequence[str]) -> str:
    """Name some of them, and say how many more there are."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to px, over all intervals that are drawn together."""

    least: float
    most: float
    px: float

    @classmethod
    def over(cls, rows: Sequence[Entry | Standing], px: float) -> Scale:
        ends = [x for row in rows for x in (row.value, row.low, row.high) if x is not None]
        least, most = min(ends, default=0.0), max(ends, default=1.0)
        return cls(least, most if most > least else least + 1.0, px)

    def at(self, value: float) -> float:
        share = (value - self.least) / (self.most - self.least)
        return round(MARGIN_PX + share * (self.px - 2 * MARGIN_PX), 1)


def bars(board: Board) -> list[tuple[float | None, float | None, float | None]]:
    """Place value and interval of each entry on one scale, in px."""
    scale = Scale.over(board.entries, BAR_PX)
    return [
        tuple(None if x is None else scale.at(x) for x in (entry.value, entry.low, entry.high))  # type: ignore[misc]
        for entry in board.entries
    ]


def chart(standings: Sequence[Standing]) -> list[dict[str, float]]:
    """Place a model's days in px: x by their order, y by value and interval."""
    width_px, height_px = CHART_PX
    scale = Scale.over(standings, height_px)
    step_px = (width_px - 2 * MARGIN_PX) / max(1, len(standings) - 1)
    points = []
    for number, one in enumerate(standings):
        if one.value is None:
            continue
        y, low, high = (
            height_px - scale.at(one.value if x is None else x)
            for x in (one.value, one.low, one.high)
        )
        points.append(
            {"x": round(MARGIN_PX + number * step_px, 1), "y": y, "low": low, "high": high}
        )
    return points


@cache
def _environment() -> Environment:
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
        chart=chart,
        chart_px=CHART_PX,
        few=few,
        page_of=page_of,
        ranks=ranks,
        wording=wording,
        downloads=(TABLE, OBJECT),
        index=INDEX,
    )
    return environment
