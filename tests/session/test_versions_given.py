"""A study that changed while it ran: admission, versions, and which data belong together."""

from dataclasses import replace
from pathlib import Path

import pytest
from admitted import admit
from builders import named_images, named_study, noise, whole_study, write_study
from known import check_record, look
from paper_station import PaperStation, record_of, sit
from sqlalchemy import Engine

from hype.check.findings import Preflight
from hype.errors import InputError
from hype.protocols.registry import course_of
from hype.session.admitting import study_for
from hype.session.outgoing import choose_version, reading
from hype.store.people import list_evaluators
from hype.study.differences import differences

CHANGED = {"time": {"mask_ms": 50.0, "staircase": {"start_ms": 300.0}}}
SAID = r"time.mask_ms: 30 → 50, time.staircase.start_ms: 500 → 300"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study with two people in the first version; one and a simulated evaluator in the second."""
    study = named_study(tmp_path_factory.mktemp("versions") / "study")
    with record_of(study) as engine:
        sit(engine, study, "p01")
        sit(engine, study, "p02", PaperStation(stops_at=9))
        changed = write_study(study.folder, **CHANGED)
        sit(engine, changed, "p03", new_version=True)
        sit(engine, changed, "s1", simulated=True)
    return changed


def codes(engine: Engine, *, simulated: bool = False) -> list[str]:
    with engine.connect() as connection:
        return [one.evaluator for one in list_evaluators(connection, simulated=simulated)]


def test_a_newcomer_is_not_given_another_study_without_a_word(tmp_path):
    """Masks and the first exposure are changed after the first evaluator."""
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01")
        changed = write_study(tmp_path, **CHANGED)
        with pytest.raises(InputError, match=rf"toml: differs .*\({SAID}\); .*new-version"):
            sit(engine, changed, "p02")
        assert codes(engine) == ["p01"]
        assert sit(engine, changed, "p02", new_version=True) == "complete"
        assert sit(engine, changed, "p03") == "complete", "the version that was started continues"
        with pytest.raises(InputError, match=r"time.mask_ms: 50 → 30"):
            sit(engine, study, "p04")


def test_people_and_simulated_evaluators_do_not_bind_each_other(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "s1", simulated=True)
        changed = write_study(tmp_path, **CHANGED)
        assert sit(engine, changed, "p01") == "complete"
        with pytest.raises(InputError, match="the study of earlier simulated evaluators"):
            sit(engine, changed, "s2", simulated=True)


def test_images_that_were_exchanged_are_no_version(tmp_path):
    """A version knows its images only by their folder, so another set needs another folder."""
    study = named_study(tmp_path)
    with record_of(study) as engine:
        sit(engine, study, "p01")
        named_images(tmp_path / "others", {"": 20, "crude": 20, "good": 20})
        manifest = Path("stimuli") / "manifest.csv"
        there = (tmp_path / "others" / "manifest.csv").read_bytes()
        before = (tmp_path / manifest).read_bytes()
        (tmp_path / manifest).write_bytes(there)
        for new_version in (False, True):
            with pytest.raises(InputError, match=r"toml: the images or .* separate folder"):
                sit(engine, study, "p02", new_version=new_version)
        (tmp_path / manifest).write_bytes(before)
        elsewhere = write_study(tmp_path, stimuli={"folder": "others"})
        with pytest.raises(InputError, match=r'stimuli.folder: "stimuli" → "others"'):
            sit(engine, elsewhere, "p02")
        assert sit(engine, elsewhere, "p02", new_version=True) == "complete"
        assert sit(engine, study, "p03", new_version=True) == "complete"


def test_masks_that_were_made_anew_are_no_version(tmp_path):
    """A plan contains only the names of masks, and the record contains their checksums."""
    study = whole_study(tmp_path)
    with record_of(study) as engine:
        admit(engine, course_of(study), "p01", simulated=False)
        noise(4711).save(tmp_path / "masks" / "00000.png")
        with pytest.raises(InputError, match=r"masks differ from those that 'p01' was given"):
            admit(engine, course_of(study), "p02", simulated=False)


def test_whoever_began_goes_on_under_what_they_began_and_it_is_said(study):
    remarks: list[str] = []
    with record_of(study) as engine:
        theirs = study_for(engine, study, "p02", simulated=False, remark=remarks.append)
        ours = study_for(engine, study, "p03", simulated=False, remark=remarks.append)

    assert (theirs.settings.time.mask_ms, ours.settings.time.mask_ms) == (30.0, 50.0)
    assert ours is study
    (remark,) = remarks
    assert "changed after 'p02' began" in remark


def test_versions_are_not_read_together_unless_one_is_chosen(study):
    said = r"contains 2 versions .*\n  version 1: .*, 2 evaluators\n  version 2: .* 30 → 50"
    with pytest.raises(InputError, match=said):
        choose_version(study, None, simulated=False)
    with pytest.raises(InputError, match="--version: there is no version 3; 1 to 2"):
        choose_version(study, 3, simulated=False)
    for number, people in ((1, ["p01", "p02"]), (2, ["p03"])):
        with reading(choose_version(study, number, simulated=False)) as engine:
            assert codes(engine) == people


def test_one_version_is_read_as_it_was_given(study):
    """The study file was changed, and nobody has taken part in the new version."""
    again = write_study(study.folder.parent / "again", time={"mask_ms": 70.0})
    changed = replace(study, settings=again.settings)
    found = choose_version(changed, None, simulated=True)

    assert found.version is None
    assert differences(found, study, simulated=True) == {}


def test_status_looks_at_the_last_version_and_names_all(study):
    last, first = look(study, simulated=False), look(study, simulated=False, version=1)

    assert [one["evaluator"] for one in last.facts["evaluators"]] == ["p03"]
    assert [one["evaluator"] for one in first.facts["evaluators"]] == ["p01", "p02"]
    assert last.facts["version"] == 2
    assert [one["evaluators"] for one in last.facts["versions"]] == [2, 1]
    assert any("version 1: " in warning for warning in first.warnings)


def test_the_pre_flight_says_what_keeps_newcomers_out(study, tmp_path):
    flight, changed = Preflight(), write_study(study.folder, time={"mask_ms": 70.0})
    check_record(flight, changed)
    write_study(study.folder, **CHANGED)
    fine = Preflight()
    check_record(fine, study)

    (finding,) = [one for one in flight.findings if one.code == "study-changed"]
    assert finding.severity == "error"
    assert "time.mask_ms: 50 → 70" in finding.message
    assert "--new-version" in finding.remedy
    assert [one.code for one in fine.findings] == []
