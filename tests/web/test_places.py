"""Places of people who leave: held from consent, free after some time, given to others."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random

import pytest
from long import long_but
from served import Tab as BrowserTab
from served import listening, served
from small_studies import STUDIES
from sqlalchemy import select
from test_watch import Experimenter, part

from hype.protocols.registry import course_of
from hype.store.schema import evaluators
from hype.store.sqlite_record import reading_record
from hype.study.web_settings import WebTexts
from hype.web.simulated import sit_report
from hype.web.sitting import Sitting

WORDS = WebTexts()
FULL, ENOUGH, TAKEN = (
    text.partition("\n\n")[0] for text in (WORDS.full, WORDS.enough_people, WORDS.place_taken)
)
PLACES = {
    "hype": {
        "study": {"methods": ["infinity"], "evaluators": 2},
        "infinity": {"trials": 4, "blocks": 1},
        "practice": {"trials": 0},
    },
    "comparison": {"comparison": {"min_ms": 0, "votes": 2, "prompt": "shown"}},
    "rating": {"rating": {"items": 3, "blocks": 4, "ratings": 2}},
    "ranking": {"ranking": {"rankings": 2}},
}
"""A short design of two cells with two evaluators for each."""
RELEASE_S = 2.5
"""A place becomes free after this time, in tests that wait for it."""


@pytest.fixture(autouse=True)
def _quick_people(monkeypatch):
    """Accept answers at once, without a shortest time."""
    monkeypatch.setattr(Sitting, "_least_s", lambda *_: 0.0)


def study_of(folder, protocol, *, release_s=1800.0, **changes):
    off = {"qualification": {"enabled": False}} if protocol == "hype" else {}
    web = {"release_minutes": release_s / 60, "most_at_once": 10_000}
    return STUDIES[protocol](folder, **PLACES[protocol] | off | changes, web=web)


def people_in(study):
    """Return the rows of all evaluators, by code."""
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        rows = connection.execute(select(evaluators).order_by(evaluators.c.id)).mappings()
        return {row["evaluator"]: row for row in rows}


def places_of(study):
    course = course_of(study)
    return len(course.cells) * course.evaluators_per_cell


def complete(study):
    return sum(row["status"] == "complete" for row in people_in(study).values())


def place_of(row):
    return row["condition"], row["methods"], row["share"]


def sit(tab):
    """Ask for a seat; return the title of the refusal, or None."""
    status, body = tab.ask("/api/sit", sit_report())
    assert status == 200, body
    if "refused" in body:
        return body["refused"]["title"]
    tab.seat, tab.step = body["seat"], body["step"]
    return None


def go_to(tab, page):
    while tab.step.get("page") != page:
        assert tab.answer()[0] == 200, tab.step


def agree(tab):
    """Continue until the person has agreed to take part."""
    go_to(tab, "consent")
    assert tab.answer(answer="yes")[0] == 200


def fill(open_tab, study):
    """Let newcomers complete the study until one is refused; return the refusal's title."""
    for number in range(10 * places_of(study)):
        tab = open_tab(f"new{number}", simulated=False)
        if (refused := sit(tab)) is not None:
            return refused
        tab.go_to("end")
    raise AssertionError("nobody was refused")


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_who_loads_the_page_and_answers_nothing_holds_no_place(tmp_path, protocol):
    study = study_of(tmp_path, protocol)
    with served(study) as open_tab:
        for number in range(2 * places_of(study) + 10):
            assert sit(open_tab(f"idle{number}", simulated=False)) is None
        assert fill(open_tab, study) == ENOUGH
    assert complete(study) == places_of(study)


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_a_place_without_an_answer_for_so_long_is_given_on_unchanged(tmp_path, protocol):
    study = study_of(tmp_path, protocol, release_s=RELEASE_S)
    with served(study) as open_tab:
        left = [open_tab(f"left{n}", simulated=False) for n in range(places_of(study))]
        for tab in left:
            assert sit(tab) is None
            agree(tab)
        assert sit(open_tab("early", simulated=False)) == FULL
        time.sleep(RELEASE_S)
        assert fill(open_tab, study) == ENOUGH
        assert {sit(tab) for tab in left} == {ENOUGH}  # without any answer
    found = people_in(study)
    assert complete(study) == places_of(study)
    gone, came = (
        Counter(
            (place_of(row), row["left_means"]) for code, row in found.items() if code[:3] == who
        )
        for who in ("lef", "new")
    )
    assert gone == came


