"""A program that pushes a study's record whenever it is told to; it ends when nobody tells it more.

Called with the path of a study. It says with a byte that it is ready, and after each push how that
went.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from hype.errors import HypeError
from hype.protocols.load import load_any
from hype.protocols.studies import AnyStudy
from hype.session.pushing import push_record
from hype.session.records import central_of

READY: Final = b"r"
PUSHED: Final = b"p"
FAILED: Final = b"f"


def main() -> None:
    """Push once for each byte that comes in."""
    study = load_any(Path(sys.argv[1]))
    say(READY)
    while sys.stdin.buffer.read(1):
        say(attempt(study))


def attempt(study: AnyStudy) -> bytes:
    """Push, and say how that went; whoever runs the session is told at its end."""
    try:
        push_record(study, central_of(study))
    except HypeError:
        return FAILED
    return PUSHED


def say(byte: bytes) -> None:
    sys.stdout.buffer.write(byte)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
