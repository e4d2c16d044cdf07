"""What trials of every protocol look like in a browser: what a station offers, and no more."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from admitted import enrol
from bare_studies import NAMES
from paper_station import PaperStation, record_of
from prompted_window import Shelf
from small_studies import PEOPLE, STUDIES

from hype.protocols.registry import course_of
from hype.session.course import Course
from hype.session.loop import run_session
from hype.session.stage import Seating, window_of
from hype.session.steps import Response, Scene, Step, Trial
from hype.station.config import Stage, StationConfig
from hype.station.layout import Layout
from hype.station.respondent import Offer
from hype.station.window import DisplayFacts
from hype.stimuli.manifest import read_manifest

NO_TIES = {"comparison": {"ties": False, "prompt": "words", "mouse": False}}
CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in NAMES},
    "rating of single images": ("rating", {"rating": {"of": "images"}, "people": {}}),
    "comparison without ties": ("comparison", NO_TIES),
}


@dataclass
class Asked:
    """What stands in for a window: whoever is asked answers at once, and what they could is kept.

    All that is offered and not taken is in ``offers``, beside the trial.
    """

    config: StationConfig
    mind: Any
    offers: list[tuple[Trial, tuple[Offer, ...], bool]] = field(default_factory=list)

    @property
    def keys(self) -> Any:
        return self.config.keys

    def ask(
        self, trial: Trial, offers: Sequence[Offer], *, otherwise: Response | None = None
    ) -> Response:
        self.offers.append((trial, tuple(offers), otherwise is not None))
        response: Response = self.mind.respond_to(trial)
        return response

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
    """A session that was held: what was offered, and what would be seen in a browser."""

    course: Course[Any]
    config: StationConfig
    asked: Asked

    def scenes(self) -> Iterator[tuple[Trial, Scene, tuple[Offer, ...], bool]]:
        for trial, offers, limited in self.asked.offers:
            yield trial, self.config.trials.scene(trial, self.config), offers, limited


@pytest.fixture(scope="module")
def window(display):
    """Open one window for all, as the first study wants it."""
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
    measuring, facts = window(config)  # texts; another stands in for what shows trials
    presenters = config.trials.presenters(
        Stage(
            window=asked,  # type: ignore[arg-type]
            layout=Layout(measuring, config, facts.image_side_px),
            pictures=Shelf(facts.image_side_px),  # type: ignore[arg-type]
            triggers=None,  # type: ignore[arg-type]
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
        given = [b for b in scene.buttons if b.answer != scene.pressed]
        assert {b.answer: b.keys for b in given} == {o.answer: o.keys for o in offers}, trial
        assert scene.answers == {o.answer for o in offers} | ({"none"} if limited else set())
        assert (scene.limit is not None) == limited
        assert len(given) == len(offers)


def test_what_can_be_clicked_on_at_the_station_can_be_here(held):
    """An image and the key under it: two areas there, a picture of a button here."""
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
    """Yield all words that are sent but for the prompt, which both images share."""
    yield from (scene.question, scene.order, *scene.captions)
    for button in scene.buttons:
        yield from (button.answer, button.label, button.cap)


def test_scenes_of_other_images_differ_in_nothing_else(held):
    """What is sent beside the pictures is known before they are: only acts and axes change it."""
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
