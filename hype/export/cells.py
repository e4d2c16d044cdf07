"""The cells of a CSV file that other programs read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def as_cell(value: object) -> object:
    """Give booleans the names that every program reads, and keep text from being a formula."""
    if isinstance(value, str):
        return loaded_guard()(value)
    return str(value).lower() if isinstance(value, bool) else value


@cache
def loaded_guard() -> Callable[[str], str]:
    """Load what guards text; with it comes all of the analysis."""
    from hype.analysis.tables.spreadsheet_text import guarded

    return guarded
