"""The look of the report: dark and light, on a phone, on paper."""

import base64
import re

import pytest
from browser import CONTRASTS, ENOUGH
from long import long_but


def colours(browser):
    return browser.js(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, "
        "getComputedStyle(document.querySelector('#figure-time-intervals svg text')).fill]"
    )


@pytest.mark.parametrize("scheme", long_but(["light"], ["light", "dark"]))
def test_all_text_can_be_read(browser, full_report, scheme):
    browser.open(full_report, scheme=scheme)
    browser.unfold()
    contrasts = browser.js(CONTRASTS)
    assert len(contrasts) > 200
    assert [found for found in contrasts if found[0] < ENOUGH] == []


@pytest.mark.long
def test_it_is_dark_where_the_system_is(browser, full_report):
    browser.open(full_report)
    light = colours(browser)
    browser.look(scheme="dark")
    dark = colours(browser)
    assert light[0] == "rgb(255, 255, 255)"
    assert all(a != b for a, b in zip(light, dark, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("scheme", long_but(["dark"], ["light", "dark"]))
def test_a_reader_can_choose_otherwise(browser, full_report, scheme):
    browser.open(full_report, scheme=scheme)
    before, button = colours(browser), browser.find("#theme")
    other = {"light": "Dark colours", "dark": "Light colours"}
    assert button.text == other[scheme]
    button.click()
    assert all(a != b for a, b in zip(before, colours(browser), strict=True))
    assert button.text != other[scheme]
    button.click()
    assert colours(browser) == before


def test_a_phone_folds_the_contents_and_the_banner_cannot_be_overlooked(browser, full_report):
    browser.open(full_report, width_px=360)
    assert not browser.js("document.querySelector('.tools details').open")
    browser.unfold()
    fits = "(box => box.scrollWidth <= box.clientWidth)(document.querySelector('%s').parentElement)"
    assert browser.js(fits % "#table-time-conditions")
    assert not browser.js(fits % "#table-time-conditions-in-full")
    smallest = browser.js(
        "Math.min(...[...document.querySelectorAll('svg text')].map(t => "
        "parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a))"
    )
    assert smallest > 8
    browser.look()
    banner = browser.find(".banner")
    assert banner.text == "SIMULATED EVALUATORS: no people were asked"
    assert banner.rect["y"] == 0
    assert banner.value_of_css_property("background-color") == "rgba(166, 27, 27, 1)"


@pytest.mark.long
def test_it_prints_light_and_whole(browser, full_report):
    browser.open(full_report, scheme="dark", media="print")
    background, ink, lettering = colours(browser)
    assert background == "rgb(255, 255, 255)"
    assert ink == "rgb(31, 41, 51)"
    assert lettering in ("rgb(31, 41, 51)", "rgb(82, 96, 109)")
    for selector in ("#find", "nav", "#theme", "#copy"):
        assert not browser.find(selector).is_displayed()
    browser.look()
    pdf = base64.b64decode(browser.driver.print_page())
    assert pdf.startswith(b"%PDF")
    assert 2 < len(re.findall(rb"/Type\s*/Page\b", pdf)) < 25
