"""Sorting tables and searching for conditions in a real browser."""

import pytest
from full_report import LEVELS, LONG, MARKUP
from selenium.webdriver.common.keys import Keys

MADE_UP = """
(() => {
  const rows = arguments[0];
  const body = document.querySelector('#table-time-conditions tbody');
  [...body.rows].forEach((row, i) => rows[i].forEach(([text, key], j) => {
    row.cells[j].textContent = text;
    key === null ? delete row.cells[j].dataset.sort : row.cells[j].dataset.sort = key;
  }));
})()
"""
"""Writes other values into the first columns of a table with four rows."""


@pytest.fixture
def page(browser, full_report):
    browser.open(full_report)
    return browser


def column(page, table, place):
    return page.js(
        "[...document.querySelectorAll(arguments[0])].map(r => r.cells[arguments[1]].textContent)",
        f"#table-{table} tbody tr:not([hidden])",
        place,
    )


def heading(page, table, place):
    return page.find(f"#table-{table} thead th:nth-child({place + 1})")


def press(page, table, place):
    heading(page, table, place).find_element("css selector", "button").click()


def test_a_column_of_numbers_up_down_and_back(page):
    as_written = column(page, "time-conditions", 2)
    numbers = sorted(map(float, as_written))

    press(page, "time-conditions", 2)
    assert list(map(float, column(page, "time-conditions", 2))) == numbers
    assert heading(page, "time-conditions", 2).get_attribute("aria-sort") == "ascending"
    press(page, "time-conditions", 2)
    assert list(map(float, column(page, "time-conditions", 2))) == numbers[::-1]
    assert heading(page, "time-conditions", 2).get_attribute("aria-sort") == "descending"
    press(page, "time-conditions", 2)
    assert column(page, "time-conditions", 2) == as_written
    assert heading(page, "time-conditions", 2).get_attribute("aria-sort") is None


def test_numbers_are_sorted_by_value_and_what_is_missing_is_last(page):
    minus = "\N{MINUS SIGN}"
    rows = [
        [["1", None], ["a", None], ["10.0", "10"]],
        [["2", None], ["b", None], ["–", ""]],
        [["3", None], ["c", None], [f"{minus}3.0", "-3"]],
        [["4", None], ["d", None], ["9.0", "9"]],
    ]
    page.js(MADE_UP, rows)
    press(page, "time-conditions", 2)
    assert column(page, "time-conditions", 2) == [f"{minus}3.0", "9.0", "10.0", "–"]
    press(page, "time-conditions", 2)
    assert column(page, "time-conditions", 2) == ["10.0", "9.0", f"{minus}3.0", "–"]


def test_the_keyboard_sorts_as_well(page):
    button = heading(page, "time-conditions", 2).find_element("css selector", "button")
    button.send_keys(Keys.ENTER)
    ascending = list(map(float, column(page, "time-conditions", 2)))
    assert ascending == sorted(ascending)
    button.send_keys(Keys.SPACE)
    assert list(map(float, column(page, "time-conditions", 2))) == ascending[::-1]


def seen(page, selector):
    return page.js(
        "[...document.querySelectorAll(arguments[0])].filter(e => !e.closest('[hidden]'))"
        ".map(e => e.dataset.condition ?? e.querySelector('th').textContent)",
        selector,
    )


FINDABLE = (
    "#table-time-conditions tbody tr",
    "#table-infinity-as-in-the-paper tbody tr",
    "#table-flow tbody tr",
    "#figure-time-staircases .panel",
    "#figure-time-psychometric .panel",
    "#infinity-images .ends",
)


def test_a_condition_is_looked_up_everywhere_until_escape_is_pressed(page):
    box = page.find("#find")
    for wanted, found in (
        ("gan", ["stylegan", "progan"]),
        ("  StyleGAN ", ["stylegan"]),
        ("<b>", [MARKUP]),
        ("模型", [LONG]),
        ("nobody", []),
    ):
        box.send_keys(wanted)
        for selector in FINDABLE:
            assert sorted(seen(page, selector)) == sorted(found)
        assert page.find("#found").text == f"{len(found)} of {len(LEVELS)} match"
        box.send_keys(Keys.ESCAPE)
        assert box.get_attribute("value") == ""
        assert len(seen(page, "#table-time-conditions tbody tr")) == len(LEVELS)
        assert page.find("#found").text == ""
