"""How far a study is, from where each evaluator stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import named_study, settings_of
from hypothesis import given
from hypothesis import strategies as st
from paper_station import PaperStation, record_of, sit

from hype.protocols.hype.pools import conditions_known
from hype.protocols.hype.status import JudgeStanding, Progress, progress_of, standings
from hype.session.materials import mask_methods
from hype.status.progress import Places

TIME, INFINITY = ("time",), ("infinity",)
PERSON = JudgeStanding(
    evaluator="p01",
    condition="good",
    methods=TIME,
    status="complete",
    trials=12,
    correct=10,
    qualified=True,
    pay=1.2,
    base=1.0,
    bonus=0.2,
    verdicts=None,
    tested=True,
    qualified_in="",
    came_unix_s=0.0,
    last_answered_unix_s=1.0,
)
BEGUN = replace(PERSON, status="active", trials=4, correct=4, pay=1.08)
UNDER_WAY = replace(BEGUN, qualified=None, trials=0)
FAILED = replace(PERSON, status="unqualified", qualified=False, trials=0, correct=0, pay=1.0)
DECLINED = replace(FAILED, status="declined", qualified=None, tested=False, pay=0.0)


def progress(*people: JudgeStanding, evaluators: int = 3, **tables: object) -> Progress:
    study = {"methods": ["time", "infinity"], "evaluators": evaluators}
    return progress_of(people, settings_of(study=study, **tables), ("crude", "good"))


def places(found: Progress, condition: str, methods: tuple[str, ...] = TIME) -> Places:
    (one,) = (c for c in found.cells if (c.cell.condition, c.cell.methods) == (condition, methods))
    return one.places


def test_each_place_counts_its_people_by_what_became_of_them() -> None:
    found = progress(PERSON, BEGUN, UNDER_WAY, FAILED, DECLINED, replace(PERSON, methods=INFINITY))

    assert places(found, "good") == Places(
        wanted=3, complete=1, active=2, unqualified=1, declined=1, needed=2, judgements=16
    )
    assert places(found, "good").came == 5
    assert places(found, "good", INFINITY).complete == 1
    assert found.whole.wanted == 12
    assert found.whole.judgements == 28


def test_a_place_that_is_not_of_the_design_any_more_wants_nobody() -> None:
    found = progress(replace(PERSON, condition="old"))

    assert found.cells[-1].cell.condition == "old"
    assert (places(found, "old").wanted, places(found, "old").needed) == (0, 0)
    assert places(found, "old").complete == 1


STATES = (PERSON, BEGUN, UNDER_WAY, FAILED, DECLINED)


@given(
    st.lists(
        st.builds(
            replace,
            st.sampled_from(STATES),
            condition=st.sampled_from(["crude", "good", "old"]),
            methods=st.sampled_from([TIME, INFINITY]),
        )
    )
)
def test_everyone_is_in_one_place(people: list[JudgeStanding]) -> None:
    found = progress(*people)

    assert found.whole.came == len(people) == sum(one.places.came for one in found.cells)
    assert found.whole.judgements == sum(person.trials for person in people)
    assert found.remaining.begun <= found.remaining.evaluators == found.whole.needed


def test_the_qualification_is_counted_where_it_was_taken() -> None:
    elsewhere = replace(BEGUN, tested=False, qualified_in="../pilot")
    found = progress(PERSON, BEGUN, UNDER_WAY, FAILED, DECLINED, elsewhere).qualification

    assert (found.passed, found.failed, found.taken) == (2, 1, 3)
    assert (found.under_way, found.elsewhere) == (1, 1)
    assert found.share == pytest.approx(2 / 3)
    assert progress(DECLINED).qualification.share is None
    assert not progress(qualification={"enabled": False}).qualification.enabled


def test_verdicts_add_up_over_those_who_were_measured() -> None:
    one = replace(PERSON, verdicts={"ok": 10, "late": 2, "dropped": 0, "seen": 1})
    other = replace(PERSON, verdicts={"ok": 9, "late": 0, "dropped": 3, "seen": 0})

    assert progress(one, PERSON, other).verdicts == {"ok": 19, "late": 2, "dropped": 3, "seen": 1}
    assert progress(PERSON).verdicts is None


def test_what_is_left_costs_what_each_method_cost_so_far() -> None:
    """One method takes an hour and the other ten minutes: one mean would be of neither."""
    cheap, dear = replace(PERSON, methods=INFINITY, pay=2.0), replace(PERSON, pay=9.0)
    left = progress(cheap, dear, replace(dear, pay=7.0), evaluators=2).remaining

    assert left.evaluators == 8 - 3
    assert left.cost == 2 * 8.0 + 3 * 2.0


def test_newcomers_allow_for_those_who_are_turned_away() -> None:
    left = progress(PERSON, BEGUN, FAILED, evaluators=2).remaining

    assert (left.evaluators, left.begun) == (7, 1)
    assert left.newcomers == 9, "six places, and two of three who come stay"
    assert progress(FAILED).remaining.newcomers is None
    assert progress(PERSON, evaluators=1).remaining.newcomers == 3


def test_progress_of_a_record(tmp_path: Path) -> None:
    study = named_study(tmp_path, study={"evaluators": 2})
    with record_of(study) as engine:
        sit(engine, study, "p01")
        sit(engine, study, "p02", PaperStation(lambda trial, n: False))
        sit(engine, study, "p03", PaperStation(stops_at=4))
        sit(engine, study, "p04", PaperStation(consents=False))
        with engine.connect() as connection:
            people = standings(connection, study, simulated=False)
    found = progress_of(people, study.settings, conditions_known(study, ()).names)

    whole = found.whole
    assert (whole.complete, whole.unqualified, whole.active, whole.declined) == (1, 1, 1, 1)
    assert (whole.wanted, whole.needed, whole.judgements) == (4, 3, 12)
    tested = found.qualification
    assert (tested.passed, tested.failed, tested.under_way) == (1, 1, 1)


@pytest.mark.parametrize(
    ("tables", "names"),
    [
        ({}, ("good",)),
        ({"observers": {"crude": {}}}, ("crude", "good")),
        ({"stimuli": {"folder": "stimuli", "conditions": ["crude"]}}, ("crude",)),
    ],
    ids=["of the record", "and of the observers", "or those that the study names"],
)
def test_conditions_when_the_stimuli_are_gone(
    tables: dict[str, object], names: tuple[str, ...], tmp_path: Path
) -> None:
    study = named_study(tmp_path, **tables)
    (tmp_path / "stimuli" / "manifest.csv").unlink()
    found = conditions_known(study, ["good"])

    assert found.names == names
    assert "there is no such file" in found.problem


def test_how_masks_were_made(tmp_path: Path) -> None:
    study = named_study(tmp_path / "timed")
    untimed = named_study(tmp_path / "untimed", study={"methods": ["infinity"]})

    assert mask_methods(study) == ("none",)
    assert mask_methods(untimed) == ()
    (tmp_path / "timed" / "masks" / "manifest.csv").unlink()
    assert mask_methods(study) == ()
