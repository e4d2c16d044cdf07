"""The report in a real browser: complete, without errors, and without network."""

import pytest
from full_report import FIGURES, LEVELS


@pytest.fixture(scope="module")
def opened(browser, full_report):
    browser.open(full_report)
    browser.unfold()
    return browser


def test_every_figure_is_there_and_seen(opened):
    found = opened.js("[...document.querySelectorAll('figure')].map(f => f.id)")
    assert sorted(found) == sorted(f"figure-{name}" for name in FIGURES)
    drawings = opened.js(
        """[...document.querySelectorAll('svg')].map(svg => {
            const {width, height} = svg.getBoundingClientRect();
            return [width, height, svg.textContent.trim().length, svg.checkVisibility()];
        })"""
    )
    assert len(drawings) >= len(FIGURES)
    assert all(w > 100 and h > 60 and text and seen for w, h, text, seen in drawings)


def test_pictures_are_painted_and_described(opened):
    pictures = opened.js(
        "[...document.images].map(i => [i.naturalWidth, i.clientWidth, i.alt, "
        "getComputedStyle(i).imageRendering])"
    )
    assert len(pictures) >= 8 * len(LEVELS)
    for natural_px, shown_px, alt, rendering in pictures:
        assert natural_px == 28
        assert shown_px > natural_px
        assert "taken for real" in alt
        assert rendering == "pixelated"


def test_a_policy_forbids_everything_that_the_page_does_not_need(opened):
    policy = opened.js("document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy
    ran = opened.js(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s); s.remove(); return window.ran ?? null })()"
    )
    assert ran is None
    assert any("Content Security Policy" in message for message in opened.messages())


def test_without_scripts_everything_is_still_there(browser, full_report):
    browser.open(full_report, scripts=False)
    assert browser.find("#table-time-conditions").is_displayed()
    assert browser.find("#figure-time-intervals svg").is_displayed()
    assert browser.find("nav li a").is_displayed()
    assert not browser.find("#find").is_displayed()
    assert not browser.find("#theme").is_displayed()
    assert not browser.find("#copy").is_displayed()
    assert browser.driver.find_elements("css selector", ".sort") == []
    assert browser.messages() == []


def test_the_methods_can_be_taken_away(browser, full_report):
    browser.open(full_report)
    browser.unfold()
    browser.js(
        "window.taken = [], navigator.clipboard.writeText = async (text) => { taken.push(text) }"
    )
    browser.find("#copy").click()
    (text,) = browser.js("window.taken")
    assert browser.find("#copied").text == "Copied."
    assert "The study followed the HYPE protocol (Zhou et al., 2019)" in text
    assert "HYPE_time (Zhou et al., 2019, section 2.1)" in text
    assert "Kaernbach, C. (1991)." in text
    assert "Copy" not in text
