"""Cells and dictionaries of BIDS tables."""

import pytest

from hype.export.bids import cell, dictionary
from hype.export.kind import ExportedColumn
from hype.tables.columns import CellType


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "n/a"),
        ("", "n/a"),
        (True, "true"),
        (-3.5, "-3.5"),
        ("=cmd()", "'=cmd()"),
        ("-5", "'-5"),
        ("n/a", "'n/a"),
        ("'n/a", "''n/a"),
        ("NA", "'NA"),
        ('"a', "'\"a"),
        ("a\tb\nc", "a b c"),
        ("\t=1", " =1"),
        ("<b>Tom's</b>", "<b>Tom's</b>"),
    ],
)
def test_a_cell_is_read_as_what_it_was(value, written):
    assert cell(value) == written


def test_values_are_written_in_the_dictionary_as_in_the_cells():
    column = ExportedColumn(name="key", meaning="a key", kind=CellType.TEXT, levels={"=": "equals"})

    assert dictionary([column])["key"] == {
        "LongName": "Key pressed",
        "Description": "a key",
        "Levels": {cell("="): "equals"},
    }


def test_what_the_record_calls_empty_the_dictionary_calls_what_stands_there():
    column = ExportedColumn(
        name="wait_ms", meaning="a time; empty if none", kind=CellType.NUMBER, unit="ms", gaps=True
    )

    assert dictionary([column])["wait_ms"] == {
        "LongName": "Wait",
        "Description": "a time; n/a if none",
        "Units": "ms",
        "Format": "number",
    }
