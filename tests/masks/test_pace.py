"""How long masks will take is said before they are made, from some that are timed."""

from __future__ import annotations

import shutil
import time
from itertools import count
from pathlib import Path

import pytest
from builders import stimulus_set, whole_study
from running import Program

from hype.masks.make import (
    TIMED_PX,
    MaskJob,
    expected,
    in_words,
    make_masks,
    number_of_masks,
    seconds_of_one,
)
from hype.stimuli.manifest import StimulusSet, read_manifest


@pytest.fixture
def images(tmp_path: Path) -> StimulusSet:
    return read_manifest(stimulus_set(tmp_path / "stimuli", {"": 2, "crude": 2}, side_px=32))


def job(number: int, size_px: int = 256) -> MaskJob:
    return MaskJob(number=number, size_px=size_px, seed=0, method="phase-scramble")


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each look at the clock find it a quarter of a second later."""
    ticks = count(0.0, 0.25)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))


@pytest.mark.usefixtures("ticking")
def test_time_goes_with_the_area_and_is_shared_among_workers(images: StimulusSet) -> None:
    assert seconds_of_one(images, job(100, size_px=TIMED_PX)) == 0.25
    assert seconds_of_one(images, job(100, size_px=2 * TIMED_PX)) == 1.0
    assert (
        expected(images, job(4800), 10) == "4800 masks of 256 px take about 2 min on 10 cores here"
    )


@pytest.mark.usefixtures("ticking")
def test_masks_that_are_there_take_no_time(images: StimulusSet, tmp_path: Path) -> None:
    list(make_masks(images, tmp_path / "masks", job(4, size_px=16)))

    said = expected(images, job(20, size_px=16), 1, tmp_path / "masks")
    assert said == "16 masks of 16 px take about 4 s on 1 core here"
    assert expected(images, job(11, size_px=16), 1, tmp_path / "masks") == ""


@pytest.mark.parametrize(("trials", "masks"), [(150, 100), (60, 40), (4, 4), (7, 5)])
def test_an_evaluator_sees_a_mask_six_times_a_block_at_most(trials: int, masks: int) -> None:
    assert number_of_masks(trials, 4) == masks
    assert -(-trials * 4 // masks) <= 6


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (59.0, "59 s"), (200.0, "3 min"), (5400.0, "1.5 h")]
)
def test_durations_are_said_as_roughly_as_they_are_known(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_commands_say_it_before(tmp_path: Path, hype: Program) -> None:
    study = whole_study(tmp_path / "study").folder
    file = study / "study.toml"
    file.write_text(file.read_text().replace("trials = 6", "trials = 60", 1))
    shutil.rmtree(study / "masks")
    options = ("-n", 9, "--method", "phase-scramble", "--workers", 1)
    checked = hype("check", study, "--no-display")
    made = hype("masks", "make", study / "stimuli", "-o", study / "masks", *options)

    assert "masks       none yet; 40 masks of 16 px take about " in checked.out
    assert made.err.index("9 masks of 16 px take about 1 s on 1 core here.") < made.err.index("9/9")
