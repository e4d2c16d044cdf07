"""`hype pseudonym`: prints a code and nothing else, so that it can be handed to `hype run`."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from builders import pseudo_terminal

if TYPE_CHECKING:
    from running import Program

HYPE = Path(sys.executable).parent / "hype"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "key.csv"


def typed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_the_code_is_all_that_it_prints(key: Path, hype: Program) -> None:
    first, again = (hype("pseudonym", "--key", key, "--person", "Ann Lee") for _ in range(2))

    assert first.code == 0
    assert first.out == again.out
    code = first.out.strip()
    assert first.out == f"{code}\n"
    assert first.err == f"{code}: drawn now\n"
    assert again.err.startswith(f"{code}: has been in {key} since 20")
    assert "Ann" not in first.out + first.err


def test_a_name_can_be_piped_in(key: Path, hype: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    given = hype("pseudonym", "--key", key, "--person", "Zoë")
    typed(monkeypatch, "Zoë\n".encode())
    piped = hype("pseudonym", "--key", key)

    assert piped.out == given.out
    assert "Person" not in piped.err


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "has 0 characters"), (b"\n", "has 0 characters"), (b"\xff\n", "a control character")],
    ids=["nothing", "an empty line", "no text"],
)
def test_no_name(
    content: bytes, said: str, key: Path, hype: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, content)

    assert said in hype("pseudonym", "--key", key).refused()
    assert not key.exists()


def test_a_study_is_no_place_for_names(key: Path, hype: Program) -> None:
    (key.parent / "study.toml").touch()
    said = hype("pseudonym", "--key", key, "--person", "Ann").refused()

    assert said.startswith(f"hype: {key}: would lie in a study ({key.parent.resolve()})")
    assert not key.exists()


def test_at_a_terminal_it_asks_on_standard_error(key: Path) -> None:
    far, near = pseudo_terminal()
    process = subprocess.Popen(
        [HYPE, "pseudonym", "--key", key],
        stdin=near,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.write(far, b"Ann Lee\n")
    out, asked = process.communicate(timeout=60)
    os.close(far)
    os.close(near)

    assert process.returncode == 0
    assert asked == f"Person: {out.strip()}: drawn now\n"
    assert "Ann Lee" in key.read_text(encoding="utf-8-sig")
