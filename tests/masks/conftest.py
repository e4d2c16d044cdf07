"""Compiles the kernels that make masks."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled(kernels: None) -> None:
    """Compile the kernels before the first test, and in one process only."""
