"""`hype timing`: input that it refuses, and the comparison with an outside witness's log."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from builders import named_study, whole_study
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import InputError
from hype.protocols.hype.exposures import COLUMNS, keep_exposures
from hype.protocols.hype.settings import Study
from hype.session.timing import Verdict
from hype.witness import Change, compare, read_witness, runs_of, trials_of_rows

WATCH = Path(__file__).parents[1] / "benchmarks" / "watch.py"
LONGEST_S = 100
WHITE, LIGHT, DARK, BLACK = LEVELS = ((255,) * 3, (160,) * 3, (80,) * 3, (0,) * 3)
THREE = ((10.0, 100.0), (11.0, 300.0), (12.0, 500.0))
"""Onsets (in s) and exposures (in ms) of three trials."""


def row(number: int, onset_s: float, exposure_ms: float, verdict: str = "ok") -> dict[str, object]:
    """Return a trial with two masks that was played exactly as requested, at 100 Hz."""
    durations_s = (exposure_ms / 1000, 0.03, 0.03)
    known = {
        "trial": number,
        "image": "real/000.png",
        "masks": "00000.png 00001.png",
        "exposure_ms": exposure_ms,
        "exposure_frames": round(exposure_ms / 10),
        "exposure_nominal_ms": exposure_ms,
        "exposure_measured_ms": exposure_ms,
        "exposure_deviation_ms": 0.0,
        "mask_ms": 30.0,
        "mask_frames": 3,
        "mask_nominal_ms": 30.0,
        "mask_measured_ms": "30.000 30.000",
        "flips_s": " ".join(f"{onset_s + sum(durations_s[:n]):.6f}" for n in range(4)),
        "flip_uncertainty_ms": 0.5,
        "missed_frames": 0,
        "verdict": verdict,
        "onset_unix_s": time.time() - 100 + onset_s,
    }
    assert set(known) == set(COLUMNS)
    return known


PLAYED = trials_of_rows(("", row(n, *each)) for n, each in enumerate(THREE, start=1))


def log_of(
    seen: Sequence[tuple[float, float]],
    *,
    later_s: float = 0.0,
    masks_ms: Sequence[float] = (30, 30),
) -> list[Change]:
    """Return a witness's log from onsets and the durations of images and masks."""
    changes = [(9.0 + later_s, BLACK)]
    for onset_s, exposure_ms in seen:
        now_s = onset_s + later_s
        for rgb, ms in zip(LEVELS, (exposure_ms, *masks_ms), strict=False):
            changes.append((now_s, rgb))
            now_s += ms / 1000
        changes.append((now_s, BLACK))
    return changes


def test_what_was_played_is_confirmed():
    found = compare(PLAYED, log_of(THREE), LEVELS)

    assert found.confirmed
    assert (found.clock_offset_s, found.unplayed) == (0, 0)
    for trial, (_, exposure_ms) in zip(found.trials, THREE, strict=True):
        assert trial.durations_ms == pytest.approx((exposure_ms, 30, 30))
        assert trial.onset_ms == pytest.approx(0, abs=1e-6)
        assert trial.disagreement_ms == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("image_ms", "mask_ms", "off"),
    [(111, 30, True), (109, 30, False), (100, 41, True), (89, 30, True)],
)
def test_a_trial_more_than_a_frame_off_is_a_false_ok(image_ms, mask_ms, off):
    log = log_of([(10.0, image_ms)], masks_ms=(mask_ms, 30))
    (said_ok,) = compare(PLAYED[:1], log, LEVELS).trials
    (flagged,) = compare([replace(PLAYED[0], verdict=Verdict.DROPPED)], log, LEVELS).trials

    assert (said_ok.off, said_ok.falsely_ok) == (off, off)
    assert (flagged.off, flagged.falsely_ok) == (off, False)


@pytest.mark.parametrize(
    ("seen", "times", "unplayed"),
    [
        ([], [0, 0, 0], 0),
        ([THREE[0], THREE[2]], [1, 0, 1], 0),
        ([THREE[0], (10.6, 50), *THREE[1:]], [1, 1, 1], 1),
        ([(10.0, 40.0), (10.1, 20.0), *THREE[1:]], [2, 1, 1], 0),
    ],
    ids=["nothing", "one too few", "one too many", "one twice"],
)
def test_each_image_must_be_seen_once(seen, times, unplayed):
    found = compare(PLAYED, log_of(seen), LEVELS)

    assert [trial.times_seen for trial in found.trials] == times
    assert found.unplayed == unplayed
    assert not found.confirmed


