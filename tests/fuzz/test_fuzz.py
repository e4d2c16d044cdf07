"""Every file is read or refused; no other error, no warning, and no endless message appears.

The long form (``pytest --soak``) tries far more files, different ones each time unless a printed
seed is given, and prints their number.
"""

import random
import time
from collections.abc import Mapping
from typing import Final

import pytest
from hypothesis import HealthCheck, given, seed, settings
from strange_files import FILES, FOUND
from targets import TARGETS, was_read

SHORT: Final = 30
LONG: Final[Mapping[str, int]] = {
    "study": 30_000,
    "judgements": 15_000,
    "parquet": 15_000,
    "stimuli": 25_000,
    "masks": 20_000,
    "image": 40_000,
    "record": 5_000,
}
AT_ONCE: Final = 1000
"""Number of files for one seed: Hypothesis keeps all files that it tried, and becomes slower."""


FOUND_FILES: Final = sorted(FOUND.rglob("*.bin"))


def test_every_target_has_files():
    assert FILES.keys() == LONG.keys() == TARGETS.keys()
    assert {file.parent.name for file in FOUND_FILES} == {*TARGETS}


@pytest.mark.parametrize("file", FOUND_FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_what_was_found_once_is_read_or_refused(file):
    """Files called ``sound`` are examples to start from; the others once caused an error."""
    assert was_read(file.parent.name, file.read_bytes()) == file.stem.startswith("sound")


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_is_read_or_refused_and_nothing_else(name, soak, pytestconfig, capsys):
    chance = random.Random(f"{name} {pytestconfig.option.hypothesis_seed}")
    files = LONG[name] if soak else SHORT
    outcomes: list[bool] = []
    began = time.monotonic()
    while len(outcomes) < files:
        look_at_files(name, chance.getrandbits(64), min(AT_ONCE, files), outcomes)

    took_s = time.monotonic() - began
    if soak:
        with capsys.disabled():
            read = f"{sum(outcomes):,} of them read"
            print(f"\nfuzzed: {name}: {len(outcomes):,} files, {read}, in {took_s:.0f} s")
        assert 0.01 < sum(outcomes) / len(outcomes) < 0.9, "some files must be valid"


def look_at_files(name: str, number: int, examples: int, outcomes: list[bool]) -> None:
    """Try some files; if one fails, the seed ``number`` is printed and gives the same files."""

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    @given(FILES[name])
    def each(data: bytes) -> None:
        outcomes.append(was_read(name, data))

    each()
