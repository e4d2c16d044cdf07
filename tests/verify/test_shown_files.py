"""Study files, manifests, images and masks that changed after they were shown."""

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import named_study, noise, write_study
from known import verify_record
from paper_station import record_of
from sqlalchemy import select
from verified_records import (
    TickingStation,
    attend,
    faults_of,
    sound_study,
)

from hype.protocols.hype.record import judgements
from hype.protocols.hype.settings import Study
from hype.protocols.registry import course_of
from hype.session.simulate import Simulation
from hype.stimuli.collection import scan


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return sound_study(tmp_path / "study")


def seen_by_p01(study: Study) -> str:
    """Return the path of an image that p01 judged."""
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
    "missing": (lose, "is missing"),
    "another": (exchange, "changed since its checksum was computed"),
    "a link": (lead_out, "leads out of its folder"),
    "a folder": (make_a_folder, "is not a file"),
}


@pytest.mark.parametrize("what", IMAGES)
def test_an_image_that_is_not_what_it_was_is_named_with_its_evaluators(what, study):
    spoil, said = IMAGES[what]
    image = seen_by_p01(study)
    spoil(study.stimuli_folder / image)
    found = verify_record(study).faults

    assert {fault.code for fault in found} == {"image-changed"}
    assert "p01" in {fault.evaluator for fault in found}
    assert all(said in fault.message and image in fault.message for fault in found)


MASKS = {"missing": lose, "another": exchange, "a folder": make_a_folder}


@pytest.mark.parametrize("what", MASKS)
def test_a_mask_that_is_not_what_it_was_is_found_with_its_evaluators(what, study):
    mask = study.folder / "masks" / "00003.png"
    MASKS[what](mask)
    found = verify_record(study).faults

    assert [fault.evaluator for fault in found] == ["p01", "p02", "p03", "p04", "p05"]
    # All masks share one checksum
    code = "masks-changed" if what == "another" else "image-changed"
    assert {fault.code for fault in found} == {code}
    assert what == "another" or all(str(mask) in fault.message for fault in found)


def edited(path: Path, edit: Callable[[list[str]], list[str]]) -> None:
    """Edit the lines of a manifest, except the header."""
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
    assert "images, masks or their order changed" in said["p01"]


def test_a_manifest_with_other_checksums_and_the_images_to_it(study):
    """This happens if the folder is scanned again; the record still contains the old checksums."""
    exchange(study.stimuli_folder / seen_by_p01(study))
    scan(study.stimuli_folder)

    assert ("p01", "plan-changed") in faults_of(verify_record(study))


def test_files_of_simulated_evaluators_need_not_be_there(tmp_path):
    study = named_study(tmp_path)
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=1).simulate_some(4))

    verified = verify_record(study)
    assert (verified.faults, verified.notes) == ([], [])


def test_what_some_tool_kept_of_an_older_study_file_still_reads(study):
    """If a record has two versions of a study, each evaluator is checked against their version."""
    changed = write_study(
        study.folder,
        study={"methods": ["time", "infinity"], "evaluator_does": "all-methods"},
        timing={"spoiled_trials": "repeat"},
        infinity={"trials": 4},
        qualification={"pass_rate": 0.9},
    )
    with record_of(changed) as engine:
        attend(engine, changed, "p06", TickingStation(), new_version=True)

    assert verify_record(changed).sound
