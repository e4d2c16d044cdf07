"""A titled table of values for the terminal, the page and files.

Rows contain values, and columns define how to write them. So the page can show rounded numbers and
sort by the exact ones, and a CSV file has all digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hype.report import wording
from hype.statistics.estimate import Estimate, JsonValue, ends_of, plain

if TYPE_CHECKING:
    from hype.report.parts import Background

Interval = tuple[float | None, float | None]

Value = float | int | str | Interval | None

Row = dict[str, Any]
"""The values of a table's row, by the names of its columns."""
Rows = tuple[Row, ...]

Of = str | Callable[[Any], Any]
"""The source of a column's value in a row: a key, an attribute's name, or a function of the row."""


class ColumnKind(Enum):
    """What a column contains."""

    NAME = "the name of the row"
    NUMBER = "a number"
    INTERVAL = "two numbers: the ends of an interval, or a mean and its spread"
    WORDS = "words, which may be wrapped"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: where its values come from, its names, and how a value is written."""

    heading: str  # The heading may have several lines.
    # The column's name in files, frames and JSON. An interval becomes two columns, ``KEY_low`` and
    # ``KEY_high``. The main number's interval has the key "" and becomes ``low`` and ``high``.
    key: str
    show: Callable[[Any], str] = str  # Writes a value; never called with None.
    kind: ColumnKind = ColumnKind.NUMBER  # What the column contains.
    unit: str = ""  # Shown next to the heading; may be empty.
    measure: str = ""  # The unit in columns.csv; by default ``unit``.
    ends: tuple[str, str] = ("low", "high")  # The meaning of the two numbers of an interval.
    # Where a row has the value: a key, an attribute, or a function of the row; by default ``key``.
    of: Of = ""
    factor: int = 1  # Values are multiplied by this; 100 for a proportion in percent.
    further: bool = False  # Whether only files, frames and JSON have the column.

    def value(self, row: object) -> Value:
        """Return the value of a row; for an estimate, its number or the ends of its interval."""
        value = take_value(row, self.of or self.key)
        if self.kind is ColumnKind.INTERVAL:
            ends = ends_of(value) if value is None or isinstance(value, Estimate) else value
            return scale(ends[0], self.factor), scale(ends[1], self.factor)
        number: Value = value.value if isinstance(value, Estimate) else value
        return number if self.factor == 1 else scale(number, self.factor)

    @property
    def plain_heading(self) -> str:
        return self.heading.replace("-\n", "").replace("\n", " ")

    @property
    def file_columns(self) -> tuple[str, ...]:
        if self.kind is not ColumnKind.INTERVAL:
            return (self.key,)
        return tuple(f"{self.key}_{end}".removeprefix("_") for end in self.ends)

    def cell(self, value: Value) -> str:
        """Write a value, or a dash if it is missing."""
        return wording.NOT_KNOWN if is_missing(value) else self.show(value)


@dataclass(frozen=True, kw_only=True)
class Table:
    """The values of a table, before they are written as text."""

    name: str  # A unique name in the report, and the file name without its extension.
    file: str = ""  # The file name, if it differs from ``name``.
    title: str  # The title above the table.
    columns: tuple[Column, ...]  # At least one column has the kind NAME.
    # The values of each row, one for each column; None if missing.
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""  # A note below the table; may be empty.
    records: tuple[Any, ...] = ()  # The records from which `tabulate` made the rows.

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            tuple(column.cell(value) for column, value in zip(self.columns, row, strict=True))
            for row in self.rows
        )

    @property
    def short(self) -> Table:
        """The table without columns that only files have, and without empty columns."""
        return self.keep(
            at
            for at, column in enumerate(self.columns)
            if not column.further
            and (
                column.kind is ColumnKind.NAME
                or not self.rows
                or not all(is_missing(row[at]) for row in self.rows)
            )
        )

    @property
    def leading(self) -> Table:
        """The columns that show which condition is better, and how certain this is.

        They include possible ranks, unless each condition has only one possible rank.
        """
        leads = (
            _is("rank", ColumnKind.NUMBER),
            _is("condition", ColumnKind.NAME),
            _is("score", ColumnKind.NUMBER),
            _is("", ColumnKind.INTERVAL),
            _is("group", ColumnKind.WORDS),
            _is("rank", ColumnKind.INTERVAL),
        )
        kept = self.keep([at for lead in leads for at, c in enumerate(self.columns) if lead(c)])
        last, places = kept.columns[-1], range(len(kept.columns))
        if leads[-1](last):
            ranks = [row[-1] for row in kept.rows if isinstance(row[-1], tuple)]
            if all(low == high for low, high in ranks):
                return kept.keep(places[:-1])
            last = replace(last, heading="Possible\nranks", show=_ranks, further=False)
        return replace(kept, columns=(*kept.columns[:-1], last))

    def keep(self, kept: Iterable[int]) -> Table:
        """Keep these columns in this order; drop the note's sentences on other columns."""
        places = tuple(kept)
        headings = [column.plain_heading for column in self.columns]
        gone = {f"{each}: " for each in headings} - {f"{headings[place]}: " for place in places}
        sentences = re.split(r"(?<=\.) ", self.note)
        return replace(
            self,
            note=" ".join(one for one in sentences if not one.startswith(tuple(gone))),
            columns=tuple(self.columns[place] for place in places),
            rows=tuple(tuple(row[place] for place in places) for row in self.rows),
        )

    def values(self) -> dict[str, list[Any]]:
        """Return the columns by their names in files, frames and JSON; missing values are None.

        If a cell has a word ("longer") instead of a number, the word is in the column ``KEY_said``.
        """
        columns: dict[str, list[Any]] = {}
        for place, column in enumerate(self.columns):
            cells: list[Any] = [row[place] for row in self.rows]
            if column.kind is ColumnKind.INTERVAL:
                for end, name in enumerate(column.file_columns):
                    columns[name] = [cell[end] if cell else None for cell in cells]
            elif column.kind is ColumnKind.NUMBER and any(isinstance(c, str) for c in cells):
                columns[column.key] = [None if isinstance(c, str) else c for c in cells]
                columns[f"{column.key}_said"] = [c if isinstance(c, str) else None for c in cells]
            else:
                columns[column.key] = cells
        return columns

    def objects(self) -> list[dict[str, Any]]:
        """Return each row as a mapping from column names to values."""
        columns = self.values()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @property
    def has_values(self) -> bool:
        """Whether any column other than names has a value."""
        return any(
            not is_missing(value)
            for row in self.rows
            for column, value in zip(self.columns, row, strict=True)
            if column.kind is not ColumnKind.NAME
        )


