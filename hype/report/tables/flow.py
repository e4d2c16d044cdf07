"""What became of those who came, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.report.tables import tabular
from hype.report.tables.tabular import Table

if TYPE_CHECKING:
    from hype.report.page.background import Background
    from hype.report.tables.tabular import Column


def flow_table(background: Background) -> Table:
    """Lay out the flow of evaluators: columns of whole numbers as numbers, the rest as words."""
    columns = zip(*background.flow, strict=True)
    numeric = [all(isinstance(cell, int) for cell in column) for column in columns]
    return Table(
        name="flow",
        title="What became of those who came",
        columns=tuple(
            _column(place, heading, is_number)
            for place, (heading, is_number) in enumerate(
                zip(background.flow_columns, numeric, strict=True)
            )
        ),
        rows=background.flow,
    )


def _column(place: int, heading: str, is_number: bool) -> Column:
    key = tabular.slug(heading)
    if is_number:
        return tabular.whole(heading, key)
    return tabular.name(heading, key) if place == 0 else tabular.words(heading, key)