def test_a_witness_without_an_eye_for_masks_still_speaks_for_images():
    found = compare(PLAYED, log_of(THREE, masks_ms=()), LEVELS)

    assert found.confirmed
    assert [len(trial.durations_ms) for trial in found.trials] == [1, 1, 1]


def test_colours_are_the_nearest_and_those_only_passed_are_not_seen():
    """The screen needs 2 ms from black to white, and the diode is noisy meanwhile."""
    rise = [(10.0, (60,) * 3), (10.001, (170,) * 3), (10.002, (230,) * 3), (10.05, (240,) * 3)]
    masks = [(10.3, (150, 155, 140)), (10.4, (90,) * 3), (10.402, (12,) * 3)]
    runs = runs_of([(5.0, BLACK), *rise, *masks, (11.0, WHITE)], LEVELS, shortest_s=0.0025)

    assert [(run.level, run.begin_s) for run in runs] == [(3, 5.0), (0, 10.0), (1, 10.3), (3, 10.4)]


@given(
    st.lists(st.tuples(st.sampled_from([100, 300, 500]), st.floats(-0.9, 0.9)), min_size=4),
    st.sampled_from([0.0, -1e4, 123.456, 1.7e9]),
    st.data(),
)
def test_durations_and_misses_are_recovered(cases, clock_s, data):
    onsets_s = [1e5 + 1.37 * n + 0.01 * n * n for n in range(len(cases))]
    played = trials_of_rows(
        ("", row(n, onset_s, ms))
        for n, (onset_s, (ms, _)) in enumerate(zip(onsets_s, cases, strict=True))
    )
    unseen = data.draw(st.sets(st.integers(1, len(cases) - 2), max_size=len(cases) // 3))
    seen = [
        (onset_s, ms + noise_ms)
        for n, (onset_s, (ms, noise_ms)) in enumerate(zip(onsets_s, cases, strict=True))
        if n not in unseen
    ]
    found = compare(played, log_of(seen, later_s=clock_s), LEVELS)

    assert {n for n, trial in enumerate(found.trials) if trial.times_seen != 1} == unseen
    assert found.clock_offset_s == pytest.approx(clock_s, abs=1e-3)
    for trial, (ms, noise_ms) in zip(found.trials, cases, strict=True):
        assert trial.durations_ms[:1] in ((), pytest.approx((ms + noise_ms,), abs=1e-3))


# Reading


def test_a_log_is_read_with_or_without_more_columns(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("t_s,rgb,gap_ms\n1.5,000000,0.1\n1.5,FFffA0,0.2\n")

    assert read_witness(path) == ((1.5, BLACK), (1.5, (255, 255, 160)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t_s,colour\n1,000000\n", r"log\.csv: is not a log of a witness; columns t_s and rgb"),
        ("t_s,rgb\n", r"log\.csv: is not a log of a witness"),
        ("t_s,rgb\n1,000000\nsoon,ffffff\n", r"log\.csv, row 3: t_s = 'soon', rgb = 'ffffff'; t_s"),
        ("t_s,rgb\ninf,000000\n", "row 2: t_s = 'inf', rgb = '000000'"),
        ("t_s,rgb\n1,fff\n", "row 2: t_s = '1', rgb = 'fff'; t_s in seconds, not less"),
        ("t_s,rgb\n2,000000\n1.9,ffffff\n", r"row 3: t_s = '1\.9', rgb = 'ffffff'"),
    ],
)
def test_a_bad_log_is_refused_with_its_row(tmp_path, text, message):
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_witness(tmp_path / "log.csv")


@pytest.mark.parametrize(
    "cells",
    [{"flips_s": "11.0 11.1"}, {"flips_s": "a b c d"}, {"verdict": "fine"}, {"exposure_ms": "x"}],
)
def test_a_row_that_is_no_timing_is_refused(cells):
    with pytest.raises(InputError, match=r"timing\.csv line 2: "):
        trials_of_rows([("timing.csv line 2", row(1, 10, 100) | cells)])


# The command


@pytest.fixture
def played(tmp_path: Path) -> Study:
    """Return a study for which three exposures were played some time ago."""
    study = named_study(tmp_path / "study")
    keep_exposures(study, [row(number, *each) for number, each in enumerate(THREE, start=1)])
    return study


def written(path: Path, changes: Sequence[Change]) -> Path:
    lines = (f"{t_s:.6f},{bytes(rgb).hex()}" for t_s, rgb in changes)
    path.write_text("\n".join(["t_s,rgb", *lines, ""]))
    return path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--trials", 0), "--trials: 0 is too few; at least 1"),
        (("--exposures", "100 soon"), "--exposures: 'soon' is not a duration"),
        (("--exposures", "0"), "--exposures: '0' is not a duration; milliseconds above 0"),
        (("--witness", "log.csv"), "hype timing STUDY"),
    ],
)
@pytest.mark.usefixtures("no_window")
def test_what_cannot_be_played_is_refused(options, message, tmp_path, hype):
    named_study(tmp_path)

    assert message in hype("timing", tmp_path, *options).refused()


@pytest.mark.usefixtures("no_window")
def test_a_study_that_flashes_nothing_is_refused(tmp_path, hype):
    named_study(tmp_path, study={"methods": ["infinity"]})

    assert 'lacks "time"' in hype("timing", tmp_path).refused()


@pytest.mark.parametrize(
    ("seen", "later_s", "code", "sentence"),
    [
        (THREE, 0, 0, "saw 3 of 3 images exactly once."),
        (THREE, 5e5, 0, "The clocks of witness and program differ"),
        ([(9.5, 50), (20, 50)], 0, 1, "Is the photodiode aimed at the middle of the patch?"),
        ([THREE[0], (11.0, 311.0), THREE[2]], 0, 1, "1 (1 with the verdict ok)."),
    ],
    ids=["agrees", "another clock", "saw none", "saw one too long"],
)
@pytest.mark.usefixtures("no_window")
def test_a_log_is_compared_with_what_was_played_last(
    seen, later_s, code, sentence, played, tmp_path, hype
):
    path = written(tmp_path / "log.csv", log_of(seen, later_s=later_s))
    done = hype("timing", played.path, "--witness", path)

    assert done.code == code
    assert sentence in done.out


@pytest.mark.usefixtures("no_window")
def test_json_holds_every_trial_as_played_and_as_seen(played, tmp_path, hype):
    seen = [THREE[0], (11.001, 301.0), THREE[2]]
    path = written(tmp_path / "log.csv", log_of(seen))
    found = hype("timing", played.path, "--json", "--witness", path).json

    assert set(found) == {"study", "timing", "trials", "witness"}
    assert found["timing"]["verdicts"] == {"ok": 3, "late": 0, "dropped": 0, "seen": 0}
    assert [trial["exposure_ms"] for trial in found["trials"]] == [100, 300, 500]
    second = found["witness"]["trials"][1]
    assert second["durations_ms"] == pytest.approx([301, 30, 30])
    assert second["onset_ms"] == pytest.approx(1)
    assert found["witness"]["confirmed"] is True


# For real


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Start a virtual display whose pixels can be read from outside."""
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "640x480x24"]
    command += ["-fbdir", str(tmp_path), "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=(write_end,), stderr=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(read_end) as answer:
        number = answer.readline().strip()
    yield f":{number}", tmp_path / "Xvfb_screen0"
    server.terminate()
    server.wait()


@contextmanager
def started(command: list[object], display: str) -> Iterator[subprocess.Popen[str]]:
    """Start a program, and end it also after an exception."""
    environment = os.environ | {"DISPLAY": display}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as one:
        try:
            yield one
        finally:
            one.kill()


@pytest.mark.long
def test_an_outside_witness_sees_each_image_once(tmp_path, screen, hype):
    """The witness reads the frame buffer at the pixel that the command names."""
    display, framebuffer = screen
    patch = {"corner": "bottom-right", "size_px": 20, "on_rgb": [255, 255, 0]}
    study = whole_study(
        tmp_path / "study",
        display={"size_px": 96, "window_px": [640, 480], "refresh_hz": 100},
        timing={"patch": patch},
    )
    log = tmp_path / "log.csv"
    play = ["timing", study.folder, "--json", "--exposures", "200 400"]
    watch = [sys.executable, WATCH, framebuffer, "630", "470", log]
    with started(watch, display) as watching:
        with started([Path(sys.executable).parent / "hype", *play], display) as program:
            out, err = program.communicate(timeout=LONGEST_S)
        watching.terminate()
        watching.wait(LONGEST_S)
    assert program.returncode == 0, err
    opened = json.loads(out)["patch"]
    assert (opened["x_px"], opened["y_px"]) == (630, 470)
    assert "is pixel 630, 470 of the screen" in err
    done = hype("timing", study.folder, "--json", "--witness", log)
    assert done.code in (0, 1), done.err  # precision depends on the machine
    found = done.json
    assert [trial["times_seen"] for trial in found["witness"]["trials"]] == [1] * 4
    assert sorted(trial["exposure_ms"] for trial in found["trials"]) == [200, 200, 400, 400]
    assert (found["witness"]["clock_offset_s"], found["witness"]["unplayed"]) == (0, 0)
