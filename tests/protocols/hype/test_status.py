"""Who has done what, and what they are owed."""

import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from admitted import enrol
from builders import named_study
from hypothesis import given
from hypothesis import strategies as st
from paper_station import PaperStation, record_of, sit
from sqlalchemy import select
from verified_records import TickingStation

from hype.protocols.hype.rows import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.hype.status import JudgeStanding, standings
from hype.protocols.hype.trial import Task
from hype.protocols.registry import course_of
from hype.session.participation import total_due
from hype.session.steps import Pay

NOBODY = JudgeStanding(
    evaluator="p00",
    condition="good",
    methods=("time",),
    status="complete",
    trials=0,
    correct=0,
    qualified=True,
    pay=0.0,
    base=0.0,
    bonus=0.0,
    verdicts=None,
    tested=True,
    qualified_in="",
    came_unix_s=0.0,
    last_answered_unix_s=None,
)


def standing(study: Study, evaluator: str, *, simulated: bool = False) -> JudgeStanding:
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


def test_who_was_entered_and_shown_nothing_is_owed_nothing(tmp_path: Path) -> None:
    """The window did not open, say."""
    study = named_study(tmp_path)
    with record_of(study) as engine, engine.begin() as connection:
        enrol(connection, course_of(study), "p01", simulated=False)

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
    assert total_due(people).pay == 2.48
    assert total_due([]).pay == 0


@given(
    st.lists(st.integers(0, 450), max_size=40),
    st.floats(0, 50),
    st.floats(0, 1),
)
def test_what_is_printed_adds_up(corrects: list[int], base: float, per_correct: float) -> None:
    pay = Pay(base=base, per_correct=per_correct, currency="$")
    dues = [pay.parts(correct) for correct in corrects]
    printed = [[Decimal(f"{x:.2f}") for x in (due.base, due.bonus, due.pay)] for due in dues]

    assert all(a + b == both for a, b, both in printed)
    assert all(bonus >= 0 for _, bonus, _ in printed)
    assert [due.pay for due in dues] == [pay.due(correct) for correct in corrects]
    total = total_due([replace(NOBODY, base=d.base, bonus=d.bonus, pay=d.pay) for d in dues])
    assert sum(both for _, _, both in printed) == Decimal(f"{total.pay:.2f}")
    assert sum(bonus for _, bonus, _ in printed) == Decimal(f"{total.bonus:.2f}")


def test_verdicts_are_those_of_trials_that_are_scored(tmp_path: Path) -> None:
    """Timed practice is measured too, and says nothing of the scores."""
    study = named_study(tmp_path)
    practice_too = PaperStation(spoils=lambda t, n: t.task is Task.PRACTICE or t.number == 2)
    with record_of(study) as engine:
        sit(engine, study, "p01", practice_too)
        sit(engine, study, "p02")

    assert standing(study, "p01").verdicts == {"ok": 0, "late": 0, "dropped": 2, "seen": 0}
    assert standing(study, "p02").verdicts is None


def test_when_they_came_and_when_they_last_answered(tmp_path: Path) -> None:
    study = named_study(tmp_path)
    before = time.time()
    with record_of(study) as engine:
        sit(engine, study, "p01", TickingStation())
        sit(engine, study, "p02", TickingStation(consents=False))
        with engine.connect() as connection:
            shown = connection.execute(select(judgements.c.onset_unix_s)).scalars().all()
    done, declined = standing(study, "p01"), standing(study, "p02")

    assert before - 1 <= done.came_unix_s <= declined.came_unix_s <= time.time() + 1
    assert done.last_answered_unix_s == shown[-1]
    assert declined.last_answered_unix_s is None


def test_who_qualified_elsewhere_did_not_take_it_here(tmp_path: Path) -> None:
    earlier = named_study(tmp_path / "study" / "earlier")
    with record_of(earlier) as engine:
        sit(engine, earlier, "p01")
    study = named_study(tmp_path / "study", qualification={"valid_from": ["earlier"]})
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=3))
        sit(engine, study, "p02", PaperStation(stops_at=3))
    known, new = standing(study, "p01"), standing(study, "p02")

    assert (known.tested, known.qualified_in) == (False, "earlier")
    assert (new.tested, new.qualified_in) == (True, "")
