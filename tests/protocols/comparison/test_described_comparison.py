"""A study of comparisons in words: what it asks for is said, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from builders import merged
from compared_studies import COMPARED

from hype.protocols.comparison.settings import ComparisonFile, ComparisonStudy
from hype.protocols.comparison.wording import asked_details, design_in_words
from hype.protocols.load import load_any
from hype.report.methods import works_of

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
PLAIN: dict[str, Any] = {
    "study": {"consent": False, "breaks": False},
    "validation": {"kind": "off"},
    "pay": {"base": 0.0, "per_answer": 0.0},
    "comparison": {"min_ms": 0.0},
}
"""A study with everything switched off that can be."""


def settings_of(**changes: Any) -> ComparisonFile:
    return ComparisonFile.model_validate(merged(COMPARED, changes))


def words(**changes: Any) -> dict[object, str]:
    found = design_in_words(settings_of(**changes), ("crude", "good"))
    return {one.topic: one.text for one in found}


def test_the_demonstration_says_every_number_of_its_source() -> None:
    study = load_any(EXPERIMENTS / "fashion-comparisons")
    assert isinstance(study, ComparisonStudy)
    found = design_in_words(study.settings, ("flow", "pca"))
    text = {one.topic: one.text for one in found}

    assert "two conditions (flow and pca) in pairs" in text["design"]
    assert "four images of each condition" in text["design"]
    assert "made by 26 evaluators" in text["design"]
    assert "two blocks of 48 comparisons" in text["trial"]
    assert "“Which image better reflects the caption above them?”" in text["trial"]
    assert "word by word, one every 250 ms" in text["trial"]
    assert "faster than 500 ms" in text["trial"]
    assert "wait for 5000 ms" in text["trial"]
    assert "fewer than 75% of these correctly were not scored" in text["validation"]
    assert "“Where do you live?”" in text["demographics"]
    assert [work.key for work in works_of(found)] == ["Christodoulou2024"]


def test_what_is_switched_off_is_not_mentioned() -> None:
    found = words(**PLAIN)

    assert list(found) == ["design", "trial", "display"]
    for absent in (
        "consent",
        "hasty",
        "rested",
        "obvious",
        "Ties",
        "received",
        "without an answer",
    ):
        assert absent not in " ".join(found.values())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"prompt": "shown"}, "The prompt stood above both images."),
        ({"criterion": "preference", "prompt": "hidden"}, "The prompt was not shown."),
        ({"ties": True}, "one of the two, or “no difference”, by a key or a click."),
        ({"mouse": False}, "They had to choose one of the two, by a key."),
        ({"limit_ms": 4000.0}, "had not answered after 4000 ms went on without an answer"),
    ],
)
def test_each_choice_has_its_sentence(changes: dict[str, Any], said: str) -> None:
    off = {"validation": {"kind": "off"}} if changes.get("prompt") == "hidden" else {}
    assert said in words(comparison=changes, **off)["trial"]


@pytest.mark.parametrize("pairs", ["adaptive", "random"])
def test_an_arena_says_how_pairs_were_chosen_and_when_it_ends(pairs: str) -> None:
    arena = {"pairs": pairs, "goal": "ranking", "most_votes": 700, "alpha": 0.1}
    settings = settings_of(comparison={"arena": arena})
    found = design_in_words(settings, ("crude", "good"))
    design = found[0].text

    assert ("Houlsby2011" in [work.key for work in works_of(found)]) == (pairs == "adaptive")
    assert ("Houlsby et al., 2011" in design) == (pairs == "adaptive")
    assert "end when the ranking was known by a sequential rule over evaluators" in design
    assert "error rate of 10%, and at 700 votes in any case" in design
    assert dict(asked_details(settings))["Design"].startswith("arena, pairs ")


def test_what_stood_around_the_question() -> None:
    details = dict(asked_details(settings_of(comparison={"ties": True})))

    assert details == {
        "Criterion": "alignment",
        "Prompt": "appeared above the images word by word",
        "Ties": "an answer of their own: “no difference”",
        "Design": "all pairs, two images of each condition and prompt, six votes",
        "Time limit": "none",
    }


def test_every_sentence_ends() -> None:
    for text in words(comparison={"ties": True, "limit_ms": 900.0}).values():
        assert re.fullmatch(r"[A-Z].*[.”]", text)
        assert "  " not in text
