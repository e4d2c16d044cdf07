"""A leaderboard as a static site: one page of all boards, one of each model, and downloads."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from hype.errors import InputError
from hype.files import aside, make_folder, write_bytes
from hype.leaderboard.history import HISTORY, WITHDRAWN, history_text, of_model, withdrawn_text
from hype.report import wording
from hype.report.methods import reference
from hype.report.parts import typeset
from hype.system import HeldFolder
from hype.tables.spreadsheet_text import guarded

if TYPE_CHECKING:
    from hype.leaderboard.boards import Board, Entry
    from hype.leaderboard.history import Days, Standing, Withdrawal
    from hype.report.methods import Methods

MODELS: Final = "models"
INDEX: Final = "index.html"
TABLE: Final = "standings.csv"
OBJECT: Final = "standings.json"
DAYS: Final = "history.csv"
READY: Final = ".ready"
"""A folder of files that were all written, and are to be put in their places."""
MOST_NAMED: Final = 6
BAR_PX: Final = 150
CHART_PX: Final = (640, 180)
MARGIN_PX: Final = 8
LANE_PX: Final = 6
Pictured = Callable[[str], tuple[str, int, int] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMethods:
    """The methods of boards that were scored together."""

    sources: tuple[str, ...]
    designed: str  # the study whose design they describe, where the sources are several
    methods: Methods
    notes: tuple[str, ...]  # on what was scored together


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Everything that the site says."""

    title: str
    day: str
    boards: tuple[Board, ...]
    days: Days
    withdrawn: Mapping[str, Withdrawal]
    methods: tuple[WrittenMethods, ...]
    pictured: Pictured

    @property
    def simulated(self) -> bool:
        return any(board.simulated for board in self.boards)

    @property
    def ranked(self) -> tuple[str, ...]:
        """Every model that is on a board, by the first board that has it."""
        return tuple(dict.fromkeys(model for board in self.boards for model in board.models))

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is or was on a board."""
        before = (
            model
            for _, kept in sorted(self.days.items(), reverse=True)
            for rows in kept.boards.values()
            for model in sorted(rows)
        )
        return tuple(dict.fromkeys([*self.ranked, *before, *self.withdrawn]))

    def entry(self, board: Board, model: str) -> Entry | None:
        return next((entry for entry in board.entries if entry.model == model), None)

    def histories(self, model: str) -> Iterator[tuple[str, int, tuple[Standing, ...]]]:
        """Yield title, decimals and days of each board on which a model is or was."""
        now = {board.name: (board.title, board.decimals) for board in self.boards}
        before = (name for kept in self.days.values() for name in kept.boards)
        for name in dict.fromkeys([*now, *before]):
            if standings := of_model(self.days, name, model):
                yield *now.get(name, (name, 2)), standings

    def since(self, model: str) -> str:
        """Give the first day on which a model stood on any board."""
        days = (d for d, kept in self.days.items() if any(model in b for b in kept.boards.values()))
        return min(days, default=self.day)


def page_of(model: str) -> str:
    """Give the file of a model's page: a name that every system takes, and nobody else has."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", model).strip("-")[:40] or "model"
    return f"{MODELS}/{plain}-{hashlib.sha256(model.encode()).hexdigest()[:8]}.html"


def write_site(site: Site, folder: Path) -> int:
    """Write the site and what it keeps; gives how many files.

    All files are written before the first is put in its place. A program that is killed before
    leaves the site as it was; one that is killed then leaves the rest to `finish_site`.

    Raises InputError: it cannot be written.
    """
    files = dict(_files(site))
    make_folder(folder)
    finish_site(folder)
    try:
        with aside(folder, "site") as new:
            (new / MODELS).mkdir()
            for name, content in files.items():
                write_bytes(new / name, content.encode(), private=False)
            new.rename(folder / READY)
    except OSError as error:
        raise InputError(folder, f"cannot be written: {error.strerror}") from None
    finish_site(folder)
    return len(files)


IN_EMPTY: Final = (".hype-", ".git")
"""How names begin that an empty folder may hold: what a killed program left, and Git's."""


@contextmanager
def held_site(folder: Path) -> Iterator[None]:
    """Hold a site, if it is there, and finish what a program that was killed left of it.

    Raises InputError: another program writes it, it cannot be finished, or it is a folder of
    something else.
    """
    if not folder.is_dir():
        yield
        return
    is_site = any((folder / name).exists() for name in (HISTORY, WITHDRAWN, READY))
    if not is_site and any(not path.name.startswith(IN_EMPTY) for path in folder.iterdir()):
        allowed = "a leaderboard's folder, or one that is new or empty"
        raise InputError(folder, "is a folder of something else", allowed)
    try:
        held = HeldFolder(folder, needed=False)
    except BlockingIOError:
        problem = "is being written by another program"
        raise InputError(folder, problem, "the same again when that is done") from None
    try:
        finish_site(folder)
        yield
    finally:
        held.let_go()


