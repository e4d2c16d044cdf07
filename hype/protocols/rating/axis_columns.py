"""Columns for the axes of a study: their names fit above numbers, their keys differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hype.report import tabular

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hype.report.tabular import Column

_ONE_LINE: Final = 8
"""Letters that stand above a number without making its column wider."""


def axis_columns(
    prefix: str, axes: Sequence[str], column: Callable[[str, str], Column]
) -> tuple[Column, ...]:
    """Declare a column for each axis.

    Parameters
    ----------
    prefix
        What the keys begin with.
    axes
        Names, which differ.
    column
        Makes a column of its heading and its key.
    """
    keys: dict[str, str] = {}
    for number, axis in enumerate(axes, start=1):
        key = tabular.slug(prefix, axis).replace("-", "_")
        keys[axis] = f"{key}_{number}" if key in keys.values() else key
    return tuple(column(broken(axis), keys[axis]) for axis in axes)


def broken(name: str) -> str:
    """Break a name into lines of equal length, none of them long."""
    lines = -(-len(name) // _ONE_LINE)
    size = -(-len(name) // max(lines, 1))
    parts = [name[at : at + size] for at in range(0, len(name), max(size, 1))]
    return "-\n".join(parts)
