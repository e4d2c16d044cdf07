"""Reports of every protocol, looked at by axe: everybody can read them."""

from pathlib import Path

import axe_playwright_python
import pandas as pd
import pytest

import hype

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
VIOLATIONS = "const done = arguments[0]; axe.run().then((found) => done(found.violations))"


def violations(browser):
    browser.command("Runtime.evaluate", expression=AXE)
    found = browser.driver.execute_async_script(VIOLATIONS)
    return [
        (one["id"], node["html"][:150], node["failureSummary"])
        for one in found
        for node in one["nodes"]
    ]


@pytest.mark.parametrize(
    "examples", [["time", "infinity"], ["infinity"], ["comparisons"], ["ratings"], ["rankings"]]
)
def test_axe_finds_nothing(browser, tmp_path, examples):
    answers = pd.concat([hype.example(one) for one in examples])
    page = hype.score(answers, seed=1).report(tmp_path / "report.html")
    for scheme, width_px in (("light", 1280), ("dark", 390)):
        browser.open(page, scheme=scheme, width_px=width_px)
        assert violations(browser) == []
    drawn = "[...document.querySelectorAll('figure svg')].map((one) => one.closest('[role=img]'))"
    assert browser.js(f"{drawn}.length") > 0
    assert browser.js(f"{drawn}.every((one) => one?.getAttribute('aria-label'))")
