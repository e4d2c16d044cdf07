"""Who is given which place when several stations share a study."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import whole_study, write_study
from compared_studies import compared_study
from paper_comparer import PaperComparer
from paper_ranker import PaperRanker
from paper_station import PaperStation, evaluators_of, record_of, rows_of, sit
from postgres import Database, Server
from rated_studies import ranked_study

from hype.check.findings import Preflight
from hype.check.record import check_central
from hype.errors import HypeError, InputError, NobodyNeeded, SessionProblem
from hype.protocols.base import Conduct
from hype.protocols.hype.conduct import HypeConduct
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import SessionPlan
from hype.protocols.load import load_any
from hype.protocols.ranking.record import placements
from hype.protocols.registry import conduct_of
from hype.protocols.studies import AnyStudy
from hype.session.admitting import (
    Admission,
    Reserved,
    admit,
    admit_together,
    reserve,
    with_files_checked,
)
from hype.session.enrol import Enrolled
from hype.session.pushing import push_record
from hype.session.records import of_version, reading
from hype.session.registers import shares_at_this_station
from hype.store.central import limits
from hype.store.central.enrolment import assigning
from hype.store.central.limits import Limits
from hype.store.central.problems import CentralAway
from hype.store.people import Evaluator
from hype.study.assignment import own_share

CROWD = Path(__file__).with_name("admission_crowd.py")
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
Move = Callable[[str], None]
STATIONS = ("lab-a", "lab-b", "lab-c")


@pytest.fixture(autouse=True)
def _at_lab_a(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPE_STATION", "lab-a")


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Move:
    """Give what moves the test to another station."""
    return lambda station: monkeypatch.setenv("HYPE_STATION", station)


def shared(folder: Path, central: Database, wanted: int = 4, name: str = "tiny") -> AnyStudy:
    """Write a study of two conditions as it lies at a station."""
    return whole_study(folder, **as_shared(central, wanted, name))


def come(
    study: AnyStudy, code: str, remarks: list[str] | None = None, *, new_version: bool = False
) -> Enrolled[Any]:
    """Let somebody come to a station."""
    told = (remarks if remarks is not None else []).append
    with record_of(study) as engine:
        return admit(
            *(engine, conduct_of(study), code),
            simulated=False,
            remark=told,
            new_version=new_version,
        )


def known(study: AnyStudy) -> dict[str, Evaluator]:
    """Give whom a station's record knows."""
    with record_of(study) as engine:
        return {who.evaluator: who for who in evaluators_of(engine)}


def as_shared(central: Database, wanted: int = 4, name: str = "tiny") -> dict[str, Any]:
    """Give what is written in the file of a shared study."""
    store = {"central": central.stations_url, "stations": list(STATIONS)}
    return {"study": {"evaluators": wanted, "name": name}, "store": store}


def crowd(study: AnyStudy, station: str, codes: list[str]) -> subprocess.Popen[str]:
    """Let a crowd come to a station, once it is told to."""
    command = [sys.executable, str(CROWD), str(study.folder), *codes]
    environment = os.environ | {"HYPE_STATION": station}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)


def all_at_once(crowds: list[subprocess.Popen[str]]) -> list[str]:
    """Let crowds begin together; give what they were told."""
    for one in crowds:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in crowds:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    said = [one.communicate(timeout=500)[0] for one in crowds]
    assert [one.returncode for one in crowds] == [0] * len(crowds)
    return [line for text in said for line in text.splitlines()]


def test_no_place_is_overfilled_however_many_stations_ask_at_once(
    central: Database, tmp_path: Path, soak: bool
) -> None:
    """Many stations, and more people than places: each place is filled exactly."""
    stations, wanted, each = (8, 200, 60) if soak else (2, 3, 4)
    studies = {
        f"station-{n}": shared(tmp_path / f"s{n}", central, wanted) for n in range(1, stations + 1)
    }
    with ExitStack() as stack:
        crowds = []
        for name, study in studies.items():
            codes = [f"{name}-{n}" for n in range(each)]
            crowds.append(stack.enter_context(crowd(study, name, codes)))
        told = all_at_once(crowds)

    got = Counter(line.split()[1] for line in told)
    assert got == {"crude": wanted, "good": wanted, "refused:": stations * each - 2 * wanted}
    assert all("nobody more is needed" in line for line in told if "refused" in line)
    rows = central.query("SELECT condition, count(*) FROM hype.evaluators GROUP BY 1 ORDER BY 1")
    assert rows == [("crude", wanted), ("good", wanted)]
    here = Counter(who.condition for study in studies.values() for who in known(study).values())
    assert here == {"crude": wanted, "good": wanted}


