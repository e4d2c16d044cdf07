"""Evaluators of a full group are refused with the reason, and no group gets too many."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from admitted import admit
from builders import named_study, whole_study, write_study
from paper_ranker import PaperRanker
from paper_station import PaperStation, evaluators_of, record_of, rows_of, sit
from quota_crowd import SayingStation
from rated_studies import ranked_study

from hype.errors import NobodyNeeded, SessionProblem
from hype.protocols.registry import course_of
from hype.session.enrol import assignment_of
from hype.session.loop import replay
from hype.session.simulate import Simulation
from hype.session.steps import Ending, Page
from hype.store.people import find_evaluator
from hype.store.schema import demographics, events

ASKED: dict[str, Any] = {
    "work": {"question": "Work?", "kind": "text"},
    "eyes": {"question": "Glasses?", "options": ["yes", "no"]},
}
HERE = Path(__file__).parent


def with_quota(**groups: int) -> dict[str, Any]:
    return {
        "study": {"quotas": {"eyes": groups}},
        "demographics": ASKED,
        "qualification": {"enabled": False},
    }


def test_who_is_of_a_full_group_is_thanked_before_anything_else_is_asked(tmp_path):
    study = named_study(tmp_path, **with_quota(yes=1, no=1))
    stations = [SayingStation(), SayingStation(), SayingStation(statement="")]
    with record_of(study) as engine:
        ended = [sit(engine, study, f"p0{n}", station) for n, station in enumerate(stations)]
        people, about = evaluators_of(engine), rows_of(engine, demographics)
        with pytest.raises(SessionProblem, match=r"'p01' cannot continue here \(full\)"):
            sit(engine, study, "p01", SayingStation(statement="no"))
        assert sit(engine, study, "p09", SayingStation(statement="no")) == "complete"

    assert ended == ["complete", "full", "full"]
    assert [who.status for who in people] == ended
    assert [station.pages for station in stations[1:]] == [
        ["welcome", "consent", "about_you", "group_full"]
    ] * 2
    assert stations[0].pages[2:4] == ["about_you", "about_you"]
    said = [(row.question, row.answer) for row in about if row.evaluator_id > 1]
    assert said == [("eyes", "yes"), ("eyes", "")]


def test_who_has_begun_has_their_place_and_who_is_turned_away_or_forgotten_has_none(tmp_path, hype):
    study = named_study(tmp_path, **with_quota(yes=1, no=9))
    with record_of(study) as engine:
        assert sit(engine, study, "p01", SayingStation(stops_at=0)) == "quit"
        assert sit(engine, study, "p02", SayingStation()) == "full"
        assert sit(engine, study, "p01", SayingStation(stops_at=3)) == "quit"  # asked once more
    hype("forget", tmp_path, "--evaluator", "p01", "--yes")
    with record_of(study) as engine:
        assert sit(engine, study, "p03", PaperStation(consents=False)) == "declined"
        assert sit(engine, study, "p04", SayingStation()) == "complete"


@pytest.mark.long
def test_two_stations_at_one_record_never_take_one_too_many(tmp_path):
    named_study(tmp_path, **with_quota(yes=3, no=9))
    programs = [
        subprocess.Popen(
            [sys.executable, HERE / "quota_crowd.py", tmp_path, *(f"{name}{n}" for n in range(4))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for name in "ab"
    ]
    for program in programs:
        assert program.stdout.readline() == "ready\n"
    ended = [program.communicate("go\n")[0].split() for program in programs]

    assert Counter(ended[0] + ended[1]) == {"quit": 3, "full": 5}


def test_nobody_is_asked_once_every_group_has_its_people(tmp_path):
    study = whole_study(tmp_path, **with_quota(yes=1, no=0))
    with record_of(study) as engine:
        assert sit(engine, study, "p01", SayingStation()) == "complete"
        with pytest.raises(NobodyNeeded, match=r"each group of study\.quotas\.eyes is full"):
            admit(engine, course_of(study), "p02", simulated=False)
        raised = write_study(tmp_path, **with_quota(yes=2, no=0))
        assert admit(engine, course_of(raised), "p02", simulated=False).number == 2


def test_checkers_are_neither_turned_away_nor_counted_in_a_group(tmp_path, hype):
    quotas = {"study": {"quotas": {"eyes": {"yes": 1, "no": 0}}}, "demographics": ASKED}
    study = ranked_study(tmp_path, files=True, **quotas)
    with record_of(study) as engine:
        ended = [sit(engine, study, code, PaperRanker()) for code in ("check1", "p01", "check2")]
        with pytest.raises(NobodyNeeded, match="each group of"):
            sit(engine, study, "p02", PaperRanker())

    assert ended == ["complete"] * 3
    (yes, _) = hype("status", tmp_path, "--json").json["quotas"]
    assert (yes["wanted"], yes["complete"], yes["active"]) == (1, 1, 0)


def test_simulated_evaluators_fill_quotas_and_no_more(tmp_path, hype):
    study = named_study(tmp_path, **with_quota(yes=2, no=3) | {"pay": {"base": 1.0}})
    with record_of(study) as engine:
        results = list(Simulation(engine, course_of(study), seed=0).simulate_some(60))
    said = hype("status", tmp_path, "--simulated").out
    groups = hype("status", tmp_path, "--simulated", "--json").json["quotas"]
    ended = Counter(result.ending for result in results)

    assert ended[Ending.COMPLETE] == 5 == len(results) - ended[Ending.FULL]
    assert ended[Ending.FULL] > 0
    found = [(g["group"], g["wanted"], g["complete"]) for g in groups]
    assert found == [("yes", 2, 2), ("no", 3, 3)]
    assert "eyes yes: 2 of 2 done: full" in said
    assert f"Turned away because their group was full: {ended[Ending.FULL]}" in said
    assert "all as planned" in hype("verify", tmp_path).out


def test_a_session_that_another_worker_takes_up_is_still_over(tmp_path):
    """The first worker is killed after the page with the reason, before the session's end."""
    study = named_study(tmp_path, **with_quota(yes=0, no=1))
    with record_of(study) as engine:
        sit(engine, study, "p01", SayingStation())
        pages = [(Page(row.event), row.answer) for row in rows_of(engine, events)]
        with engine.connect() as connection:
            who = find_evaluator(connection, "p01", simulated=False)
    course = course_of(study)
    script = course.script(course.plan(assignment_of(who)))

    assert pages[-2:] == [(Page.ABOUT_YOU, ""), (Page.GROUP_FULL, "")]
    assert replay(script, [], pages)[0] is Ending.FULL


def test_a_check_says_what_quotas_leave_unfilled(tmp_path, hype):
    whole_study(tmp_path, **with_quota(yes=2, no=2))
    found = hype("check", tmp_path, "--no-display", "--json").json["findings"]

    assert [f["message"] for f in found if f["code"] == "quotas-too-small"] == [
        f"{tmp_path / 'study.toml'}: study.quotas.eyes allows 4 people, but the design needs 60"
    ]