def test_who_goes_on_answering_keeps_their_place(tmp_path):
    study = study_of(tmp_path, "rating", release_s=RELEASE_S)
    with served(study) as open_tab:
        slow = [open_tab(f"slow{n}", simulated=False) for n in range(places_of(study))]
        for tab in slow:
            sit(tab)
            agree(tab)
        for _ in range(4):
            time.sleep(0.3 * RELEASE_S)  # a slow machine may need twice as long
            assert [tab.answer()[0] for tab in slow] == [200] * len(slow)
            assert sit(open_tab(f"late{time.time_ns()}", simulated=False)) == FULL


def come_late(open_tab):
    tab = open_tab("p1", simulated=False)
    sit(tab)
    tab.go_to("scene")
    tab.answer()
    time.sleep(RELEASE_S)
    return tab


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_who_comes_back_late_goes_on_if_a_place_is_free(tmp_path, protocol):
    study = study_of(tmp_path, protocol, release_s=RELEASE_S)
    with served(study) as open_tab:
        tab = come_late(open_tab)
        assert tab.answer()[0] == 200  # on the same page
        time.sleep(RELEASE_S)
        assert sit(tab) is None  # and after a reload
        assert tab.step["page"] == "resumed"
        assert tab.go_to("end")["ended"] == "complete"
    assert complete(study) == 1


@pytest.mark.parametrize("anew", long_but([True], [False, True]))
@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_who_comes_back_late_is_told_where_no_place_is_free(tmp_path, protocol, anew):
    study = study_of(tmp_path, protocol, release_s=RELEASE_S)
    with served(study) as open_tab:
        tab = come_late(open_tab)
        assert fill(open_tab, study) == ENOUGH
        if anew:
            assert sit(tab) == TAKEN
        else:
            tab.answer()
            assert (tab.step["kind"], tab.step["title"]) == ("end", TAKEN)
    assert people_in(study)["p1"]["status"] == "active"
    assert complete(study) == places_of(study)


def test_of_two_who_come_for_the_last_place_the_first_to_agree_has_it(tmp_path):
    study = study_of(tmp_path, "rating")
    with served(study) as open_tab:
        first, second = (open_tab(code, simulated=False) for code in ("p1", "p2"))
        others = [open_tab(f"o{n}", simulated=False) for n in range(places_of(study) - 1)]
        for tab in (first, second):
            assert sit(tab) is None
            go_to(tab, "consent")
        for tab in others:
            assert sit(tab) is None
            tab.go_to("end")
        first.answer()
        second.answer()
        assert (second.step["kind"], second.step["title"]) == ("end", FULL)
        first.go_to("end")
        assert sit(second) == ENOUGH


