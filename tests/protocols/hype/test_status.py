"""The status of HYPE's studies: answers, qualification and pay."""

from decimal import Decimal
from typing import Any

import pytest
from admitted import enrol
from builders import named_study
from hypothesis import given
from hypothesis import strategies as st
from known import look
from paper_station import PaperStation, record_of, sit

from hype.protocols.hype.pools import conditions_known
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import Task
from hype.protocols.registry import course_of
from hype.session.materials import mask_methods
from hype.session.steps import Pay


def facts_of(study: Study) -> Any:
    return look(study, simulated=False).facts


def standing(study: Study) -> Any:
    return facts_of(study)["evaluators"][0]


WHO = {
    "complete, all correct": (PaperStation(), "complete", 12, 1.0, True, 1.24),
    "complete, half of the scored ones": (
        PaperStation(lambda t, n: t.task is not Task.TIME or t.number <= 3),
        *("complete", 12, 0.5, True, 1.12),
    ),
    "unqualified": (PaperStation(lambda t, n: False), "unqualified", 0, None, False, 1.0),
    "declined": (PaperStation(consents=False), "declined", 0, None, None, 0.0),
    "left in the qualification": (PaperStation(stops_at=4), "active", 0, None, None, 1.0),
    "left in the main part": (PaperStation(stops_at=14), "active", 4, 1.0, True, 1.08),
}


@pytest.mark.parametrize("who", WHO)
def test_standing_and_pay(who, tmp_path):
    station, *expected = WHO[who]
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", station)
    found = standing(study)

    names = ("status", "answers", "correct", "qualified", "pay")
    assert [found[name] for name in names] == expected


def test_who_was_entered_and_shown_nothing_is_owed_nothing(tmp_path):
    """This may happen if the window did not open."""
    study = named_study(tmp_path)
    with record_of(study) as engine, engine.begin() as connection:
        enrol(connection, course_of(study), "p01", simulated=False)

    assert standing(study)["pay"] == 0.0


def test_answers_that_are_repeated_because_of_the_screen_are_paid_again(tmp_path):
    study = named_study(tmp_path, timing={"spoiled_trials": "repeat"})
    station = PaperStation(spoils=lambda trial, n: trial.task is Task.TIME and trial.number <= 2)
    with record_of(study) as engine:
        assert sit(engine, study, "p01", station) == "complete"
    found = standing(study)

    (debrief,) = (s for s in station.steps if getattr(s, "page", None) == "debrief")
    assert (found["answers"], found["correct"]) == (16, 1.0)
    assert f"{found['pay']:.2f}" == debrief.values["pay"] == "1.32"


@given(
    st.lists(st.integers(0, 450), max_size=40),
    st.floats(0, 50),
    st.floats(0, 1),
)
def test_what_is_printed_adds_up(corrects, base, per_correct):
    pay = Pay(base=base, per_correct=per_correct, currency="$")
    dues = [pay.parts(correct) for correct in corrects]
    printed = [[Decimal(f"{x:.2f}") for x in (due.base, due.bonus, due.pay)] for due in dues]

    assert all(a + b == both for a, b, both in printed)
    assert all(bonus >= 0 for _, bonus, _ in printed)
    assert [due.pay for due in dues] == [pay.due(correct) for correct in corrects]


def test_verdicts_are_those_of_trials_that_are_scored(tmp_path):
    """Timed practice also has verdicts, but they do not concern the scores."""
    study = named_study(tmp_path)
    practice_too = PaperStation(spoils=lambda t, n: t.task is Task.PRACTICE or t.number == 2)
    with record_of(study) as engine:
        sit(engine, study, "p01", practice_too)
        sit(engine, study, "p02", PaperStation(spoils=lambda t, n: t.number == 2))
        sit(engine, study, "p03")
    facts = facts_of(study)
    first, second, third = facts["evaluators"]

    assert [first[verdict] for verdict in ("ok", "late", "dropped", "seen")] == [0, 0, 2, 0]
    assert (first["spoiled"], third["spoiled"]) == (2, None)
    assert facts["timing"]["dropped"] == first["spoiled"] + second["spoiled"]


def test_who_qualified_elsewhere_did_not_take_it_here(tmp_path):
    earlier = named_study(tmp_path / "study" / "earlier")
    with record_of(earlier) as engine:
        sit(engine, earlier, "p01")
    study = named_study(tmp_path / "study", qualification={"valid_from": ["earlier"]})
    with record_of(study) as engine:
        sit(engine, study, "p01")
        sit(engine, study, "p02")
    facts = facts_of(study)

    assert [(who["qualified"], who["passed"]) for who in facts["evaluators"]] == [
        (True, None),
        (True, True),
    ]
    assert (facts["tested"], facts["passed"]) == (1, 1)


@pytest.mark.parametrize(
    ("tables", "names"),
    [
        ({}, ("good",)),
        ({"observers": {"crude": {}}}, ("crude", "good")),
        ({"stimuli": {"folder": "stimuli", "conditions": ["crude"]}}, ("crude",)),
    ],
    ids=["of the record", "and of the observers", "or those that the study names"],
)
def test_conditions_when_the_stimuli_are_gone(tables, names, tmp_path):
    study = named_study(tmp_path, **tables)
    (tmp_path / "stimuli" / "manifest.csv").unlink()
    found, problem = conditions_known(study, ["good"])

    assert found == names
    assert "there is no such file" in problem


def test_how_masks_were_made(tmp_path):
    study = named_study(tmp_path / "timed")
    untimed = named_study(tmp_path / "untimed", study={"methods": ["infinity"]})

    assert mask_methods(study) == ("none",)
    assert mask_methods(untimed) == ()
    (tmp_path / "timed" / "masks" / "manifest.csv").unlink()
    assert mask_methods(study) == ()
