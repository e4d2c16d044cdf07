"""A study has every text that the pages name."""

import re
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from hype.errors import WhyNot
from hype.protocols.registry import PROTOCOLS
from hype.study.web_settings import WebTexts

NAMED = re.compile(r"\b(?:word|pageOf)\(\s*'(\w+)'(?:,\s*\{([^}]*)\})?")
CLIENT = {
    file.name: file.read_text(encoding="utf-8")
    for file in (files("hype.web") / "client").iterdir()
    if file.name.endswith(".js")
}


def known() -> dict[str, set[str]]:
    """Return the names of all texts that every study has, with the words allowed in braces."""
    studies = [set(one.settings.model_fields["texts"].default.model_dump()) for one in PROTOCOLS]
    shared: dict[str, set[str]] = {name: set() for name in set.intersection(*studies)}
    return shared | {name: set(WebTexts.in_text.get(name, ())) for name in WebTexts.model_fields}


@pytest.mark.parametrize("file", CLIENT)
def test_every_word_is_one_that_a_study_has(file):
    words = known()
    for name, given in NAMED.findall(CLIENT[file]):
        assert name in words, name
        filled = {part.partition(":")[0].strip() for part in given.split(",") if part.strip()}
        assert filled == words[name] or not given, name


def test_every_word_of_the_pages_is_said_somewhere():
    """A text's name is in quotes or in a page's braces, or it is a reason for a refusal."""
    room = Path(str(files("hype.web")))
    code = "".join(
        file.read_text(encoding="utf-8")
        for file in room.rglob("*")
        if file.suffix in (".py", ".js", ".html")
    )
    never = [
        name
        for name in WebTexts.model_fields
        if name not in get_args(WhyNot)
        and not re.search(rf"['\"]{name}['\"]|words\.{name}}}}}", code)
    ]

    assert not never
