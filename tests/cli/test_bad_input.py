"""Each bad input gets one message that names it and exit code 2; no data are changed."""

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import (
    edit,
    image_folder,
    noise,
    whole_study,
)
from paper_station import PaperStation, record_of, sit


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete study with the answers of one person and of one simulated evaluator."""
    study = whole_study(tmp_path_factory.mktemp("begun") / "study")
    with record_of(study) as engine:
        sit(engine, study, "p01", PaperStation(stops_at=9))
        sit(engine, study, "s01", simulated=True)
    return study.folder


@pytest.fixture
def folder(begun: Path, tmp_path: Path) -> Path:
    """A copy of this study that a test may damage."""
    return Path(shutil.copytree(begun, tmp_path / "study"))


def judgements(folder: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "data.sqlite") as record:
        rows = record.execute("select * from judgements order by id").fetchall()
    record.close()
    return rows


STUDY_FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "unknown key": (lambda f: edit(f, "trials = 6", "trails = 6"), "time.trails: unknown key"),
    "wrong type": (lambda f: edit(f, "seed = 7", 'seed = "7"'), "study.seed = '7'"),
    "impossible value": (lambda f: edit(f, "trials = 6", "trials = 7"), "time.trials = 7"),
    "no TOML": (lambda f: edit(f, "[time]", "[time"), "is not TOML"),
    "no such file": (lambda f: f.unlink(), "there is no such study"),
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("--no-display",),
    "run": ("--evaluator", "p02"),
    "simulate": ("--evaluators", "2"),
    "status": (),
    "score": ("--simulated",),
    "report": ("--simulated",),
    "power": ("--difference", "5"),
    "export": ("--format", "csv", "-o", "out"),
    "forget": ("p01",),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_a_wrong_study_file(command, folder, hype, monkeypatch):
    monkeypatch.chdir(folder)
    file = folder / "study.toml"
    original, before = file.read_text(), judgements(folder)
    whole = command == "check"
    for damage, message in list(STUDY_FILES.values())[: None if whole else 1]:
        file.write_text(original)
        damage(file)
        said = hype(command, folder, *COMMANDS[command]).refused()
        assert "study.toml" in said
        assert message in said
    assert judgements(folder) == before
    assert not (folder / "out").exists()


IMAGES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "zero bytes": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-60]),
    "unreadable": lambda path: path.write_bytes(b"not a picture"),
    "changed since": lambda path: noise(4321).save(path),
}


@pytest.mark.parametrize("what", IMAGES)
def test_a_damaged_image_stops_check_and_run(what, folder, hype, no_window):
    """`run` starts to load the images; it never opens a window."""
    before = judgements(folder)
    for path in (folder / "stimuli").rglob("*.png"):
        IMAGES[what](path)
    checked = hype("check", folder, "--no-display", "--json")

    assert checked.code == 2
    assert len(checked.json["findings"]) >= 42
    assert ".png" in hype("run", folder, "--evaluator", "p01").refused()
    assert judgements(folder) == before


def test_a_code_that_begins_as_an_option_does_is_one(folder, hype, no_window):
    """The command accepts the code: it stops only because the images are missing."""
    for path in (folder / "stimuli").rglob("*.png"):
        path.unlink()

    assert ".png: is missing" in hype("run", folder, "--evaluator", "-p").refused()


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "STUDY", "--evaluators", "0"),
        ("simulate", "STUDY", "--evaluators", "2", "--seed", "-1"),
        ("run", "STUDY", "--evaluator", "p9", "--simulate", "--seed", "-1"),
        ("score", "STUDY", "--simulated", "--people"),
        ("score", "STUDY"),  # nobody has finished
        ("score", "nowhere.csv"),
        ("export", "STUDY", "-o", "STUDY/study.toml"),
        ("masks", "make", "STUDY/stimuli", "-o", "m", "-n", "0"),
        ("masks", "make", "STUDY/stimuli", "-o", "m", "-n", "2", "--size", "5"),
        ("masks", "make", "STUDY/stimuli", "-o", "m", "-n", "2", "--seed", "-1"),
        ("masks", "make", "STUDY/stimuli", "-o", "m", "-n", "2", "--method", "blur"),
        ("masks", "make", "STUDY/stimuli", "-o", "STUDY/study.toml", "-n", "2"),
        ("masks", "make", "STUDY", "-o", "m", "-n", "2"),
        ("stimuli", "scan", "nowhere"),
        ("stimuli", "scan", "STUDY"),
        ("new", "STUDY"),
        ("new", "mine", "--real", "STUDY/stimuli/real"),
        ("new", "mine", "--fake", "a=STUDY/stimuli/fake"),
        ("new", "mine", "--real", "STUDY/stimuli/real", "--fake", "STUDY/stimuli/fake"),
        ("new", "mine", "--real", "nowhere", "--fake", "a=STUDY/stimuli/fake"),
        ("new", "mine", "--real", "STUDY/stimuli/real", "--fake", "a b=STUDY/stimuli/fake"),
        ("new", "mine", "--real", "STUDY/stimuli/real", "--fake", "a=STUDY/stimuli/real"),
        ("new", "mine", "--method", "tome"),
    ],
    ids=lambda words: " ".join(words).replace("/", "."),
)
def test_wrong_arguments(command, folder, hype, no_window, monkeypatch):
    monkeypatch.chdir(folder.parent)

    def files() -> list[Path]:
        """List all files in the folder, except those that SQLite adds next to a record."""
        there = sorted(folder.parent.rglob("*"))
        return [path for path in there if not path.name.startswith("data.sqlite-")]

    before, rows = files(), judgements(folder)
    ran = hype(*(word.replace("STUDY", "study") for word in command))
    ran.refused()
    assert "━" not in ran.err  # nothing was started
    assert files() == before
    assert judgements(folder) == rows


def test_images_that_become_the_same_picture(tmp_path, hype):
    """One picture, saved as PNG among the real ones and as BMP among the fakes."""
    real = image_folder(tmp_path / "photos", 40)
    fake = image_folder(tmp_path / "samples", 40, first=100)
    noise(3, 64).save(fake / "same.bmp")
    said = hype("new", tmp_path / "mine", "--real", real, "--fake", f"m={fake}").refused()

    assert "same picture" in said
    assert "photos/003.png" in said
    assert "samples/same.bmp" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["photos", "samples"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not allow such names")
def test_names_that_are_not_utf_8(tmp_path, hype, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "evaluator,condition,truth,answer\np1,m,real,real\np1,m,fake,real\n"
    Path(os.fsdecode(b"t\xfcb.csv")).write_text(rows)
    images = image_folder(tmp_path / "photos", 44), image_folder(tmp_path / "m", 44, first=500)

    for arguments in (
        ("report", os.fsdecode(b"t\xfcb.csv"), "-o", "r.html"),
        ("new", os.fsdecode(b"St\xfcdie"), "--real", images[0], "--fake", f"m={images[1]}"),
    ):
        assert "contains a character that cannot be written" in hype(*arguments).refused()
    assert {path.name for path in tmp_path.iterdir()} == {
        "m",
        "photos",
        os.fsdecode(b"t\xfcb.csv"),
    }


def test_commands_to_go_on_with_can_be_pasted(tmp_path, hype):
    said = hype("new", tmp_path / "my study №1").out
    assert f"hype check '{tmp_path}/my study №1'" in said
