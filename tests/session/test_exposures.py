"""Exposures without a participant: planned, played and recorded."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from builders import ENOUGH, named_study, pools_of, rewrite_row, whole_study

from hype.errors import InputError, SessionProblem
from hype.protocols.hype.exposures import (
    COLUMNS,
    EXPOSURES_FILE,
    exposures_of,
    keep_exposures,
    plan_exposures,
    play,
    present_all,
    read_exposures,
)
from hype.protocols.hype.pools import read_pools
from hype.protocols.hype.trial import JudgementTrial
from hype.session.loop import Presentation, SessionStopped
from hype.session.stage import Seating
from hype.session.steps import Step
from hype.session.timing import Verdict


def planned(
    folder: Path, trials: int = 3, *, seed: int = 0, masks: int = 8, **changes: object
) -> tuple[JudgementTrial, ...]:
    study = named_study(folder, **changes)
    rng = np.random.default_rng(seed)
    return plan_exposures(study, pools_of(masks=masks), (100.0, 300.0, 500.0), trials, rng)


def test_each_duration_is_played_as_often_as_asked_in_random_order(tmp_path):
    plan = planned(tmp_path, 20)
    durations_ms = [trial.exposure_ms for trial in plan]

    assert Counter(durations_ms) == {100.0: 20, 300.0: 20, 500.0: 20}
    assert durations_ms != sorted(durations_ms)
    assert [trial.number for trial in plan] == list(range(1, 61))


def test_pictures_are_the_studys_own_of_every_condition(tmp_path):
    plan = planned(tmp_path, 20)

    assert {trial.stimulus.condition for trial in plan} == set(ENOUGH)
    assert {mask for trial in plan for mask in trial.masks} == {f"{n:05d}.png" for n in range(8)}
    for trial in plan:
        assert len(set(trial.masks)) == 4
        assert trial.mask_ms == 30


def test_the_same_seed_gives_the_same_plan(tmp_path):
    seeds = enumerate((0, 0, 1))
    first, again, other = (planned(tmp_path / f"{n}", seed=seed) for n, seed in seeds)

    assert first == again
    assert first != other


def test_too_few_masks_are_refused(tmp_path):
    with pytest.raises(
        InputError, match=r"fewer masks \(3\) than a trial shows \(4\); make more with"
    ):
        planned(tmp_path, masks=3)


def test_what_a_study_can_ask_for_is_what_its_staircase_can(tmp_path):
    rule = {"min_ms": 100, "start_ms": 130, "max_ms": 150}
    study = named_study(tmp_path, time={"staircase": rule})

    assert exposures_of(study) == (100, 110, 120, 130, 140, 150)


# At a window

SMALL = {"display": {"size_px": 96, "window_px": [640, 480], "refresh_hz": 100}}


def test_exposures_are_played_in_order_and_each_is_measured(tmp_path, display):
    """The place of the patch is printed before the patch lights up."""
    patch = {"patch": {"corner": "bottom-right", "size_px": 20}}
    study = whole_study(tmp_path, time={"masks": 2}, timing=patch, **SMALL)
    rng = np.random.default_rng(0)
    plan = plan_exposures(study, read_pools(study), (50.0, 100.0), 2, rng)
    windows, told = [], []
    rows = play(
        study,
        plan,
        Seating(simulated=False, virtual_display=display, windowed=True),
        opened=lambda *window: (windows.append(window), told.append("opened")),
        played=lambda: told.append("played"),
        remark=told.append,
    )
    ((shown, patch_px),) = windows

    assert told == ["opened", *["played"] * 4]
    assert shown["window_px"] == (640, 480)
    if display:
        assert patch_in(shown, patch_px) == (630, 470)
    assert [row["image"] for row in rows] == [trial.stimulus.path for trial in plan]
    for row, trial in zip(rows, plan, strict=True):
        assert tuple(row) == COLUMNS
        assert row["exposure_nominal_ms"] == trial.exposure_ms
        assert row["exposure_frames"] == trial.exposure_ms / 10
        assert row["exposure_measured_ms"] > 0.8 * trial.exposure_ms
        assert len(row["mask_measured_ms"].split()) == 2
        assert len(row["flips_s"].split()) == 4
        Verdict(row["verdict"])
    onsets_s = [float(row["flips_s"].split()[0]) for row in rows]
    assert onsets_s == sorted(onsets_s)
    assert not list(tmp_path.glob("data.sqlite*"))


def patch_in(shown: dict, patch_px: tuple[int, int]) -> tuple[int, int]:
    """Return the patch's place in its window, which is centred without a window manager."""
    x_px, y_px = patch_px
    width_px, height_px = shown["screen_px"]
    return x_px - (width_px - 640) // 2, y_px - (height_px - 480) // 2


def test_a_missing_picture_ends_it_with_one_message(tmp_path, display):
    study = whole_study(tmp_path, **SMALL)
    for image in (tmp_path / "stimuli").rglob("*.png"):
        image.unlink()
    plan = plan_exposures(study, read_pools(study), (50.0,), 1, np.random.default_rng(0))
    seating = Seating(simulated=False, virtual_display=display, windowed=True)

    with pytest.raises(InputError, match=r"\.png: "):
        play(study, plan, seating, opened=print, played=print, remark=print)


class Stopping:
    """A station at which an evaluator presses the pause key at the second trial, and quits."""

    def __init__(self) -> None:
        self.trials = 0

    def present(self, step: Step) -> Presentation:
        self.trials += isinstance(step, JudgementTrial)
        if self.trials == 2:
            raise SessionStopped
        return Presentation(0.0, 0.0)


def test_what_was_stopped_is_not_kept(tmp_path):
    played: list[int] = []

    with pytest.raises(SessionProblem, match="stopped before all exposures were played"):
        list(present_all(Stopping(), planned(tmp_path), lambda: played.append(1)))
    assert played == [1]


# The file

ROW = {
    "trial": 1,
    "image": "real/000.png",
    "masks": "00001.png 00002.png",
    "exposure_ms": 100.0,
    "exposure_frames": 10,
    "exposure_nominal_ms": 100.0,
    "exposure_measured_ms": 100.125,
    "exposure_deviation_ms": 0.125,
    "mask_ms": 30.0,
    "mask_frames": 3,
    "mask_nominal_ms": 30.0,
    "mask_measured_ms": "29.9 30.1",
    "flips_s": "11.0 11.100125 11.130025 11.160125",
    "flip_uncertainty_ms": 0.6,
    "missed_frames": 0,
    "verdict": "ok",
    "onset_unix_s": 1.7e9,
}
BARE = ROW | {"trial": 2, "masks": "", "onset_unix_s": 1.7e9 + 1}
BARE |= dict.fromkeys(("mask_frames", "mask_nominal_ms", "mask_measured_ms"))


def test_what_was_kept_is_read_as_it_was(tmp_path):
    study = named_study(tmp_path)
    assert keep_exposures(study, [ROW, BARE]) == tmp_path / EXPOSURES_FILE
    (_, first), (where, second) = read_exposures(study)

    assert first == ROW
    assert second == BARE | {"masks": None}
    assert where == f"{tmp_path / EXPOSURES_FILE} line 3"


def test_what_was_kept_and_spoilt_is_refused_with_its_line(tmp_path):
    study = named_study(tmp_path)
    rewrite_row(keep_exposures(study, [ROW, ROW]), 1, exposure_frames="ten")

    with pytest.raises(
        InputError, match=r"timing\.csv line 3: exposure_frames: 'ten' is not a whole number"
    ):
        list(read_exposures(study))
