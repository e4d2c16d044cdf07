"""List the files of hype that one must read to follow a command: it calls their functions.

python benchmarks/files_run.py score STUDY --simulated

The command runs twice, so that functions that are called only on import do not count.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType

import hype
from hype.cli.main import main

ROOT = str(Path(hype.__file__).parent) + "/"
called: set[str] = set()


def note(frame: FrameType, event: str, _argument: object) -> None:
    """Store the file of a called function; skip the code that defines a class or module."""
    code = frame.f_code
    if event == "call" and code.co_flags & inspect.CO_OPTIMIZED:
        called.add(code.co_filename)


sys.argv[0] = "hype"
with suppress(SystemExit):
    main()
sys.setprofile(note)
with suppress(SystemExit):
    main()
sys.setprofile(None)
own = sorted(name.removeprefix(ROOT) for name in called if name.startswith(ROOT))
print(*own, f"{len(own)} files", sep="\n")
