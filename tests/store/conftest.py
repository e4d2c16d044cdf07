"""Fixtures for a record in a separate folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from hype.store.record import RECORD_FILE
from hype.store.sqlite_record import writing_record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / RECORD_FILE


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    with writing_record(path) as engine:
        yield engine
