"""Rankings in a browser."""

from __future__ import annotations

from prompted_window import KEYS, LOOK, candidate

from hype.protocols.ranking.course import RankingLook
from hype.protocols.ranking.settings import RankingTexts
from hype.protocols.ranking.trial import Group, PartialRanking, RankingTask, RankingTrial
from hype.station.config import StationConfig
from hype.web.scenes import Scene


def scene_of(standing: str) -> Scene:
    trial = RankingTrial(
        task=RankingTask.RANKING,
        block=1,
        number=1,
        group=Group(prompt="a bag", images=tuple(map(candidate, ("flow", "pca", "gan")))),
        standing=PartialRanking.read(standing),
        ties=True,
    )
    look = RankingLook(question="Which is best?", prompt=False, mouse=True, most=3)
    texts = RankingTexts().model_dump()
    return look.scene(trial, StationConfig(keys=KEYS, appearance=LOOK, texts=texts, trials=look))


def test_images_that_have_a_place_show_it_and_cannot_be_placed_again() -> None:
    scene = scene_of("BA")

    assert (scene.captions, scene.ranks, scene.order) == (tuple("ABC"), (1, 1, None), "1 B = A")
    assert scene.answers == {"C", "tie", "undo"}
    assert [b.picture for b in scene.buttons if b.answer == "C"] == [2]
    assert not scene.prompt


def test_a_tie_that_was_pressed_is_seen_and_cannot_be_pressed_again() -> None:
    scene = scene_of("B=")
    (tie,) = (b for b in scene.buttons if b.answer == scene.pressed)

    assert tie.label == "equal to the last one"
    assert scene.answers == {"A", "C", "undo"}
