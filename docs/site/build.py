"""Build the documents as a site: copy the pages, make pages from code, and run Sphinx.

Usage: python docs/site/build.py [FOLDER]        (build/site; then open FOLDER/index.html)
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from gallery import figures_page, notebook_page
from reference import PAGES
from sphinx.cmd.build import build_main

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PARTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "setup/README.md")
FOR_EVERYBODY = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    '<th class="head"><p></p></th>': '<td class="head"></td>',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
    "<th></th>": "<td></td>",
    "<pre>": '<pre tabindex="0">',
    '<div class="output">': '<div class="output" tabindex="0">',
    '<div id="search-results">': '<h1>Search</h1><div id="search-results">',
}
"""Attributes for keyboards and screen readers that axe-core finds missing in the theme."""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def lay_out(site: Path, *, run: bool) -> None:
    """Copy pages and pictures to the same places as in the repository, and make other pages.

    ``run``: whether to run the code of notebooks and figures.
    """
    shutil.copy(HERE / "index.md", site / "index.md")
    shutil.copytree(HERE / "_static", site / "_static")
    shutil.copytree(ROOT / "docs/screens", site / "docs/screens")
    pages = [*PARTS, *(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))]
    made = {f"docs/notebooks/{path.stem}.md" for path in notebooks()}
    for page in pages:
        text = (ROOT / page).read_text("utf-8")
        (site / page).parent.mkdir(exist_ok=True)
        (site / page).write_text(relinked(text, ROOT / page, {*pages, *made}), "utf-8")
    for name, make in PAGES.items():
        write(site / "docs/reference" / f"{name}.md", make())
    for path in notebooks():
        folder = site / "docs/notebooks"
        folder.mkdir(exist_ok=True)
        write(folder / f"{path.stem}.md", notebook_page(path, folder, run=run))
    write(site / "docs/notebooks/gallery.md", figures_page(site / "docs/notebooks", run=run))


def notebooks() -> list[Path]:
    return sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")


def relinked(text: str, page: Path, pages: set[str]) -> str:
    """Make links point to pages of the site; replace links to other files by their text."""

    def one(link: re.Match[str]) -> str:
        picture, words, target = link.groups()
        file, _, anchor = target.partition("#")
        if picture or not file or "://" in target:
            return link.group()
        place = (page.parent / file).resolve()
        if not place.exists():
            raise SystemExit(f"{page}: {target} leads nowhere")
        file = file.replace(".ipynb", ".md")
        inside = place.with_suffix(".md").relative_to(ROOT).as_posix() in pages
        return f"[{words}]({file}{'#' * bool(anchor)}{anchor})" if inside else words

    return LINK.sub(one, text)


def build(target: Path, *, run: bool = True) -> int:
    """Build everything from scratch; a warning is an error."""
    source = target.with_name(f"{target.name}-source")
    for old in (source, target):
        shutil.rmtree(old, ignore_errors=True)
    source.mkdir(parents=True)
    lay_out(source, run=run)
    failed = build_main(["-q", "-W", "--keep-going", "-c", str(HERE), str(source), str(target)])
    for page in target.rglob("*.html"):
        text = page.read_text("utf-8")
        for before, after in FOR_EVERYBODY.items():
            text = text.replace(before, after)
        page.write_text(text, "utf-8")
    return failed


if __name__ == "__main__":
    site = ROOT / (sys.argv[1] if sys.argv[1:] else "build/site")
    failed = build(site)
    print(f"site: {site / 'index.html'}")
    sys.exit(failed)
