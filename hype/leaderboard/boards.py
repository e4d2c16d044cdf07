"""Boards: what scores say of each model, with the ranks that tests leave open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from hype.statistics.estimate import Estimate


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
class Ends:
    """Names of images of a model: those that did best, and those that did worst."""

    most: tuple[str, ...] = ()
    least: tuple[str, ...] = ()


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
    ends: Ends = Ends()


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
    """Models by one measure, the best first."""

    name: str  # unlike those of other boards
    title: str
    unit: str
    decimals: int
    about: str
    sources: tuple[str, ...]
    simulated: bool
    entries: tuple[Entry, ...]

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(entry.model for entry in self.entries)


def board_of(measured: Measured, sources: Sequence[str], *, without: Iterable[str] = ()) -> Board:
    """Rank what was measured; ``without``: models that are not ranked."""
    return Board(
        name=measured.title,
        title=measured.title,
        unit=measured.unit,
        decimals=measured.decimals,
        about=measured.about,
        sources=tuple(sources),
        simulated=measured.simulated,
        entries=ranked(measured.entries, measured.pairs, without=without),
    )


def told_apart(boards: Sequence[Board]) -> tuple[Board, ...]:
    """Name boards of the same measure by what they are of."""
    number = Counter(board.title for board in boards)
    return tuple(
        replace(board, name=name, title=name)
        for board in boards
        for name in [
            f"{board.title}, {' and '.join(board.sources)}"
            if number[board.title] > 1
            else board.title
        ]
    )


def entry_of(
    model: str,
    estimate: Estimate | None,
    *,
    evaluators: int | None,
    answers: int,
    value: float | None = None,
    ranks: tuple[int | None, int | None] = (None, None),
    ends: Ends | None = None,
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
        ends=ends or Ends(),
    )


def ranked(
    entries: Iterable[Entry], pairs: Sequence[Tested], *, without: Iterable[str] = ()
) -> tuple[Entry, ...]:
    """Give entries the ranks that are left open: of K models, 1 + those above to K - those below.

    ``pairs`` are of models that were tested; of others nothing is known. ``without``: models that
    are not ranked. Entries that have ranks keep them, as long as all are ranked.
    """
    hidden = set(without)
    every = tuple(entries)
    kept = [entry for entry in every if entry.model not in hidden]
    all_are = len(kept) == len(every)
    names = {entry.model for entry in kept}
    apart = [p for p in pairs if p.separable and {p.a, p.b} <= names]
    values = {entry.model: entry.value for entry in kept}
    above: Counter[str] = Counter()
    below: Counter[str] = Counter()
    told: dict[str, set[str]] = {name: set() for name in names}
    for pair in apart:
        better, worse = in_order(pair, values)
        above[worse] += 1
        below[better] += 1
        told[better].add(worse)
        told[worse].add(better)
    order = sorted(kept, key=_best_first)
    return tuple(
        replace(
            entry,
            rank_low=(all_are and entry.rank_low) or 1 + above[entry.model],
            rank_high=(all_are and entry.rank_high) or len(kept) - below[entry.model],
            alike=tuple(
                other.model
                for other in order
                if other.model != entry.model and other.model not in told[entry.model]
            ),
        )
        for entry in order
    )


def in_order(pair: Tested, values: dict[str, Any]) -> tuple[str, str]:
    """Name the better of two first, by their values."""
    a, b = values[pair.a], values[pair.b]
    return (pair.b, pair.a) if a is not None and b is not None and b > a else (pair.a, pair.b)


def _best_first(entry: Entry) -> tuple[bool, float, str]:
    return entry.value is None, -(entry.value or 0.0), entry.model
