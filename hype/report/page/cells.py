"""A table as the page shows it: each cell in words, and with what it is sorted by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.report.page.typeset import heading, sort_key
from hype.report.tables.tabular import Kind

if TYPE_CHECKING:
    from markupsafe import Markup

    from hype.report.tables.tabular import Column, Table, Value

_CONDITION_KEYS: Final = frozenset({"condition", "a", "b"})


@dataclass(frozen=True, kw_only=True)
class Head:
    """The head of a column: its words, its unit, and what the column holds, in lower case."""

    words: Markup
    unit: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell in words; `sort` is None where it is sorted by these."""

    words: str
    kind: str
    sort: str | None


def heads(table: Table) -> tuple[Head, ...]:
    """Give the heads of a table's columns."""
    return tuple(
        Head(words=heading(column.heading), unit=column.unit, kind=column.kind.name.lower())
        for column in table.columns
    )


def cells(table: Table) -> tuple[tuple[Cell, ...], ...]:
    """Give the rows of a table."""
    return tuple(
        tuple(_cell(column, value) for column, value in zip(table.columns, row, strict=True))
        for row in table.rows
    )


def names_conditions(table: Table) -> bool:
    """Tell whether the rows of a table are those of conditions, or of pairs of them."""
    keys = {column.key for column in table.columns if column.kind is Kind.NAME}
    return bool(keys & _CONDITION_KEYS)


def _cell(column: Column, value: Value) -> Cell:
    shown, key = column.cell(value), sort_key(column, value)
    return Cell(
        words=shown,
        kind=column.kind.name.lower(),
        sort=None if key == shown else key,
    )
