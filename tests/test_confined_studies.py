"""The folders that a study may name: its own, those of its workspace, and allowed ones."""

from pathlib import Path

import pytest

from hype.errors import InputError
from hype.files import FOLDERS_VARIABLE, check_folder


def link(path: Path, target: str | Path) -> Path:
    path.symlink_to(target)
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace in a home folder, with studies at several depths."""
    root = tmp_path / "home" / "lab"
    for place in (
        *("stimuli/faces", "masks/faces", "other", "experiments/mine/stimuli"),
        *("experiments/theirs", "experiments/year/deeper"),
    ):
        (root / place).mkdir(parents=True)
    return root


def checked(study: Path, name: str) -> None:
    check_folder(study / "study.toml", study, "stimuli.folder", name)


OWN = [
    *("stimuli", "stimuli/faces", ".", "./stimuli", "stimuli/../stimuli", "not/there/yet"),
    *("stimuli/../not-there", "../mine/stimuli", "x y", "..."),
]
SHARED = [
    *("../../stimuli/faces", "../../stimuli", "../../masks/faces", "../theirs", ".."),
    *("../../stimuli/not-there", "stimuli/../../theirs", "../../../lab/stimuli", "../not/there"),
]
ELSEWHERE = [
    *("../..", "../../other", "../../stimuli-of-others", "../../../lab", "../../../../home"),
    *("stimuli/../../../other", "../../stimuli/../other", "../../nowhere", "../" * 40 + "etc"),
]


@pytest.mark.parametrize("name", [*OWN, *SHARED])
def test_folders_that_a_study_of_a_workspace_may_name(name, workspace):
    checked(workspace / "experiments/mine", name)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_folders_that_no_study_may_name(name, workspace):
    study = workspace / "experiments/mine"
    with pytest.raises(
        InputError,
        match=r"mine/study\.toml: stimuli\.folder = '.*' leads out of the study, to /.*; it must "
        r"be a folder in the study's folder, or in .*lab/stimuli, .*lab/masks, .*lab/experiments; "
        r".*HYPE_FOLDERS",
    ):
        checked(study, name)


def test_a_study_that_lies_in_no_workspace_has_its_own_folder_only(workspace):
    alone = workspace / "other"
    checked(alone, "stimuli")
    for name in ("../stimuli", "../masks", "../experiments/mine", "stimuli/../../stimuli"):
        with pytest.raises(
            InputError, match=r"leads out .*; it must be a folder in the study's fo"
        ):
            checked(alone, name)


def test_deeper_studies_belong_to_the_nearest_workspace(workspace):
    deeper = workspace / "experiments/year/deeper"
    checked(deeper, "../../../stimuli/faces")
    inner = workspace / "experiments/year/experiments/x"
    inner.mkdir(parents=True)
    checked(inner, "../../stimuli")
    with pytest.raises(InputError, match="leads out"):
        checked(inner, "../../../../stimuli/faces")


@pytest.mark.parametrize("name", ["/etc", "/", "//etc", "STUDY/stimuli", "LAB/stimuli/faces"])
def test_absolute_folders_are_refused_wherever_they_lead(name, workspace):
    study = workspace / "experiments/mine"
    named = name.replace("STUDY", str(study)).replace("LAB", str(workspace))
    with pytest.raises(InputError, match=r"stimuli\.folder = '/.*' is an absolute path; it must"):
        checked(study, named)


@pytest.mark.parametrize("name", ["a\0b", "\x1b[2J", "a\nb", "x" * 300, "x/" * 3000, "\udcff"])
def test_folders_that_cannot_be(name, workspace):
    with pytest.raises(InputError, match=r"stimuli\.folder = '.*; a path that can be pr") as said:
        checked(workspace / "other", name)
    assert str(said.value).isprintable()


def test_links_of_a_study_that_stay_and_links_that_lead_out(workspace):
    study = workspace / "experiments/mine"
    link(study / "near", "stimuli")
    link(study / "shared", "../../stimuli/faces")
    link(study / "far", "../../other")
    link(study / "farther", "/etc")
    for name in ("near", "shared", "near/../stimuli"):
        checked(study, name)
    for name in ("far", "far/deeper", "farther", "far/../stimuli/../other", "shared/../../other"):
        with pytest.raises(InputError, match="leads out"):
            checked(study, name)


def test_a_shared_folder_that_is_a_link_leads_nowhere(workspace):
    """A whole workspace may come from a stranger."""
    (workspace / "stimuli/faces").rmdir()
    (workspace / "stimuli").rmdir()
    link(workspace / "stimuli", workspace.parent)
    with pytest.raises(InputError, match=r"leads out of the study, to .*home"):
        checked(workspace / "experiments/mine", "../../stimuli")


def test_where_a_study_really_lies_decides(workspace):
    """Two cases: a link to a study, and a link that would turn any folder into a workspace."""
    shortcut = link(workspace.parent / "shortcut", workspace / "experiments/mine")
    checked(shortcut, "stimuli")
    checked(shortcut, "../../stimuli/faces")
    with pytest.raises(InputError, match="leads out"):
        checked(shortcut, "../../other")

    alone = workspace / "other"
    link(workspace.parent / "experiments", workspace)
    with pytest.raises(InputError, match="leads out"):
        checked(workspace.parent / "experiments/other", "../masks")
    checked(alone, "stimuli")


def test_this_machine_may_keep_images_elsewhere(workspace, monkeypatch):
    study, pictures = workspace / "experiments/mine", workspace.parent / "pictures"
    (pictures / "faces").mkdir(parents=True)
    link(study / "linked", pictures / "faces")
    names = (str(pictures / "faces"), "../../../pictures", "linked")
    for name in names:
        with pytest.raises(InputError, match="HYPE_FOLDERS"):
            checked(study, name)

    monkeypatch.setenv(FOLDERS_VARIABLE, str(pictures))
    for name in names:
        checked(study, name)
    for name in (f"{pictures}/../lab/other", f"{pictures}2", "/etc", "../../other"):
        with pytest.raises(InputError, match="it must be"):
            checked(study, name)
