"""Permissions of written files: only the owner can read judgements, everybody can read images."""

from pathlib import Path

import pytest
from builders import named_study

from hype.protocols.hype.exposures import COLUMNS, keep_exposures


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return named_study(tmp_path_factory.mktemp("study")).folder


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_what_holds_judgements_is_its_owners(study, tmp_path, hype):
    hype("simulate", study, "--evaluators", "8")
    for command in (
        ("export", study, "-o", tmp_path / "out", "--simulated"),
        ("report", study, "--simulated", "--draws", "100"),
        ("score", study, "--image-table", tmp_path / "i.csv", "--simulated", "--draws", "100"),
    ):
        assert hype(*command).code == 0, command
    for path in (tmp_path / "out/judgements.csv", tmp_path / "i.csv", study / "report.html"):
        assert mode(path) == 0o600, path


def test_played_exposures_are_their_owners(tmp_path):
    path = keep_exposures(named_study(tmp_path), [dict.fromkeys(COLUMNS, 1)])

    assert mode(path) == 0o600


def test_a_new_study_can_be_read_by_all(tmp_path, hype):
    assert hype("new", tmp_path / "mine").code == 0
    assert mode(tmp_path / "mine/study.toml") == 0o644
