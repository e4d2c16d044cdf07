"""The record, or files next to it, are removed or changed during a session."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from faults.ordeal import trials_told
from long import long_but

PACE_MS: Final = 20
LOG, SHARED = "data.sqlite-wal", "data.sqlite-shm"


def removed(*names: str) -> Callable[[Path], None]:
    def remove(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return remove


def exchanged(folder: Path) -> None:
    shutil.copy(folder / LOG, folder / "copy")
    (folder / "copy").replace(folder / LOG)


def cut(folder: Path) -> None:
    os.truncate(folder / LOG, 0)


CHANGES: Final[dict[str, tuple[Callable[[Path], None], str]]] = {
    "its log": (removed(LOG), f"{LOG} was removed or replaced"),
    "its log and what is shared": (removed(LOG, SHARED), f"{LOG} was removed or replaced"),
    "what is shared": (removed(SHARED), f"{SHARED} was removed or replaced"),
    "the record, for good": (removed("data.sqlite"), "the record is not there any more"),
    "a log that was exchanged": (exchanged, f"{LOG} was removed or replaced"),
    "a log that was cut": (cut, f"{LOG} was cut"),
}


def shown(number: int) -> Callable[[list[str]], bool]:
    """Return a function that tells whether a session has shown that many trials."""
    return lambda lines: len(trials_told(lines, "shown")) >= number


def go_on_from(backup: Path, folder: Path) -> None:
    """Restore the record from the backup, as the message advises."""
    for file in folder.glob("data.sqlite*"):
        if file.is_file():
            file.unlink()
    shutil.copy(backup, folder / "data.sqlite")


@pytest.mark.parametrize(
    "what", long_but(["its log", "a log that was cut", "the record, for good"], CHANGES)
)
def test_nothing_is_lost_with_files_under_an_open_record(what, ordeal, figures):
    change, said = CHANGES[what]
    one = ordeal("timed", figures("disks"), pace_ms=PACE_MS)
    sitter = one.begin().read_until(shown(5))
    change(one.folder)
    sitter.wait()
    assert sitter.code == 1
    assert said in sitter.says
    assert "run the same command again" in sitter.says
    assert sitter.lines[-1] == "trouble"
    saved = re.search(r"\S*/backups/[\w-]+\.sqlite", sitter.says)
    assert bool(saved) == (what != "its log")
    if saved:
        go_on_from(Path(saved[0]), one.folder)
    one.end(sitter)
    one.finish()
