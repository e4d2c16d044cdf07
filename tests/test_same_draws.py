"""What the tests draw is the same every time, whatever a process did before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

PROGRAM = """
import conftest
{before}
from hypothesis import given, strategies as st

@given(st.integers(), st.floats(), st.text())
def each(a, b, c):
    print(ascii((a, b, c)))

each()
"""


def drawn(*, before: str) -> list[str]:
    program = ["-c", PROGRAM.format(before=before)]
    path = os.pathsep.join([str(TESTS / "made"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *program],
        cwd=TESTS,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().splitlines()


@pytest.mark.long
def test_modules_that_were_loaded_change_no_draw():
    first = drawn(before="")
    assert len(set(first)) > 40
    assert drawn(before="import hype.protocols.hype.design, hype.protocols.hype.scoring") == first
