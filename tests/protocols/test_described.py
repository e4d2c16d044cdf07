"""Descriptions of studies of every protocol name the parts that are used, and no others."""

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders import merged, settings_of
from compared_studies import COMPARED
from hypothesis import given
from hypothesis import strategies as st
from rated_studies import RANKED, RATED, SINGLE

from hype.protocols.comparison import report as comparisons
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.hype.wording import design_in_words, methods_in_words
from hype.protocols.load import load_any
from hype.protocols.ranking import report as rankings
from hype.protocols.ranking.settings import RankingFile
from hype.protocols.rating import report as ratings
from hype.protocols.rating.settings import RatingFile
from hype.report.methods import works_of
from hype.report.parts import Paragraph
from hype.study.phrases import join_names, money, percent, spell_count

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
BOTH = {"methods": ["time", "infinity"]}
PROMPTED: dict[str, tuple[Any, Any, Any]] = {
    "comparison": (comparisons, ComparisonFile, COMPARED),
    "rating": (ratings, RatingFile, RATED),
    "ranking": (rankings, RankingFile, RANKED),
}


def described(protocol: str, settings: Any, names: Sequence[str], **made: Any) -> list[Paragraph]:
    if protocol == "hype":
        return list(design_in_words(settings, tuple(names), **made))
    study = SimpleNamespace(settings=settings)
    return list(PROMPTED[protocol][0].WORDS.design(study, tuple(names)))


def read(protocol: str, changes: dict[str, Any]) -> Any:
    if protocol == "hype":
        return settings_of(**changes)
    _, file, usual = PROMPTED[protocol]
    return file.model_validate(merged(usual, changes))


def words(
    protocol: str, changes: dict[str, Any], names: Sequence[str] = "ab", **made: Any
) -> dict[object, str]:
    found = described(protocol, read(protocol, changes), names, **made)
    return {one.topic: one.text for one in found}


DEMONSTRATIONS: dict[str, tuple[str, list[str], list[str]]] = {
    "fashion": (
        "hype",
        ["design", "qualification", "practice", "time", "infinity", "pay", "display"],
        ["Zhou2019", "PortillaSimoncelli2000", "GarciaPerez1998"],
    ),
    "fashion-comparisons": (
        "comparison",
        ["design", "trial", "validation", "practice", "demographics", "pay", "display"],
        ["Christodoulou2024"],
    ),
    "fashion-ratings": (
        "rating",
        ["design", "trial", "practice", "pay", "display"],
        ["Parthasarathy2025"],
    ),
    "fashion-rankings": (
        "ranking",
        ["design", "trial", "gate", "screening", "held out", "practice", "pay", "display"],
        ["Wu2023"],
    ),
}


@pytest.mark.parametrize("study", DEMONSTRATIONS)
def test_a_demonstration_is_described_with_its_source(study):
    protocol, topics, works = DEMONSTRATIONS[study]
    made = {"masks_made": ("portilla-simoncelli",)} if protocol == "hype" else {}
    found = described(protocol, load_any(EXPERIMENTS / study).settings, ("flow", "pca"), **made)

    assert [one.topic for one in found] == topics
    assert [work.key for work in works_of(found)] == works


UNPAID = {"base": 0.0, "per_answer": 0.0}
OFF: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "hype": (
        {
            "study": {"methods": ["infinity"], "consent": False, "breaks": False},
            "qualification": {"enabled": False},
            "practice": {"trials": 0},
            "pay": {"base": 0.0, "per_correct": 0.0},
        },
        ["design", "infinity", "display"],
        "consent|ractice|qualification|received|mask|rest|staircase|assigned",
    ),
    "comparison": (
        {"validation": {"kind": "off"}, "pay": UNPAID, "comparison": {"min_ms": 0.0}},
        ["design", "trial", "display"],
        "consent|hasty|rested|obvious|Ties|received|without an answer",
    ),
    "rating": (
        {"pay": UNPAID, "rating": {"practice": 0, "not_relevant": False}},
        ["design", "trial", "display"],
        "consent|rested|relevant|received|checker|test|Real images",
    ),
    "ranking": (
        {"pay": UNPAID, "ranking": {"practice": 0}, "screening": None},
        ["design", "trial", "display"],
        "consent|rested|relevant|received|checker|test|Real images",
    ),
}


@pytest.mark.parametrize("protocol", OFF)
def test_what_is_switched_off_is_not_mentioned(protocol):
    changes, topics, absent = OFF[protocol]
    found = words(protocol, {"study": {"consent": False, "breaks": False}} | changes, "a")

    assert list(found) == topics
    assert re.findall(absent, " ".join(found.values())) == []


@pytest.mark.parametrize("protocol", OFF)
def test_questions_around_trials_are_described(protocol):
    asked: dict[str, Any] = {
        "comprehension": {"question": "What for?", "options": ["this", "that"], "right": "this"},
        "follow_up": {"why": 0.05},
    }
    if protocol in ("hype", "comparison"):
        asked["follow_up"]["confidence"] = 4
    said = words(protocol, asked)["demographics"]

    assert "asked about the instructions (“What for?”)" in said
    assert "5% of the scored answers" in said
    assert ("how sure they were, in four steps" in said) == ("confidence" in asked["follow_up"])


def staircase(**numbers: Any) -> dict[str, Any]:
    return {"time": {"staircase": numbers}}


