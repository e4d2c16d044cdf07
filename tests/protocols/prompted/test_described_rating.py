"""Studies of ratings and of rankings in words: what they ask for is said, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from builders import merged
from rated_studies import RANKED, RATED, SINGLE

from hype.protocols.load import load_any
from hype.protocols.ranking import wording as rankings
from hype.protocols.ranking.settings import RankingFile, RankingStudy
from hype.protocols.rating import wording as ratings
from hype.protocols.rating.settings import RatingFile, RatingStudy
from hype.report.methods import works_of

EXPERIMENTS = Path(__file__).parents[3] / "experiments"
NAMES = ("crude", "fine", "good")
PLAIN: dict[str, Any] = {
    "study": {"consent": False, "breaks": False},
    "pay": {"base": 0.0, "per_answer": 0.0},
}
"""Everything switched off that can be, of any study."""


def rated(**changes: Any) -> dict[object, str]:
    settings = RatingFile.model_validate(merged(RATED, changes))
    return {one.topic: one.text for one in ratings.design_in_words(settings, NAMES)}


def ranked(**changes: Any) -> dict[object, str]:
    settings = RankingFile.model_validate(merged(RANKED, changes))
    return {one.topic: one.text for one in rankings.design_in_words(settings, NAMES)}


def test_the_demonstration_of_ratings() -> None:
    study = load_any(EXPERIMENTS / "fashion-ratings")
    assert isinstance(study, RatingStudy)
    found = ratings.design_in_words(study.settings, NAMES)
    text = {one.topic: one.text for one in found}

    assert "three conditions (crude, fine and good) were rated in pairs" in text["design"]
    assert "two images of each condition took part" in text["design"]
    assert "rated by five evaluators" in text["design"]
    trial = text["trial"]
    assert "two blocks of up to 15 pairs" in trial
    assert "overall (“Which image is better overall?”)" in trial
    assert "five levels from “left much better” to “right much better”" in trial
    assert "did not apply (“not relevant”), which counts as a missing answer" in trial
    assert [work.key for work in works_of(found)] == ["Parthasarathy2025"]


def test_the_demonstration_of_rankings() -> None:
    study = load_any(EXPERIMENTS / "fashion-rankings")
    assert isinstance(study, RankingStudy)
    found = rankings.design_in_words(study.settings, NAMES)
    text = {one.topic: one.text for one in found}

    assert "one image of each condition; each prompt had eight groups" in text["design"]
    assert "Real images took part" in text["design"]
    assert "ranked by ten evaluators" in text["design"]
    assert "two blocks of up to ten groups" in text["trial"]
    assert "checkers too, ranked 20 groups as a test" in text["screening"]
    assert "10% were to be ranked again" in text["screening"]
    assert "Of the prompts 20%" in text["held out"]
    assert [work.key for work in works_of(found)] == ["Wu2023"]


def test_what_is_switched_off_is_not_mentioned() -> None:
    ratings = rated(**PLAIN, rating={"practice": 0, "not_relevant": False})
    rankings = ranked(**PLAIN, ranking={"practice": 0}, screening=None)

    topics = ["design", "trial", "display"]
    assert list(ratings) == list(rankings) == topics
    for absent in ("consent", "rested", "relevant", "received", "checker", "test", "Real images"):
        assert absent not in " ".join((*ratings.values(), *rankings.values()))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"prompt": "hidden"}, "The prompt was not shown."),
        ({"axis_order": "random"}, "The order of the axes was drawn for each evaluator."),
        ({"mouse": False}, "in the middle, by a key."),
        ({"levels": 7}, "one of seven levels"),
    ],
)
def test_each_choice_of_a_rating_has_its_sentence(changes: dict[str, Any], said: str) -> None:
    assert said in rated(rating=changes)["trial"]


def test_single_images_have_no_sides() -> None:
    found = rated(**merged(SINGLE, {"observers": None}))

    assert "rated one at a time on two axes" in found["design"]
    assert "left" not in " ".join(found.values())
    assert "answered anatomy by yes or no and aesthetics from 1 to 7" in (found["trial"])


def test_an_axis_of_which_all_must_say_something() -> None:
    change = {"axes": {"overall": {"not_relevant": False}}}
    settings = RatingFile.model_validate(merged(RATED, change))
    found = rated(**change)

    assert "also say on artifacts and style that" in found["trial"]
    details = dict(ratings.asked_details(settings))
    assert details["Design"] == (
        "all pairs, two images of each condition and prompt, two ratings each"
    )


def test_each_choice_of_a_ranking_has_its_sentence() -> None:
    screening = {"min_recall": 0.6, "test": 12}
    found = ranked(ranking={"ties": True, "group": 3}, screening=screening)

    assert "Images could share a place." in found["trial"]
    assert "three images, each of another condition" in found["design"]
    assert "recall@2 below 60% in the test" in found["screening"]
    settings = RankingFile.model_validate(merged(RANKED, {"ranking": {"ties": True}}))
    details = dict(rankings.asked_details(settings))
    assert details["Ties"] == "an act of their own: “next is equal”"
    assert (details["Test"], details["Cross-checks"]) == ("one group", "50% ranked again")


def test_every_sentence_ends() -> None:
    for text in (*rated().values(), *ranked(ranking={"held_out": 0.3}).values()):
        assert re.fullmatch(r"[A-Z].*[.”]", text)
        assert "  " not in text
