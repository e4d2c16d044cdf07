"""What a study file of comparisons may say: one test for each rule, and messages with the key."""

import pytest
from bare_studies import load
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


def test_as_many_options_as_there_are_keys(tmp_path):
    options = [f"option {n}" for n in range(MOST_OPTIONS)]
    study = load("comparison", tmp_path, demographics={"age": {**AGE, "options": options}})

    assert study.settings.demographics["age"].options == tuple(options)


def test_reference_shares_may_be_rounded(tmp_path):
    reference = {"young": 0.33, "old": 0.66}

    assert load("comparison", tmp_path, demographics={"age": {**AGE, "reference": reference}})
