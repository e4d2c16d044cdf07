"""Which tables a report has, in order: in the terminal, on the page, in files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hype.protocols.hype import tables as beside
from hype.protocols.hype import tables as score_tables
from hype.protocols.hype import tables_on_demand as on_demand
from hype.report import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hype.protocols.hype.results import Score
    from hype.report.tabular import Table


def tables(score: Score) -> tuple[Table, ...]:
    return _that_say_something(_beneath(score, beside.convincing(score)))


def page_tables(score: Score) -> tuple[Table, ...]:
    """List those of the page, which shows the fakes at either end as pictures."""
    return _that_say_something(_beneath(score))


def file_tables(score: Score) -> tuple[Table, ...]:
    """List all tables of a score, to be written to files; each title names the protocol."""
    every = (
        score_tables.scores(score),
        *_beneath(score, score_tables.images(score)),
        score_tables.pairs(score),
        score_tables.evaluators(score),
    )
    protocol = wording.protocol_name(score)
    return tuple(
        replace(table, title=f"{protocol}: {table.title}") for table in _that_say_something(every)
    )


def _that_say_something(tables: Iterable[Table]) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.says_something)


def _beneath(score: Score, *images: Table) -> Iterator[Table]:
    yield beside.selection(score)
    yield beside.uncertainty(score)
    if score.protocol == "time":
        yield beside.staircases(score)
        yield from on_demand.thresholds(score)
    else:
        yield beside.answers(score)
    yield from images
    yield from on_demand.metrics(score)
    yield from on_demand.mixed_model(score)
    yield from on_demand.facets(score)
