"""What masks are made with, compiled."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled(kernels: None) -> None:
    """Compile it before the first test, and in one process only."""
