"""The demonstration makes studies that are valid and can be continued."""

from collections import Counter
from pathlib import Path

import pytest
from programs import program

from hype.cli import demo
from hype.cli.demo import (
    BROWSER,
    FULL,
    JUDGES,
    ROOT,
    SHIPPED,
    judge_in_browser,
    lay_out,
    place,
    prepare,
)
from hype.errors import InputError
from hype.protocols.load import load_any
from hype.protocols.registry import course_of


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = prepare(tmp_path_factory.mktemp("demo") / "out")
    lay_out(folder)
    for name, shipped in SHIPPED.items():
        place(folder / "experiments" / name, shipped)
    return folder


def test_its_studies_are_the_shipped_ones_word_for_word(laid_out):
    for name, experiment in SHIPPED.items():
        study = load_any(laid_out / "experiments" / name)
        shipped = load_any(ROOT / "experiments" / experiment)

        assert study.checksum() == shipped.checksum()
        assert course_of(study).pools == course_of(shipped).pools


def test_it_brings_all_that_its_studies_need_and_nothing_else(laid_out):
    places = [path.relative_to(laid_out) for path in laid_out.rglob("*") if path.is_file()]

    assert not any(path.is_symlink() for path in laid_out.rglob("*"))
    assert Counter(path.suffix for path in places) == {".png": 2048, ".csv": 2, ".toml": 9, "": 1}
    assert Path("stimuli/fashion/LICENSE") in places


@pytest.mark.long
@pytest.mark.parametrize("name", FULL)
def test_its_studies_can_be_checked_simulated_and_scored(name, laid_out, hype):
    full = laid_out / "experiments" / name
    checked = hype("check", full, "--no-display", "--json")
    assert checked.json["ok"], checked.json
    assert hype("simulate", full, "--evaluators", "4").code == 0
    assert hype("status", full, "--simulated").code == 0
    judges = ["--judges", ROOT / "experiments" / JUDGES]
    more = {"full-study": ["--draws", 100], "full-ratings": judges, "full-rankings": judges}
    assert hype("score", full, "--simulated", "--json", *more.get(name, [])).code == 0


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home folder, and unset the variables that name folders outside it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for what in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.delenv(f"XDG_{what}_HOME", raising=False)
    return home


def left_in(home: Path) -> list[str]:
    """List the files left in a home folder, without the cache that every command writes."""
    files = (path.relative_to(home) for path in home.rglob("*") if path.is_file())
    return [str(file) for file in files if file.parts[:2] != (".cache", "hype")]


@pytest.mark.long
def test_its_browser_writes_into_its_own_folder(laid_out, homeless, monkeypatch):
    program("chromium")
    monkeypatch.setattr(demo, "VISITORS", ("demo-1",))
    before = sorted(path.name for path in laid_out.iterdir())

    judge_in_browser(load_any(laid_out / "experiments" / BROWSER), laid_out)

    assert left_in(homeless) == []
    assert sorted(path.name for path in laid_out.iterdir()) == before


@pytest.mark.long
def test_a_server_that_is_tried_leaves_nothing_elsewhere(laid_out, homeless, hype):
    study = laid_out / "experiments" / "short-comparisons-at-a-window"
    done = hype("serve", study, "--port", "0", "--simulate", "2")

    assert done.code == 0, done.err
    assert left_in(homeless) == []


def test_a_place_that_is_taken(tmp_path):
    (tmp_path / "x").touch()
    with pytest.raises(InputError, match="exists already; a new or an empty folder"):
        prepare(tmp_path)


def test_a_disk_that_takes_no_copies(tmp_path):
    (tmp_path / "stimuli").write_text("in the way")
    with pytest.raises(InputError, match=r"stimuli/fashion: cannot be written"):
        lay_out(tmp_path)


def test_without_a_clone_pictures_are_drawn_and_nobody_needs_a_window(tmp_path, hype, monkeypatch):
    monkeypatch.setattr(demo, "ROOT", tmp_path / "site-packages")
    monkeypatch.setattr(demo, "is_installed", lambda _: None)
    done = hype("demo", "--out", tmp_path / "shown")

    assert done.code == 0, done.err
    assert 'install "hype[station]"' in done.out
    assert "blurred" in done.out
    assert "grainy" in done.out
    assert (tmp_path / "shown" / "report.html").is_file()
