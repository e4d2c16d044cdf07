"""A titled table of words, for terminal and page alike."""

from __future__ import annotations

from dataclasses import dataclass

from hype.report import wording


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of words.

    Parameters
    ----------
    title
        Above it.
    columns
        Headings, which may be broken in lines; the first is that of a column of names.
    rows
        Cells, as many as there are headings.
    note
        Beneath it; may be empty.
    prose
        Whether cells are words, which may be broken, and not numbers.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    prose: bool = False

    @property
    def says_something(self) -> bool:
        """Whether any cell but the names holds anything."""
        return any(cell != wording.NOT_KNOWN for row in self.rows for cell in row[1:])
