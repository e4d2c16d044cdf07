"""The installed program, run as a station runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HYPE = Path(sys.executable).with_name("hype")
LONGEST_S = 120


@dataclass(frozen=True)
class Ended:
    """How a run of the program ended, and all that it said."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


def hype(*arguments: object, **variables: str) -> Ended:
    """Run the program to its end, with some variables of its environment set."""
    done = subprocess.run(
        [HYPE, *map(str, arguments)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
