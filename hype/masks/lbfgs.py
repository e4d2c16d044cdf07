"""Limited-memory BFGS for images (Nocedal & Wright 2006, algorithms 7.4 and 7.5).

SciPy's version uses double precision and copies images; this would double the time for a mask.
The line search tries the full step, then shorter ones. If the curvature along a step is not clearly
positive, later directions ignore this step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from hype.masks.model import Field

Function = Callable[[Field], tuple[float, Field]]

MEMORY: Final = 6
SUFFICIENT: Final = 1e-4
SHORTEST_STEP: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Step:
    """The state of the search."""

    image: Field  # the best image so far
    value: float  # the function's value at this image
    evaluations: int  # number of evaluations of function and gradient since the start


def dot(a: Field, b: Field) -> float:
    return float(np.dot(a.ravel(), b.ravel()))


def direction(gradient: Field, memory: deque[tuple[Field, Field, float]]) -> Field:
    """Return the quasi-Newton direction; before the first step, the negative gradient."""
    way = -gradient
    weights = []
    for step, change, product in reversed(memory):
        weights.append(dot(step, way) / product)
        way -= way.dtype.type(weights[-1]) * change
    if memory:
        _, change, product = memory[-1]
        way *= way.dtype.type(product / dot(change, change))
    for step, change, product in memory:
        correction = weights.pop() - dot(change, way) / product
        way += way.dtype.type(correction) * step
    return way


def minimise(function: Function, start: Field) -> Iterator[Step]:
    """Yield the start, then better and better images, until no step improves the last one.

    ``function`` returns its value and gradient at an image. It should be scaled so that the
    negative gradient is a good first step.
    """
    image, (value, gradient), evaluations = start, function(start), 1
    memory: deque[tuple[Field, Field, float]] = deque(maxlen=MEMORY)
    yield Step(image, value, evaluations)
    while True:
        way = direction(gradient, memory)
        slope, length = dot(gradient, way), 1.0
        if not slope < 0:
            return
        while True:
            ahead = image + way.dtype.type(length) * way
            value_ahead, steepness = function(ahead)
            evaluations += 1
            if value_ahead < value and value_ahead <= value + SUFFICIENT * length * slope:
                break
            excess = value_ahead - value - slope * length
            best = -slope * length / (2 * excess) if excess > 0 else 0.5
            length *= min(max(best, 0.1), 0.5)
            if length < SHORTEST_STEP:
                return
        step, change = ahead - image, steepness - gradient
        product = dot(step, change)
        if product > 1e-10 * np.sqrt(dot(step, step) * dot(change, change)):
            memory.append((step, change, product))
        image, value, gradient = ahead, value_ahead, steepness
        yield Step(image, value, evaluations)
