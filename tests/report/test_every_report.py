"""Reports of every protocol: complete, without errors, accessible, and the same each time."""

import html
import re
from itertools import pairwise
from pathlib import Path

import axe_playwright_python
import pandas as pd
import pytest
from long import long_but
from page_structure import BANNER, assert_sound_html, facts_of, works_known, works_named

import hype

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
VIOLATIONS = "const done = arguments[0]; axe.run().then((found) => done(found.violations))"
MARKUP = "<b>x</b> & $y_1$"
"""The name of one condition."""
EXAMPLES = {
    "hype": ["time", "infinity"],
    "comparison": ["comparisons"],
    "rating": ["ratings"],
    "ranking": ["rankings"],
}


LOOKED_AT = pytest.mark.parametrize("example", long_but(["hype"], EXAMPLES), indirect=True)


@pytest.fixture(scope="module", params=long_but(["hype", "rating"], EXAMPLES))
def example(request, tmp_path_factory):
    """Return the name of a protocol, the scores of its example, and their report."""
    answers = pd.concat([hype.example(one) for one in EXAMPLES[request.param]])
    scores = hype.score(answers.replace({"vae": MARKUP}), seed=1)
    return request.param, scores, scores.report(tmp_path_factory.mktemp("report") / "report.html")


def test_it_is_sound_and_names_stay_text(example):
    page = example[2].read_text(encoding="utf-8")
    assert_sound_html(page)
    assert f"{html.escape(MARKUP)}</th>" in page
    assert f"{html.escape(MARKUP)}</text>" in page
    assert "<b>x" not in page
    assert "None" not in page
    assert not re.search(r"\bnan\b", page)
    assert BANNER in page
    named = re.findall(r'<section id="[\w-]+" aria-labelledby="([\w-]+)-title"', page)
    under_its_chapter = re.findall(r'<section id="[\w-]+" class="part">', page)
    assert len(named) + len(under_its_chapter) == page.count("<section")
    for part in named:
        assert f'href="#{part}"' in page


def test_every_work_that_is_named_is_listed_and_no_other(example):
    protocol, _, out = example
    methods = html.unescape(out.read_text(encoding="utf-8").split('id="methods-text"')[1])
    text, listed = methods.split('<ul class="works">')
    named = works_named(protocol, text)
    assert len(named) > 5
    assert {work for work in works_known(protocol).values() if work.title in listed} == named


@LOOKED_AT
def test_the_same_scores_give_the_same_bytes(example, tmp_path):
    _, scores, out = example
    assert scores.report(tmp_path / "again.html").read_bytes() == out.read_bytes()


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    "what", long_but(["comparisons"], ["infinity", "comparisons", "ratings", "rankings"])
)
def test_people_have_no_banner(what, tmp_path):
    scores = hype.score(hype.example(what).assign(simulated=False), seed=1)
    page = scores.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert BANNER not in page
    assert "Simulated evaluators" not in facts_of(page)


@LOOKED_AT
def test_nobody_is_asked_for_anything_and_every_link_leads_somewhere(browser, example):
    _, _, out = example
    browser.open(out)
    assert browser.messages() == []
    asked = browser.requests()
    assert asked[0] == out.as_uri()
    assert all(url.startswith("data:") for url in asked[1:])
    levels = browser.js(
        "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
    dead = browser.js(
        "[...document.links].filter(a => !a.hash || a.protocol !== 'file:' || "
        "!document.getElementById(a.hash.slice(1))).map(a => a.href)"
    )
    assert dead == []
    browser.unfold()
    drawings = browser.js(
        """[...document.querySelectorAll('figure svg')].map(svg => {
            const {width, height} = svg.getBoundingClientRect();
            const label = svg.closest('[role=img]')?.ariaLabel;
            return [width, height, label, svg.textContent.trim(), svg.checkVisibility()];
        })"""
    )
    assert drawings
    for width_px, height_px, label, text, seen in drawings:
        assert width_px > 100
        assert height_px > 60
        assert label
        assert text
        assert seen


@LOOKED_AT
def test_chapters_come_in_their_order_and_details_are_closed(browser, example):
    browser.open(example[2])
    chapters = browser.js("[...document.querySelectorAll('main > section')].map(s => s.id)")
    order = ("asked", "result", "paper", "people", "images", "details")
    assert chapters == [key for key in order if key in chapters]
    assert {"result", "people", "details"} <= set(chapters)
    assert browser.js("document.querySelectorAll('main details[open]').length") == 0
    browser.js("location.hash = '#methods'")
    assert browser.js("document.querySelector('#methods > details').open")


@LOOKED_AT
def test_the_page_never_scrolls_sideways(browser, example):
    browser.open(example[2])
    browser.unfold()
    for width_px in (320, 768, 1280):
        browser.look(width_px=width_px)
        assert browser.js("document.scrollingElement.scrollWidth") <= width_px


CUT = """
[...document.querySelectorAll('.scroll')]
    .filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)
"""
"""Finds tables with columns outside the visible part, on the right."""


@LOOKED_AT
def test_no_table_is_cut_off_on_a_desk_and_on_a_phone_it_says_so(browser, example):
    browser.open(example[2], width_px=1366)
    browser.unfold()
    assert browser.js(CUT) == []
    browser.look(width_px=360)
    cut = browser.js(CUT)
    assert cut
    said = browser.js("[...document.querySelectorAll('[data-more=right]')].map(e => e.ariaLabel)")
    assert said == cut


@LOOKED_AT
def test_the_figure_the_score_and_its_interval_are_seen_first(browser, example):
    browser.open(example[2], width_px=1366)
    leading = "document.querySelector('#result .beside')"
    bottom_px = browser.js(f"{leading}.querySelector('table').getBoundingClientRect().bottom")
    assert bottom_px < 768
    assert browser.js(f"{leading}.querySelector('svg').getBoundingClientRect().top") < bottom_px
    browser.look(width_px=360)
    box = f"{leading}.querySelector('.scroll')"
    assert browser.js(f"{box}.scrollWidth <= {box}.clientWidth")
    assert "CI" in browser.js(f"{box}.querySelector('thead').textContent")


@LOOKED_AT
@pytest.mark.parametrize(
    ("scheme", "width_px"),
    [pytest.param("light", 1280, marks=pytest.mark.long), ("dark", 390)],
)
def test_axe_finds_nothing(browser, example, scheme, width_px):
    browser.open(example[2], scheme=scheme, width_px=width_px)
    browser.unfold()
    browser.command("Runtime.evaluate", expression=AXE)
    found = browser.driver.execute_async_script(VIOLATIONS)
    assert [
        (one["id"], node["html"][:150], node["failureSummary"])
        for one in found
        for node in one["nodes"]
    ] == []
