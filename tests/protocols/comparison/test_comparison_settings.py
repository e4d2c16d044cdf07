"""What a study file of comparisons may say: one test for each rule, and messages with the key."""

from typing import Any

import pytest
from bare_studies import assert_refused, load
from builders import comparison_settings

from hype.protocols.comparison.settings import (
    CRITERIA,
    ComparisonSettings,
    PlannedAnalysis,
    ValidationSettings,
)
from hype.study.demographics import MOST_OPTIONS

AGE = {"question": "How old are you?", "options": ["young", "old"]}


def test_the_sources_numbers_are_the_defaults():
    asked, planned = ComparisonSettings(), PlannedAnalysis()

    assert (asked.images, asked.votes, asked.wait_ms) == (4, 26, 5000.0)
    assert asked.asked == "Which image do you prefer?"
    assert (asked.ties, asked.limit_ms, asked.arena) == (False, None, None)
    assert (planned.win_rate, planned.alpha, planned.power) == (0.55, 0.05, 0.8)
    assert ValidationSettings().kind == "off"


@pytest.mark.parametrize(
    ("criterion", "given", "shown"),
    [
        ("preference", None, "hidden"),
        ("coherence", None, "hidden"),
        ("alignment", None, "words"),
        ("alignment", "shown", "shown"),
        ("preference", "words", "words"),
    ],
)
def test_a_prompt_is_shown_as_the_source_shows_it_unless_the_study_says_otherwise(
    criterion, given, shown
):
    asked = comparison_settings(comparison={"criterion": criterion, "prompt": given}).comparison

    assert asked.shown_prompt == shown
    assert asked.asked == CRITERIA[criterion]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"comparison": {"vote": 3}}, r"comparison\.vote: unknown key; .*\bvotes\b"),
    "key of an arena": (
        {"comparison": {"arena": {"votes": 3}}},
        r"comparison\.arena\.votes: unknown key; .*\bmost_votes\b",
    ),
    "evaluators": ({"study": {"evaluators": 3}}, r"study\.evaluators: unknown key"),
    "no image": ({"comparison": {"images": 0}}, r"comparison\.images = 0: must be 1 or more"),
    "no vote": ({"comparison": {"votes": 0}}, r"comparison\.votes = 0"),
    "no trial": ({"comparison": {"trials": 0}}, r"comparison\.trials = 0"),
    "practice below none": ({"comparison": {"practice": -1}}, r"comparison\.practice = -1"),
    "unknown criterion": (
        {"comparison": {"criterion": "beauty"}},
        r"comparison: criterion 'beauty' needs a question; those without are preference, coh",
    ),
    "unknown way to show": ({"comparison": {"prompt": "sung"}}, r"comparison\.prompt = 'sung'"),
    "no time left": (
        {"comparison": {"limit_ms": 400.0, "min_ms": 500.0}},
        r"limit_ms 400 must be longer than min_ms 500",
    ),
    "alignment with what is hidden": (
        {"comparison": {"criterion": "alignment", "prompt": "hidden"}},
        r'the criterion "alignment" asks about a caption that is hidden',
    ),
    "mismatch of what is hidden": (
        {"validation": {"kind": "mismatch"}},
        r'validation\.kind "mismatch" needs a prompt that is shown',
    ),
    "more validation than comparisons": (
        {"validation": {"kind": "listed", "share": 0.5}},
        r"validation\.share = 0\.5",
    ),
    "a rate above one": ({"validation": {"min_correct": 1.5}}, r"validation\.min_correct = 1\.5"),
    "one option": (
        {"demographics": {"age": {**AGE, "options": ["old"]}}},
        r"demographics\.age\.options",
    ),
    "more options than keys": (
        {"demographics": {"age": {**AGE, "options": list("abcdefghi")}}},
        r"demographics\.age\.options",
    ),
    "an option twice": (
        {"demographics": {"age": {**AGE, "options": ["old", "old"]}}},
        r"demographics\.age: options must be different, and none empty",
    ),
    "an empty option": (
        {"demographics": {"age": {**AGE, "options": ["old", ""]}}},
        r"options must be different, and none empty",
    ),
    "a share of no option": (
        {"demographics": {"age": {**AGE, "reference": {"young": 0.5, "odd": 0.5}}}},
        r"reference must give a share to each of the options",
    ),
    "shares of more than all": (
        {"demographics": {"age": {**AGE, "reference": {"young": 0.5, "old": 0.6}}}},
        r"reference shares add up to 1\.1, not 1",
    ),
    "a win rate of one half": ({"analysis": {"win_rate": 0.5}}, r"analysis\.win_rate = 0\.5"),
    "a level of one half": ({"analysis": {"alpha": 0.5}}, r"analysis\.alpha = 0\.5"),
    "a tie that is a side": (
        {"keys": {"tie": "f", "left": "f"}},
        r"tie must be another key than left, right and pause",
    ),
    "everybody a coin": ({"people": {"tie_share": 1.0}}, r"people\.tie_share = 1\.0"),
    "no votes in an arena": (
        {"comparison": {"arena": {"most_votes": 0}}},
        r"comparison\.arena\.most_votes = 0",
    ),
    "unknown goal": (
        {"comparison": {"arena": {"goal": "worst"}}},
        r"comparison\.arena\.goal = 'worst'",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused_with_its_key(what, tmp_path):
    assert_refused("comparison", tmp_path, *REFUSED[what])


def test_as_many_options_as_there_are_keys(tmp_path):
    options = [f"option {n}" for n in range(MOST_OPTIONS)]
    study = load("comparison", tmp_path, demographics={"age": {**AGE, "options": options}})

    assert study.settings.demographics["age"].options == tuple(options)


def test_reference_shares_may_be_rounded(tmp_path):
    reference = {"young": 0.33, "old": 0.66}

    assert load("comparison", tmp_path, demographics={"age": {**AGE, "reference": reference}})
