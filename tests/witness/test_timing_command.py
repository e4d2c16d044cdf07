"""`hype timing`: what it refuses, what it prints, and what it makes of a witness's log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from builders import named_study, whole_study

from hype.cli import timing as witness
from hype.cli.timing import Evidence, await_log
from hype.errors import InputError
from hype.protocols.hype.exposures import COLUMNS, EXPOSURES_FILE, keep_exposures
from hype.protocols.hype.settings import Study
from hype.witness.comparison import played_of_rows
from hype.witness.log import Levels

if TYPE_CHECKING:
    from running import Program

WATCH = Path(__file__).parents[2] / "benchmarks" / "watch.py"
LONGEST_S = 100
COLOURS = ("ffffff", "a0a0a0", "505050")


def row(number: int, onset_s: float, exposure_ms: float, verdict: str = "ok") -> dict[str, object]:
    """Give a trial with two masks that was played as it should be."""
    durations_s = (exposure_ms / 1000, 0.03, 0.03)
    flips_s = [onset_s + sum(durations_s[:n]) for n in range(4)]
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
        "flips_s": " ".join(f"{flip_s:.6f}" for flip_s in flips_s),
        "flip_uncertainty_ms": 0.5,
        "missed_frames": 0,
        "verdict": verdict,
        "onset_unix_s": time.time() - 100 + onset_s,
    }
    assert set(known) == set(COLUMNS)
    return known


THREE = ((10.0, 100.0), (11.0, 300.0), (12.0, 500.0))


@pytest.fixture
def played(tmp_path: Path) -> Study:
    """Give a study of which three exposures were played a while ago."""
    study = named_study(tmp_path / "study")
    keep_exposures(study, [row(number, *each) for number, each in enumerate(THREE, start=1)])
    return study


def log(
    path: Path, seen: Sequence[tuple[float, float]], *, later_s: float = 0, begin_s: float = 9
) -> Path:
    """Write what a witness saw: onsets, and what the images lasted."""
    lines = ["t_s,rgb", f"{begin_s + later_s},000000"]
    for onset_s, exposure_ms in seen:
        now_s = onset_s + later_s
        for rgb, duration_ms in zip(COLOURS, (exposure_ms, 30, 30), strict=True):
            lines.append(f"{now_s:.6f},{rgb}")
            now_s += duration_ms / 1000
        lines.append(f"{now_s:.6f},000000")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# Refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--trials", 0), "--trials: 0 is too few; at least 1"),
        (("--exposures", "100 soon"), "--exposures: 'soon' is no duration"),
        (("--exposures", "0"), "--exposures: '0' is no duration; milliseconds above 0"),
        (("--exposures", "nan"), "--exposures: 'nan' is no duration"),
    ],
)
@pytest.mark.usefixtures("no_window")
def test_what_cannot_be_played_is_refused(
    options: tuple[object, ...], message: str, tmp_path: Path, hype: Program
) -> None:
    named_study(tmp_path)

    assert message in hype("timing", tmp_path, *options).refused()


@pytest.mark.usefixtures("no_window")
def test_a_study_that_flashes_nothing_is_refused(tmp_path: Path, hype: Program) -> None:
    named_study(tmp_path, study={"methods": ["infinity"]})

    assert 'lacks "time"' in hype("timing", tmp_path).refused()


# A log of what was played before


@pytest.mark.usefixtures("no_window")
def test_a_log_of_the_last_exposures_is_compared_without_playing(
    played: Study, tmp_path: Path, hype: Program
) -> None:
    done = hype("timing", played.path, "--witness", log(tmp_path / "log.csv", THREE))

    assert done.code == 0
    assert "nothing is played" in done.err
    assert "saw 3 of 3 images exactly once." in done.out
    assert "No trial was more than a frame off." in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


@pytest.mark.usefixtures("no_window")
def test_json_holds_every_trial_as_played_and_as_seen(
    played: Study, tmp_path: Path, hype: Program
) -> None:
    seen = [THREE[0], (11.001, 301.0), THREE[2]]
    found = hype(
        *("timing", played.path, "--json"), *("--witness", log(tmp_path / "log.csv", seen))
    ).json

    assert set(found) == {"study", "display", "patch", "timing", "trials", "witness"}
    assert found["display"] is None
    assert found["patch"]["on_rgb"] == [255, 255, 255]
    assert found["timing"]["verdicts"] == {"ok": 3, "late": 0, "dropped": 0, "seen": 0}
    assert [t["exposure_ms"] for t in found["trials"]] == [100, 300, 500]
    assert [t["times_seen"] for t in found["trials"]] == [1, 1, 1]
    assert [t["witnessed_exposure_ms"] for t in found["trials"]] == [100, 301, 500]
    assert found["trials"][1]["onset_difference_ms"] == pytest.approx(1)
    assert found["trials"][1]["witnessed_mask_ms"] == pytest.approx([30, 30])
    assert found["witness"]["confirmed"] is True
    assert found["witness"]["largest_disagreement_ms"] == pytest.approx(1)


WRONG = {
    "none was seen": ([(9.5, 50), (20, 50)], "Is it aimed at the middle of the patch?"),
    "one was not seen": ([THREE[0], THREE[2]], "saw 2 of 3 images exactly once; 1 not at all"),
    "one came that nobody played": ([THREE[0], (10.6, 50), *THREE[1:]], "1 more that nobody"),
    "one was too long": ([THREE[0], (11.0, 311.0), THREE[2]], "1 called ok"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.usefixtures("no_window")
def test_a_witness_that_does_not_agree_makes_the_command_fail(
    case: str, played: Study, tmp_path: Path, hype: Program
) -> None:
    seen, sentence = WRONG[case]
    done = hype("timing", played.path, "--witness", log(tmp_path / "log.csv", seen))

    assert done.code == 1
    assert sentence in done.out


@pytest.mark.usefixtures("no_window")
def test_what_was_too_long_and_flagged_is_no_failure(
    played: Study, tmp_path: Path, hype: Program
) -> None:
    verdicts = ("ok", "dropped", "ok")
    keep_exposures(
        played,
        [row(n, *each, v) for n, (each, v) in enumerate(zip(THREE, verdicts, strict=True), 1)],
    )
    seen = [THREE[0], (11.0, 311.0), THREE[2]]
    done = hype("timing", played.path, "--witness", log(tmp_path / "log.csv", seen))

    assert done.code == 0
    assert "1 trial was more than a frame off: 1 flagged by the verdict, 0 called ok." in done.out


@pytest.mark.usefixtures("no_window")
def test_a_log_by_another_clock_is_compared_too(
    played: Study, tmp_path: Path, hype: Program
) -> None:
    path = log(tmp_path / "log.csv", THREE, later_s=5e5)
    done = hype("timing", played.path, "--witness", path)

    assert done.code == 0
    assert "a clock of its own" in done.out


@pytest.mark.parametrize("what", ["older", "without an image", "not there", "of other exposures"])
@pytest.mark.usefixtures("no_window")
def test_where_no_log_tells_of_the_last_exposures_they_are_played_anew(
    what: str, played: Study, tmp_path: Path, hype: Program
) -> None:
    path = tmp_path / "log.csv"
    if what == "older":
        log(path, THREE, later_s=-5)
        os.utime(path, (0, 0))
    elif what == "without an image":
        log(path, [])
    elif what == "of other exposures":
        log(path, THREE[:1], later_s=400)

    with pytest.raises(AssertionError, match="a window was to be opened"):
        hype("timing", played.path, "--witness", path)


@pytest.mark.usefixtures("no_window")
def test_a_finished_log_that_is_none_is_refused(
    played: Study, tmp_path: Path, hype: Program
) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t_s,rgb\n1,white\n")
    finished_s = time.time() - 2 * witness.SETTLED_S
    os.utime(path, (finished_s, finished_s))

    assert (
        "log.csv, row 2: rgb 'white' is no colour"
        in hype("timing", played.path, "--witness", path).refused()
    )


# Waiting


def evidence(folder: Path) -> Evidence:
    rows = [("", row(n, *each)) for n, each in enumerate(THREE, 1)]
    return Evidence(
        played=played_of_rows(rows),
        levels=Levels(on_rgb=(255,) * 3, masks_rgb=((160,) * 3, (80,) * 3), off_rgb=(0,) * 3),
        since_unix_s=time.time() - 30,
        kept_in=folder / EXPOSURES_FILE,
    )


@pytest.mark.parametrize("there", [False, True])
def test_a_log_that_does_not_come_ends_it_and_says_what_is_kept(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "PATIENCE_S", 0.1)
    path, told = tmp_path / "log.csv", []
    if there:
        log(path, THREE[:2])

    problem = "does not tell of the last exposures" if there else "there is no such log"
    with pytest.raises(InputError, match=rf"{problem}; what was played is kept in .*timing\.csv"):
        await_log(path, evidence(tmp_path), waiting=told.append)
    assert len(told) == 1
    assert "Waiting for" in told[0]


def test_a_log_that_is_there_is_not_waited_for(tmp_path: Path) -> None:
    told: list[str] = []
    changes = await_log(log(tmp_path / "log.csv", THREE), evidence(tmp_path), waiting=told.append)

    assert len(changes) == 13
    assert not told


def test_a_finished_log_with_too_few_images_is_taken_as_it_is(tmp_path: Path) -> None:
    """By another clock, of which only the file's date says that it is about these trials."""
    path = log(tmp_path / "log.csv", THREE[:2], later_s=1e5)
    finished_s = time.time() - 2 * witness.SETTLED_S
    os.utime(path, (finished_s, finished_s))

    assert len(await_log(path, evidence(tmp_path), waiting=print)) == 9


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
    """Start a program, and end it whatever happens."""
    environment = os.environ | {"DISPLAY": display}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as one:
        try:
            yield one
        finally:
            one.kill()


