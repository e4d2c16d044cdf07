"""The square of all pairs in a real browser, in any light and on paper."""

import pytest
from comparison_pages import write_full_comparison_report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_full_comparison_report(tmp_path_factory.mktemp("compared") / "report.html")


@pytest.fixture
def opened(browser, report):
    browser.open(report)
    return browser


def colours(browser):
    return browser.js(
        "[...document.querySelectorAll('#matrix-comparison-pairs td:not(.self)')].slice(1)"
        ".map(d => getComputedStyle(d).backgroundColor)"
    )


def test_cells_of_the_square_are_coloured_and_in_the_dark_otherwise(opened):
    light = colours(opened)
    assert len(light) == 12
    assert len(set(light)) > 4
    opened.look(scheme="dark")
    assert set(colours(opened)).isdisjoint(light)


def test_on_paper_the_square_keeps_its_colours(browser, report):
    browser.open(report, scheme="dark", media="print")
    assert len(set(colours(browser))) > 4
    kept = browser.js(
        "getComputedStyle(document.querySelector('#matrix-comparison-pairs td[class^=over]'))"
        ".printColorAdjust"
    )
    assert kept == "exact"
