"""Trials of every protocol in a browser: the answers, keys and pictures of the station."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from admitted import enrol
from bare_studies import NAMES
from paper_station import PaperStation, record_of
from prompted_window import ASKED, KEYS, LOOK, TRIAL, Shelf, candidate
from small_studies import PEOPLE, STUDIES

from hype.protocols.comparison.settings import ComparisonTexts
from hype.protocols.prompted.trial import Choice
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
from hype.protocols.registry import course_of
from hype.session.course import Course
from hype.session.loop import run_session
from hype.session.stage import Seating, window_of
from hype.session.steps import Response, Scene, Step, Trial
from hype.station.config import Stage, StationConfig, fill_text
from hype.station.layout import Layout
from hype.station.respondent import Offer
from hype.station.slider import PlacedSlider
from hype.station.window import DisplayFacts
from hype.stimuli.manifest import read_manifest
from hype.study.texts import SessionWords

NO_TIES = {"comparison": {"ties": False, "prompt": "words", "mouse": False}}
SLIDER = {"kind": "slider", "lowest": 1, "highest": 10, "step": 0.1}
CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in NAMES},
    "rating of single images": ("rating", {"rating": {"of": "images"}, "people": {}}),
    "rating on a slider": (
        "rating",
        {"rating": {"of": "images"}, "axes": {"aesthetics": SLIDER}, "people": {}},
    ),
    "comparison without ties": ("comparison", NO_TIES),
    "hype with a time limit": ("hype", {"time": {"limit_ms": 900.0}}),
    "hype with confidence": ("hype", {"follow_up": {"confidence": 3, "with_answer": True}}),
}


@dataclass
class Asked:
    """Replaces a window: the evaluator answers at once, and all offers are kept.

    ``offers`` contains each trial with all its offers, also those that were not chosen.
    """

    config: StationConfig
    mind: Any
    offers: list[tuple[Trial, tuple[Offer, ...], bool]] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)

    @property
    def keys(self) -> Any:
        return self.config.keys

    def ask(
        self, trial: Trial, offers: Sequence[Offer], *, otherwise: Response | None = None
    ) -> Response:
        self.offers.append((trial, tuple(offers), otherwise is not None))
        response: Response = self.mind.respond_to(trial)
        return response

    def ask_to_mark(
        self, trial: Trial, slider: PlacedSlider, offers: Sequence[Offer], _draw: object
    ) -> Response:
        self.marks |= {offer.answer for offer in slider.offers(offers[0])}
        return self.ask(trial, offers)

    def owe(self, _draw: object, _for_ms: float) -> None:
        """Nothing is drawn."""


@dataclass
class AskingStation(PaperStation):
    """A paper station that asks about trials as a window does."""

    mind: Any = None
    presenters: Any = None

    def respond(self, step: Step) -> Response:
        if isinstance(step, Trial):
            response: Response = self.presenters[type(step)].respond(step)
        else:
            response = self.mind.respond_to(step)
        self.log.append(("respond", step))
        return response


@dataclass(frozen=True)
class Held:
    """A session that has run: what it offered, and what a browser would show."""

    course: Course[Any]
    config: StationConfig
    asked: Asked

    def scenes(self) -> Iterator[tuple[Trial, Scene, tuple[Offer, ...], bool]]:
        for trial, offers, limited in self.asked.offers:
            yield trial, self.config.trials.scene(trial, self.config), offers, limited


@pytest.fixture(scope="module")
def window(display):
    """Open one window for all tests, with the settings of the first study."""
    seating = Seating(simulated=True, virtual_display=display, windowed=True)
    opened: list[tuple[Any, DisplayFacts]] = []
    with ExitStack() as at_the_end:

        def give(config: StationConfig) -> tuple[Any, DisplayFacts]:
            if not opened:
                opened.append(at_the_end.enter_context(window_of(config, seating)))
            return opened[0]

        yield give


@pytest.fixture(scope="module", params=CHANGES)
def held(request, tmp_path_factory, window, display):
    protocol, changes = CHANGES[request.param]
    study = STUDIES[protocol](
        tmp_path_factory.mktemp("scenes"), **{"people": PEOPLE[protocol]} | changes
    )
    course = course_of(study)
    with record_of(study) as engine, engine.begin() as connection:
        enrolled = enrol(connection, course, "p01", simulated=True)
    seating = Seating(simulated=True, virtual_display=display, windowed=True)
    config = course.station_config(seating, enrolled.assignment)
    mind = course.observer(enrolled.plan, seed=1)
    asked = Asked(config, mind)
    measuring, facts = window(config)  # this window measures texts; `asked` shows trials
    presenters = config.trials.presenters(
        Stage(
            window=asked,
            layout=Layout(measuring, config, facts.image_side_px),
            pictures=Shelf(facts.image_side_px),
            triggers=None,
            refresh_hz=60.0,
        )
    )
    station = AskingStation(mind=mind, presenters=presenters)
    run_session(course.script(enrolled.plan), station, station, station)
    return Held(course, config, asked)


def test_answers_and_their_keys_are_those_of_the_station(held):
    scenes = list(held.scenes())

    assert len(scenes) > 10
    for trial, scene, offers, limited in scenes:
        given = [b for b in scene.buttons if not scene.pressed or b.answer != scene.pressed]
        here = {b.answer: b.keys for b in given}
        there = {o.answer: o.keys for o in offers}
        assert here.items() <= there.items(), trial
        assert there.keys() - here.keys() <= {*scene.moves}, "the client knows a move's key"
        late, marks = {"none"} if limited else set(), held.asked.marks if scene.slider else set()
        assert scene.answers == there.keys() - {""} | late | marks | {*scene.moves}
        assert (scene.limit is not None) == limited
        assert len(here) == len(given)


def test_what_can_be_clicked_on_at_the_station_can_be_here(held):
    """An image and its key are two areas at the station, and a button with a picture here."""
    for _, scene, offers, _ in held.scenes():
        areas = {o.answer: len(o.areas) for o in offers}
        for button in (b for b in scene.buttons if b.answer != scene.pressed):
            is_clicked = held.config.trials.mouse and areas[button.answer] > 1
            assert (button.picture is not None) == is_clicked


def test_every_button_says_what_it_is(held):
    for trial, scene, _, _ in held.scenes():
        assert scene.pictures == trial.pictures
        assert all(button.label and button.cap for button in scene.buttons)
        assert scene.question
        assert len(scene.ranks) in (0, len(trial.pictures))
        assert len(scene.captions) in (0, len(trial.pictures))


def test_no_word_tells_what_an_image_is(held):
    stimuli = read_manifest(held.course.study.stimuli_folder)
    own = " ".join((held.config.trials.question, *held.config.texts.values()))
    secret = {*stimuli.conditions, *stimuli.sizes_px, *(s.sha256 for s in stimuli.stimuli)}
    secret |= {Path(path).stem for path in stimuli.sizes_px}
    secret = {one for one in secret if one not in own}
    for _, scene, _, _ in held.scenes():
        words = " ".join(said_in(scene))
        assert not [one for one in secret if one in words]


def said_in(scene: Scene) -> Iterator[str]:
    """Yield all texts that are sent, except the prompt, which both images share."""
    yield from (scene.question, *scene.moves, *scene.captions)
    for button in scene.buttons:
        yield from (button.answer, button.label, button.cap)


def test_scenes_of_other_images_differ_in_nothing_else(held):
    """Apart from pictures, the sent data depend only on acts and axes, not on the images."""
    seen: dict[object, set[Scene]] = {}
    for trial, scene, offers, _ in held.scenes():
        axis = getattr(trial, "axis", None)
        kind = (
            axis,
            tuple(o.answer for o in offers),
            str(getattr(trial, "standing", "")),
            scene.flash is not None,
            scene.word_ms,
        )
        seen.setdefault(kind, set()).add(replace(scene, pictures=(), prompt="", flash=None))

    assert all(len(scenes) == 1 for scenes in seen.values())


def scene_of(look: Any, trial: Trial, words: SessionWords, **more: str) -> Scene:
    texts = words.model_dump() | more
    scene: Scene = look.scene(
        trial, StationConfig(keys=KEYS, appearance=LOOK, texts=texts, trials=look)
    )
    return scene


def comparison(words_ms: float = 0.0, limit_ms: float | None = None, **asked: Any) -> Scene:
    trial = replace(TRIAL, words_ms=words_ms, limit_ms=limit_ms)
    return scene_of(replace(ASKED, **asked), trial, ComparisonTexts())


def test_answers_stand_from_left_to_right_with_the_tie_between_and_both_bad_apart():
    neither = (Choice.TIE, Choice.BOTH_BAD)
    assert [(b.answer, b.picture, b.aside) for b in comparison(neither=neither).buttons] == [
        ("left", 0, False),
        ("tie", None, False),
        ("both-bad", None, True),
        ("right", 1, False),
    ]
    assert [b.picture for b in comparison(neither=(), mouse=False).buttons] == [None, None]


def test_a_prompt_is_hidden_or_comes_at_once_or_word_by_word():
    assert comparison().prompt == ""
    shown = comparison(prompt="shown")
    assert (shown.prompt, shown.word_ms) == ("a bag", 0.0)
    assert comparison(prompt="words", words_ms=80.0).word_ms == ASKED.word_ms


PAIR = PlannedItem(
    item=RatedItem(prompt="a bag", images=(candidate("flow"), candidate("pca"))), swapped=True
)
SINGLE = PlannedItem(item=RatedItem(prompt="a bag", images=(candidate("flow"),)))


def rating(
    *levels: str, planned: PlannedItem = PAIR, number: int = 1, optional: bool = False, **words: str
) -> Scene:
    trial = RatingTrial(
        task=RatingTask.RATING,
        block=1,
        number=number,
        planned=planned,
        axis=Axis(name="overall", question="Which is better?", levels=levels, optional=optional),
    )
    look = RatingLook(pairs=planned is PAIR, prompt=True, mouse=True)
    return scene_of(look, trial, RatingTexts(), axes="3", **words)


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
    words = {"step 1 of overall": "bad", "step 2 of overall": "fine"}
    assert [b.label for b in rating(*"12", planned=SINGLE, **words).buttons] == [
        "1: bad",
        "2: fine",
    ]
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
    look = RankingLook(question="Which is best?", prompt=False, mouse=True)
    return scene_of(look, trial, RankingTexts())


def test_images_that_have_a_place_show_it_and_cannot_be_placed_again():
    scene = ranking("BA")

    assert (scene.captions, scene.ranks) == (tuple("ABC"), (1, 1, None))
    assert scene.moves == ("B1", "B2", "A1", "A2")
    assert scene.answers == {"C", "tie", "undo", *scene.moves}
    assert [b.picture for b in scene.buttons if b.answer == "C"] == [2]
    assert not scene.prompt


def test_a_tie_that_was_pressed_is_seen_and_cannot_be_pressed_again():
    scene = ranking("B=")
    (tie,) = (b for b in scene.buttons if b.answer == scene.pressed)

    assert tie.label == "equal to the last one"
    assert scene.answers == {"A", "C", "undo"}


def test_instructions_name_the_keys_of_each_answer_where_several_say_it(tmp_path, display):
    study = STUDIES["hype"](tmp_path, follow_up={"confidence": 3, "with_answer": True})
    course = course_of(study)
    with record_of(study) as engine, engine.begin() as connection:
        assignment = enrol(connection, course, "p01", simulated=True).assignment
    seating = Seating(simulated=True, virtual_display=display, windowed=True)
    config = course.station_config(seating, assignment)

    said = fill_text(config, "instructions_untimed", {"minutes": 5})

    left, right = (
        config.texts[means] for means in (config.keys.left_means, config.keys.right_means)
    )
    assert f"Press 1–3 for {left} and 4–6 for {right}" in said
