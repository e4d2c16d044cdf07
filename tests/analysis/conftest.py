from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def write_csv(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "judgements.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20190)
