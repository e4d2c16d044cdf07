"""Ratings in a browser."""

from __future__ import annotations

from dataclasses import replace

import pytest
from prompted_window import KEYS, LOOK, candidate

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
from hype.station.config import StationConfig
from hype.web.scenes import Scene

PAIR = RatedItem(prompt="a bag", images=(candidate("flow"), candidate("pca")))
ASKED = RatingLook(pairs=True, prompt=True, mouse=True)


def scene_of(
    levels: tuple[str, ...], *, item: RatedItem = PAIR, number: int = 1, optional: bool = False
) -> Scene:
    axis = Axis(name="overall", question="Which is better?", levels=levels, optional=optional)
    trial = RatingTrial(
        task=RatingTask.RATING,
        block=1,
        number=number,
        planned=PlannedItem(item=item, swapped=True) if item is PAIR else PlannedItem(item=item),
        axis=axis,
    )
    texts = RatingTexts().model_dump() | {"axes": "3"}
    look = replace(ASKED, pairs=item is PAIR)
    return look.scene(trial, StationConfig(keys=KEYS, appearance=LOOK, texts=texts, trials=look))


def test_levels_of_a_pair_are_counted_on_the_screen_whichever_image_is_first() -> None:
    scene = scene_of(tuple("12345"), optional=True)

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


def test_a_level_without_words_is_called_by_its_key_and_ten_by_its_number() -> None:
    single = RatedItem(prompt="a bag", images=(candidate("flow"),))
    labels = [b.label for b in scene_of(tuple(map(str, range(1, 11))), item=single).buttons]

    assert labels == ["1: lowest", *"23456789", "10: highest"]
    scene = scene_of(YES_NO, item=single)
    assert [b.label for b in scene.buttons] == ["yes", "no"]
    assert scene.layout == "row"


@pytest.mark.parametrize(("number", "axis"), [(1, (1, 3)), (3, (3, 3)), (4, (1, 3))])
def test_one_sees_which_of_the_questions_it_is(number: int, axis: tuple[int, int]) -> None:
    assert scene_of(tuple("123"), number=number).axis == axis
