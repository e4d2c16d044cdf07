"""How many masks a study needs, and how long the remaining ones take."""

from __future__ import annotations

import shutil
import time
from itertools import count
from pathlib import Path

import pytest
from builders import stimulus_set, whole_study
from running import Program

from hype.cli.masks import write_duration
from hype.masks.make import MaskJob, make_masks, number_of_masks
from hype.stimuli.manifest import read_manifest


@pytest.mark.parametrize(("trials", "masks"), [(150, 100), (60, 40), (4, 4), (7, 5)])
def test_an_evaluator_sees_a_mask_six_times_a_block_at_most(trials: int, masks: int) -> None:
    assert number_of_masks(trials, 4) == masks
    assert -(-trials * 4 // masks) <= 6


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (59.0, "59 s"), (94.0, "90 s"), (400.0, "7 min"), (5400.0, "1.5 h")],
)
def test_durations_are_said_as_roughly_as_they_are_known(seconds: float, words: str) -> None:
    assert write_duration(seconds) == words


def test_a_study_is_tried_while_its_masks_are_being_made(tmp_path: Path, hype: Program) -> None:
    """Sessions are planned with all masks from the start, so the finished set changes nothing."""
    study = whole_study(tmp_path / "study").folder
    shutil.rmtree(study / "masks")
    job = MaskJob(number=6, size_px=16, seed=0, method="phase-scramble")
    making = make_masks(read_manifest(study / "stimuli"), study / "masks", job)
    next(making)
    checked = hype("check", study, "--no-display")
    simulated = hype("simulate", study, "--evaluators", 2)

    assert checked.code == 2
    assert "5 of 6 masks are missing" in checked.out
    assert simulated.code == 0
    list(making)
    assert "masks are missing" not in hype("check", study, "--no-display").out
    assert hype("simulate", study, "--evaluators", 4).code == 0
    assert hype("verify", study).code == 0


def test_the_time_left_is_said_once_some_masks_are_timed(tmp_path: Path, hype: Program) -> None:
    """The time left is not shown if none are left once some are timed, or all existed before."""
    stimuli = stimulus_set(tmp_path / "stimuli", {"": 20, "crude": 20}, side_px=32)
    options = ("--method", "phase-scramble", "--workers", 2)
    few = hype("masks", "make", stimuli, "-o", tmp_path / "few", "-n", 16, *options)
    many = hype("masks", "make", stimuli, "-o", tmp_path / "many", "-n", 30, *options)
    again = hype("masks", "make", stimuli, "-o", tmp_path / "many", "-n", 30, *options)

    assert " masks are made. 14 more take about " in many.err
    assert "take about" not in few.err + again.err


def test_the_time_left_is_that_of_the_masks_before(
    tmp_path: Path, hype: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each reading of the clock is ten seconds later."""
    stimuli = stimulus_set(tmp_path / "stimuli", {"": 20, "crude": 20}, side_px=32)
    ticks = count(0.0, 10.0)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    options = ("-n", 20, "--method", "phase-scramble", "--workers", 1)
    made = hype("masks", "make", stimuli, "-o", tmp_path / "masks", *options)

    assert "8 masks are made. 12 more take about 30 s." in made.err
