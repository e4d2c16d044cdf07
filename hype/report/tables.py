"""All that stands beneath the paper's table, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report import beside, on_demand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.analysis import Score
    from hype.report.words_table import Table


def tables(score: Score) -> tuple[Table, ...]:
    """List the tables that there is something to say in."""
    return tuple(table for table in _tables(score) if table.says_something)


def _tables(score: Score) -> Iterator[Table]:
    yield beside.uncertainty(score)
    if score.protocol == "time":
        yield beside.staircases(score)
        yield from on_demand.thresholds(score)
    else:
        yield beside.answers(score)
    yield beside.convincing(score)
    yield from on_demand.metrics(score)
    yield from on_demand.mixed_model(score)
    yield from on_demand.facets(score)