def test_who_agrees_gets_another_place_where_theirs_was_taken(tmp_path):
    study = study_of(tmp_path, "hype")
    with served(study) as open_tab:
        tabs = [open_tab(f"p{n}", simulated=False) for n in range(2 * places_of(study))]
        for tab in tabs:
            assert sit(tab) is None
            go_to(tab, "consent")
        tried = people_in(study)
        rivals = [code for code, row in tried.items() if place_of(row) == place_of(tried["p0"])]
        for tab, code in zip(tabs, tried, strict=True):
            if code in rivals:
                tab.go_to("end")
                assert tab.step["ended"] == "complete"
    found = [row for row in people_in(study).values() if row["status"] == "complete"]
    assert len(rivals) == 4
    assert set(Counter(map(place_of, found)).values()) == {2}


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_a_freed_place_is_given_on_whoever_has_the_page_open(tmp_path, protocol, hype):
    study = study_of(tmp_path, protocol)
    with served(study) as open_tab:
        tab = open_tab("p1", simulated=False)
        sit(tab)
        tab.go_to("scene")
        tab.answer()
        said = hype("status", study.folder, "--free", "p1")
        assert "(their places go to others): 1" in said.out
        assert fill(open_tab, study) == ENOUGH
        assert tab.answer() == (410, {"error": "gone", "detail": "", "wait_s": 0.0})
        assert sit(tab) == TAKEN
    told = {
        one["evaluator"]: one for one in hype("status", study.folder, "--json").json["evaluators"]
    }
    assert (told["p1"]["status"], told["new0"]["status"]) == ("left", "complete")
    assert ", but must be active" in hype("status", study.folder, "--free", "p1").refused()
    assert "is complete" in hype("status", study.folder, "--free", "new0").refused()
    assert "there is no evaluator" in hype("status", study.folder, "--free", "p9").refused()


def test_the_experimenters_page_frees_places(tmp_path):
    study = study_of(tmp_path, "rating")
    with served(study) as open_tab:
        reader, holder = (open_tab(code, simulated=False) for code in ("p1", "p2"))
        sit(reader)
        sit(holder)
        agree(holder)
        experimenter = Experimenter(open_tab())
        side = experimenter.sides()[False]
        held = {row[0]: row[-1] for row in part(side, "On now")["rows"]}
        assert held == {"p1": "", "p2": {"acts": ["free"], "of": "p2", "simulated": False}}
        assert dict(side["facts"])["Places held"] == "1"
        for code, status in (("p2", 200), ("p2", 409), ("p1", 409)):
            body = f'{{"what": "free", "evaluator": "{code}"}}'
            assert experimenter.client._ask("POST", "/watch/place", body)[0] == status
        side = experimenter.sides()[False]
        assert {row[0]: row[-1] for row in part(side, "On now")["rows"]} == {"p1": "", "p2": "none"}
        stranger = Experimenter(open_tab(), let_in=False)
        assert stranger.client._ask("POST", "/watch/place", body)[0] == 404


@pytest.mark.parametrize(
    ("people", "ratings"), [(13, 4), pytest.param(200, 50, marks=pytest.mark.long)]
)
def test_a_study_fills_although_people_leave_at_any_step(tmp_path, people, ratings):
    """3 of 10 people leave at some step; the others fill all 8 (or 100) places, none twice."""
    changes = {"rating": {"items": 3, "blocks": 4, "ratings": ratings}}
    study = study_of(tmp_path, "rating", release_s=2.0, **changes)
    draws = Random(7)
    leaves = {n: draws.randrange(0, 15) for n in draws.sample(range(people), 3 * people // 10)}
    places = places_of(study)
    assert places == 2 * ratings

    def come(number, port):
        with closing((tab := BrowserTab(port, f"p{number}", simulated=False)).client):
            steps, until = 0, time.monotonic() + 300
            while time.monotonic() < until:
                if (refused := sit(tab)) == ENOUGH:
                    return refused
                while not refused and tab.step["kind"] != "end":
                    if leaves.get(number) == steps:
                        return "left"
                    assert tab.answer()[0] == 200
                    steps += 1
                if not refused and tab.step["ended"] == "complete":
                    return "complete"
                time.sleep(0.2)  # try again, as the page advises
            return "in vain"

    with listening(study) as port, ThreadPoolExecutor(people) as crowd:
        ended = Counter(crowd.map(lambda number: come(number, port), range(people)))
    done = [row for row in people_in(study).values() if row["status"] == "complete"]
    assert len(done) == places, ended
    assert set(Counter(map(place_of, done)).values()) == {ratings}
