"""The way of an answer from where it is kept to a checked table: through how few files it goes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

import pytest
from builders import named_study
from paper_station import record_of

import hype
from hype.answers.choices import Choices
from hype.protocols.opening import answers_in, opened
from hype.protocols.registry import course_of
from hype.session.outgoing import reading
from hype.session.simulate import Simulation
from hype.tables.formats import read_table
from hype.tables.table_files import FrameTable

ROOT: Final = f"{Path(hype.__file__).parent}/"
MOST_FILES: Final = 16
SIMULATED: Final = Choices(simulated=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = named_study(
        tmp_path_factory.mktemp("read"),
        {"": 20, "crude": 20, "good": 20},
        study={"methods": ["infinity"]},
        qualification={"enabled": False},
        infinity={"trials": 10},
    )
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).fill(1))
    return Path(study.folder)


@pytest.fixture(scope="module")
def table(folder: Path) -> Path:
    from known import write_csv

    study = opened(str(folder), SIMULATED)
    assert not isinstance(study, FrameTable)
    with reading(study) as engine:
        write_csv(engine, study, folder, simulated=True)
    return folder / "judgements.csv"


def files_called(action: Callable[[], object]) -> list[str]:
    """List the files of the program in which functions are called, one name for each call."""
    called: list[str] = []

    def note(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return [name.removeprefix(ROOT) for name in called if name.startswith(ROOT)]


def test_a_table_is_read_through_few_files_and_its_file_comes_first(table: Path) -> None:
    read = opened(str(table), SIMULATED)
    protocol = answers_in(read, SIMULATED)
    protocol.scoring.read(read, SIMULATED)  # what it takes is loaded

    called = files_called(lambda: protocol.scoring.read(read_table(table), SIMULATED))

    assert len(set(called)) <= MOST_FILES, sorted(set(called))
    assert "tables/table_files.py" not in called[called.index("tables/cells.py") :]