def finish_site(folder: Path) -> None:
    """Put in place what a program had written whole.

    Raises InputError: it cannot be done.
    """
    ready = folder / READY
    try:
        for path in sorted(ready.rglob("*")):
            if path.is_file():
                place = folder / path.relative_to(ready)
                place.parent.mkdir(exist_ok=True)
                path.replace(place)
        if ready.is_dir():
            shutil.rmtree(ready)
    except OSError as error:
        raise InputError(folder, f"cannot be written: {error.strerror}") from None


def _files(site: Site) -> Iterator[tuple[str, str]]:
    environment = _environment()
    for model in site.models:
        page = environment.get_template("model.html").render(site=site, model=model, root="../")
        yield page_of(model), page
    yield TABLE, _standings_table(site)
    yield OBJECT, json.dumps(object_of(site), ensure_ascii=False, indent=1) + "\n"
    yield DAYS, _history_table(site)
    yield HISTORY, history_text(site.days)
    yield WITHDRAWN, withdrawn_text(site.withdrawn)
    yield INDEX, environment.get_template("index.html").render(site=site, root="")


def object_of(site: Site) -> dict[str, object]:
    """Give what the site says as JSON."""
    return {
        "title": site.title,
        "day": site.day,
        "simulated": site.simulated,
        "boards": [asdict(board) for board in site.boards],
        "withdrawn": {model: asdict(withdrawal) for model, withdrawal in site.withdrawn.items()},
    }


COLUMNS: Final = (
    *("board", "model", "rank_low", "rank_high", "value", "low", "high", "unit"),
    *("evaluators", "answers", "since", "simulated"),
)
HISTORY_COLUMNS: Final = (
    *("day", "board", "model", "rank_low", "rank_high", "value", "low", "high"),
    *("evaluators", "answers", "simulated"),
)


def _standings_table(site: Site) -> str:
    return _csv(
        COLUMNS,
        (
            (
                *(guarded(board.name), guarded(entry.model), entry.rank_low, entry.rank_high),
                *(entry.value, entry.low, entry.high, board.unit),
                *(entry.evaluators, entry.answers, site.since(entry.model)),
                str(board.simulated).lower(),
            )
            for board in site.boards
            for entry in board.entries
        ),
    )


def _history_table(site: Site) -> str:
    return _csv(
        HISTORY_COLUMNS,
        (
            (
                *(day, guarded(board), guarded(model), row.rank_low, row.rank_high),
                *(row.value, row.low, row.high, row.evaluators, row.answers),
                str(kept.simulated).lower(),
            )
            for day, kept in sorted(site.days.items())
            for board, rows in kept.boards.items()
            for model, row in rows.items()
        ),
    )


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue()


def ranks(entry: Entry | Standing) -> str:
    if entry.rank_low == entry.rank_high:
        return str(entry.rank_low)
    return f"{entry.rank_low} to {entry.rank_high}"


def first_names(names: Sequence[str]) -> str:
    """Name some of them, and say how many more there are."""
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"


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


@dataclass(frozen=True, slots=True)
class PixelScale:
    """From values to px, over all intervals that are drawn together."""

    least: float
    most: float
    px: float

    @classmethod
    def over(cls, rows: Sequence[Entry | Standing], px: float) -> PixelScale:
        ends = [x for row in rows for x in (row.value, row.low, row.high) if x is not None]
        least, most = min(ends, default=0.0), max(ends, default=1.0)
        return cls(least, most if most > least else least + 1.0, px)

    def at(self, value: float) -> float:
        share = (value - self.least) / (self.most - self.least)
        return round(MARGIN_PX + share * (self.px - 2 * MARGIN_PX), 1)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value and its interval, in px; None where it is not known."""

    value: float | None
    low: float | None
    high: float | None


def bars(board: Board) -> list[Bar]:
    """Place value and interval of each entry on one scale."""
    scale = PixelScale.over(board.entries, BAR_PX)

    def placed(value: float | None) -> float | None:
        return None if value is None else scale.at(value)

    return [Bar(placed(row.value), placed(row.low), placed(row.high)) for row in board.entries]


def chart(standings: Sequence[Standing]) -> list[dict[str, float]]:
    """Place a model's days in px: x by the date, y by value and interval."""
    width_px, height_px = CHART_PX
    scale = PixelScale.over(standings, height_px)
    days = [date.fromisoformat(row.day).toordinal() for row in standings]
    per_day_px = (width_px - 2 * MARGIN_PX) / max(1, days[-1] - days[0])
    points = []
    for day, row in zip(days, standings, strict=True):
        if row.value is None:
            continue
        y, low, high = (
            height_px - scale.at(row.value if x is None else x)
            for x in (row.value, row.low, row.high)
        )
        x = round(MARGIN_PX + (day - days[0]) * per_day_px, 1)
        points.append({"x": x, "y": y, "low": low, "high": high, "value": row.value})
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
        downloads=(TABLE, OBJECT, DAYS, HISTORY),
        first_names=first_names,
        group_bars=group_bars,
        index=INDEX,
        lane_px=LANE_PX,
        lanes=lanes,
        letter=letter,
        lettered=lettered,
        page_of=page_of,
        ranks=ranks,
        reference=reference,
        wording=wording,
    )
    return environment
