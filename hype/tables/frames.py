"""A table that somebody has in memory, in the place of one in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """A frame, and what messages call it; they name its rows by its index."""

    frame: pd.DataFrame
    name: str = "the frame"

    def __str__(self) -> str:
        return self.name


if TYPE_CHECKING:
    TableSource = str | PathLike[str] | FrameTable
    """Where a table is read from."""
