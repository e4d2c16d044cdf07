"""Places at stations are kept until an experimenter frees them; then the next person gets them."""

from typing import Any

import pytest
from builders import whole_study
from long import long_but
from paper_comparer import PaperComparer, small_study
from paper_ranker import PaperRanker
from paper_station import evaluators_of, record_of, sit
from quota_crowd import SayingStation
from rated_studies import ranked_study
from small_studies import STATIONS, STUDIES
from sqlalchemy import Engine

from hype.errors import NobodyNeeded, SessionProblem
from hype.protocols.registry import course_of
from hype.session.admitting import change_place
from hype.store.people import Evaluator
from hype.store.record import RECORD_FILE
from hype.store.seats import evaluator_seat, hold_seat
from hype.study.studies import AnyStudy

BRIEF: dict[str, dict[str, Any]] = {
    "hype": {"qualification": {"enabled": False}, "study": {"evaluators": 1}},
    "comparison": {"comparison": {"votes": 1}},
    "rating": {"rating": {"ratings": 1}},
    "ranking": {"ranking": {"rankings": 1}},
}


def given(engine: Engine) -> dict[str, Evaluator]:
    return {who.evaluator: who for who in evaluators_of(engine)}


def fill(engine: Engine, study: AnyStudy, protocol: str) -> list[str]:
    """Let one person come for each place of the design; all except the first one finish."""
    codes = [f"p{n}" for n in range(len(course_of(study).cells))]
    for code in codes:
        stops = {"stops_at": 1} if code == codes[0] else {}
        sit(engine, study, code, STATIONS[protocol](**stops))
    return codes


@pytest.mark.parametrize("protocol", long_but(["hype", "rating"], STUDIES))
def test_a_place_is_held_for_good_and_given_on_unchanged_once_it_is_freed(tmp_path, protocol):
    study = STUDIES[protocol](tmp_path, **BRIEF[protocol], web={"release_minutes": 0.0001})
    with record_of(study) as engine:
        first = fill(engine, study, protocol)[0]
        sit(engine, study, first, STATIONS[protocol](stops_at=2))  # the place is still theirs
        change_place(study, first, "free", simulated=False)
        sit(engine, study, "new", STATIONS[protocol](stops_at=1))
        people = given(engine)
        for who in ("share", "condition", "methods", "left_means"):
            assert getattr(people["new"], who) == getattr(people[first], who)
        with pytest.raises(NobodyNeeded, match=r"the place of 'p0' was given to others"):
            sit(engine, study, first, STATIONS[protocol]())
        change_place(study, "new", "free", simulated=False)
        assert sit(engine, study, first, STATIONS[protocol]()) == "complete"
        with pytest.raises(NobodyNeeded):
            sit(engine, study, "new", STATIONS[protocol]())


def test_what_an_arena_chose_for_who_left_is_given_to_the_next(tmp_path):
    study = small_study(tmp_path, arena=True)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperComparer(stops_at=3))
        sit(engine, study, "p02", PaperComparer())
        change_place(study, "p01", "free", simulated=False)
        for code in ("p03", "p04"):
            sit(engine, study, code, PaperComparer())
        sit(engine, study, "p01", PaperComparer())
        pairs = {code: who.pairs for code, who in given(engine).items()}

    assert pairs["p03"] == pairs["p01"]
    assert len({*pairs.values()}) == 3


def test_what_a_checker_left_is_open_again_but_for_what_they_ranked(tmp_path):
    screening = {"test": 0, "check_share": 1.0, "checkers": ["check*"]}
    study = ranked_study(tmp_path, files=True, screening=screening)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperRanker())
        sit(engine, study, "check1", PaperRanker(stops_at=8))
        change_place(study, "check1", "free", simulated=False)
        sit(engine, study, "check2", PaperRanker())
        people = given(engine)

    left, came = (set(people[code].groups) for code in ("check1", "check2"))
    assert came < left  # one group was checked already


def test_a_quota_of_who_left_is_open_for_the_next_of_their_group(tmp_path, hype):
    eyes = {"eyes": {"question": "Glasses?", "options": ["yes", "no"]}}
    quotas = {"study": {"quotas": {"eyes": {"yes": 1, "no": 1}}}, "demographics": eyes}
    study = whole_study(tmp_path, **quotas, qualification={"enabled": False})
    with record_of(study) as engine:
        assert sit(engine, study, "p01", SayingStation(stops_at=1)) == "quit"
        assert sit(engine, study, "p02", SayingStation(statement="no")) == "complete"
        assert "eyes yes: 0 of 1 done, 1 begun: full" in hype("status", tmp_path).out
        said = hype("status", tmp_path, "--free", "p01").out
        assert "eyes yes: 0 of 1 done\n" in said
        assert "p01" in said
        assert " left " in said
        assert sit(engine, study, "p03", SayingStation()) == "complete"
        with pytest.raises(NobodyNeeded):
            sit(engine, study, "p01", SayingStation())
    assert hype("verify", tmp_path).code == 0


def test_nobody_loses_their_place_who_sits_at_a_station(tmp_path):
    study = STUDIES["rating"](tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", STATIONS["rating"](stops_at=1))
        seat = evaluator_seat("p01", simulated=False)
        with (
            hold_seat(study.folder / RECORD_FILE, seat, "it"),
            pytest.raises(SessionProblem, match="the session of 'p01' is already in progress"),
        ):
            change_place(study, "p01", "free", simulated=False)
