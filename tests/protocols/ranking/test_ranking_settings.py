"""What a study file of rankings may say: one test for each rule, and messages with the key."""

from typing import Any

import pytest
from bare_studies import assert_refused
from prompted_builders import ranking_settings

from hype.protocols.ranking.settings import RankingSettings, ScreeningSettings


def test_the_sources_numbers_are_the_defaults():
    asked, screening = RankingSettings(), ScreeningSettings()

    assert (asked.rankings, asked.group, asked.ties, asked.prompt) == (10, None, False, "shown")
    assert (screening.check_share, screening.test, screening.min_recall) == (0.1, 0, None)
    assert "how well they show what the caption says" in asked.question


@pytest.mark.parametrize(
    ("code", "checks"), [("check", True), ("check1", True), ("Check1", False), ("ann", False)]
)
def test_checkers_are_told_by_their_codes(code, checks):
    screening = ranking_settings(screening={"checkers": ["check*"]}).screening

    assert screening.is_checker(code) is checks
    assert not ScreeningSettings().is_checker(code)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"ranking": {"order": 3}}, r"ranking\.order: unknown key; .*\bgroups\b"),
    "a group of one": ({"ranking": {"group": 1}}, r"ranking\.group = 1"),
    "a group of too many": ({"ranking": {"group": 13}}, r"ranking\.group = 13"),
    "no ranking": ({"ranking": {"rankings": 0}}, r"ranking\.rankings = 0"),
    "no group": ({"ranking": {"groups": 0}}, r"ranking\.groups = 0"),
    "no image": ({"ranking": {"images": 0}}, r"ranking\.images = 0"),
    "practice below none": ({"ranking": {"practice": -1}}, r"ranking\.practice = -1"),
    "all held out": ({"ranking": {"held_out": 1.0}}, r"ranking\.held_out = 1\.0"),
    "no question": ({"ranking": {"question": ""}}, r"ranking\.question = ''"),
    "prompt": ({"ranking": {"prompt": "sung"}}, r"ranking\.prompt = 'sung'"),
    "nobody's code": (
        {"screening": {"checkers": ["a b"]}},
        r"screening\.checkers.*'a b' can be nobody's code; allowed are letters, digits",
    ),
    "a test below none": ({"screening": {"test": -1}}, r"screening\.test = -1"),
    "more than all checked": (
        {"screening": {"check_share": 1.1}},
        r"screening\.check_share = 1\.1",
    ),
    "a bound without a test": (
        {"screening": {"min_recall": 0.5, "checkers": ["c*"]}},
        r"screening: min_recall needs a test, and checkers who take it too",
    ),
    "a bound without checkers": (
        {"screening": {"min_recall": 0.5, "test": 3}},
        r"min_recall needs a test, and checkers who take it too",
    ),
    "a bound above all": (
        {"screening": {"min_recall": 1.5, "test": 3, "checkers": ["c*"]}},
        r"screening\.min_recall = 1\.5",
    ),
    "one key for two": (
        {"keys": {"undo": "t"}},
        r"left, right, go_on, pause, undo and tie must be different keys",
    ),
    "an image's letter": (
        {"keys": {"tie": "b"}},
        r"'b' is an image's letter; those are a to L",
    ),
    "who only takes back": ({"people": {"undo_share": 0.5}}, r"people\.undo_share = 0\.5"),
    "everything equal": ({"people": {"tie_share": 1.0}}, r"people\.tie_share = 1\.0"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused_with_its_key(what, tmp_path):
    assert_refused("ranking", tmp_path, *REFUSED[what])
