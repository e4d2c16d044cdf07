"""In each test, servers keep the data that are outside the study in a folder of the test."""

import pytest


@pytest.fixture(autouse=True)
def state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
