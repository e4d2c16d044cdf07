"""Joining records of stations without a network: no evaluator is lost or copied twice."""

import shutil
from pathlib import Path

import pytest
from builders import whole_study
from sqlalchemy import select, text

from hype.protocols.hype.record import judgements
from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.session.simulate import simulate_study
from hype.store.record import record_of
from hype.store.schema import evaluators
from hype.study.studies import AnyStudy

EASY = {"qualification": {"enabled": False}}


@pytest.fixture
def main_study(tmp_path: Path) -> AnyStudy:
    return whole_study(tmp_path / "main", **EASY)


def station(study: AnyStudy, name: str, people: int, seed: int = 0) -> AnyStudy:
    """Copy a study without its record to a station, and simulate evaluators there."""
    folder = study.folder.with_name(name)
    shutil.copytree(study.folder, folder, ignore=shutil.ignore_patterns("data.sqlite*"))
    there = load_any(folder)
    simulate_study(course_of(there), people, seed=seed)
    return there


def codes(study: AnyStudy) -> list[str]:
    with record_of(study).reading() as engine, engine.connect() as connection:
        return [row.evaluator for row in connection.execute(select(evaluators))]


def answers(study: AnyStudy) -> dict[str, list[tuple[object, ...]]]:
    """Return the answers of each evaluator in the order in which they were given."""
    query = select(evaluators.c.evaluator, judgements).join(
        evaluators, judgements.c.evaluator_id == evaluators.c.id
    )
    given: dict[str, list[tuple[object, ...]]] = {}
    with record_of(study).reading() as engine, engine.connect() as connection:
        for code, *cells in connection.execute(query.order_by(judgements.c.id)):
            given.setdefault(code, []).append(tuple(cells[3:]))
    return given


def test_a_station_is_joined_once_however_often_it_is_asked(main_study, hype):
    there = station(main_study, "lab", 3)

    first = hype("merge", main_study.folder, there.folder, "--json").json
    again = hype("merge", main_study.folder, there.folder / "data.sqlite", "--json").json
    simulate_study(course_of(there), 2, seed=0)
    later = hype("merge", main_study.folder, there.folder, "--json").json

    joined = [each["records"][0] for each in (first, again, later)]
    assert [(one["added"], one["already_there"]) for one in joined] == [(3, 0), (0, 3), (2, 3)]
    assert answers(main_study) == answers(there)
    assert hype("verify", main_study.folder, "--json").json["sound"]


def test_codes_of_two_people_are_refused_or_told_apart(main_study, hype):
    simulate_study(course_of(main_study), 2, seed=1)
    there = station(main_study, "lab", 2)

    said = hype("merge", main_study.folder, there.folder).refused()
    assert "contains 'sim-0001' and 1 more codes, but the study has other people with these" in said
    assert "--prefix NAME-" in said
    assert codes(main_study) == ["sim-0001", "sim-0002"]

    for _ in range(2):
        hype("merge", main_study.folder, there.folder, "--prefix", "lab-")
    assert codes(main_study) == ["sim-0001", "sim-0002", "lab-sim-0001", "lab-sim-0002"]
    assert answers(main_study)["lab-sim-0001"] == answers(there)["sim-0001"]
    assert hype("verify", main_study.folder, "--json").json["sound"]


def test_who_has_gone_on_is_there_with_all_their_answers(main_study, hype):
    there = station(main_study, "lab", 2)
    hype("merge", main_study.folder, there.folder)
    with record_of(main_study).writing() as engine, engine.begin() as connection:
        connection.execute(text("DELETE FROM judgements WHERE evaluator_id = 1 AND trial > 3"))

    joined = hype("merge", main_study.folder, there.folder, "--json").json["records"][0]

    assert (joined["gone_on"], joined["already_there"]) == (1, 1)
    assert answers(main_study) == answers(there)


def test_another_study_and_a_damaged_record_are_not_joined(main_study, hype):
    there = station(main_study, "lab", 1)
    other = whole_study(main_study.folder.with_name("other"), study={"seed": 8}, **EASY)
    simulate_study(course_of(other), 1, seed=0)

    said = hype("merge", main_study.folder, there.folder, other.folder).refused()
    assert "'sim-0001' took part in a different study than" in said
    assert not record_of(main_study).is_there()
    with record_of(there).writing() as engine, engine.begin() as connection:
        connection.execute(text("UPDATE judgements SET image = 'real/no.png' WHERE id = 3"))
    assert "nothing was joined" in hype("merge", main_study.folder, there.folder).failed()
    assert not record_of(main_study).is_there()