def test_who_comes_while_another_is_being_assigned_waits_and_is_told_of_them(
    central: Database, tmp_path: Path
) -> None:
    """The first of two is between counting and noting; a second count then would be the same."""
    ours, theirs = (shared(tmp_path / name, central, wanted=1) for name in ("a", "b"))
    protocol = conduct_of(ours)
    with ThreadPoolExecutor() as pool:
        with assigning(central.station_url) as table:
            admission = Admission(table, protocol, simulated=False)
            _, tried = admission.places(["p01"], {})
            checked = {"p01": with_files_checked(protocol, tried["p01"])}
            noted, _ = admission.places(["p01"], checked)
            second = pool.submit(come, theirs, "p02")
            while central.query(WAITING) == [(0,)]:
                assert not second.done()
        other = second.result(timeout=60).assignment.cell.condition

    first = noted["p01"]
    assert isinstance(first, Reserved)
    assert {first.newcomer.assignment.cell.condition, other} == {"crude", "good"}


def test_a_station_that_stops_half_way_does_not_keep_the_others_waiting(
    central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one whose network is cut while it assigns: nobody tells the server."""
    monkeypatch.setattr(limits, "STATION", Limits(idle_s=1))
    study = shared(tmp_path, central, wanted=1)
    came: list[Enrolled[Any]] = []

    def stop_half_way() -> None:
        with assigning(central.station_url) as half_way:
            came.append(come(study, "p01"))
            half_way.begun("p02", simulated=False)

    with pytest.raises(CentralAway, match="idle-in-transaction timeout"):
        stop_half_way()

    assert came[0].assignment.evaluator == "p01"


def test_a_code_that_began_at_another_station_goes_on_there(
    central: Database, tmp_path: Path, at: Move
) -> None:
    ours, theirs = (shared(tmp_path / name, central) for name in ("a", "b"))
    come(ours, "p01")
    at("lab-b")
    with pytest.raises(SessionProblem, match="evaluator 'p01' began at lab-a: they go on there"):
        come(theirs, "p01")

    assert known(theirs) == {}


def test_who_began_here_goes_on_though_the_store_is_away(
    central: Database, postgres: Server, tmp_path: Path
) -> None:
    study, remarks = shared(tmp_path, central), list[str]()
    first = come(study, "p01")
    postgres.kill()
    again = come(study, "p01", remarks)

    assert (again.number, again.assignment) == (first.number, first.assignment)
    assert remarks == []


def test_while_the_store_is_away_stations_go_by_their_shares_and_say_so(
    central: Database, postgres: Server, tmp_path: Path, at: Move
) -> None:
    """Four of each place, for three stations: none of them alone can overfill one."""
    studies = {name: shared(tmp_path / name, central) for name in STATIONS}
    postgres.kill()
    given: Counter[str] = Counter()
    for station, study in studies.items():
        at(station)
        shares = shares_at_this_station(conduct_of(study))
        for number in range(sum(shares.values())):
            remarks: list[str] = []
            given[come(study, f"{station}-{number}", remarks).assignment.cell.condition] += 1
            assert "the central store cannot be reached" in remarks[0]
            assert "this station goes by its own share of the places" in remarks[0]
        with pytest.raises(
            SessionProblem, match=f"station \\({station}\\) has given away its share"
        ):
            come(study, "one-more")
    at("lab-d")
    with pytest.raises(SessionProblem, match=r"'lab-d', which is not among store.stations"):
        come(studies["lab-a"], "p99")

    assert given == {"crude": 4, "good": 4}


@pytest.mark.parametrize("wanted", [1, 4, 10, 30])
@pytest.mark.parametrize("stations", [1, 3, 8])
def test_shares_add_up_and_differ_by_one_at_most(wanted: int, stations: int) -> None:
    shares = [
        [own_share(wanted, cell=c, station=s, stations=stations) for s in range(stations)]
        for c in range(stations)
    ]

    assert {sum(cell) for cell in shares} == {wanted}
    assert {sum(station) for station in zip(*shares, strict=True)} == {wanted}
    assert max(map(max, shares)) - min(map(min, shares)) <= 1


@pytest.mark.parametrize("what", ["another study", "a password that is wrong"])
def test_a_store_that_refuses_keeps_nobody_from_sitting_down(
    what: str, central: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = shared(tmp_path / "ours", central)
    if what == "another study":
        other = shared(tmp_path / "other", central, name="another")
        come(other, "p77")
    else:
        monkeypatch.setenv("PGPASSWORD", "wrong")
    remarks: list[str] = []
    came = come(study, "p01", remarks)

    assert came.assignment.evaluator == "p01"
    assert "this station goes by its own share of the places" in remarks[0]
    assert {"another study": "holds the study", "a password that is wrong": "password"}[what] in (
        remarks[0]
    )


def test_who_came_while_the_store_was_away_is_counted_once_it_is_back(
    central: Database, postgres: Server, tmp_path: Path, at: Move
) -> None:
    ours, theirs = (shared(tmp_path / name, central, wanted=2) for name in ("a", "b"))
    postgres.kill()
    alone = come(ours, "p01").assignment.cell.condition
    postgres.restart()
    second = come(ours, "p02").assignment.cell.condition
    at("lab-b")
    others = [come(theirs, code).assignment.cell.condition for code in ("p03", "p04")]

    assert Counter([alone, second, *others]) == {"crude": 2, "good": 2}
    with pytest.raises(SessionProblem, match="each place of the design has its 2 evaluators, of"):
        come(theirs, "p05")


def test_a_station_whose_file_differs_admits_nobody_until_a_version_begins_on_purpose(
    central: Database, at: Move, tmp_path: Path
) -> None:
    """What was pushed of the version before stays, and has its own places."""
    ours, theirs = (shared(tmp_path / name, central) for name in ("a", "b"))
    first = come(ours, "p01")
    at("lab-b")
    changed = write_study(theirs.folder, **as_shared(central), time={"mask_ms": 50.0})
    with pytest.raises(InputError, match=r"b/study.toml: differs .*\(time.mask_ms: 30 → 50\)"):
        come(changed, "p02")
    flight = Preflight()
    check_central(flight, changed)
    assert [(one.code, one.severity) for one in flight.findings] == [("study-changed", "error")]
    assert known(changed) == {}
    second = come(changed, "p02", new_version=True)
    third = come(changed, "p03")
    assert {second.assignment.cell, third.assignment.cell} == {*conduct_of(changed).cells}
    at("lab-a")
    with pytest.raises(InputError, match=r"a/study.toml: differs .*\(time.mask_ms: 50 → 30\)"):
        come(ours, "p04")
    push_record(ours, central.station_url)
    found = replace(load_any(ours.path), read_from=central.analyst_url)

    assert first.assignment.cell in conduct_of(ours).cells
    with pytest.raises(InputError, match="holds 2 versions of the study"):
        of_version(found, None, simulated=False)
    with reading(of_version(found, 2, simulated=False)) as engine:
        assert [who.evaluator for who in evaluators_of(engine)] == ["p02", "p03"]


def test_a_place_that_only_the_store_noted_is_found_again(
    central: Database, tmp_path: Path
) -> None:
    """The station was cut off between the two notes."""
    study = shared(tmp_path, central)
    protocol = conduct_of(study)
    places = reserve(
        protocol, central.station_url, ["p01", "p02"], simulated=False, remark=pytest.fail
    )
    assert known(study) == {}
    uids = dict(central.query("SELECT evaluator, uid FROM hype.evaluators"))
    for code in ("p02", "p01"):
        lost, found = places[code], come(study, code)
        assert isinstance(lost, Reserved)
        assert found.assignment == lost.newcomer.assignment
        assert found.plan == lost.newcomer.plan

    assert {code: who.uid for code, who in known(study).items()} == uids
    assert central.query("SELECT count(*) FROM hype.evaluators") == [(2,)]


def together(
    study: AnyStudy, codes: list[str], protocol: Conduct[Any] | None = None
) -> dict[str, Enrolled[Any] | HypeError]:
    """Let several come to a station at the same time."""
    with record_of(study) as engine:
        return admit_together(
            *(engine, protocol or conduct_of(study), codes), simulated=False, remark=pytest.fail
        )


def test_who_comes_together_is_given_what_they_had_been_given_one_after_the_other(
    central: Database, tmp_path: Path
) -> None:
    """Six, of whom two are too many."""
    codes = [f"p{number}" for number in (3, 1, 2, 6, 5, 4)]
    studies = [shared(tmp_path / name, central, wanted=2) for name in ("together", "alone")]
    at_once = together(studies[0], codes)
    uids = central.query("SELECT evaluator FROM hype_added.evaluators ORDER BY id")
    central.query("TRUNCATE hype_added.studies, hype_added.evaluators CASCADE")
    for code in codes[:4]:
        alone, same = come(studies[1], code), at_once[code]
        assert isinstance(same, Enrolled)
        assert (same.assignment, same.plan) == (alone.assignment, alone.plan)
    with pytest.raises(NobodyNeeded) as alone_too:
        come(studies[1], codes[4])

    assert [type(at_once[code]) for code in codes[4:]] == [type(alone_too.value)] * 2
    assert [code for (code,) in uids] == codes[:4]
    assert [*known(studies[0])] == codes[:4]


def test_who_cannot_be_admitted_harms_nobody_who_comes_with_them(
    central: Database, tmp_path: Path, at: Move
) -> None:
    """One began elsewhere, one has an impossible code, and an image of one was exchanged."""
    ours, theirs = (shared(tmp_path / name, central, wanted=2) for name in ("a", "b"))
    at("lab-b")
    come(theirs, "p02")
    at("lab-a")

    class Exchanged(HypeConduct):
        def check_files(self, plan: SessionPlan) -> str | None:
            if plan.evaluator == "p03":
                raise InputError("images/p03.png", "is not what it was")
            return super().check_files(plan)

    assert isinstance(ours, Study)
    codes = ["p01", "p02", "p 9", "p03", "p04", "p05"]
    came = together(ours, codes, Exchanged(ours, read_pools(ours)))

    refused = {code: str(why) for code, why in came.items() if isinstance(why, HypeError)}
    assert [*refused] == ["p 9", "p02", "p03"]
    assert "began at lab-b" in refused["p02"]
    assert "images/p03.png" in refused["p03"]
    assert {*known(ours)} == {"p01", "p04", "p05"}
    rows = central.query("SELECT condition, count(*) FROM hype.evaluators GROUP BY 1 ORDER BY 1")
    assert rows == [("crude", 2), ("good", 2)]


def test_a_station_that_lost_its_record_admits_nobody_anew_whose_answers_are_safe(
    central: Database, tmp_path: Path
) -> None:
    study = shared(tmp_path, central)
    come(study, "p01")
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=5))
    push_record(study, central.station_url)
    for file in tmp_path.glob("data.sqlite*"):
        if file.is_file():
            file.unlink()
    with pytest.raises(SessionProblem, match="has 5 answers at the central store that this"):
        come(study, "p01")


def test_people_and_simulated_evaluators_take_no_places_from_each_other(
    central: Database, tmp_path: Path
) -> None:
    study = shared(tmp_path, central, wanted=1)
    with record_of(study) as engine:
        for number in range(2):
            admit(engine, conduct_of(study), f"p{number}", simulated=True)
    assert {come(study, code).assignment.cell.condition for code in ("p0", "p1")} == {
        *("crude", "good"),
    }


def test_an_arena_goes_by_the_votes_of_all_stations(
    central: Database, tmp_path: Path, at: Move
) -> None:
    store = {"central": central.stations_url}
    arena = {"arena": {"most_votes": 20}, "blocks": 2, "trials": 6}
    ours, theirs = (
        compared_study(tmp_path / name, files=True, comparison=arena, store=store) for name in "ab"
    )
    voting(ours, "p01", PaperComparer())
    push_record(ours, central.station_url)
    at("lab-b")
    voting(theirs, "p02", PaperComparer())
    push_record(theirs, central.station_url)

    with pytest.raises(SessionProblem, match="nobody more is needed: all 2 planned evaluators"):
        come(theirs, "p03")


def test_a_checker_is_given_what_was_ranked_at_another_station(
    central: Database, tmp_path: Path, at: Move
) -> None:
    store = {"central": central.stations_url}
    short = {"images": 1, "groups": 1, "blocks": 1, "practice": 0}
    ours, theirs = (
        ranked_study(tmp_path / name, files=True, ranking=short, store=store) for name in "ab"
    )
    voting(ours, "p01", PaperRanker())
    push_record(ours, central.station_url)
    with record_of(ours) as engine:
        ranked = {row.group for row in rows_of(engine, placements) if row.task == "ranking"}
    at("lab-b")
    checker = come(theirs, "check-1").assignment

    assert ranked
    assert set(checker.groups) == ranked


def voting(study: AnyStudy, code: str, station: PaperComparer) -> None:
    """Let somebody come and answer."""
    come(study, code)
    with record_of(study) as engine:
        sit(engine, study, code, station)
