"""The tables of `hype status`: what those of every kind of study have in common."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.table import Table


def new_table() -> Table:
    """Make an empty table."""
    return Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)


def counts(numbers: Iterable[int]) -> tuple[str, ...]:
    """Write numbers; a dot where there is none, so that what there is stands out."""
    return tuple(f"{number:,}" if number else "·" for number in numbers)
