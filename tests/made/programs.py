"""The system that tests run on, and the programs of Debian packages that they start."""

import os
import shutil
import sys
from typing import NoReturn

import pytest

ON_WINDOWS = sys.platform == "win32" or "windows_like" in sys.modules


def program(name: str) -> str:
    """Find a program; without it the test fails, or is skipped by who declined the packages."""
    return shutil.which(name) or missing(name)


def missing(name: str) -> NoReturn:
    """End a test that needs what is not here."""
    if os.environ.get("SYSTEM_PACKAGES") == "no":
        pytest.skip(f"{name} is missing, and packages of the system were declined")
    pytest.fail(f"{name} is missing; `make test` installs it", pytrace=False)
