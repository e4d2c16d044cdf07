"""Judgements as they leave a study: the record's columns, and what only the study file knows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine

from hype.store.reading import exported_columns, read_judgements
from hype.study.load import Study

BOUNDS: Final = ("floor_ms", "ceiling_ms")
"""The bounds of the study's staircase, beside every exposure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Judgements of people, or of simulated evaluators: columns, and rows that are read once."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[object, ...]]


def exported_judgements(
    engine: Engine, study: Study, *, simulated: bool, columns: Collection[str] = ()
) -> Exported:
    """Read judgements; of the record's columns those that are wanted, or without any all."""
    names = tuple(
        name for name in exported_columns() if not columns or name in {*columns, "exposure_ms"}
    )
    staircase = study.settings.time.staircase
    rows = read_judgements(engine, simulated=simulated, columns=names)
    return Exported(
        columns=(*names, *BOUNDS),
        rows=_with_bounds(rows, names.index("exposure_ms"), (staircase.min_ms, staircase.max_ms)),
    )


def _with_bounds(
    rows: Iterator[tuple[object, ...]], exposure: int, bounds_ms: tuple[float, float]
) -> Iterator[tuple[object, ...]]:
    for row in rows:
        yield (*row, *(bounds_ms if row[exposure] is not None else (None, None)))
