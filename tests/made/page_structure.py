"""The content of a page: its elements, facts and banner."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import hype
from hype.report.methods import works_in

HYPE = Path(hype.__file__).parent

BANNER = "SIMULATED EVALUATORS: no people were asked"
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class Structure(HTMLParser):
    VOID = frozenset({"meta", "br", "link", "img", "input"})

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.ids, self.targets = [], [], [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        values = dict(attrs)
        self.ids += [values["id"]] if "id" in values else []
        self.targets.update(re.findall(r"#([\w-]+)\)", values.get("clip-path", "")))
        self.targets.update([values["href"][1:]] if values.get("href", "").startswith("#") else [])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def assert_sound_html(page):
    """Check that all elements are closed, ids are unique, and nothing is loaded from elsewhere."""
    structure = Structure(page)
    assert structure.open == []
    assert len(structure.ids) == len(set(structure.ids))
    assert structure.targets <= set(structure.ids)
    assert "http:" not in page
    assert "https:" not in page
    assert "url(" not in page.replace("url(#", "")
    assert not {"iframe", "object", "embed", "base"} & set(structure.tags)
    assert re.findall(r"<link[^>]*>", page) == ['<link rel="icon" href="data:,">']
    assert_policy_allows_its_script(page)


def assert_policy_allows_its_script(page):
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert page.count("<script") == 1


def facts_of(page):
    return dict(re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page))


def works_known(name):
    """Return all works that reports on a protocol may cite, by key."""
    return {**works_in(HYPE / "report"), **works_in(HYPE / "protocols" / name)}


def works_named(name, text):
    """Return the works that a text cites, for example as "Efron, 1979"."""
    return {work for work in works_known(name).values() if work.cited in text}
