"""Small matters of type: subscripts, headings that may be broken, what a cell is sorted by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from hype.report import wording
from hype.report.figures.drawing import letters_in
from hype.report.tabular import Kind, is_missing

if TYPE_CHECKING:
    from hype.report.tabular import Column, Value

_PROTOCOL: Final = re.compile(r"\bHYPE_(time\b|∞)")
_NAME: Final = Markup("HYPE<sub>{}</sub>")
_ONE_LINE: Final = 20
"""Letters that a phone has room for beside some numbers."""
_OPEN_BELOW: Final = "-Infinity"
_OPEN_ABOVE: Final = "Infinity"


def typeset(text: str) -> Markup:
    """Write the protocols' names with the paper's subscripts; everything else is escaped."""
    parts = _PROTOCOL.split(text)  # every other one is a subscript
    return Markup("").join(
        _NAME.format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def heading(text: str) -> Markup:
    return typeset(text.replace("-\n", "").replace("\n", " "))


def is_long(name: str) -> bool:
    return letters_in(name) > _ONE_LINE


def sort_key(column: Column, value: Value) -> str | None:
    """Say by what a cell is sorted.

    Returns a number as JavaScript reads it; empty for what is missing; None for words, which are
    sorted as they stand.
    """
    if is_missing(value):
        return ""
    if column.kind is Kind.INTERVAL and isinstance(value, tuple):
        low, _ = value
        return _OPEN_BELOW if low is None else f"{low:.10g}"
    if column.kind is not Kind.NUMBER:
        return None
    if isinstance(value, int | float):
        return f"{value:.10g}"
    beyond = {wording.beyond("below"): _OPEN_BELOW, wording.beyond("above"): _OPEN_ABOVE}
    return beyond.get(str(value), "")
