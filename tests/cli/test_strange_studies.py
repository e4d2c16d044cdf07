"""Studies from strangers: no command opens files outside the folder of the study."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import contents, edit, noise, rewrite_row, whole_study


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_study(tmp_path_factory.mktemp("made") / "study").folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A complete study, with a private picture next to its folder."""
    noise(4711).save(tmp_path / "private.png")
    return Path(shutil.copytree(made, tmp_path / "study"))


COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("--no-display",),
    "run": ("--evaluator", "p02"),
    "simulate": ("--evaluators", "2"),
    "timing": (),
    "status": (),
    "score": ("--simulated",),
    "report": ("--simulated",),
    "power": ("--difference", "5"),
    "export": ("-o", "out"),
}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *((command, "stimuli/../../x") for command in COMMANDS),
        *(("check", name) for name in ("/etc", "linked")),
    ],
)
def test_no_command_follows_a_study_out_of_its_folder(command, name, folder, hype, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "linked").symlink_to("..")
    edit(folder / "study.toml", 'folder = "stimuli"', f'folder = "{name}"')
    before = contents(folder)
    said = hype(command, folder, *COMMANDS[command]).refused()

    where = rf"hype: {re.escape(str(folder / 'study.toml'))}: line \d+: stimuli\.folder"
    assert re.match(rf"{where} = {name!r} ", said)
    assert "it must be a folder in the study's folder" in said
    assert contents(folder) == before


@pytest.mark.parametrize("kind", ["stimuli", "masks"])
def test_manifests_that_list_what_is_not_theirs(kind, folder, hype, no_window):
    rewrite_row(folder / kind / "manifest.csv", 0, path="../../private.png")
    said = hype("run", folder, "--evaluator", "p1").refused()

    assert f"{kind}/manifest.csv line 2: path '../../private.png'; a path inside the fo" in said
    assert hype("check", folder, "--no-display").code == 2


def outside(path: Path, private: Path) -> None:
    path.unlink()
    path.symlink_to(private)


LINKS: dict[str, Callable[[Path], object]] = {
    "images": lambda f: [
        outside(path, f.parent / "private.png") for path in (f / "stimuli").rglob("*.png")
    ],
    "masks": lambda f: [
        outside(path, f.parent / "private.png") for path in (f / "masks").rglob("*.png")
    ],
    "a folder of images": lambda f: (
        (f / "stimuli/real").rename(f.parent / "real"),
        (f / "stimuli/real").symlink_to("../../real"),
    ),
}


@pytest.mark.parametrize("what", LINKS)
def test_links_that_lead_out_stop_check_and_run(what, folder, hype, no_window):
    """Links are refused even if their target has the right checksum."""
    LINKS[what](folder)
    checked = hype("check", folder, "--no-display", "--json")

    assert checked.code == 2
    assert "leads out of its folder, to " in str(checked.json["findings"])
    assert "leads out of its folder, to " in hype("run", folder, "--evaluator", "p1").refused()
