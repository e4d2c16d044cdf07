"""The report on comparisons in a real browser: whole, quiet, readable in any light."""

from itertools import pairwise

import pytest
from browser import CONTRASTS, ENOUGH
from comparison_pages import FIGURES, write_full_comparison_report
from made_comparisons import STRENGTHS


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return write_full_comparison_report(tmp_path_factory.mktemp("compared") / "report.html")


@pytest.fixture
def opened(browser, report):
    browser.open(report)
    return browser


def test_the_console_is_silent_and_nothing_is_asked_of_anyone(opened, report):
    assert opened.messages() == []
    asked = opened.requests()
    assert asked[0] == report.as_uri()
    assert all(url.startswith("data:") for url in asked[1:])


def test_every_figure_is_there_and_seen(opened):
    found = opened.js("[...document.querySelectorAll('figure')].map(f => f.id)")
    assert sorted(found) == sorted(f"figure-{name}" for name in FIGURES)
    sizes = opened.js(
        "[...document.querySelectorAll('svg')].map(s => [s.getBoundingClientRect().width, "
        "s.getBoundingClientRect().height, s.checkVisibility()])"
    )
    assert all(width > 100 and height > 60 and seen for width, height, seen in sizes)


def test_headings_are_in_order_and_every_link_leads_somewhere(opened):
    levels = opened.js(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
    dead = opened.js("[...document.links].filter(a => !document.getElementById(a.hash.slice(1)))")
    assert dead == []


def test_whatever_is_drawn_has_a_name_for_who_does_not_see_it(opened):
    unnamed = opened.js(
        "[...document.querySelectorAll('[role=img], [role=region], img')]"
        ".filter(e => !(e.ariaLabel || e.alt)).map(e => e.outerHTML.slice(0, 80))"
    )
    assert unnamed == []
    assert opened.js("document.querySelectorAll('th:not([scope])').length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read_also_on_the_colours_of_the_square(browser, report, scheme):
    browser.open(report, scheme=scheme)
    browser.js("[...document.querySelectorAll('details')].map(d => d.open = true)")
    contrasts = browser.js(CONTRASTS)
    assert len(contrasts) > 150
    assert [found for found in contrasts if found[0] < ENOUGH] == []


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


@pytest.mark.parametrize("width_px", [320, 768, 1280])
def test_the_page_never_scrolls_sideways(browser, report, width_px):
    browser.open(report, width_px=width_px)
    assert browser.js("document.scrollingElement.scrollWidth") <= width_px


def test_a_condition_is_looked_up(opened):
    opened.find("#find").send_keys("vae")
    rows = opened.js(
        "[...document.querySelectorAll('#matrix-comparison-pairs tbody tr:not([hidden]), "
        "#table-comparison-ranking tbody tr:not([hidden])')].map(r => r.textContent)"
    )
    assert len(rows) == 2
    assert all("vae" in row for row in rows)
    assert opened.find("#found").text == f"1 of {len(STRENGTHS)} match"


def test_the_ranking_sorts(opened):
    heading = opened.find("#table-comparison-ranking thead th:nth-child(3) button")
    heading.click()
    rates = opened.js(
        "[...document.querySelectorAll('#table-comparison-ranking tbody tr')]"
        ".map(r => parseFloat(r.cells[2].textContent))"
    )
    assert rates == sorted(rates)


def test_pictures_are_painted_and_described(opened):
    pictures = opened.js("[...document.images].map(i => [i.naturalWidth, i.clientWidth, i.alt])")
    assert len(pictures) >= 2 * 2
    for natural_px, shown_px, alt in pictures:
        assert natural_px == 28
        assert shown_px > natural_px
        assert "chosen" in alt
