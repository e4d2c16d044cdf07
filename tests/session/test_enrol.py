"""Evaluators who arrive, return, or are refused."""

import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from admitted import admit, enrol
from builders import named_study, whole_study, write_study
from paper_station import PaperStation, evaluators_of, record_of, rows_of, sit

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import Task
from hype.protocols.registry import course_of
from hype.session.enrol import begin_session, check_evaluator_id
from hype.store.schema import sessions


@pytest.mark.parametrize("code", ["p01", "P-01", "a", "7", "x-y_z", "-x", "_", "--", "a" * 64])
def test_codes_that_an_evaluator_may_have(code):
    assert check_evaluator_id(code) is None


@pytest.mark.parametrize(
    "code",
    [
        *("", "../p01", "a/b", "a\\b", ".hidden", ".", "x.y", "a b", " a", "a\n", "\na", "a\0"),
        *("ä", "Ａ", "٣", "p\u200b01", "p01;--", "a'b", "a:b", "a" * 65),
    ],
)
def test_codes_that_an_evaluator_may_not_have(code):
    with pytest.raises(InputError, match=r"--evaluator: .* cannot be an evaluator's code; use 1"):
        check_evaluator_id(code)


@pytest.mark.parametrize(
    ("station", "ending"),
    [
        (PaperStation(), "complete"),
        (PaperStation(lambda trial, n: False), "unqualified"),
        (PaperStation(consents=False), "declined"),
    ],
    ids=["complete", "unqualified", "declined"],
)
def test_each_evaluator_takes_part_once(station, ending, tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        assert sit(engine, study, "p01", station) == ending
        with pytest.raises(SessionProblem, match=rf"'p01' cannot continue here \({ending}\)"):
            sit(engine, study, "p01")


CHANGES = {
    "trials": {"time": {"trials": 8}},
    "seed": {"study": {"seed": 8}},
    "staircase": {"time": {"staircase": {"preset": "weighted-75"}}},
    "masks": {"time": {"masks": 3}},
    "rate that passes": {"qualification": {"pass_rate": 0.9}},
    "spoiled trials": {"timing": {"spoiled_trials": "repeat"}},
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_session_goes_on_under_the_rules_that_it_began_under(what, tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=10))
        changed = write_study(tmp_path, **CHANGES[what])
        assert sit(engine, changed, "p01") == "complete"
        assert sit(engine, study, "p02") == "complete"
        answered = Counter(row.evaluator_id for row in rows_of(engine, judgements))
        used = {row.study for row in rows_of(engine, sessions)}

    assert set(answered.values()) == {22}
    assert used == {study.checksum()}


def test_a_session_does_not_go_on_with_other_images(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=3))
        manifest = tmp_path / "stimuli" / "manifest.csv"
        lines = manifest.read_text().splitlines()
        manifest.write_text("\n".join([*lines[:1], *lines[:0:-1]]) + "\n")
        with pytest.raises(
            InputError, match=r"changed since 'p01' began.*put back what was changed"
        ):
            sit(engine, study, "p01")


def test_a_condition_that_is_gone_is_named(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=3))
        (who,) = evaluators_of(engine)
        manifest = tmp_path / "stimuli" / "manifest.csv"
        lines = manifest.read_text().splitlines(keepends=True)
        manifest.write_text("".join(line for line in lines if f"/{who.condition}/" not in line))
        with pytest.raises(InputError, match=f"the condition '{who.condition}' was removed"):
            sit(engine, study, "p01")


def tasks(station: PaperStation) -> set[Task]:
    return {trial.task for trial, _ in station.rows}


def first_and_second(folder: Path) -> tuple[Study, Study]:
    """Write two studies; the second one accepts the qualification of the first one."""
    second = folder / "experiments" / "second"
    return (
        named_study(folder / "experiments" / "first"),
        named_study(second, qualification={"valid_from": ["../first"]}),
    )


def test_who_qualified_in_another_study_is_not_asked_to_again(tmp_path):
    first, second = first_and_second(tmp_path)
    with record_of(first) as engine:
        sit(engine, first, "passed")
        sit(engine, first, "failed", PaperStation(lambda trial, n: False))
        sit(engine, first, "passed-and-left", PaperStation(stops_at=12))
        sit(engine, first, "left", PaperStation(stops_at=4))
        sit(engine, first, "robot", simulated=True)

    asked = {}
    with record_of(second) as engine:
        for code in ("passed", "failed", "passed-and-left", "left", "robot", "stranger"):
            station = PaperStation()
            sit(engine, second, code, station)
            asked[code] = Task.QUALIFICATION in tasks(station)

    assert asked == {
        "passed": False,
        "failed": True,
        "passed-and-left": False,
        "left": True,
        "robot": True,
        "stranger": True,
    }


def test_a_qualification_once_accepted_stays_so_when_the_session_resumes(tmp_path):
    first, second = first_and_second(tmp_path)
    with record_of(first) as engine:
        sit(engine, first, "p01")
    with record_of(second) as engine:
        sit(engine, second, "p01", PaperStation(stops_at=3))
        shutil.rmtree(first.folder)
        station = PaperStation()

        assert sit(engine, second, "p01", station) == "complete"
        assert Task.QUALIFICATION not in tasks(station)


def test_a_study_named_for_its_qualifications_must_have_a_record(tmp_path):
    _, study = first_and_second(tmp_path)
    with record_of(study) as engine:
        with pytest.raises(InputError, match=r"first/data\.sqlite: there is no record yet"):
            sit(engine, study, "p01")
        assert evaluators_of(engine) == []


def test_two_stations_enrol_at_the_same_time_and_fill_the_cells_evenly(tmp_path):
    study = named_study(tmp_path)
    pools = read_pools(study)

    def station(codes: list[str]) -> None:
        with record_of(study) as engine:
            for code in codes:
                with engine.begin() as connection:
                    enrol(connection, HypeCourse(study, pools), code, simulated=False)

    with record_of(study) as engine:
        with ThreadPoolExecutor(2) as both:
            list(both.map(station, ([f"{name}{n}" for n in range(10)] for name in "ab")))
        found = evaluators_of(engine)

    assert len({w.evaluator for w in found}) == 20
    assert Counter((w.condition, w.left_means) for w in found) == {
        (condition, means): 5 for condition in ("crude", "good") for means in ("real", "fake")
    }


@pytest.mark.parametrize("what", ["masks", "stimuli"])
def test_who_comes_back_goes_on_once_the_files_of_their_plan_are_as_they_were(what, tmp_path):
    study = whole_study(tmp_path)
    with record_of(study) as engine:
        enrolled = admit(engine, course_of(study), "p01", simulated=False)
        with engine.begin() as connection:
            begin_session(connection, enrolled, study, mode="person", display={})
        kept = {path: path.read_bytes() for path in (tmp_path / what).rglob("*.png")}
        for path, other in zip(kept, reversed(kept.values()), strict=True):
            path.write_bytes(other)
        with pytest.raises(InputError, match=r"the masks changed since 'p01'|changed since its"):
            admit(engine, course_of(study), "p01", simulated=False)
        for path, content in kept.items():
            path.write_bytes(content)

        assert admit(engine, course_of(study), "p01", simulated=False).plan == enrolled.plan
