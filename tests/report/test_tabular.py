"""How tables show values."""

import pytest

from hype.report import tabular

MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        (tabular.name("Condition", "c"), "flow", "flow"),
        (tabular.whole("n", "n"), 13500, "13,500"),
        (tabular.number("x", "x"), -1.25, f"{MINUS}1.2"),
        (tabular.number("x", "x", 3), 0.5, "0.500"),
        (tabular.number("x", "x"), "longer", "longer"),
        (tabular.percent("x", "x"), 34.77, "34.8%"),
        (tabular.share("x", "x"), 0.5, "50%"),
        (tabular.interval("x", "x_*"), (1.0, 2.0), f"1.0 {DASH} 2.0"),
        (tabular.interval("x", "x_*", 2), (None, 2.0), "below 2.00"),
        (tabular.probability("p", "p"), 0.0001, "< 0.001"),
        (tabular.probability("p", "p"), 0.25, "0.250"),
        (tabular.probability("p", "p"), 0.9999, "> 0.999"),
    ],
)
def test_a_column_says_how_its_values_are_shown(column, value, shown):
    assert column.cell(value) == shown


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (tabular.number("x", "x"), None),
        (tabular.words("x", "x"), ""),
        (tabular.interval("x", "x_*"), (None, None)),
        (tabular.interval("x", "x_*"), None),
    ],
)
def test_what_is_not_known_is_a_dash(column, value):
    assert column.cell(value) == DASH


def test_a_table_s_name_can_name_a_file():
    assert tabular.slug("time", "by", "class: T-shirt/top") == "time-by-class-t-shirt-top"
