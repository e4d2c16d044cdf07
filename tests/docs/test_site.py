"""The documents are built into a site without a warning, with pages made from code."""

import re
import subprocess
import sys
from pathlib import Path

import axe_playwright_python
import pytest

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
VIOLATIONS = """const done = arguments[0];
axe.run().then(({ violations }) => done(violations.map(({ id, nodes }) => [id, nodes[0].html])))"""
BUILT = "import build, pathlib, sys; sys.exit(build.build(pathlib.Path(sys.argv[1]), run=False))"
SITE = Path(__file__).parents[2] / "docs/site"
pytestmark = pytest.mark.long  # `make docs` builds the site too
pytest.importorskip("myst_parser", reason="a package for the documents needs Python 3.11")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site in another process: PsychoPy opens no window in a process with Sphinx."""
    target = tmp_path_factory.mktemp("documents") / "site"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILT, target], cwd=SITE, check=False
    )
    assert done.returncode == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SITE))
        yield target


def test_it_opens_from_a_disk_and_asks_nobody(site):
    loaded = re.compile(r'<(?:script|img|link|iframe)\b[^>]*(?:src|href)="(?:https?:)?//[^"]*"')
    styled = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])(?:https?:)?//")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text("utf-8")), page
    for sheet in site.rglob("*.css"):
        assert not styled.search(sheet.read_text("utf-8")), sheet
    assert "Search.setIndex" in (site / "searchindex.js").read_text("utf-8")[:40]
    options = (site / "_static/documentation_options.js").read_text("utf-8")
    assert "SHOW_SEARCH_SUMMARY: false" in options  # summaries need missing files


@pytest.mark.parametrize(
    "page", ["index", "search", "docs/analyst", "docs/library", "docs/reference/columns"]
)
def test_everybody_can_read_it(page, site, browser):
    browser.open(site / f"{page}.html")
    browser.load(AXE.read_text(encoding="utf-8"))
    assert browser.driver.execute_async_script(VIOLATIONS) == []


def test_what_is_declared_is_on_it(site):
    import hype
    from hype.cli.main import COMMANDS

    def page(name):
        return (site / "docs/reference" / f"{name}.html").read_text("utf-8")

    assert all(f'id="hype.{name}"' in page("api") for name in hype.__all__ if name[0] != "_")
    assert all(f"hype {name}" in page("commands") for name in COMMANDS)
    assert "allow_unsettled" in page("keys")
    assert "Longest exposure in ms." in page("keys")
    assert "floor_ms" in page("columns")
    assert "Welcome back" in page("texts")


def test_a_key_that_says_nothing_is_named(site):
    from reference import UndocumentedError, meaning

    from hype.study.table import Settings

    class Silent(Settings):
        key: int = 1

    with pytest.raises(UndocumentedError, match=r"Silent\.key says nothing"):
        meaning(Silent, "key")
