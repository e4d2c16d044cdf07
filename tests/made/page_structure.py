"""What stands in a page: its elements, its facts, its banner."""

import re
from html.parser import HTMLParser

BANNER = "SIMULATED EVALUATORS: nobody real was asked"
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class Structure(HTMLParser):
    VOID = frozenset({"meta", "br", "link", "img", "input"})

    def __init__(self, page):
        super().__init__()
        self.open, self.ids = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def facts_of(page):
    return dict(re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page))