def _is(key: str, kind: ColumnKind) -> Callable[[Column], bool]:
    return lambda column: column.key == key and column.kind is kind


def _ranks(ranks: Interval) -> str:
    low, high = ranks
    return wording.number(low, 0) if low == high else wording.interval(low, high, 0)


def take_value(row: Any, of: Of) -> Any:
    """Return the value at a key or attribute such as ``test.recall``; None if ``test`` is None."""
    if callable(of):
        return of(row)
    for name in of.split("."):
        if row is not None:
            row = row[name] if isinstance(row, Mapping) else getattr(row, name)
    return row


def scale(number: Any, factor: int) -> float | None:
    return None if number is None else factor * number


def tabulate(
    rows: Iterable[object], *, name: str, title: str, columns: Sequence[Column], note: str = ""
) -> Table:
    """Make a table whose columns take their values from the rows."""
    records = tuple(rows)
    return Table(
        name=name,
        title=title,
        # ``of`` is no longer needed, and a function cannot always be pickled.
        columns=tuple(replace(column, of="") for column in columns),
        rows=tuple(tuple(column.value(row) for column in columns) for row in records),
        note=note,
        records=records,
    )


def is_missing(value: Value) -> bool:
    """Return whether a value is missing: None, an empty text, or an interval without ends."""
    return value is None or (isinstance(value, str | tuple) and value in ("", (None, None)))


def slug(*words: str) -> str:
    """Make a table's name from words: lower-case letters and digits, joined by hyphens."""
    return "-".join(re.sub(r"\W+", "-", word.lower()).strip("-_") for word in words)


def name(heading: str, key: str, of: Of = "") -> Column:
    return Column(heading=heading, key=key, kind=ColumnKind.NAME, of=of)


def words(heading: str, key: str, of: Of = "") -> Column:
    return Column(heading=heading, key=key, kind=ColumnKind.WORDS, of=of)


def whole(heading: str, key: str, of: Of = "") -> Column:
    return Column(heading=heading, key=key, show="{:,}".format, of=of, measure="count")


def number(
    heading: str, key: str, decimals: int = 1, unit: str = "", of: Of = "", measure: str = ""
) -> Column:
    """Declare a column of numbers; if a value is a text, the text is shown."""
    show = partial(_number_or_text, decimals=decimals)
    measure = measure or unit or "1"
    return Column(heading=heading, key=key, show=show, unit=unit, of=of, measure=measure)


def percent(heading: str, key: str, decimals: int = 1, of: Of = "", *, factor: int = 100) -> Column:
    """Declare a column in percent; ``factor``: 100 for proportions, 1 for percentages."""
    show = partial(_percent, decimals=decimals)
    return Column(heading=heading, key=key, show=show, of=of, factor=factor, measure="%")