def test_an_outside_witness_sees_each_image_once(tmp_path: Path, screen: tuple[str, Path]) -> None:
    """A program that reads the frame buffer, aimed where the command says."""
    display, framebuffer = screen
    patch = {"corner": "bottom-right", "size_px": 20, "on_rgb": [255, 255, 0]}
    study = whole_study(
        tmp_path / "study",
        display={"size_px": 96, "window_px": [640, 480], "refresh_hz": 100},
        timing={"patch": patch},
    )
    command = [Path(sys.executable).parent / "hype", "timing", study.folder, "--json"]
    command += ["--exposures", "200 400", "--trials", "2", "--witness", tmp_path / "log.csv"]
    watch = [sys.executable, WATCH, framebuffer, "630", "470", tmp_path / "log.csv"]
    with started(watch, display) as watching, started(command, display) as program:
        end_s = time.monotonic() + LONGEST_S
        while not (study.folder / EXPOSURES_FILE).exists() and time.monotonic() < end_s:
            assert program.poll() is None, program.communicate()
            time.sleep(0.1)
        watching.terminate()
        out, err = program.communicate(timeout=LONGEST_S)
    assert program.returncode in (0, 1), err  # how exact it was is this machine's affair
    found = json.loads(out)

    assert (found["patch"]["x_px"], found["patch"]["y_px"]) == (630, 470)
    assert [trial["times_seen"] for trial in found["trials"]] == [1] * 4
    assert sorted(trial["exposure_ms"] for trial in found["trials"]) == [200, 200, 400, 400]
    assert found["witness"]["clock_offset_s"] == 0
    assert found["witness"]["unplayed"] == 0
    assert "is pixel 630, 470 of the screen" in err
