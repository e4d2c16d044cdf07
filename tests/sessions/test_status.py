"""Who has done what, and what they are owed."""

from pathlib import Path

import pytest
from builders import named_study
from paper_station import PaperStation, record_of, sit

from hype.protocol.steps import Task
from hype.sessions.enrol import enrol
from hype.sessions.pools import read_pools
from hype.sessions.status import Standing, standings, total_pay
from hype.study.load import Study


def standing(study: Study, evaluator: str, *, simulated: bool = False) -> Standing:
    with record_of(study) as engine, engine.connect() as connection:
        found = standings(connection, study, simulated=simulated)
    (one,) = (s for s in found if s.evaluator == evaluator)
    return one


WHO = {
    "complete, all correct": (PaperStation(), "complete", 12, 12, True, 1.24),
    "complete, half of the scored ones": (
        PaperStation(lambda t, n: t.task is not Task.TIME or t.number <= 3),
        *("complete", 12, 6, True, 1.12),
    ),
    "unqualified": (PaperStation(lambda t, n: False), "unqualified", 0, 0, False, 1.0),
    "declined": (PaperStation(consents=False), "declined", 0, 0, None, 0.0),
    "left in the main part": (PaperStation(stops_at=14), "active", 4, 4, True, 1.08),
}


@pytest.mark.parametrize("who", WHO)
def test_standing_and_pay(who: str, tmp_path: Path) -> None:
    station, status, trials, correct, qualified, pay = WHO[who]
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", station)
    found = standing(study, "p01")

    assert (found.status, found.trials, found.correct) == (status, trials, correct)
    assert (found.qualified, found.pay) == (qualified, pay)


def test_whether_they_qualify_is_open_until_the_qualification_is_over(tmp_path: Path) -> None:
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=5))

    assert (standing(study, "p01").status, standing(study, "p01").qualified) == ("active", None)


def test_who_was_entered_and_shown_nothing_is_owed_nothing(tmp_path: Path) -> None:
    """The window did not open, say."""
    study = named_study(tmp_path)
    with record_of(study) as engine, engine.begin() as connection:
        enrol(connection, study, read_pools(study), "p01", simulated=False)

    assert standing(study, "p01").pay == 0.0


def test_pay_is_what_the_debrief_said(tmp_path: Path) -> None:
    study = named_study(tmp_path, pay={"base": 2.5, "per_correct": 0.35})
    station = PaperStation(lambda trial, n: n % 5 != 0 or trial.task is Task.QUALIFICATION)
    with record_of(study) as engine:
        assert sit(engine, study, "p01", station) == "complete"

    (debrief,) = (s for s in station.steps if getattr(s, "page", None) == "debrief")
    assert f"{standing(study, 'p01').pay:.2f}" == debrief.values["pay"]


def test_whoever_answers_again_because_of_the_screen_is_paid_again(tmp_path: Path) -> None:
    study = named_study(tmp_path, timing={"spoiled_trials": "repeat"})
    station = PaperStation(spoils=lambda trial, n: trial.task is Task.TIME and trial.number <= 2)
    with record_of(study) as engine:
        assert sit(engine, study, "p01", station) == "complete"
    found = standing(study, "p01")

    (debrief,) = (s for s in station.steps if getattr(s, "page", None) == "debrief")
    assert (found.trials, found.correct) == (16, 16)
    assert f"{found.pay:.2f}" == debrief.values["pay"] == "1.32"


def test_people_and_simulated_evaluators_are_listed_apart_in_order_of_arrival(
    tmp_path: Path,
) -> None:
    study = named_study(tmp_path)
    with record_of(study) as engine:
        for code in ("zoe", "adam"):
            sit(engine, study, code)
        sit(engine, study, "robot", simulated=True)
        with engine.connect() as connection:
            people = standings(connection, study, simulated=False)
            simulated = standings(connection, study, simulated=True)

    assert [s.evaluator for s in people] == ["zoe", "adam"]
    assert [s.evaluator for s in simulated] == ["robot"]
    assert total_pay(people) == 2.48
    assert total_pay([]) == 0


def test_a_session_resumed_counts_all_its_trials(tmp_path: Path) -> None:
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=14))
        sit(engine, study, "p01")

    assert standing(study, "p01").trials == 12
