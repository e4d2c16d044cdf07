"""Sessions of every protocol, of people and of simulated evaluators."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from admitted import enrol
from bare_studies import BESIDE_HYPE, NAMES
from builders import stimulus
from hypothesis import given
from hypothesis import strategies as st
from long import a_third
from paper_comparer import variously
from paper_station import PaperStation, as_answered, record_of
from small_studies import FOLLOW_UPS, PEOPLE, STATIONS
from small_studies import STUDIES as SMALL_STUDIES

from hype.protocols.hype.trial import JudgementTrial, Task
from hype.protocols.registry import course_of
from hype.session.course import Course
from hype.session.loop import run_session, shorten
from hype.session.steps import Ending, Page, Question, Response, Screen, Step

ABOUT = Question(page=Page.ABOUT_YOU, name="age", text="How old?", options=("young", "old", "none"))
CRITERIA = {"criterion": ["preference", "coherence", "alignment"], "min_ms": 0}
STUDIES = SMALL_STUDIES | {"criteria": partial(SMALL_STUDIES["comparison"], comparison=CRITERIA)}
LIKE = {"criteria": "comparison"}
"""Studies that use the stations and the people of another study."""


@dataclass
class SimulatedStation(PaperStation):
    """A paper station with the answers of a simulated person."""

    mind: Any = None

    def respond(self, step: Step) -> Response:
        self.log.append(("respond", step))
        response: Response = self.mind.respond_to(step)
        return response


@dataclass(frozen=True)
class Session:
    """An evaluator's plan, with the course of the study."""

    course: Course[Any]
    plan: Any

    def run(self, station: PaperStation, answered: Any = ()) -> Ending:
        script = self.course.script(self.plan)
        return run_session(script, station, station, station, answered=answered)

    def observer(self, seed: int = 1) -> Any:
        return self.course.observer(self.plan, seed=seed)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    made = {}
    for name, make in STUDIES.items():
        like = LIKE.get(name, name)
        changes = {"people": PEOPLE[like], "follow_up": FOLLOW_UPS[like]}
        study = make(tmp_path_factory.mktemp(name), **changes)
        course = course_of(study)
        with record_of(study) as engine, engine.begin() as connection:
            made[name] = Session(course, enrol(connection, course, "p01", simulated=False).plan)
    return made


@pytest.mark.parametrize("protocol", NAMES)
def test_who_declines_is_asked_nothing(protocol, sessions):
    station = STATIONS[protocol](consents=False)

    assert sessions[protocol].run(station) is Ending.DECLINED
    assert station.pages == ["welcome", "consent", "consent_again", "declined"]


def images_by_kind(station: PaperStation) -> dict[object, list[object]]:
    found: dict[object, dict[object, None]] = {}
    for trial, _ in station.rows:
        found.setdefault((trial.task, trial.is_time_critical), {})[trial.pictures] = None
    return {kind: [*images] for kind, images in found.items()}


@pytest.mark.parametrize("protocol", NAMES)
def test_a_pilot_shows_the_first_images_of_each_kind_and_no_results(
    protocol, sessions, monkeypatch
):
    monkeypatch.setattr("hype.session.loop.PILOTED", 2)
    session, whole, pilot = sessions[protocol], STATIONS[protocol](), STATIONS[protocol]()
    session.run(whole)
    script = shorten(session.course.script(session.plan))

    assert run_session(script, pilot, pilot, pilot) is Ending.COMPLETE
    first = {kind: images[:2] for kind, images in images_by_kind(whole).items()}
    assert images_by_kind(pilot) == first
    assert set(pilot.pages) <= set(whole.pages) - {"debrief"}
    assert len(pilot.rows) < len(whole.rows)


