import pytest

from hype.report import tabular
from hype.report.page import names_conditions
from hype.report.parts import sort_key, typeset
from hype.report.tabular import flow_table


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("HYPE_time and HYPE_∞", "HYPE<sub>time</sub> and HYPE<sub>∞</sub>"),
        ("HYPE_timer, MYHYPE_time, HYPE time", "HYPE_timer, MYHYPE_time, HYPE time"),
        ("<b> & 'HYPE_time'", "&lt;b&gt; &amp; &#39;HYPE<sub>time</sub>&#39;"),
        ("a -- b, --images fixed", 'a -- b, <span class="option">--images</span> fixed'),
    ],
)
def test_protocols_have_their_subscript_and_options_are_not_broken(text, html):
    assert typeset(text) == html


@pytest.mark.parametrize(
    ("column", "value", "key"),
    [
        (tabular.number("n", "n"), 12.3456789, "12.3456789"),
        (tabular.number("n", "n"), -0.5, "-0.5"),
        (tabular.number("n", "n"), None, ""),
        (tabular.number("n", "n"), "shorter", "-Infinity"),
        (tabular.number("n", "n"), "longer", "Infinity"),
        (tabular.interval("i", "i"), (1.25, 2.0), "1.25"),
        (tabular.interval("i", "i"), (None, 2.0), "-Infinity"),
        (tabular.interval("i", "i"), (1.25, None), "1.25"),
        (tabular.interval("i", "i"), (None, None), ""),
        (tabular.name("n", "n"), "10", None),
        (tabular.words("w", "w"), "ten", None),
        (tabular.words("w", "w"), "", ""),
    ],
)
def test_what_cells_are_sorted_by(column, value, key):
    assert sort_key(column, value) == key


def test_the_flow_has_numbers_where_all_are_numbers():
    class Background:
        flow = (("a", "HYPE_time", 3, 2), ("b", "HYPE_time", 4, "–"))
        flow_columns = ("Condition", "Method", "Came", "Finished")

    table = flow_table(Background)
    assert table.rows == Background.flow
    assert [column.kind.name for column in table.columns] == ["NAME", "WORDS", "NUMBER", "WORDS"]
    assert names_conditions(table)
