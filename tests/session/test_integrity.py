"""Images and masks that are missing, broken or changed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import ENOUGH, mask_set, noise, stimulus_set, whole_study, write_study

from hype.errors import InputError
from hype.masks.maskset import read_masks
from hype.protocols.hype.course import HypeCourse
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.sampling import plan_session
from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import SessionPlan
from hype.session.materials import mask_errors
from hype.study.assignment import Assignment, Cell


@pytest.fixture
def study(tmp_path):
    return whole_study(tmp_path)


def plan_of(study: Study, method: str = "time") -> SessionPlan:
    assignment = Assignment(
        evaluator="p01", cell=Cell(condition="crude", methods=(method,)), left_means="real"
    )
    return plan_session(study.settings, read_pools(study), assignment)


def an_image(study: Study, plan: SessionPlan) -> Path:
    return study.stimuli_folder / plan.blocks[-1].stimuli[0].path


def a_mask(study: Study, plan: SessionPlan) -> Path:
    return study.folder / "masks" / plan.blocks[-1].masks[0][0]


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: path.unlink(), "is missing, but the manifest lists it"),
    "empty": (lambda path: path.write_bytes(b""), r"is empty \(0 bytes\)"),
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:-60]), "cannot be decoded"),
    "no image": (lambda path: path.write_bytes(b"x" * 99), "is not an image"),
    "another image": (lambda path: noise(7777).save(path), "changed since its checksum was"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_session_does_not_begin_with_a_damaged_image(what, study):
    damage, message = DAMAGE[what]
    plan = plan_of(study)
    HypeCourse(study).check_files(plan)
    path = an_image(study, plan)
    damage(path)

    with pytest.raises(InputError, match=message) as caught:
        HypeCourse(study).check_files(plan)
    assert caught.value.where == str(path)


@pytest.mark.parametrize("what", ["missing", "empty", "truncated", "no image"])
def test_a_session_does_not_begin_with_a_damaged_mask(what, study):
    damage, _ = DAMAGE[what]
    plan = plan_of(study)
    path = a_mask(study, plan)
    damage(path)

    with pytest.raises(InputError) as caught:
        HypeCourse(study).check_files(plan)
    assert caught.value.where == str(path)


def test_the_checksum_is_of_the_plans_masks_alone(study):
    plan = plan_of(study)
    before = HypeCourse(study).check_files(plan)
    assert before == HypeCourse(study).check_files(plan)

    shown = {name for b in plan.blocks for row in b.masks for name in row}
    assert study.masks_folder
    for name in set(read_masks(study.masks_folder).paths) - shown:
        noise(4711).save(study.masks_folder / name)
    assert HypeCourse(study).check_files(plan) == before

    noise(4711).save(a_mask(study, plan))
    assert HypeCourse(study).check_files(plan) != before


def test_a_mask_unlike_its_manifest(study):
    plan = plan_of(study)
    noise(1, side_px=20).save(a_mask(study, plan))

    with pytest.raises(InputError, match=r"is 20 x 20 px; 16 x 16 px, as in the manifest"):
        HypeCourse(study).check_files(plan)


def test_a_mask_set_of_another_size_than_the_images(tmp_path):
    stimulus_set(tmp_path / "stimuli", ENOUGH, side_px=16)
    mask_set(tmp_path / "masks", 8, side_px=32)
    study = write_study(tmp_path)

    with pytest.raises(InputError, match=r"masks.*32 px, but the images are 16 px"):
        HypeCourse(study).check_files(plan_of(study))


def test_every_damaged_mask_of_a_set_is_named(study):
    masks = read_masks(study.folder / "masks")
    broken = [masks.folder / name for name in masks.paths[:2]]
    broken[0].unlink()
    broken[1].write_bytes(b"")

    missing, damaged = mask_errors(masks, study.stimuli_folder)
    assert str(missing) == f"{masks.folder}: 1 of 8 masks are missing, such as {masks.paths[0]}"
    assert damaged.where == str(broken[1])
