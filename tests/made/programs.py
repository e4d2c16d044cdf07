"""The system that tests run on, and the programs of Debian packages that they start."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest

ON_WINDOWS = sys.platform == "win32" or "windows_like" in sys.modules


def program(name: str) -> str:
    """Find a program; if it is missing, the test fails, or is skipped without system packages."""
    return shutil.which(name) or missing(name)


def missing(name: str) -> NoReturn:
    """Fail or skip a test, since something that it needs is missing."""
    if os.environ.get("SYSTEM_PACKAGES") == "no":
        pytest.skip(f"{name} is missing, and system packages were declined")
    pytest.fail(f"{name} is missing; `make test` installs it", pytrace=False)


@contextmanager
def own_display() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Yield an X server that can be killed, and the name of its display."""
    read_end, write_end = os.pipe()
    command = [program("Xvfb"), "-displayfd", str(write_end), "-screen", "0", "1024x768x24"]
    server = subprocess.Popen(
        [*command, "-nolisten", "tcp", "-noreset"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as answers:
            assert select.select([answers], [], [], 120)[0]
            yield server, f":{answers.readline().strip()}"
    finally:
        server.kill()
        server.wait()
