"""The scores of a protocol: named tables and a few facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from hype.report.tabular import Rows, Table, name, objects_of, slug, tabulate, words
from hype.statistics.estimate import JsonValue, plain_members

if TYPE_CHECKING:
    import pandas as pd

NAMED: Final = (
    *("axis", "criterion", "condition", "image", "truth", "left", "left_image"),
    *("right", "right_image", "first", "first_image", "second", "second_image", "answer"),
)
"""Columns that are shown next to an evaluator's reason for an answer."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """The scores of one protocol or method. All outputs use the same tables.

    The name of each table starts with the protocol's name, as in "time-pairs". A table may be
    empty. ``facts``: the values of ``hype score --json`` that are in no table.
    """

    protocol: str
    simulated: bool  # Whether the evaluators are simulated.
    tables: tuple[Table, ...]
    facts: Mapping[str, Any]
    notes: tuple[str, ...]  # Warnings for readers of the tables.
    missing_answers: Rows = ()  # Rows without an answer, from all tasks.
    judges: Any = None  # Automated judges compared with people, if given.
    # If there are several criteria: the scores on each criterion, by its name.
    parts: Mapping[str, Scores] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions in the order of the table, the best first."""
        table = self.table("conditions")
        return tuple(table.values()["condition"]) if table else ()

    def table(self, name: str) -> Table | None:
        """Find a table by the part of its name that follows the protocol."""
        whole = slug(self.protocol, name)
        return next((table for table in self.tables if table.name == whole), None)

    def rows(self, name: str) -> tuple[Any, ...]:
        """Return the records behind a table's rows; empty if there is no such table."""
        table = self.table(name)
        return table.records if table else ()

    def add_reasons(self, answers: pd.DataFrame) -> Scores:
        """Add a table of the reasons that evaluators wrote, if any."""
        if "why" not in answers:
            return self
        wrote = answers["why"].ne("")
        if "excluded" in answers:
            wrote &= answers["excluded"].eq("")
        if "rank" in answers:  # keep one row per ranking
            wrote &= answers["rank"].eq(1)
        keys = [key for key in NAMED if key in answers]
        table = tabulate(
            answers.loc[wrote, [*keys, "why"]].astype(str).to_dict("records"),
            name=slug(self.protocol, "why"),
            title="Why people answered like this",
            columns=(
                *(name(key.replace("_", " ").capitalize(), key) for key in keys),
                words("Why", "why"),
            ),
        )
        return replace(self, tables=(*self.tables, table))

    def to_object(self) -> dict[str, JsonValue]:
        """Make the object that ``hype score --json`` prints; unknown values are null.

        A table is a list of flat objects. The key of a table is its name without the protocol:
        "pairs" for "time-pairs". A fact is a single value or a flat object; no fact has the key of
        a table. Texts that people wrote are left out.
        """
        why = slug(self.protocol, "why")
        facts = {"simulated": self.simulated, **self.facts, "missing_answers": self.missing_answers}
        return {
            "protocol": self.protocol,
            **plain_members(facts),
            **objects_of(self.protocol, [table for table in self.tables if table.name != why]),
            "notes": [*self.notes, *(self.judges.notes if self.judges else ())],
        }
