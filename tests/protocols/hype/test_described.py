"""A study's methods section: what is switched on is said, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from builders import settings_of
from hypothesis import given
from hypothesis import strategies as st

from hype.protocols.hype.wording import design_in_words, methods_in_words
from hype.protocols.load import load_study
from hype.report.methods import Paragraph, works_of
from hype.study.phrases import counted, listed, money, percent

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
BOTH = {"methods": ["time", "infinity"]}
PLAIN: dict[str, Any] = {
    "study": {"methods": ["infinity"], "consent": False, "breaks": False},
    "qualification": {"enabled": False},
    "practice": {"trials": 0},
    "pay": {"base": 0.0, "per_correct": 0.0},
}
"""A study with everything switched off that can be."""


def words(*conditions: str, masks_made: tuple[str, ...] = (), **changes: Any) -> dict[str, str]:
    found = design_in_words(settings_of(**changes), conditions or ("a", "b"), masks_made=masks_made)
    return {one.topic: one.text for one in found}


def keys_of(paragraphs: Sequence[Paragraph]) -> tuple[str, ...]:
    return tuple(work.key for work in works_of(paragraphs))


def works(**changes: Any) -> tuple[str, ...]:
    return keys_of(design_in_words(settings_of(**changes), ("a", "b")))


def staircase(**numbers: Any) -> dict[str, Any]:
    return {"time": {"staircase": numbers}}


def test_the_demonstration_says_every_number_of_the_paper() -> None:
    settings = load_study(EXPERIMENTS / "fashion").settings
    found = design_in_words(settings, ("flow", "pca"), masks_made=("portilla-simoncelli",))
    text = {one.topic: one.text for one in found}

    assert list(text) == [
        *("design", "qualification", "practice", "time", "infinity", "pay", "display"),
    ]
    for topic, said in {
        "design": "two conditions (flow and pca) with HYPE_time and HYPE_∞",
        "qualification": "100 images, 50 real and 50 generated",
        "practice": "six trials each",
        "time": "three blocks of 150 images (75 real and 75 generated, in random order)",
        "infinity": "100 images (50 real and 50 generated, in random order)",
        "pay": "received $1.00, and $0.02 for each correct answer",
        "display": "a refresh rate of 60 Hz",
    }.items():
        assert said in text[topic]
    assert "countdown from 3 to 1, each numeral lasting 500 ms" in text["time"]
    assert "four masks of 30 ms each" in text["time"]
    assert "began at 500 ms and stayed between 100 and 1000 ms" in text["time"]
    assert keys_of(found) == ("Zhou2019", "PortillaSimoncelli2000", "GarciaPerez1998")


def test_what_is_switched_off_is_not_mentioned() -> None:
    found = words("a", **PLAIN)

    assert list(found) == ["design", "infinity", "display"]
    said = " ".join(found.values())
    for word in ("consent", "ractice", "qualification", "received", "mask", "rest", "staircase"):
        assert word not in said


@pytest.mark.parametrize(
    ("numbers", "settles", "work"),
    [
        ({}, "63% of the answers are correct (García-Pérez, 1998), and not at the 75%", "GarciaP"),
        ({"preset": "weighted-75"}, "75% of the answers are correct (Kaernbach, 1991).", "Kaern"),
        (
            {"down_ms": 20.0, "up_ms": 20.0, "correct_to_descend": 3},
            "79.4% of the answers are correct (Levitt, 1971).",
            "Levitt",
        ),
        (
            {"correct_to_descend": 1, "allow_at_or_below_chance": True},
            "25% of the answers are correct (Kaernbach, 1991), no more than guessing gives",
            "Kaern",
        ),
    ],
)
def test_the_rule_that_ran_is_said_to_settle_where_it_does(
    numbers: dict[str, Any], settles: str, work: str
) -> None:
    assert settles in words(**staircase(**numbers))["time"]
    assert [key for key in works(**staircase(**numbers)) if key.startswith(work)]


def test_an_exposure_that_never_changes_has_no_rule() -> None:
    found = words(**staircase(start_ms=200.0, min_ms=200.0, max_ms=200.0))["time"]

    assert "the image was shown for 200 ms" in found
    assert "settles" not in found
    assert works(**staircase(start_ms=200.0, min_ms=200.0, max_ms=200.0)) == ("Zhou2019",)


TIMED = {
    "no countdown": ({"countdown_from": 0}, "In each trial the image was shown"),
    "one numeral": ({"countdown_from": 1}, "a countdown of one numeral, lasting 500 ms"),
    "no masks": ({"masks": 0}, "It was not masked."),
    "one mask": ({"masks": 1}, "one mask of 30 ms, drawn at random"),
    "feedback": ({"feedback": True}, "said for 600 ms whether it was correct"),
    "no feedback": ({"feedback": False}, "No feedback was given."),
    "one block": ({"blocks": 1}, "each evaluator judged 6 images (3 real"),
    "blocks": ({"blocks": 2}, "Between blocks evaluators rested"),
}


@pytest.mark.parametrize("what", TIMED)
def test_a_flashed_trial(what: str) -> None:
    changes, said = TIMED[what]

    assert said in words(time=changes)["time"]


def test_nobody_rests_within_one_block_or_without_breaks() -> None:
    assert "rested" not in words(time={"blocks": 1})["time"]
    assert "rested" not in words(study={"breaks": False})["time"]


def test_how_masks_were_made_is_said_where_it_is_known() -> None:
    portilla = "Portilla and Simoncelli (2000)"

    assert portilla in words(masks_made=("portilla-simoncelli",))["time"]
    assert "scrambled phases" in words(masks_made=("phase-scramble",))["time"]
    for unknown in ((), ("by hand",), ("phase-scramble", "portilla-simoncelli")):
        said = words(masks_made=unknown)["time"]
        assert "masks of 30 ms each, drawn at random." in said
    covered = words(masks_made=("portilla-simoncelli",), time={"masks": 0})["time"]
    assert portilla not in covered


@pytest.mark.parametrize(
    ("treatment", "said"),
    [("keep", "were scored like"), ("leave-out", "were not scored."), ("repeat", "once more")],
)
def test_what_became_of_spoiled_trials(treatment: str, said: str) -> None:
    assert said in words(timing={"spoiled_trials": treatment})["time"]


def test_tolerances_are_in_ms_where_the_study_gives_them() -> None:
    assert "by more than half a frame" in words()["time"]
    assert "by more than 4 ms" in words(timing={"tolerance_ms": 4.0})["time"]
    assert (
        "differed by more than 1 ms were refused" in (words(timing={"rounding_ms": 1.0})["display"])
    )


def test_the_ratio_is_only_said_to_have_been_told_if_the_words_tell_it() -> None:
    told = "Evaluators were told that exactly half"

    assert told in words(study=BOTH)["time"]
    assert told in words(study=BOTH)["infinity"]
    own = words(study=BOTH, texts={"instructions_untimed": "Los!"})
    assert told in own["time"]
    assert told not in own["infinity"]


DESIGNS = {
    "one method": ({}, "each evaluator judged images of one condition. The aim was 30"),
    "one of two": (BOTH, "judged images of one condition with one method. The aim was 30"),
    "both": (
        {**BOTH, "evaluator_does": "all-methods"},
        "with both methods, HYPE_time first, with a rest in between. The aim was 30 evaluators "
        "for each condition. Whoever came was assigned to the condition that had the fewest",
    ),
    "few": ({"evaluators": 1}, "The aim was one evaluator for each condition."),
}


@pytest.mark.parametrize("what", DESIGNS)
def test_the_design(what: str) -> None:
    study, said = DESIGNS[what]

    assert said in words(study=study)["design"]


def test_one_condition_is_no_comparison() -> None:
    found = words("only")["design"]

    assert "evaluated one condition (only) with HYPE_time. The aim was 30 evaluators." in found
    assert "assigned" not in found


def test_very_many_conditions_are_counted() -> None:
    assert "evaluated 31 conditions with" in words(*map(str, range(31)))["design"]
    settings = settings_of()
    assert "the conditions of its stimulus set" in design_in_words(settings, ())[0].text


def test_seed_keys_and_consent() -> None:
    assert "the seed 7 and" in words()["design"]
    assert "counterbalanced" in words()["design"]
    assert "meant fake for everyone" in words(keys={"left_means": "fake"})["design"]
    assert "consent" in words()["design"]


def test_the_qualification() -> None:
    found = words(qualification={"pass_rate": 0.655, "valid_from": ["../pilot"]})
    everyone = words(qualification={"pass_rate": 0.0})

    assert found["qualification"].count("65.5%") == 2
    assert "in an earlier study (pilot)" in found["qualification"]
    assert "All of them went on" in everyone["qualification"]


@pytest.mark.parametrize(
    ("conditions", "changes", "said"),
    [
        ("ab", {}, "(the latter from the conditions that they did not evaluate, as"),
        ("ab", {"qualification": {"on_own_condition": True}}, "(the latter from all conditions"),
        (
            "a",
            {"qualification": {"on_own_condition": True}},
            "3 real and 3 generated, shown without",
        ),
        ("a", {"qualification": {"stimuli": "pool"}}, "(of a set of its own, the latter from all"),
        ("a", {"qualification": {"valid_from": ["../p"]}}, "Only evaluators who had passed the"),
        ("a", {}, ""),
        (
            "ab",
            {"qualification": {"valid_from": ["../p"], "valid_days": 180}},
            "Whoever had passed it in the last 180 days in an earlier study (p) did not",
        ),
        (
            "ab",
            {"study": {"methods": ["qualification"]}},
            "3 real and 3 generated (the latter from all conditions, as",
        ),
    ],
)
def test_whose_images_the_qualification_had(
    conditions: str, changes: dict[str, Any], said: str
) -> None:
    found = words(*conditions, **changes)

    assert said in found.get("qualification", "")
    assert ("qualification" in found) == bool(said)


def test_how_many_images_of_each_were_drawn_for_everybody() -> None:
    drawn = words(stimuli={"images_per_condition": 5000})["design"]

    assert "Beforehand, 5,000 images of each condition and as many real ones" in drawn


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "before the first untimed block and before the first timed block: two trials each,"),
        ({"qualification": {"enabled": False}}, "came before the first timed block: two trials, "),
        ({"study": {"methods": ["infinity"]}}, "came before the first untimed block: two trials, "),
    ],
)
def test_practice(changes: dict[str, Any], said: str) -> None:
    assert said in words(**changes)["practice"]


@pytest.mark.parametrize(
    ("pay", "said"),
    [
        ({"per_correct": 0.0, "base": 5.0}, "Evaluators received $5.00."),
        ({"base": 0.0, "currency": "€"}, "Evaluators received €0.02 for each correct answer"),
        ({"base": 0.0, "per_correct": 0.005}, "$0.005 for each"),
    ],
)
def test_pay(pay: dict[str, Any], said: str) -> None:
    assert said in words(pay=pay)["pay"]


@pytest.mark.parametrize(
    ("display", "said"),
    [
        ({}, "a square half as high as the window at a viewing distance of 57 cm and not beyond"),
        ({"size_px": 384.0}, "a square of 384 px at a"),
        (
            {"size_deg": 8.0},
            "a square of 8° of visual angle at a viewing distance of 57 cm and not beyond",
        ),
        ({"enlarge": True}, "of 57 cm, on a grey"),
        ({"background_rgb": [0, 0, 0]}, "on a black background."),
        ({"background_rgb": [1, 2, 3]}, "on a background of RGB 1, 2, 3."),
        ({"refresh_hz": 59.94}, "asked for a refresh rate of 59.94 Hz"),
    ],
)
def test_display(display: dict[str, Any], said: str) -> None:
    monitor = {"width_cm": 53.0, "distance_cm": 57.0}

    assert said in words(display=display, monitor=monitor)["display"]


@given(
    st.fixed_dictionaries(
        {
            "time": st.fixed_dictionaries(
                {
                    "blocks": st.integers(1, 14),
                    "masks": st.integers(0, 13),
                    "countdown_from": st.integers(0, 9),
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
def test_every_study_makes_whole_sentences(changes: dict[str, Any], conditions: int) -> None:
    found = words(*(f"c{n}" for n in range(conditions)), **changes)

    for text in found.values():
        assert re.fullmatch(r"[A-Z][^{}]*\.", text), text
        assert "  " not in text
        assert not re.search(
            r"None|True|False|\.\.|, \.|one (blocks|masks|trials|evalu\w+s)\b", text
        )
        for sentence in re.split(r"(?<=[a-z)])\. (?!\()", text):
            assert sentence[0].isupper(), sentence


def test_phrases() -> None:
    assert [counted(n, "block") for n in (1, 2, 12, 13, 1200)] == [
        *("one block", "two blocks", "twelve blocks", "13 blocks", "1,200 blocks"),
    ]
    assert counted(2, "person", "people") == "two people"
    assert [listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        *("a", "a and b", "a, b and c"),
    ]
    assert [percent(share) for share in (0.65, 0.62996, 1.0)] == ["65%", "63%", "100%"]
    assert [money(amount, "$") for amount in (1.0, 0.02, 0.005)] == ["$1.00", "$0.02", "$0.005"]
    assert methods_in_words(["infinity", "time"]) == "HYPE_∞ and HYPE_time"
