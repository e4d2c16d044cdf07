"""What can be answered to a rating, in words."""

from __future__ import annotations

from collections.abc import Mapping

from hype.protocol.rating import NOT_RELEVANT, YES_NO, Axis


def answers_of(axis: Axis, *, pairs: bool) -> Mapping[str, str]:
    """Give every answer of an axis, and what it means."""
    number = len(axis.levels)
    found = {
        level: (of_pair if pairs else of_image)(level, at, number)
        for at, level in enumerate(axis.levels)
    }
    return found | ({NOT_RELEVANT: "the axis does not apply; missing"} if axis.optional else {})


def of_pair(_level: str, at: int, number: int) -> str:
    """Say what the level at a place, from 0, of so many says of a pair."""
    middle = number // 2
    if at == middle:
        return "no difference"
    which, steps = ("first" if at < middle else "second"), abs(at - middle)
    if steps == middle > 1:
        return f"the {which} image is much better"
    of = f", {steps} of {middle} steps" if middle > 2 else ""
    return f"the {which} image is better{of}"


def of_image(level: str, at: int, number: int) -> str:
    """Say what an answer at a place, from 0, of so many says of a single image."""
    if level in YES_NO:
        return f"the answer is {level}"
    end = {0: ", the lowest", number - 1: ", the highest"}.get(at, "")
    return f"{level} on the scale{end}"