@pytest.mark.parametrize("protocol", NAMES)
def test_each_screen_has_a_text_and_fills_its_placeholders(protocol, sessions):
    session, station = sessions[protocol], STATIONS[protocol]
    people: list[PaperStation] = [station(), station(consents=False)]
    people += [SimulatedStation(mind=session.observer(seed)) for seed in range(4)]
    people += [station(chooses=variously)] if protocol == "comparison" else []
    texts = session.course.study.settings.texts
    pages = set()
    for somebody in people:
        session.run(somebody)
        for screen in somebody.steps:
            if isinstance(screen, Screen):
                pages.add(screen.page)
                assert getattr(texts, screen.page.value), screen.page
                wanted = type(texts).in_text.get(screen.page.value, set())
                assert set(screen.values) >= wanted, screen.page
    assert {Page.DECLINED, Page.DEBRIEF, Page.BLOCK} <= pages
    assert protocol != "comparison" or {Page.HASTY, Page.MISSED} <= pages


@pytest.mark.parametrize("protocol", ["comparison", "rating"])
def test_a_block_is_done_trial_by_trial(protocol, sessions):
    station = STATIONS[protocol]()
    sessions[protocol].run(station)
    blocks: dict[tuple[str, int], list[float]] = {}
    for trial, outcome in station.rows:
        kind = "practice" if trial.task.value == "practice" else protocol
        blocks.setdefault((kind, trial.block), []).append(trial.done_after(outcome.answer))

    assert len(blocks) > 1
    for shares in blocks.values():
        assert shares == [n / len(shares) for n in range(1, len(shares) + 1)]


@pytest.mark.parametrize("protocol", STUDIES)
@a_third()
@given(k=st.integers(1, 60))
def test_a_session_goes_on_at_the_next_trial_wherever_it_stopped(protocol, sessions, k):
    make = STATIONS[LIKE.get(protocol, protocol)]
    session, whole = sessions[protocol], make()
    assert session.run(whole) is Ending.COMPLETE
    k = min(k, len(whole.rows) - 1)
    station = make(before=k)

    assert session.run(station, as_answered(whole.rows[:k])) is Ending.COMPLETE
    assert station.pages[0] == "resumed"
    assert station.pages[1].startswith("instructions")
    assert "about_you" not in station.pages
    assert [trial for trial, _ in station.rows] == [trial for trial, _ in whole.rows[k:]]
    assert station.page(Page.DEBRIEF).values == whole.page(Page.DEBRIEF).values


@pytest.mark.parametrize("protocol", STUDIES)
@a_third()
@given(seed=st.integers(0, 2**32), stops_at=st.integers(1, 60))
def test_a_simulated_evaluator_who_comes_back_goes_on_with_the_same_answers(
    protocol, sessions, seed, stops_at
):
    session = sessions[protocol]
    whole = SimulatedStation(mind=session.observer(seed))
    ended = session.run(whole)
    k = min(stops_at, len(whole.rows) - 1)
    back = SimulatedStation(mind=session.observer(seed), before=k)
    back.mind.skip(k)

    assert session.run(back, as_answered(whole.rows[:k])) is ended
    assert back.rows == whole.rows[k:]


@pytest.mark.parametrize("protocol", BESIDE_HYPE)
def test_what_is_said_of_oneself_changes_no_answer(protocol, sessions):
    """A study with one more question about the evaluator simulates the same answers."""
    session = sessions[protocol]
    plain, told = (SimulatedStation(mind=session.observer()) for _ in range(2))
    told.mind.respond_to(ABOUT)
    session.run(plain)
    session.run(told)

    assert told.rows == plain.rows
    said = [session.observer(seed).respond_to(ABOUT).answer for seed in range(300)]
    assert set(said) == {"young", "old", ""}
    assert min(map(said.count, said)) > 60


@pytest.mark.parametrize("protocol", BESIDE_HYPE)
def test_no_simulated_evaluator_answers_what_another_protocol_asks(protocol, sessions):
    judged = JudgementTrial(
        task=Task.INFINITY, block=1, number=1, stimulus=stimulus(0), exposure_ms=None
    )
    with pytest.raises(TypeError, match=f"infinity is not a {protocol}"):
        sessions[protocol].observer().respond_to(judged)
