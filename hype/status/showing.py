"""How far a study is, at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hype.console import out, warn
from hype.status.design import Column, Facts, as_count
from hype.status.looking import PAY, Status
from hype.study.phrases import left_out_in_words

NOBODY: Final = "Nobody has come yet."
MOST_SHARES: Final = 12
"""Shares that are listed one by one."""
LEAST_WIDTH: Final = 9
"""Of a column of text, however narrow the terminal is."""


def print_status(status: Status) -> None:
    for warning in status.warnings:
        warn(warning)
    for part in parts_of(status):
        out.print(part)


def parts_of(status: Status, *, last_first: bool = False) -> Iterator[RenderableType]:
    """Yield the study first, then each evaluator, if anybody came.

    ``last_first``: by when they last answered, or came if they answered nothing; otherwise in the
    order in which they came.
    """
    people: Sequence[Facts] = status.facts["evaluators"]
    if status.facts["simulated"]:
        yield Text("SIMULATED EVALUATORS: nobody real was asked", style="bold yellow")
    yield Text(status.study.settings.study.name, style="bold")
    yield lay_out(*table_of_places(status))
    if not people:
        yield NOBODY
        return
    yield from map(Text, lines_of(status))
    yield ""
    if last_first:
        people = sorted(people, key=last_moment, reverse=True)
    yield lay_out(*table_of_people(status, people))


def last_moment(who: Facts) -> float:
    return float(who["last_answered_unix_s"] or who["came_unix_s"])


def lines_of(status: Status) -> Iterator[str]:
    """Say all but the tables."""
    facts = status.facts
    whole, remaining, currency = facts["whole"], facts["remaining"], facts["currency"]
    yield from status.notes
    for group in facts["quotas"]:
        begun = f", {group['active']} begun" if group["active"] else ""
        full = "" if group["complete"] + group["active"] < group["wanted"] else ": full"
        name = f"{group['question']} {group['group'] or 'withheld'}"
        yield f"{name}: {group['complete']} of {group['wanted']} done{begun}{full}"
    if whole["full"]:
        yield f"Turned away since their group was full: {whole['full']}"
    if whole["left"]:
        yield f"Left before the end: {whole['left']:,}, who hold no place"
    yield from left_out_in_words(facts["left_out"], facts["left_out"])
    if (wanted := facts["answers_wanted"]) is not None:
        yield f"Answers: {whole['answers']:,} of {wanted:,}"
    if tested := facts["tested"]:
        passed = facts["passed"]
        yield f"{status.design.test}: {passed} of {tested} passed ({passed / tested:.0%})"
    yield from status.design.lines(status.study, facts)
    if facts.get("enough"):
        yield f"Nobody more is needed: {facts['enough']}"
    if needed := remaining["evaluators"]:
        begun = f", {remaining['begun']} begun" if remaining["begun"] else ""
        yield f"Still needed: {needed} to finish{begun}"
        if remaining["cost"] and not facts["simulated"]:
            cost = f"{currency}{remaining['cost']:,.0f}"
            yield f"Still to pay: about {cost}, at what is earned on average"
    words = "Nobody is paid; people would be owed" if facts["simulated"] else "Pay due:"
    base, bonus, pay = (f"{currency}{facts[f'{part}_due']:.2f}" for part in PAY)
    yield f"{words} {pay} (base {base}, bonus {bonus})"


Written = tuple[Sequence[Column], Sequence[Sequence[str]]]
"""A table: its columns, and the cells of its rows."""


def write_cells(columns: Sequence[Column], rows: Sequence[Facts]) -> Written:
    """Write the cells of a table; a column without any is left out, a dash stands for a gap."""
    kept = [each for each in columns if any(row.get(each.key) not in (None, ()) for row in rows)]
    texts = [
        ["–" if row.get(c.key) in (None, ()) else c.write(row[c.key]) for c in kept] for row in rows
    ]
    return kept, texts


def columns_of_place(rows: Sequence[Facts]) -> Sequence[Column]:
    """Return what names a place of the design, as far as places differ by it or have it."""
    columns = [
        Column("Condition", "condition", is_number=False),
        Column("Share", "share"),
        Column("Method", "methods", " + ".join, is_number=False),
    ]
    several = len({row["methods"] for row in rows}) > 1
    return write_cells(columns if several else columns[:2], rows)[0]


def table_of_places(status: Status) -> Written:
    """Write how far each place of the design is, and all together."""
    whole, cells = status.facts["whole"], status.facts["cells"]
    if len(cells) > MOST_SHARES and any(cell["share"] for cell in cells):
        cells = []
    names = columns_of_place(cells)
    numbers = {
        "Wanted": "wanted",
        "Done": "complete",
        "Begun": "active",
        **({"Not\nqual.": "unqualified"} if whole["unqualified"] else {}),
        "De-\nclined": "declined",
        "Still\nneeded": "needed",
        status.design.heading: "answers",
    }
    columns = [*names, *(Column(heading, key, as_count) for heading, key in numbers.items())]
    rows = cells if names else []
    if len(rows) != 1:
        rows = [*rows, whole | {names[0].key: "all"} if names else whole]
    return write_cells(columns, rows)


def table_of_people(status: Status, people: Sequence[Facts]) -> Written:
    """Write where each evaluator stands; when they last answered, where they have no place."""
    moment = Column("Last answered", "last_answered_unix_s", as_moment, is_number=False)
    columns = [
        Column("Evaluator", "evaluator", is_number=False),
        *(columns_of_place(people) or [moment]),
        Column("Status", "status", is_number=False),
        Column(status.design.heading, "answers", as_count),
        *status.design.columns,
        Column("Pay", "pay", "{:.2f}".format),
    ]
    return write_cells(columns, people)


def as_moment(unix_s: float) -> str:
    return f"{datetime.fromtimestamp(unix_s):%Y-%m-%d %H:%M}"


def lay_out(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Table:
    """Lay out a table; where it is too wide, columns of text are folded."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
    for column in columns:
        if column.is_number:
            table.add_column(column.heading, justify="right", no_wrap=True)
        else:
            table.add_column(column.heading, overflow="fold", min_width=LEAST_WIDTH)
    for row in rows:
        table.add_row(*map(Text, row))  # not str: a condition called [b] is no markup
    return table
