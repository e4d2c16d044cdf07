"""Names of conditions, and the folders of their images."""

import pytest
from builders import image_folder
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.stimuli.collection import scan
from hype.stimuli.manifest import check_condition_name, condition_in, folder_name, read_manifest
from hype.system import is_name_everywhere


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("SD v1.4", "SD v1.4"),
        ("VQGAN+CLIP", "VQGAN+CLIP"),
        ("模型", "模型"),
        ("a/b: c?", "a%2Fb%3A c%3F"),
        ("100%", "100%25"),
        ("con", "%63on"),
        ("..", "%2E%2E"),
        (".hidden", "%2Ehidden"),
    ],
)
def test_folders_of_names(name, folder):
    check_condition_name("here", name)
    assert folder_name(name) == folder


@given(st.text(st.characters(blacklist_categories=["C", "Z"]), min_size=1, max_size=64))
def test_a_folder_says_its_condition_and_every_system_takes_it(name):
    assert condition_in(folder_name(name)) == name
    assert is_name_everywhere(folder_name(name))
    assert "/" not in folder_name(name)


@pytest.mark.parametrize("name", ["", "real", "Real", " a", "a ", "a\nb", "x" * 65, "e\u0301"])
def test_what_is_no_name(name):
    with pytest.raises(InputError, match="cannot name a condition; 1 to 64 printable characters"):
        check_condition_name("here", name)


def test_a_model_with_a_strange_name_goes_all_the_way(tmp_path, hype):
    names = ("SD v1.4", "VQGAN+CLIP / big")
    folders = [image_folder(tmp_path / f"{n}", 14, first=100 * n) for n in range(3)]
    fakes = [f"{name}={folder}" for name, folder in zip(names, folders[1:], strict=True)]
    study = tmp_path / "study"
    new = hype(
        "new", study, "--template", "qualification", "--real", folders[0],
        *(word for fake in fakes for word in ("--fake", fake)),
    )  # fmt: skip
    assert new.code == 0, new
    assert read_manifest(study / "stimuli").conditions == tuple(names)
    assert scan(study / "stimuli") == {"": 14, **dict.fromkeys(names, 14)}
    assert hype("check", study, "--no-display").code == 0
