"""Models that join a served study: newcomers get them, running sessions continue without them."""

import time

import pytest
from known import verify_record
from long import long_but
from served import served
from small_studies import TABLES
from sqlalchemy import select
from test_addition import add, grown, images_for, study_of

from hype.protocols.load import load_any
from hype.protocols.registry import course_of
from hype.store import people
from hype.store.sqlite_record import reading_record
from hype.study.studies import GrowingStudy


def evaluator(study, code):
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        return people.find_evaluator(connection, code, simulated=True)


def answers(study, kind):
    with reading_record(study.folder / "data.sqlite") as record, record.connect() as connection:
        return str(connection.execute(select(TABLES[kind])).all())


def see_all(tab):
    """Answer to the end, and fetch all pictures as a page does; return their number."""
    number = 0
    while tab.step["kind"] != "end":
        for picture in tab.step.get("pictures", ()):
            assert tab.client.get(f"/picture/{picture['id']}")[0] == 200
            number += 1
        status, body = tab.answer()
        assert status == 200, body
    return number


@pytest.mark.parametrize("kind", long_but(["hype"], ["hype", "comparison"]))
def test_newcomers_meet_it_and_who_sits_goes_on(kind, tmp_path):
    study = study_of(kind, tmp_path / "s")
    with served(study) as open_tab:
        before = open_tab("before")
        before.sit()
        before.go_to("flash", "scene")
        plan = evaluator(study, "before").plan
        now = grown(study, tmp_path, "new")
        course = course_of(now)
        for number in range(1 + len(course.cells)):
            tab = open_tab(f"after-{number}")
            while (seated := tab.sit())[0] == 503:  # images are being encoded
                time.sleep(0.05)
            assert seated[0] == 200, seated
            assert see_all(tab)
        assert see_all(before)
    assert before.step["ended"] == "complete"
    assert evaluator(study, "before").plan == plan
    assert evaluator(study, "before").study == study.checksum()
    assert {evaluator(study, f"after-{n}").study for n in range(3)} == {now.checksum()}
    assert "fake/new/" in answers(study, kind)
    verified = verify_record(now)
    assert verified.sound, verified.faults


def test_nothing_else_that_is_changed_is_followed(tmp_path):
    study = study_of("hype", tmp_path / "s")
    remarks = []
    growing = GrowingStudy(study, load_any, remarks.append)
    text = study.path.read_text()
    study.path.write_text(text.replace("seed = 7", "seed = 8"))
    assert growing.now() is study
    assert remarks == []
    add(load_any(study.path), {"new": images_for(study, tmp_path / "new")})
    assert growing.now() is growing.now() is study
    (remark,) = remarks
    assert "but other settings also changed since this program" in remark
    study.path.write_text("no study")
    assert growing.now() is study
    study.path.unlink()
    assert growing.now() is study
    assert len(remarks) == 2
    study.path.write_text(text + '\n[added.new]\nday = "2026-11-25"\n')
    assert growing.now() == study.add_models(load_any(study.path).added)
