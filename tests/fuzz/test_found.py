"""What was found once is read or refused, with a message that fits a screen, from now on."""

from pathlib import Path
from typing import Final

import pytest
from targets import TARGETS, was_read

FOUND: Final = Path(__file__).parent / "found"
FILES: Final = sorted(FOUND.rglob("*.bin"))


def test_every_target_has_found_files():
    assert {file.parent.name for file in FILES} == set(TARGETS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_found(file):
    """Those called sound are here to begin from; all others are wrong, and were more than that."""
    sound = file.stem.startswith("sound")

    assert was_read(file.parent.name, file.read_bytes()) == sound
