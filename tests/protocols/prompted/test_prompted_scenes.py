"""Comparisons, ratings and rankings in a browser."""

from dataclasses import replace
from typing import Any

import pytest
from prompted_window import ASKED, KEYS, LOOK, TRIAL, candidate

from hype.protocols.comparison.settings import ComparisonTexts
from hype.protocols.ranking.course import RankingLook
from hype.protocols.ranking.settings import RankingTexts
from hype.protocols.ranking.trial import Group, PartialRanking, RankingTask, RankingTrial
from hype.protocols.rating.course import RatingLook
from hype.protocols.rating.settings import RatingTexts
from hype.protocols.rating.trial import (
    YES_NO,
    Axis,
    PlannedItem,
    RatedItem,
    RatingTask,
    RatingTrial,
)
from hype.session.steps import Scene, Trial
from hype.station.config import StationConfig
from hype.study.texts import SessionWords


def scene_of(look: Any, trial: Trial, words: SessionWords, **more: str) -> Scene:
    texts = words.model_dump() | more
    scene: Scene = look.scene(
        trial, StationConfig(keys=KEYS, appearance=LOOK, texts=texts, trials=look)
    )
    return scene


def comparison(words_ms: float = 0.0, limit_ms: float | None = None, **asked: Any) -> Scene:
    trial = replace(TRIAL, words_ms=words_ms, limit_ms=limit_ms)
    return scene_of(replace(ASKED, **asked), trial, ComparisonTexts())


def test_answers_stand_from_left_to_right_with_the_tie_between():
    assert [(b.answer, b.picture) for b in comparison().buttons] == [
        ("left", 0),
        ("tie", None),
        ("right", 1),
    ]
    assert [b.picture for b in comparison(ties=False, mouse=False).buttons] == [None, None]


def test_a_prompt_is_hidden_or_comes_at_once_or_word_by_word():
    assert comparison().prompt == ""
    shown = comparison(prompt="shown")
    assert (shown.prompt, shown.word_ms) == ("a bag", 0.0)
    assert comparison(prompt="words", words_ms=80.0).word_ms == ASKED.word_ms


def test_what_passing_the_limit_comes_to_is_no_button():
    scene = comparison(limit_ms=2000.0)

    assert scene.limit
    assert (scene.limit.limit_ms, scene.limit.otherwise) == (2000.0, "none")
    assert scene.answers == {"left", "tie", "right", "none"}


PAIR = PlannedItem(
    item=RatedItem(prompt="a bag", images=(candidate("flow"), candidate("pca"))), swapped=True
)
SINGLE = PlannedItem(item=RatedItem(prompt="a bag", images=(candidate("flow"),)))


def rating(
    *levels: str, planned: PlannedItem = PAIR, number: int = 1, optional: bool = False
) -> Scene:
    trial = RatingTrial(
        task=RatingTask.RATING,
        block=1,
        number=number,
        planned=planned,
        axis=Axis(name="overall", question="Which is better?", levels=levels, optional=optional),
    )
    look = RatingLook(pairs=planned is PAIR, prompt=True, mouse=True)
    return scene_of(look, trial, RatingTexts(), axes="3")


def test_levels_of_a_pair_are_counted_on_the_screen_whichever_image_is_first():
    scene = rating(*"12345", optional=True)

    assert [(b.answer, b.keys[0], b.label) for b in scene.buttons] == [
        ("5", "1", "left much better"),
        ("4", "2", "left better"),
        ("3", "3", "no difference"),
        ("2", "4", "right better"),
        ("1", "5", "right much better"),
        ("not-relevant", "n", "not relevant"),
    ]
    assert [b.aside for b in scene.buttons] == [False] * 5 + [True]
    assert [picture.path for picture in scene.pictures] == ["pca.png", "flow.png"]
    assert (scene.layout, scene.prompt) == ("scale", "a bag")


def test_a_level_without_words_is_called_by_its_key_and_ten_by_its_number():
    labels = [b.label for b in rating(*map(str, range(1, 11)), planned=SINGLE).buttons]

    assert labels == ["1: lowest", *"23456789", "10: highest"]
    scene = rating(*YES_NO, planned=SINGLE)
    assert [b.label for b in scene.buttons] == ["yes", "no"]
    assert scene.layout == "row"


@pytest.mark.parametrize(("number", "axis"), [(1, (1, 3)), (3, (3, 3)), (4, (1, 3))])
def test_one_sees_which_of_the_questions_it_is(number, axis):
    assert rating(*"123", number=number).axis == axis


def ranking(standing: str) -> Scene:
    trial = RankingTrial(
        task=RankingTask.RANKING,
        block=1,
        number=1,
        group=Group(prompt="a bag", images=tuple(map(candidate, ("flow", "pca", "gan")))),
        standing=PartialRanking.read(standing),
        ties=True,
    )
    look = RankingLook(question="Which is best?", prompt=False, mouse=True, most=3)
    return scene_of(look, trial, RankingTexts())


def test_images_that_have_a_place_show_it_and_cannot_be_placed_again():
    scene = ranking("BA")

    assert (scene.captions, scene.ranks, scene.order) == (tuple("ABC"), (1, 1, None), "1 B = A")
    assert scene.answers == {"C", "tie", "undo"}
    assert [b.picture for b in scene.buttons if b.answer == "C"] == [2]
    assert not scene.prompt


def test_a_tie_that_was_pressed_is_seen_and_cannot_be_pressed_again():
    scene = ranking("B=")
    (tie,) = (b for b in scene.buttons if b.answer == scene.pressed)

    assert tie.label == "equal to the last one"
    assert scene.answers == {"A", "C", "undo"}
