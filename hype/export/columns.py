"""The columns of exported answers, as every format documents them.

They are declared in `hype.store`, and those that the study file adds in
`hype.protocols.hype.exclusion` and the modules of that name for other kinds of answers; nothing is
declared here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from sqlalchemy import Boolean, Column, Float, Integer

from hype.session.outgoing import Outgoing


class Kind(Enum):
    """What a cell holds; the value is how a data dictionary says it."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    FLAG = "true or false"
    NUMBERS = "numbers, separated by spaces"


UNITS: Final = ("ms", "s")
"""A column that has one ends in it."""
NUMERIC: Final = ((Boolean, Kind.FLAG), (Integer, Kind.WHOLE), (Float, Kind.NUMBER))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedColumn:
    """One column.

    Attributes
    ----------
    name, meaning, kind
        What it is called, what it says, and what its cells are.
    unit
        Of its numbers; empty where they have none.
    levels
        Each value that it can have, and what that means; empty where the values are open.
    gaps
        Whether a cell may be empty.
    """

    name: str
    meaning: str
    kind: Kind
    unit: str = ""
    levels: Mapping[str, str] = field(default_factory=dict)
    gaps: bool = False


def documented_columns(outgoing: Outgoing[Any]) -> tuple[ExportedColumn, ...]:
    return tuple(documented(name, source) for name, source in outgoing.declared().items())


def never_empty(column: ExportedColumn) -> ExportedColumn:
    """Describe a column that could be empty in a record, and is not where this one is."""
    return replace(column, gaps=False)


def documented(name: str, source: Column[Any]) -> ExportedColumn:
    """Describe one column as it is declared."""
    ending = name.rpartition("_")[2]
    return ExportedColumn(
        name=name,
        meaning=str(source.comment),
        kind=kind_of(source),
        unit=ending if ending in UNITS else "",
        levels=source.info.get("levels", {}),
        gaps=bool(source.nullable or source.info.get("blank")),
    )


def kind_of(source: Column[Any]) -> Kind:
    """Tell what the cells of a declared column are."""
    if source.info.get("numbers"):
        return Kind.NUMBERS
    found = (kind for declared, kind in NUMERIC if isinstance(source.type, declared))
    return next(found, Kind.TEXT)
