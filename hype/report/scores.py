"""What is known of a protocol's answers: named tables and a few facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hype.report.tabular import Rows, Table, objects_of, slug
from hype.statistics.estimate import JsonValue, plain_members


@dataclass(frozen=True, kw_only=True)
class Scores:
    """The scores of one protocol or method: a table is declared once, and shown everywhere.

    The name of each table begins with that of the protocol: "time-pairs". A table may be without
    rows. The facts are what ``hype score --json`` prints beside the tables.
    """

    protocol: str
    simulated: bool  # whether the evaluators are simulated ones
    tables: tuple[Table, ...]
    facts: Mapping[str, Any]
    notes: tuple[str, ...]  # sentences the reader must know in order to read the tables rightly
    missing_answers: Rows = ()  # rows of the file, of whatever task, that have no answer
    judges: Any = None  # automated judges beside people, where some were given
    # The scores on each criterion, where these are on several, and that criterion in each
    parts: Mapping[str, Scores] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions in the order of their table, the best first."""
        table = self.table("conditions")
        return tuple(table.values()["condition"]) if table else ()

    def table(self, name: str) -> Table | None:
        """Find a table by its name without that of the protocol."""
        whole = slug(self.protocol, name)
        return next((table for table in self.tables if table.name == whole), None)

    def rows(self, name: str) -> tuple[Any, ...]:
        """Give what a table's rows were made of; none where there is no such table."""
        table = self.table(name)
        return table.records if table else ()

    def to_object(self) -> dict[str, JsonValue]:
        """Make what ``hype score --json`` prints; what is not known is null.

        A table is a list of flat objects, named as its file without the protocol: "pairs" of
        "time-pairs". A fact is a single value, or a flat object of these, and has no table's name.
        """
        facts = {"simulated": self.simulated, **self.facts, "missing_answers": self.missing_answers}
        return {
            "protocol": self.protocol,
            **plain_members(facts),
            **objects_of(self.protocol, self.tables),
            "notes": [*self.notes, *(self.judges.notes if self.judges else ())],
        }
