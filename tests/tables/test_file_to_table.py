"""The way of an answer from where it is kept to a checked table: through how few files it goes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import hype
from hype.answers.choices import Choices
from hype.protocols.opening import answers_in, opened
from hype.tables.formats import read_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

ROOT: Final = f"{Path(hype.__file__).parent}/"
MOST_FILES: Final = 16


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


def test_a_table_is_read_through_few_files_and_its_file_comes_first(tmp_path):
    table = tmp_path / "judgements.csv"
    hype.example("infinity").to_csv(table, index=False)
    read = opened(str(table), Choices())
    protocol = answers_in(read, Choices())
    protocol.scoring.read(read, Choices())  # what it takes is loaded

    called = files_called(lambda: protocol.scoring.read(read_table(table), Choices()))

    assert len(set(called)) <= MOST_FILES, sorted(set(called))
    assert "tables/table_files.py" not in called[called.index("tables/answers.py") :]