@pytest.mark.parametrize(
    ("numbers", "settles", "work"),
    [
        ({}, "63% of the answers are correct (García-Pérez, 1998), not at the 75%", "GarciaP"),
        ({"preset": "weighted-75"}, "75% of the answers are correct (Kaernbach, 1991).", "Kaern"),
        (
            {"down_ms": 20.0, "up_ms": 20.0, "correct_to_descend": 3},
            "79.4% of the answers are correct (Levitt, 1971).",
            "Levitt",
        ),
        (
            {"correct_to_descend": 1, "allow_at_or_below_chance": True},
            "25% of the answers are correct (Kaernbach, 1991), which guessing also reaches",
            "Kaern",
        ),
        (
            {"start_ms": 200.0, "min_ms": 200.0, "max_ms": 200.0},
            "the image was shown for 200 ms",
            "Zhou",
        ),
    ],
)
def test_the_rule_that_ran_is_said_to_settle_where_it_does(numbers, settles, work):
    found = described("hype", settings_of(**staircase(**numbers)), "ab")
    (time,) = (one.text for one in found if one.topic == "time")

    assert settles in time
    assert not numbers or "The design differs from the paper, which has " in time
    assert [one for one in works_of(found) if one.key.startswith(work)]
    assert work != "Zhou" or "settles" not in time


def test_how_masks_were_made_is_said_where_it_is_known():
    portilla = "Portilla and Simoncelli (2000)"

    assert portilla in words("hype", {}, masks_made=("portilla-simoncelli",))["time"]
    assert "scrambled phases" in words("hype", {}, masks_made=("phase-scramble",))["time"]
    for unknown in ((), ("by hand",), ("phase-scramble", "portilla-simoncelli")):
        assert "of 30 ms each, drawn at random." in words("hype", {}, masks_made=unknown)["time"]


def test_the_ratio_is_only_said_to_have_been_told_if_the_words_tell_it():
    told = "Evaluators were told that exactly half"
    own = words("hype", {"study": BOTH, "texts": {"instructions_untimed": "Los!"}})

    assert told in words("hype", {"study": BOTH})["infinity"]
    assert told in own["time"]
    assert told not in own["infinity"]


def test_few_conditions_are_named_and_many_counted():
    assert "one condition (only) with HYPE_time" in words("hype", {}, ["only"])["design"]
    assert "evaluated 31 conditions with" in words("hype", {}, [*map(str, range(31))])["design"]
    assert "qualification" not in words("hype", {}, ["only"])


@pytest.mark.parametrize("pairs", ["adaptive", "random"])
def test_an_arena_says_how_pairs_were_chosen_and_when_it_ends(pairs):
    arena = {"pairs": pairs, "goal": "ranking", "most_votes": 700, "alpha": 0.1}
    found = described("comparison", read("comparison", {"comparison": {"arena": arena}}), "ab")

    assert ("Houlsby2011" in [work.key for work in works_of(found)]) == (pairs == "adaptive")
    for said in ("a sequential rule had established the", "error rate of 10%", "after 700 votes"):
        assert said in found[0].text


def test_single_images_have_no_sides():
    found = words("rating", SINGLE)

    assert "rated one at a time on two axes" in found["design"]
    assert "left" not in " ".join(found.values())


def assert_whole_sentences(found: dict[object, str]) -> None:
    for text in found.values():
        assert re.fullmatch(r"[A-Z][^{}]*[.”]", text), text
        assert "  " not in text
        assert not re.search(
            r"None|True|False|\.\.|, \.|one (blocks|masks|trials|evalu\w+s)\b", text
        )
        for sentence in re.split(r"(?<=[a-z)])\. (?!\()", text):
            assert sentence[0].isupper(), sentence


@given(
    st.fixed_dictionaries(
        {
            "time": st.fixed_dictionaries(
                {
                    "blocks": st.integers(1, 14),
                    "masks": st.integers(0, 13),
                    "countdown_from": st.integers(0, 9),
                    "before_flash": st.sampled_from(["countdown", "cross", "both"]),
                    "limit_ms": st.sampled_from([None, 1500.0]),
                    "feedback": st.booleans(),
                }
            ),
            "practice": st.fixed_dictionaries({"trials": st.sampled_from([0, 2, 14])}),
            "timing": st.fixed_dictionaries(
                {"spoiled_trials": st.sampled_from(["keep", "leave-out", "repeat"])}
            ),
            "study": st.fixed_dictionaries(
                {
                    "methods": st.sampled_from([["time"], ["infinity"], ["infinity", "time"]]),
                    "evaluator_does": st.sampled_from(["one-method", "all-methods"]),
                    "evaluators": st.integers(1, 40),
                }
            ),
        }
    ),
    st.integers(0, 15),
)
def test_every_study_makes_whole_sentences(changes, conditions):
    assert_whole_sentences(words("hype", changes, [f"c{n}" for n in range(conditions)]))


def test_studies_with_prompts_make_whole_sentences():
    assert_whole_sentences(words("comparison", {"comparison": {"ties": True, "limit_ms": 900.0}}))
    assert_whole_sentences(words("rating", {}))
    assert_whole_sentences(words("ranking", {"ranking": {"held_out": 0.3}}))


def test_phrases():
    assert [spell_count(n, "block") for n in (1, 2, 12, 13, 1200)] == [
        *("one block", "two blocks", "twelve blocks", "13 blocks", "1,200 blocks")
    ]
    assert spell_count(2, "person", "people") == "two people"
    assert [join_names(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        *("a", "a and b", "a, b and c")
    ]
    assert [percent(share) for share in (0.65, 0.62996, 1.0)] == ["65%", "63%", "100%"]
    assert [money(amount, "$") for amount in (1.0, 0.02, 0.005)] == ["$1.00", "$0.02", "$0.005"]
    assert [money(1234.5, text) for text in ("GBP", "€")] == ["GBP\xa01,234.50", "€1,234.50"]
    assert methods_in_words(["infinity", "time"]) == "HYPE_∞ and HYPE_time"
