"""Which conditions have a strength at all, and what is wrong with the others.

A strength is finite where a condition was chosen over others and others over it; strengths share a
scale where a path of such choices leads from each condition to each other one and back (Ford 1957,
see `hype.statistics.bradley_terry`). No score is made up for what lies outside:

1. A condition that was never compared has none.
2. Where the compared conditions fall into pieces that no comparison joins, none has.
3. A condition that never lost, or never won, has none and is left out, with all its comparisons,
   until no such one remains. What is left has the same strengths as it would tend to with the
   others on their way to infinity: comparisons with those say nothing on it.
4. Where the rest still falls into groups of which one never lost to another, none has.

A tie is half a win to either, and so joins two conditions both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hype.statistics.bradley_terry import strong_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hype.statistics.paired_counts import Counts

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Groups = tuple[tuple[str, ...], ...]

_MOST_NAMED: Final = 6


@dataclass(frozen=True, kw_only=True)
class Connectivity:
    """What the comparisons can tell strengths of.

    Parameters
    ----------
    fitted
        Conditions that have a strength, in their order; none, or two and more.
    reasons
        Condition to why it has none, in a sentence, for all others.
    pieces
        The conditions in groups that no comparison joins; one, in a study as it should be.
    groups
        The conditions in groups within which each was chosen over each other one by some path;
        one, in a study as it should be.
    unbeaten, winless
        Conditions that were compared and never lost, and never won; with all others in the table.
    problems
        Each thing that is wrong, once, in a sentence.
    """

    fitted: tuple[str, ...]
    reasons: dict[str, str]
    pieces: Groups
    groups: Groups
    unbeaten: tuple[str, ...]
    winless: tuple[str, ...]
    problems: tuple[str, ...]


def connectivity(counts: Counts) -> Connectivity:
    """Find out which conditions have a strength, and why the others have none."""
    names, points = counts.conditions, counts.points
    compared, won, lost = (_any_in_rows(each) for each in (counts.comparisons, points, points.T))
    pieces = _components(points + points.T, range(len(names)))
    reasons = {
        names[lone]: f"{names[lone]} was never compared with another condition"
        for lone in np.flatnonzero(~compared).tolist()
    }
    problems = [*reasons.values()]
    kept = np.flatnonzero(compared).tolist()
    joined = tuple(piece for piece in pieces if compared[piece[0]])
    if len(joined) <= 1:
        kept = _peeled(counts, kept, reasons, problems)
        joined = _components(points + points.T, kept)
    if apart := _apart(counts, kept, joined):
        problems.append(apart)
        reasons.update(dict.fromkeys((names[place] for place in kept), apart))
        kept = []
    return Connectivity(
        fitted=tuple(names[place] for place in kept),
        reasons=reasons,
        pieces=_named(names, pieces),
        groups=_named(names, _components(points, range(len(names)))),
        unbeaten=tuple(names[place] for place in np.flatnonzero(compared & ~lost).tolist()),
        winless=tuple(names[place] for place in np.flatnonzero(compared & ~won).tolist()),
        problems=tuple(problems),
    )


def _peeled(
    counts: Counts, kept: list[int], reasons: dict[str, str], problems: list[str]
) -> list[int]:
    """Leave out conditions that never lost or never won, and note why, until none is left."""
    first = True
    while True:
        among = counts.points[np.ix_(kept, kept)]
        wins, losses = _any_in_rows(among), _any_in_rows(among.T)
        sound = wins & losses
        if sound.all():
            return kept
        for place, won, lost in zip(kept, wins, losses, strict=True):
            if not (won and lost):
                reason = _extreme(counts, kept, place, won=bool(won), lost=bool(lost), first=first)
                reasons[counts.conditions[place]] = reason
                problems.append(reason)
        kept = [place for place, fine in zip(kept, sound, strict=True) if fine]
        first = False


def _extreme(
    counts: Counts, kept: Sequence[int], place: int, *, won: bool, lost: bool, first: bool
) -> str:
    name = counts.conditions[place]
    if not (won or lost):
        return f"{name} was compared only with conditions that have no strength"
    met = [other for other in kept if counts.comparisons[place, other]]
    number = int(counts.comparisons[place, met].sum())
    whom = listed(counts.conditions[other] for other in met)
    verb, never = ("won", "lost") if won else ("lost", "won")
    among = "" if first else " left when others without a strength are set aside"
    return (
        f"{name} never {never}: it {verb} {'all of its' if number > 1 else 'its only'} "
        f"{number} comparison{'s' if number > 1 else ''}{among}, with {whom}; "
        "no finite strength fits that"
    )


def _apart(counts: Counts, kept: Sequence[int], joined: Sequence[Sequence[int]]) -> str:
    """Say why the conditions share no scale; nothing if they do."""
    names = counts.conditions
    if len(joined) > 1:
        said = " and ".join(f"{{{listed(names[place] for place in part)}}}" for part in joined)
        return f"no comparison joins {said}: their strengths share no scale"
    groups = _components(counts.points, kept)
    if len(groups) <= 1:
        return ""
    top = next(group for group in groups if not _beaten(counts.points, group, kept))
    rest = [place for place in kept if place not in top]
    return (
        f"none of {{{listed(names[place] for place in top)}}} ever lost to one of "
        f"{{{listed(names[place] for place in rest)}}}: their strengths share no scale"
    )


def _beaten(points: FloatArray, group: Sequence[int], kept: Sequence[int]) -> bool:
    others = [place for place in kept if place not in group]
    return bool(points[np.ix_(others, list(group))].any())


def _components(points: FloatArray, kept: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    places = list(kept)
    found = strong_components(points[np.ix_(places, places)] > 0)
    return tuple(tuple(places[member] for member in group) for group in found)


def _any_in_rows(matrix: FloatArray) -> BoolArray:
    return np.asarray((matrix != 0).any(axis=1), dtype=bool)


def _named(names: Sequence[str], groups: Iterable[Sequence[int]]) -> Groups:
    return tuple(tuple(names[place] for place in group) for group in groups)


def listed(names: Iterable[str]) -> str:
    """Name a few, and count the others."""
    each = list(names)
    more = len(each) - _MOST_NAMED
    return ", ".join(each[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
