"""Scores as JSON: facts, tables and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hype.report.tabular import Table
from hype.statistics.estimate import JsonValue, plain, plain_members


def printed_scores(
    protocol: str, facts: Mapping[str, object], notes: Sequence[str], tables: Iterable[Table]
) -> dict[str, JsonValue]:
    """Make the object that ``hype score --json`` prints; what is not known is null.

    A table is a list of flat objects. It has the name of its file without that of the protocol:
    "pairs" of "time-pairs". A fact is a single value, or a flat object of these; no fact has the
    name of a table.
    """
    named = {
        table.name.removeprefix(f"{protocol}-").replace("-", "_"): plain(table.objects())
        for table in tables
    }
    return {"protocol": protocol, **plain_members(facts), **named, "notes": list(notes)}
