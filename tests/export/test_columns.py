"""What an export says of its columns is what the record's schema declares, and what rows hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hype.analysis import COLUMNS
from hype.export.columns import ExportedColumn, Kind, documented_columns
from hype.protocol.steps import Task, Truth
from hype.protocol.timing import Verdict
from hype.sessions.exported import Excluded, exported_judgements
from hype.store.people import PARTS_END
from hype.store.reading import exported_meanings
from hype.store.record import RECORD_FILE, reading_record
from hype.study.load import Study

NAMED = {column.name: column for column in documented_columns()}


@pytest.fixture(scope="module")
def cells(tidy_study: Study) -> dict[str, list[object]]:
    """All cells of people and of simulated evaluators, by column."""
    found: dict[str, list[object]] = {}
    with reading_record(tidy_study.folder / RECORD_FILE) as engine:
        for simulated in (False, True):
            exported = exported_judgements(engine, tidy_study, simulated=simulated)
            for name, values in zip(
                exported.columns, zip(*exported.rows, strict=True), strict=True
            ):
                found.setdefault(name, []).extend(values)
    return found


def test_the_documented_columns_are_those_that_go_out_in_their_order(
    cells: dict[str, list[object]],
) -> None:
    assert list(NAMED) == list(cells)


def test_the_record_s_columns_mean_what_its_schema_says() -> None:
    meanings = exported_meanings()

    assert {name: NAMED[name].meaning for name in meanings} == meanings
    assert set(NAMED) - set(meanings) == {"floor_ms", "ceiling_ms", "excluded"}
    assert all(len(column.meaning) > 5 for column in NAMED.values())


def test_every_column_that_scoring_reads_goes_out() -> None:
    assert {column.name for column in COLUMNS} <= set(NAMED)


def test_closed_sets_of_values_are_the_program_s_own() -> None:
    truths = {truth.value for truth in Truth}
    levels = {name: set(column.levels) for name, column in NAMED.items() if column.levels}

    assert levels == {
        "task": {task.value for task in Task},
        "truth": truths,
        "answer": truths,
        "verdict": {verdict.value for verdict in Verdict},
        "status": {"active", *PARTS_END},
        "excluded": {reason.value for reason in Excluded},
    }


FITS: dict[Kind, Callable[[object], bool]] = {
    Kind.TEXT: lambda cell: type(cell) is str,
    Kind.WHOLE: lambda cell: type(cell) is int,
    Kind.NUMBER: lambda cell: type(cell) is float,
    Kind.FLAG: lambda cell: type(cell) is bool,
    Kind.NUMBERS: lambda cell: isinstance(cell, str) and bool([float(n) for n in cell.split()]),
}


@pytest.mark.parametrize("column", NAMED.values(), ids=list(NAMED))
def test_cells_are_what_their_column_says(
    column: ExportedColumn, cells: dict[str, list[object]]
) -> None:
    filled = [cell for cell in cells[column.name] if cell not in (None, "")]

    assert filled, "no test without a value"
    assert all(FITS[column.kind](cell) for cell in filled)
    assert column.gaps == (len(filled) < len(cells[column.name]))
    assert not column.levels or set(map(str, filled)) <= set(column.levels)


def test_units_are_those_in_the_names() -> None:
    units = {name: NAMED[name].unit for name in ("rt_ms", "flips_s", "onset_unix_s", "trial")}

    assert units == {"rt_ms": "ms", "flips_s": "s", "onset_unix_s": "s", "trial": ""}
    assert {column.unit for column in NAMED.values()} == {"ms", "s", ""}


def test_several_numbers_in_one_cell_are_documented_as_such() -> None:
    several = {name for name, column in NAMED.items() if column.kind is Kind.NUMBERS}

    assert several == {"mask_measured_ms", "flips_s"}
