"""What is known of a protocol's answers: named tables and a few facts."""

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
"""Columns of answers that stand with a reason, to say what was answered."""


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
        """Return what a table's rows were made of; none where there is no such table."""
        table = self.table(name)
        return table.records if table else ()

    def add_reasons(self, answers: pd.DataFrame) -> Scores:
        """Add the table of what evaluators wrote of their answers, if they did."""
        if "why" not in answers:
            return self
        wrote = answers["why"].ne("")
        if "excluded" in answers:
            wrote &= answers["excluded"].eq("")
        if "rank" in answers:  # of a group the image that was put first stands for all
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
        """Make what ``hype score --json`` prints; what is not known is null.

        A table is a list of flat objects, named as its file without the protocol: "pairs" of
        "time-pairs". A fact is a single value, or a flat object of these, and has no table's name.
        What people wrote is left out: that is not a number.
        """
        why = slug(self.protocol, "why")
        facts = {"simulated": self.simulated, **self.facts, "missing_answers": self.missing_answers}
        return {
            "protocol": self.protocol,
            **plain_members(facts),
            **objects_of(self.protocol, [table for table in self.tables if table.name != why]),
            "notes": [*self.notes, *(self.judges.notes if self.judges else ())],
        }
