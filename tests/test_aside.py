"""Temporary folders for results until they are complete; those of killed programs are removed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hype.files import aside

WORKS = """
import sys
from pathlib import Path
from hype.files import aside
with aside(Path(sys.argv[1]), "export") as folder:
    (folder / "half").write_text("done")
    print("working", flush=True)
    sys.stdin.read()
"""
IN_TURN = """
import sys
from pathlib import Path
from hype.files import aside
for number in range(100):
    with aside(Path(sys.argv[1]), "export") as folder:
        (folder / "whole").write_text("done")
        folder.rename(Path(sys.argv[1]) / f"{sys.argv[2]}-{number}")
"""


def at_work(home: Path) -> subprocess.Popen[str]:
    """Start a program that makes a result and does not end."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORKS, home],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "working\n"
    return process


def names(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir())


def test_what_a_killed_program_left_is_removed_and_what_a_living_one_makes_is_not(tmp_path):
    with at_work(tmp_path) as killed:
        (left,) = names(tmp_path)
        with at_work(tmp_path) as living:
            killed.kill()
            assert killed.wait() == -signal.SIGKILL
            (making,) = set(names(tmp_path)) - {left}
            with aside(tmp_path, "backup"):
                assert {left, making} < set(names(tmp_path))
            with aside(tmp_path, "export") as folder:
                assert names(tmp_path) == sorted((making, folder.name))
            assert names(tmp_path) == [making]
            living.communicate()
    assert names(tmp_path) == []


def test_what_only_looks_like_it_stays(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    (home / ".hype-export-of-mine").mkdir()
    (home / ".hype-export-abcdefgh").write_text("a file")
    (home / ".hype-export-abcdefgi").symlink_to(elsewhere)
    before = names(home)
    with aside(home, "export"):
        pass

    assert names(home) == before
    assert elsewhere.is_dir()


def test_where_nothing_can_be_listed_something_can_be_made(tmp_path):
    tmp_path.chmod(0o300)
    try:
        with aside(tmp_path, "export") as folder:
            assert folder.is_dir()
    finally:
        tmp_path.chmod(0o700)


def test_it_is_gone_when_what_was_made_in_it_fails(tmp_path):
    with pytest.raises(KeyError), aside(tmp_path, "export"):
        raise KeyError
    assert names(tmp_path) == []


def test_several_at_once_take_nothing_from_one_another(tmp_path):
    programs = [
        subprocess.Popen([sys.executable, "-c", IN_TURN, tmp_path, str(number)])
        for number in range(3)
    ]
    assert [program.wait() for program in programs] == [0, 0, 0]
    assert names(tmp_path) == sorted(f"{one}-{n}" for one in range(3) for n in range(100))
