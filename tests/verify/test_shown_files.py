"""Study files, manifests, images and masks that changed since they were shown."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import named_study, noise, write_study
from known import verify_record
from paper_station import record_of
from sqlalchemy import select, update
from verified_records import (
    TickingStation,
    attend,
    damage,
    faults_of,
    notes_of,
    sound_study,
)

from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation
from hype.stimuli.collection import scan


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return sound_study(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def study(sound: Study, tmp_path: Path) -> Study:
    return load_study(shutil.copytree(sound.folder, tmp_path / "study"))


def test_what_evaluators_do_not_notice_is_not_noted(study):
    text = study.path.read_text() + "\n[display]\nscreen = 1\n"
    study.path.write_text(text)
    changed = load_study(study.folder)

    assert verify_record(changed).sound
    assert ("study-edited", None) not in notes_of(changed)


def test_other_rules_in_the_study_file_are_no_fault_of_the_record(study):
    """The plan is made of the copy that the record keeps."""
    study.path.write_text(study.path.read_text().replace("seed = 7", "seed = 8"))
    changed = load_study(study.folder)

    assert verify_record(changed).sound
    assert "in study.seed" in notes_of(changed)["study-edited", None]


def seen_by_p01(study: Study) -> str:
    """Give an image that p01 judged."""
    with record_of(study) as engine, engine.connect() as connection:
        query = select(judgements.c.image).where(judgements.c.evaluator_id == 1).limit(1)
        return str(connection.execute(query).scalar_one())


def lose(path: Path) -> None:
    path.unlink()


def exchange(path: Path) -> None:
    noise(4242).save(path)


def lead_out(path: Path) -> None:
    elsewhere = path.parents[4] / "elsewhere.png"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


IMAGES = {
    "missing": (lose, "image-missing", "is missing"),
    "another": (exchange, "image-changed", "is not the image that was shown"),
    "a link": (lead_out, "image-unreadable", "leads out of its folder"),
    "a folder": (make_a_folder, "image-unreadable", "is not a file"),
}


@pytest.mark.parametrize("what", IMAGES)
def test_an_image_that_is_not_what_it_was_is_one_fault(what, study):
    spoil, code, said = IMAGES[what]
    image = seen_by_p01(study)
    spoil(study.stimuli_folder / image)
    (found,) = verify_record(study).faults

    assert (found.evaluator, found.simulated, found.code) == (None, False, code)
    assert said in found.message
    assert image in found.message


@pytest.mark.parametrize("code", ["mask-missing", "masks-changed", "mask-unreadable"])
def test_a_mask_that_is_not_what_it_was(code, study):
    spoil = {"mask-missing": lose, "masks-changed": exchange, "mask-unreadable": make_a_folder}
    mask = study.folder / "masks" / "00003.png"
    spoil[code](mask)
    found = verify_record(study).faults

    assert {fault.code for fault in found} == {code}
    if code == "masks-changed":  # there is one checksum for all of them
        assert [fault.evaluator for fault in found] == ["p01", "p02", "p03", "p04", "p05"]
    else:
        assert [str(mask) in fault.message for fault in found] == [True]


def edited(path: Path, edit: Callable[[list[str]], list[str]]) -> None:
    """Edit the lines of a manifest, the header apart."""
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *edit(lines)]) + "\n")


def without(image: str) -> Callable[[list[str]], list[str]]:
    return lambda lines: [line for line in lines if not line.startswith(f"{image},")]


def test_a_manifest_that_lacks_an_image_which_was_shown(study):
    image = seen_by_p01(study)
    edited(study.stimuli_folder / "manifest.csv", without(image))
    verified = verify_record(study)
    said = {f.evaluator: f.message for f in verified.faults}

    assert {code for _, code in faults_of(verified)} == {"plan-changed"}
    assert said["p01"] == f"the manifest lacks {image} that they saw"


def test_a_manifest_with_other_checksums_and_the_images_to_it(study):
    """As after scanning the folder anew: the record still knows what was shown."""
    image = seen_by_p01(study)
    exchange(study.stimuli_folder / image)
    scan(study.stimuli_folder)
    said = {f.evaluator: f.message for f in verify_record(study).faults}

    assert said["p01"] == f"the manifest has other checksums for {image} that they saw"
    assert f"{image} is not the image that was shown" in said[None]


def test_a_manifest_of_masks_that_lacks_some(study):
    edited(study.folder / "masks" / "manifest.csv", lambda lines: lines[:6])
    found, *_ = verify_record(study).faults

    assert (found.evaluator, found.code) == ("p01", "plan-changed")
    assert "the manifests list other images or masks" in found.message


def test_without_a_manifest_what_needs_no_plan_is_still_checked(study):
    (study.stimuli_folder / "manifest.csv").unlink()
    damage(study, update(judgements).where(judgements.c.id == 3).values(rt_ms=-5.0))
    verified = verify_record(study)

    assert faults_of(verified) == {
        (None, "manifest-unreadable"),
        ("p01", "cell-impossible"),
    }


def test_files_of_simulated_evaluators_need_not_be_there(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=1).come(4))

    assert verify_record(study).findings == []


def test_what_some_tool_kept_of_an_older_study_file_still_reads(study):
    """A study of two versions in one record: each evaluator is checked by their own."""
    changed = write_study(
        study.folder,
        study={"methods": ["time", "infinity"], "evaluator_does": "all-methods"},
        timing={"spoiled_trials": "repeat"},
        infinity={"trials": 4},
        qualification={"pass_rate": 0.9},
    )
    with record_of(changed) as engine:
        attend(engine, changed, "p06", TickingStation(), new_version=True)
    verified = verify_record(changed)

    assert verified.sound
    assert "in qualification.pass_rate" in notes_of(changed)["study-edited", None]
