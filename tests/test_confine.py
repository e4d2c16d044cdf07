"""Paths from strangers: allowed ones, and ones that lead out of the folder."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.files import FOLDERS_VARIABLE, check_relative, inside

HOSTILE = [
    *("", ".", "..", "/", "//", "/etc/passwd", "../x.png", "real/../../x.png", "real/.."),
    *("real//x.png", "real/", "/real/x.png", "./real/x.png", "real/./x.png", "~/../x.png"),
    *("real\\x.png", "..\\x.png", "C:\\x.png", "\\\\host\\x.png"),
    *("real/x.png\0", "\0", "real\n/x.png", "real/\x1b[2Jx.png", "real/x\x7f.png", "real/\u202ex"),
    *("real/\udcff.png", "\ud800", "x" * 256, "ä" * 128, "real/" * 400 + "x.png", "x" * 5000),
]
PLAIN = [
    *("x.png", "real/x.png", "fake/a model/seed 1/x.png", "..x.png", "real/...", ".hidden/x.png"),
    *("~/x.png", "real/ä–中.png", "x" * 255, "ä" * 127, "C:x.png", "$HOME/x", "%2e%2e/x"),
]


@pytest.mark.parametrize("text", PLAIN)
def test_paths_that_a_manifest_may_hold(text, tmp_path):
    check_relative("manifest.csv line 2", text)

    assert inside(tmp_path, text) == tmp_path / text


@pytest.mark.parametrize("text", HOSTILE)
def test_paths_that_no_manifest_may_hold(text):
    with pytest.raises(InputError, match=r"^manifest\.csv line 2: path '.*; a path inside") as said:
        check_relative("manifest.csv line 2", text)
    assert str(said.value).isprintable()
    assert len(str(said.value)) < 800


@given(st.one_of(st.text(), st.lists(st.sampled_from(["..", ".", "", "a", "\0"])).map("/".join)))
def test_what_is_allowed_by_its_words_stays_inside_where_there_are_no_links(text):
    try:
        check_relative("manifest.csv", text)
    except InputError:
        return
    path = os.path.normpath(f"/set/{text}")
    assert path.startswith("/set/")
    assert path == f"/set/{text}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of one image, next to a private file."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/letter.png").write_text("private")
    (tmp_path / "set/real").mkdir(parents=True)
    (tmp_path / "set/real/x.png").write_text("an image")
    return tmp_path / "set"


def link(path: Path, target: str | Path) -> Path:
    path.symlink_to(target)
    return path


STAYING: dict[str, Callable[[Path], object]] = {
    "a file": lambda f: None,
    "a file that is not there": lambda f: (f / "real/x.png").unlink(),
    "a link by an absolute path": lambda f: ((f / "y").touch(), swap(f, f / "y")),
    "a link that goes out and comes back": lambda f: ((f / "y").touch(), swap(f, "../../set/y")),
    "a folder that is a link": lambda f: (
        (f / "real").rename(f / "other"),
        link(f / "real", "other"),
    ),
    "a chain": lambda f: ((f / "y").touch(), link(f / "z", "y"), swap(f, "../z")),
}
LEAVING: dict[str, Callable[[Path], object]] = {
    "a link to a file": lambda f: swap(f, "../../secret/letter.png"),
    "a link by an absolute path": lambda f: swap(f, f.parent / "secret/letter.png"),
    "a link to nothing outside": lambda f: swap(f, "../../nowhere"),
    "a folder that is a link": lambda f: (
        (f / "real").rename(f / "other"),
        link(f / "real", "../secret"),
    ),
    "a chain": lambda f: (link(f / "z", "../secret/letter.png"), swap(f, "../z")),
    "a folder whose name begins alike": lambda f: (
        (f.parent / "set2").mkdir(),
        swap(f, "../../set2/x.png"),
    ),
    "the root": lambda f: swap(f, "/"),
    "a device": lambda f: swap(f, "/dev/zero"),
    "what the system says of this process": lambda f: swap(f, "/proc/self/environ"),
}


def swap(folder: Path, target: str | Path) -> None:
    """Replace the image by a link."""
    (folder / "real/x.png").unlink()
    (folder / "real/x.png").symlink_to(target)


@pytest.mark.parametrize("what", STAYING)
def test_links_that_stay_inside(what, folder):
    STAYING[what](folder)

    assert inside(folder, "real/x.png") == folder / "real/x.png"


@pytest.mark.parametrize("what", LEAVING)
def test_links_that_lead_out(what, folder):
    LEAVING[what](folder)

    with pytest.raises(
        InputError, match=r"set/real/x\.png: leads out of its folder, to /.*; .*HYPE_FOLDERS"
    ):
        inside(folder, "real/x.png")


@pytest.mark.parametrize("target", ["x.png", "y.png", "../loop/x.png"])
def test_links_in_a_circle(target, folder):
    link(folder / "loop", "loop")
    link(folder / "real/y.png", "x.png")
    swap(folder, target)

    with pytest.raises(InputError, match=r"real/x\.png: cannot be followed: .*([Ll]oop|symbolic)"):
        inside(folder, "real/x.png")


def test_a_set_that_is_itself_reached_through_a_link(folder):
    reached = link(folder.parent / "shortcut", folder)
    swap(folder, folder / "real/y.png")

    assert inside(reached, "real/x.png") == reached / "real/x.png"
    swap(folder, "../../secret/letter.png")
    with pytest.raises(InputError, match="leads out"):
        inside(reached, "real/x.png")


def test_this_machine_may_trust_a_folder(folder, monkeypatch):
    secret = folder.parent / "secret"
    swap(folder, "../../secret/letter.png")
    monkeypatch.setenv(FOLDERS_VARIABLE, os.pathsep.join(["/nowhere", "", str(secret)]))
    assert inside(folder, "real/x.png")

    monkeypatch.setenv(FOLDERS_VARIABLE, str(link(folder.parent / "also", secret)))
    assert inside(folder, "real/x.png")

    monkeypatch.setenv(FOLDERS_VARIABLE, str(secret / "letter"))
    with pytest.raises(InputError, match="leads out"):
        inside(folder, "real/x.png")


@pytest.mark.parametrize("value", ["secret", ".", "~/pictures", "/nowhere:../secret"])
def test_trusted_folders_are_absolute(value, folder, monkeypatch):
    monkeypatch.setenv(FOLDERS_VARIABLE, value)
    monkeypatch.chdir(folder.parent)
    assert inside(folder, "real/x.png"), "it is read only for paths that lead out"
    swap(folder, "../../secret/letter.png")

    with pytest.raises(InputError, match=r"^HYPE_FOLDERS: '.*' is not an absolute path; absolute"):
        inside(folder, "real/x.png")
