"""The metadata of a Psych-DS data set: JSON-LD in the words of schema.org."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final

from hype.export.columns import ExportedColumn, Kind
from hype.export.readme import Told, summary
from hype.sessions.facts import versions

SCHEMA_VERSION: Final = "Psych-DS 1.5.1"
UNIT_CODES: Final = {"ms": "C26", "s": "SEC", "Hz": "HTZ"}
"""Units as UN/CEFACT codes them, which schema.org asks for."""


def dataset_description(told: Told, columns: Iterable[ExportedColumn]) -> dict[str, Any]:
    """Describe a data set and all columns of its files."""
    about = told.about
    found: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": told.title,
        "description": f"{summary(told)} Written by hype {versions().get('hype', '')}.",
        "schemaVersion": SCHEMA_VERSION,
        "author": [{"@type": "Person", "name": name} for name in about.authors],
        "license": about.license,
        "keywords": list(about.keywords),
        "citation": [told.kind.reference, *about.references],
        "identifier": about.doi,
        "temporalCoverage": "/".join(told.days) if told.days else None,
        "variableMeasured": [variable(column) for column in columns],
    }
    return {name: value for name, value in found.items() if value}


def variable(column: ExportedColumn) -> dict[str, Any]:
    """Describe a column."""
    found: dict[str, Any] = {
        "@type": "PropertyValue",
        "name": column.name,
        "description": column.meaning,
    }
    if column.unit:
        found["unitText"] = column.unit
        found["unitCode"] = UNIT_CODES[column.unit]
    if levels := levels_of(column):
        found["valueReference"] = [
            {"@type": "PropertyValue", "value": value, "description": meaning}
            for value, meaning in levels.items()
        ]
    return found


def levels_of(column: ExportedColumn) -> Mapping[str, str]:
    """Give the values that a column can have, where they are few."""
    if column.kind is Kind.FLAG:
        return {"true": "it is so", "false": "it is not so"}
    return column.levels


def distinct(tables: Iterable[Iterable[ExportedColumn]]) -> list[ExportedColumn]:
    """Give the columns of several tables, those of one name once."""
    found: dict[str, ExportedColumn] = {}
    for column in chain.from_iterable(tables):
        found.setdefault(column.name, column)
    return list(found.values())
