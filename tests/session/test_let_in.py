"""Admission by decision: again after declining, not if left out, not from another study."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from admitted import admit
from builders import (
    csv_rows,
    named_study,
    whole_study,
    write_study,
)
from known import verify_record
from long import long_but
from paper_comparer import PaperComparer, obviously, small_study
from paper_station import PaperStation, evaluators_of, record_of, sit
from running import Program
from small_studies import STATIONS, STUDIES, make_tested
from sqlalchemy import Engine
from test_station_places import BRIEF

from hype.errors import InputError, NobodyNeeded, SessionProblem
from hype.protocols.comparison.arena import ArenaVotes, arena_votes
from hype.protocols.load import load_any
from hype.protocols.prompted.pools import taking_part
from hype.protocols.registry import course_of
from hype.session.admitting import change_place
from hype.session.enrol import assignment_of
from hype.session.loop import replay
from hype.session.materials import read_stimuli
from hype.session.steps import Ending, Page, Response, Step
from hype.store.people import find_evaluator
from hype.study.studies import AnyStudy

WHY = "wore no glasses"
NO, YES = (Page.CONSENT, "no"), (Page.CONSENT, "yes")
AGAIN_NO, AGAIN_YES = (Page.CONSENT_AGAIN, "no"), (Page.CONSENT_AGAIN, "yes")
HELLO = (Page.WELCOME, "")


def leave_out_people(study: AnyStudy, *codes: str) -> AnyStudy:
    """Add codes to the evaluators that a study file leaves out, as an experimenter would."""
    text = study.path.read_text(encoding="utf-8").split("\n[study.left_out]")[0]
    lines = "".join(f'{code} = "{WHY}"\n' for code in codes)
    study.path.write_text(f"{text}\n[study.left_out]\n{lines}", encoding="utf-8")
    return load_any(study.path)


@pytest.mark.parametrize("protocol", STUDIES)
def test_a_session_that_another_worker_takes_up_knows_what_was_agreed_to(tmp_path, protocol):
    course = course_of(STUDIES[protocol](tmp_path))
    with record_of(course.study) as engine:
        plan = admit(engine, course, "p01", simulated=False).plan

    def reached(*seen: tuple[Page, str]) -> Step | Ending:
        return replay(course.script(plan), [], [HELLO, *seen])[0]

    for seen, page in (((NO,), Page.CONSENT_AGAIN), ((NO, AGAIN_NO), Page.DECLINED)):
        step = reached(*seen)
        assert step.page is page
    assert reached(NO, AGAIN_NO, (Page.DECLINED, "")) is Ending.DECLINED
    assert reached(NO, AGAIN_YES) == reached(YES) != reached(NO)


@pytest.mark.parametrize("protocol", long_but(["hype"], STUDIES))
def test_who_declined_comes_again_on_the_experimenters_word_and_nothing_is_deleted(
    tmp_path, protocol, hype, no_window
):
    study = STUDIES[protocol](tmp_path, **BRIEF[protocol])
    with record_of(study) as engine:
        assert sit(engine, study, "p01", STATIONS[protocol](consents=False)) == "declined"
        assert "--again" in hype("run", tmp_path, "--evaluator", "p01").failed()
        change_place(study, "p01", "again", simulated=False)
        change_place(study, "p01", "again", simulated=False)  # the second time, nothing changes
        (who,) = evaluators_of(engine)
        assert who.status == "active"
        assert sound(hype, tmp_path)
        assert sit(engine, study, "p01", STATIONS[protocol]()) == "complete"
        with pytest.raises(InputError, match="'p01' is complete, but must be declined"):
            change_place(study, "p01", "again", simulated=False)
        with pytest.raises(InputError, match="there is no evaluator 'p02'"):
            change_place(study, "p02", "again", simulated=False)
    assert sound(hype, tmp_path)
    assert "was let in again" in hype("verify", tmp_path).out


def sound(hype: Program, folder: Path) -> bool:
    return hype("verify", folder).code == 0


def test_the_commands_let_in_again(tmp_path, hype, no_window):
    study = named_study(tmp_path)
    run = ("run", tmp_path, "--again", "--evaluator")
    assert "there is no record yet" in hype(*run, "p01").refused()
    with record_of(study) as engine:
        for code in ("p01", "p02"):
            sit(engine, study, code, PaperStation(consents=False))
        assert "declined" in hype("status", tmp_path).out
        assert " coming " in hype("status", tmp_path, "--again", "p01").out
        hype(*run, "p02")
        assert [who.status for who in evaluators_of(engine)] == ["active"] * 2
    refused = hype("status", tmp_path, "--again", "p01", "--watch").refused()
    assert "--watch: other options are given" in refused


@pytest.mark.parametrize("protocol", long_but(["ranking"], STUDIES))
def test_who_is_left_out_counts_for_nothing_and_comes_back_with_all_they_answered(
    tmp_path, protocol, hype
):
    study = STUDIES[protocol](tmp_path, **BRIEF[protocol], pay={"base": 1.0})
    with record_of(study) as engine:
        places = len(course_of(study).cells)
        for number in range(places):
            sit(engine, study, f"p{number}", STATIONS[protocol]())
        whole = hype("score", tmp_path, "--json").json
        without = leave_out_people(study, "p0")
        assert without.checksum() == study.checksum()
        new = admit(engine, course_of(without), "new", simulated=False, wanted_only=True)
        with engine.connect() as connection:
            left = find_evaluator(connection, "p0", simulated=False)
        assert left.status == "complete"
        assert new.assignment == replace(assignment_of(left), evaluator="new")
        with pytest.raises(NobodyNeeded, match=r"excludes 'p0' \(wore no glasses\)"):
            admit(engine, course_of(without), "p0", simulated=False)
        scored = hype("score", tmp_path, "--json")
        told = hype("status", tmp_path, "--json").json
        said = hype("status", tmp_path).out
    if scored.code == 0:
        assert f"Left out by the study file: p0 ({WHY})." in notes_in(scored.json)
        assert scored.json != whole
    pay = tmp_path / "pay.csv"
    hype("status", tmp_path, "--pay", pay)
    assert {row["evaluator"]: row["status"] for row in csv_rows(pay)}["p0"] == "complete"
    standing = {one["evaluator"]: one for one in told["evaluators"]}["p0"]
    assert standing["status"] == "left-out"
    assert standing["pay"] >= 1
    assert told["left_out"] == {"p0": WHY}
    assert (told["whole"]["left_out"], told["whole"]["complete"]) == (1, places - 1)
    assert f"Left out by the study file: p0 ({WHY})" in said
    assert " left-out " in said
    assert f"is left out: {WHY}" in hype("verify", tmp_path).out
    with record_of(study) as engine:
        back = leave_out_people(study)
        assert hype("score", tmp_path, "--json").json == whole
        with pytest.raises(NobodyNeeded):
            admit(engine, course_of(back), "more", simulated=False, wanted_only=True)


def notes_in(scored: Any) -> list[str]:
    objects = scored if isinstance(scored, list) else [scored]
    return [note for one in objects for note in one["notes"]]


def test_votes_of_who_is_left_out_do_not_steer_an_arena_and_their_pairs_go_on(tmp_path):
    study = small_study(tmp_path, arena=True)
    with record_of(study) as engine:
        for code in ("p01", "p02"):
            sit(engine, study, code, PaperComparer())
        both, one = (votes_of(engine, some) for some in (study, leave_out_people(study, "p01")))
        sit(engine, load_any(study.path), "p03", PaperComparer())
        pairs = {who.evaluator: who.pairs for who in evaluators_of(engine)}

    assert one.finished.number == 1 == both.finished.number - 1
    assert one.points.sum() == both.points.sum() / 2
    assert pairs["p03"] == pairs["p01"] != pairs["p02"]


@pytest.mark.parametrize("leave_out", [True, False])
def test_careless_people_count_in_an_arena_only_where_they_are_scored(tmp_path, leave_out):
    rule = {"fast_share": 0.5, "leave_out": leave_out}
    study = small_study(tmp_path, arena=True, exclusion=rule)
    careless = PaperComparer(chooses=lambda trial, n: replace(obviously(trial, n), rt_ms=1.0))
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperComparer())
        sit(engine, study, "p02", careless)
        votes = votes_of(engine, study)

    assert votes.finished.number == (1 if leave_out else 2)


def votes_of(engine: Engine, study: AnyStudy) -> ArenaVotes:
    conditions = taking_part(study, read_stimuli(study))
    with engine.connect() as connection:
        return arena_votes(connection, study, conditions, simulated=False)


def test_who_took_part_elsewhere_is_not_let_in(tmp_path, hype):
    first = named_study(tmp_path / "experiments/first")
    here = tmp_path / "experiments/second"
    second = whole_study(here, study={"not_from": ["../first", "codes.csv"]})
    codes = here / "codes.csv"
    codes.write_text("evaluator,sex\np08,f\np09,m\n", encoding="utf-8-sig")
    with record_of(second) as engine:

        def come(code: str, **how: bool) -> None:
            admit(engine, course_of(second), code, **{"simulated": False, **how})

        come("p01")  # the first study has no record yet
        with record_of(first) as other:
            for code in ("p01", "p02"):
                sit(other, first, code, PaperStation(stops_at=1))
            sit(other, first, "p03", PaperStation(consents=False))
            sit(other, first, "p04", PaperStation(), simulated=True)
            for code in ("p01", "p02"):
                with pytest.raises(NobodyNeeded, match=rf"'{code}' took part in \.\./first"):
                    come(code)
        sit(engine, second, "p05", PaperStation(stops_at=1))
        with record_of(first) as other:
            sit(other, first, "p05", PaperStation(stops_at=1))
        come("p05")  # has started already and may continue
        for code in ("p03", "p04"):
            come(code)
        come("p02", simulated=True)
        with pytest.raises(NobodyNeeded, match=r"'p09' took part in codes\.csv"):
            come("p09")
        codes.write_text("evaluator\np08\n", encoding="utf-8")
        come("p09")
    assert "p08" not in hype("status", here).out


@pytest.mark.parametrize("name", ["../first", "no.csv", "../first/study.toml"])
def test_what_is_not_there_to_keep_people_out_is_named_with_its_key(
    tmp_path, hype, no_window, name
):
    here = tmp_path / "experiments/second"
    whole_study(here, study={"not_from": [name]})
    (tmp_path / "experiments/first").mkdir()
    said = f"{here / 'study.toml'}: study.not_from: '{name}' is missing or not a study"

    assert said in hype("run", here, "--evaluator", "p01").refused()
    assert said in hype("serve", here).refused()
    found = hype("check", here, "--no-display", "--json").json["findings"]
    assert [f["severity"] for f in found if f["code"] == "not-from-missing"] == ["error"]
    (tmp_path / "experiments/first/codes.csv").write_text("code\np01\n", encoding="utf-8")
    write_study(here, study={"not_from": ["../first/codes.csv"]})
    assert "has no column evaluator" in hype("run", here, "--evaluator", "p01").refused()


def test_another_study_may_be_named_while_people_come_and_nobody_by_a_name(tmp_path):
    study = whole_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation())
        changed = write_study(tmp_path, study={"not_from": ["codes.csv"]})
        (tmp_path / "codes.csv").write_text("evaluator\n", encoding="utf-8")
        admit(engine, course_of(changed), "p02", simulated=False)
    with pytest.raises(InputError, match=r"study\.left_out.*Anna Schmidt"):
        write_study(tmp_path, study={"left_out": {"Anna Schmidt": "is a friend"}})
    with pytest.raises(InputError, match=r"study\.left_out\.p07"):
        write_study(tmp_path, study={"left_out": {"p07": ""}})


@pytest.mark.parametrize("protocol", long_but(["hype"], ["hype", "ranking"]))
def test_data_and_reports_say_who_is_left_out_and_why(tmp_path, protocol, hype):
    study = STUDIES[protocol](tmp_path / "s", **BRIEF[protocol])
    with record_of(study) as engine:
        for code in ("p0", "p1", "p2", "p3"):
            sit(engine, study, code, STATIONS[protocol]())
    leave_out_people(study, "p0", "p9")
    for form in ("csv", "psych-ds"):
        hype("export", study.folder, "--format", form, "-o", tmp_path / form)
    (answers,) = (tmp_path / "csv").glob("*.csv")
    (people,) = (tmp_path / "psych-ds").rglob("*evaluators*.csv")
    page = tmp_path / "page.html"
    assert hype("report", study.folder, "-o", page).code == 0

    assert {row["excluded"] for row in csv_rows(answers) if row["evaluator"] == "p0"} == {
        "left-out"
    }
    told = {row["evaluator"]: row for row in csv_rows(people)}
    facts = ("status", "not_scored", "scored", "left_out")
    assert [told["p0"][fact] for fact in facts] == ["left-out", "left-out", "0", WHY]
    assert told["p1"]["left_out"] in ("", "NA")
    text = page.read_text(encoding="utf-8")
    assert f"Left out by the study file: p0 ({WHY})." in text
    assert "one was left out by the experimenters" in text
    assert "Left out</th>" in text or ">Left out<" in text


def taker(protocol: str, *, right: bool) -> PaperStation:
    """Return a station whose evaluator answers a whole test correctly, or a whole test wrongly."""

    def chooses(trial: Any, n: int) -> Response:
        def is_so(answer: str) -> bool | None:
            if protocol == "ranking":
                first = trial.standing.tiers or answer not in trial.group.letters
                return right if first else trial.group.image(answer).path in trial.best
            return trial.correct(answer) if protocol == "comparison" else trial.is_right(answer)

        known = trial.task.value == "test"
        answers = [a for a in trial.answers if not known or is_so(a) in (right, None)]
        return Response(answers[0], "f", 1000.0 + n)

    if protocol == "hype":
        return PaperStation(lambda trial, n: right)
    return PaperComparer(chooses=chooses)


@pytest.mark.parametrize("protocol", long_but(["hype", "ranking"], STUDIES))
def test_who_fails_the_test_does_no_paid_work(tmp_path, protocol, hype):
    study = make_tested(tmp_path, protocol, decide="pass")
    passes, fails = (taker(protocol, right=right) for right in (True, False))
    with record_of(study) as engine:
        assert sit(engine, study, "p01", passes) == "complete"
        assert sit(engine, study, "p02", fails) == "unqualified"
        assert sit(engine, study, "p03", taker(protocol, right=True)) == "complete"

    test = "<qualification>" if protocol == "hype" else "<test>"
    assert fails.pages[-1] == "unqualified"
    assert {name for name in fails.pages if name[0] == "<"} <= {test, "<practice>"}
    assert passes.pages.index("qualification") < passes.pages.index("qualified")
    assert verify_record(study).sound
    scored = hype("score", study.folder, "--json").json
    tables = scored if isinstance(scored, list) else [scored]
    assert "plain" not in {row["condition"] for table in tables for row in table["conditions"]}
    hype("simulate", study.folder, "--evaluators", "2")
    hype("check", "--no-display", study.folder)
    hype("export", study.folder, "-o", study.folder / "out.csv")


@pytest.mark.parametrize("protocol", long_but(["hype", "rating"], STUDIES))
@pytest.mark.usefixtures("undrawn")
def test_who_waits_after_the_test_goes_on_or_not_as_the_experimenter_decides(
    tmp_path, protocol, hype
):
    study = make_tested(tmp_path, protocol, decide="ask")
    with record_of(study) as engine:
        for code in ("p01", "p02"):
            station = taker(protocol, right=False)
            assert sit(engine, study, code, station) == "waiting"
        assert station.pages[-1] == "waiting"
        with pytest.raises(SessionProblem, match=r"study\.toml --admit p01"):
            sit(engine, study, "p01")
    assert "p01, p02" in hype("status", study.folder).out
    found = hype("status", study.folder, "--json").json["evaluators"]
    assert {who.get("test_correct", 0.0) for who in found} == {0.0}
    hype("status", study.folder, "--refuse", "p02")
    assert ", but must be waiting" in hype("status", study.folder, "--admit", "p02").refused()
    hype("status", study.folder, "--admit", "p01")
    again = taker(protocol, right=True)
    with record_of(study) as engine:
        assert sit(engine, study, "p01", again) == "complete"
        assert [who.status for who in evaluators_of(engine)] == ["complete", "unqualified"]
    first, task, then, *_ = again.pages
    assert (first, then) == ("resumed", "qualified")
    assert task.startswith("instructions")
    assert verify_record(study).sound
    hype("report", study.folder)
    report = " ".join((study.folder / "report.html").read_text(encoding="utf-8").split())
    assert ">Not qualified<" in report
    assert "looked at the answers and decided who continued" in report
    assert "{percent}" not in study.settings.texts.qualification
    assert "you decide who continues" in hype("check", study.folder, "--no-display").out
    hype("simulate", study.folder, "--evaluators", "1")
    done = hype("status", study.folder, "--simulated", "--json").json
    assert done["evaluators"][0]["status"] == "complete"


@pytest.mark.parametrize("protocol", long_but(["rating"], STUDIES))
def test_who_passed_in_another_study_is_not_tested_again(tmp_path, protocol):
    first = make_tested(tmp_path / "experiments" / "first", protocol, decide="pass")
    with record_of(first) as engine:
        sit(engine, first, "p01", taker(protocol, right=True))
        sit(engine, first, "p02", taker(protocol, right=False))
    rule = {"valid_from": ["../first"], "decide": "pass"}
    rule |= {"stimuli": None} if protocol == "hype" else {"test": 0}
    second = make_tested(tmp_path / "experiments" / "second", protocol, **rule)
    known = taker(protocol, right=True)
    with record_of(second) as engine:
        assert sit(engine, second, "p01", known) == "complete"
        assert not {"<test>", "<qualification>"} & {*known.pages}
        if protocol != "hype":
            with pytest.raises(SessionProblem, match="is not known to have passed"):
                sit(engine, second, "p02")
    assert verify_record(second).sound
