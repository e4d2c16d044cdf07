"""Finding where a costly and slightly uneven function reaches a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MOST_HALVINGS: Final = 4
"""Tries to come nearer to the place from which on the function is not defined."""


class NotDefined(Exception):
    """Raised by a function for an argument beyond those for which it has a value."""


@dataclass(frozen=True, slots=True)
class Point:
    """An argument, and the value there."""

    at: float
    value: float


def expand(
    function: Callable[[float], float], target: float, *, first: float, limit: float, grow: float
) -> list[Point]:
    """Evaluate a function ever further from 0, where it is 0, until it reaches ``target``.

    Parameters
    ----------
    function
        Grows, by and large; may be undefined from some argument on.
    first
        Where to begin; above 0.
    limit
        The largest argument.
    grow
        Factor from one argument to the next; above 1.

    Returns
    -------
    list of Point
        In the order of the arguments, from 0. The last is the only one at ``target`` or above, or
        none is, and the function does not reach it.
    """
    points, at, ended, halvings = [Point(0.0, 0.0)], min(first, limit), False, 0
    while True:
        try:
            points.append(Point(at, function(at)))
        except NotDefined:
            limit, ended = at, True
        halvings += ended
        last = points[-1]
        if last.value >= target or last.at >= limit or halvings > MOST_HALVINGS:
            return points
        at = (last.at + limit) / 2 if ended else min(last.at * grow, limit)


def narrow(
    function: Callable[[float], float],
    target: float,
    low: Point,
    high: Point,
    *,
    tolerance: float,
    rounds: int,
) -> Point:
    """Find where a function has the value ``target``, between a point below it and one above.

    The Illinois variant of the false position (Dowell & Jarratt 1971): it needs few evaluations,
    and never leaves the bracket, however uneven the function.

    Returns
    -------
    Point
        The nearest to ``target`` of all evaluated. It may miss it by more than ``tolerance`` where
        the function jumps, or where ``rounds`` evaluations were not enough.
    """
    best = min(low, high, key=lambda point: abs(point.value - target))
    below, above = low.value - target, high.value - target
    side = 0
    for _ in range(rounds):
        if abs(best.value - target) <= tolerance:
            break
        at = low.at + (high.at - low.at) * below / (below - above)
        found = Point(at, function(at))
        best = min(best, found, key=lambda point: abs(point.value - target))
        if found.value < target:
            low, below = found, found.value - target
            above = above / 2 if side < 0 else above
            side = -1
        else:
            high, above = found, found.value - target
            below = below / 2 if side > 0 else below
            side = 1
    return best