def share(heading: str, key: str, of: Of = "") -> Column:
    return Column(heading=heading, key=key, show=wording.share, of=of, measure="share")


def probability(heading: str, key: str, of: Of = "") -> Column:
    return Column(heading=heading, key=key, show=_probability, of=of, measure="probability")


def interval(heading: str, key: str, decimals: int = 1, unit: str = "", of: Of = "") -> Column:
    """Declare a column of intervals, which may have only one end."""
    show = partial(_interval, decimals=decimals)
    return Column(heading=heading, key=key, show=show, kind=ColumnKind.INTERVAL, unit=unit, of=of)


def percents(heading: str, key: str, decimals: int = 1, of: Of = "") -> Column:
    """Declare a column of intervals of proportions, in percent."""
    return replace(interval(heading, key, decimals, of=of), factor=100, measure="%")


def further(*columns: Column) -> tuple[Column, ...]:
    """Mark columns that appear only in files, frames and JSON."""
    return tuple(replace(column, further=True) for column in columns)


def spread(heading: str, key: str, decimals: int = 1) -> Column:
    """Declare a column of means and standard deviations; a standard deviation may be unknown."""
    return Column(
        heading=heading,
        key=key,
        show=partial(_spread, decimals=decimals),
        kind=ColumnKind.INTERVAL,
        ends=("mean", "sd"),
    )


def yes_or_no(heading: str, key: str, of: Of = "") -> Column:
    return replace(words(heading, key, of), show=_yes_or_no)


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


_ONE_LINE: Final = 8
"""Up to this number of letters, a heading does not make a column of numbers wider."""


def columns_of_names(
    prefix: str, names: Sequence[str], column: Callable[[str, str], Column]
) -> tuple[Column, ...]:
    """Declare a column for each name. The heading is the name, in short lines.

    ``prefix``: the start of all keys. ``column``: makes a column from a heading and a key.
    """
    keys: dict[str, str] = {}
    for place, text in enumerate(names, start=1):
        key = slug(prefix, text).replace("-", "_")
        keys[text] = f"{key}_{place}" if key in keys.values() else key
    return tuple(column(break_name(each), keys[each]) for each in names)


def break_name(text: str) -> str:
    """Wrap a name into short lines: break it between words, and cut long words into equal parts."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) <= _ONE_LINE:
            lines[-1] += f" {word}"
            continue
        size = -(-len(word) // max(1, -(-len(word) // _ONE_LINE)))
        parts = [word[at : at + size] for at in range(0, len(word), max(size, 1))]
        lines.append("-\n".join(parts))
    return "\n".join(lines[1:])


def _spread(both: Interval, decimals: int) -> str:
    mean, sd = both
    written = wording.number(mean, decimals)
    return written if sd is None else f"{written} ± {wording.number(sd, decimals)}"


def _number_or_text(value: float | str, decimals: int) -> str:
    return value if isinstance(value, str) else wording.number(value, decimals)


def _percent(value: float, decimals: int) -> str:
    return f"{wording.number(value, decimals)}%"


def _interval(ends: Interval, decimals: int) -> str:
    low, high = ends
    return wording.open_interval(low, high, decimals)


def _probability(p: float) -> str:
    return wording.probability(p).removeprefix("p ").removeprefix("= ")


def flow_table(background: Background) -> Table:
    """Make the table of people by status, with one row for each place of the design."""
    columns: list[Column] = []
    for heading, cells in zip(
        background.flow_columns, zip(*background.flow, strict=True), strict=True
    ):
        declare = words if columns else name
        if all(isinstance(cell, int) for cell in cells):
            declare = whole
        columns.append(declare(heading, slug(heading)))
    title = "Status of everyone who came"
    return Table(name="flow", title=title, columns=tuple(columns), rows=background.flow)


def keep_filled(tables: Iterable[Table]) -> tuple[Table, ...]:
    return tuple(table for table in tables if table.has_values)


def table_about_people(background: Background) -> Table:
    """Make the table of the evaluators' answers about themselves."""
    return Table(
        name="about",
        title="What evaluators said about themselves",
        columns=(
            name("Question", "question"),
            whole("Answered", "answered"),
            whole("Withheld", "withheld"),
            words("Answers", "answers"),
        ),
        rows=background.about,
    )


def objects_of(protocol: str, tables: Iterable[Table]) -> dict[str, JsonValue]:
    """Return each table as a list of flat objects, under its name in JSON."""
    return {
        table.name.removeprefix(f"{protocol}-").replace("-", "_"): plain(table.objects())
        for table in tables
    }
