"""Judgements as they leave a study: the record's columns, and what only the study file knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import Engine

from hype.store.reading import exported_columns, read_judgements
from hype.study.load import Study

COLUMNS: Final = (*exported_columns(), "floor_ms", "ceiling_ms")
"""The columns of an exported judgement, in order; the last two are the staircase's bounds."""

_EXPOSURE: Final = COLUMNS.index("exposure_ms")


def exported_judgements(
    engine: Engine, study: Study, *, simulated: bool
) -> Iterator[tuple[object, ...]]:
    """Yield the judgements of people, or those of simulated evaluators; never both."""
    staircase = study.settings.time.staircase
    bounds_ms = (staircase.min_ms, staircase.max_ms)
    for row in read_judgements(engine, simulated=simulated):
        yield (*row, *(bounds_ms if row[_EXPOSURE] is not None else (None, None)))
