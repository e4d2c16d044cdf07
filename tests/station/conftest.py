"""A tiny study, and a window to show it in."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from real_window import Opened

from hype.masks.make import MaskJob, make_masks
from hype.protocols.hype.settings import Study
from hype.protocols.load import load_study
from hype.session.stage import Seating, appearance_of
from hype.station.window import open_window
from hype.stimuli.collection import scan
from hype.stimuli.manifest import read_manifest

STUDY = """
[study]
name = "tiny"
methods = ["time"]
{study}

[stimuli]
folder = "stimuli"

[masks]
folder = "masks"

[practice]
trials = 0

[qualification]
enabled = false

[time]
blocks = 1
trials = 4
countdown_ms = 60
masks = 2
min_ms = 0

[time.staircase]
allow_unsettled = true

[keys]
left_means = "real"

[display]
fullscreen = false
size_px = 96
enlarge = true
feedback_ms = 30

[people]
rt_median_ms = 40
"""


def tiny_study(folder: Path, study: str = "", extra: str = "") -> Study:
    """Make a study of twelve small images; ``study`` adds lines to its first table."""
    rng = np.random.default_rng(0)
    for name in ("real", "fake/model"):
        place = folder / "stimuli" / name
        place.mkdir(parents=True)
        for number in range(6):
            pixels = rng.integers(0, 256, (32, 32), dtype=np.uint8)
            Image.fromarray(pixels).save(place / f"{number}.png")
    scan(folder / "stimuli")
    job = MaskJob(number=4, size_px=32, seed=0, method="phase-scramble")
    assert all(make_masks(read_manifest(folder / "stimuli"), folder / "masks", job))
    (folder / "study.toml").write_text(STUDY.format(study=study) + extra)
    return load_study(folder)


@pytest.fixture(scope="session")
def tiny():
    """Return the function that makes a study, for fixtures that a whole file uses."""
    return tiny_study


@pytest.fixture
def make_study(tmp_path):
    """Return `tiny_study` for the folder of the test."""
    return partial(tiny_study, tmp_path)


@contextmanager
def window_for(study: Study, display: bool) -> Iterator[Opened]:
    window, facts = open_window(appearance_of(study, Seating(simulated=True)), virtual=display)
    yield Opened(window, facts, study)
    window.close()


@pytest.fixture
def opened(display, make_study):
    """Open a window for a tiny study."""
    with window_for(make_study(), display) as opened:
        yield opened


@pytest.fixture(scope="module")
def opened_once(display, tmp_path_factory):
    """Open one window for all tests of a file that leave it unchanged."""
    with window_for(tiny_study(tmp_path_factory.mktemp("tiny")), display) as opened:
        yield opened
