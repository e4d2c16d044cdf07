"""The commands and their output, on very small studies."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import ENOUGH, contents, image_folder, named_study, stimulus_set, whole_study
from paper_station import PaperStation, record_of, sit
from running import run_here

from hype.protocols.hype.trial import JudgementTrial, Task
from hype.protocols.load import load_study

BOTH = {"study": {"methods": ["time", "infinity"]}, "qualification": {"enabled": False}}


def test_the_installed_program_says_what_it_can_do(installed):
    done = installed("--help")
    as_a_module = [sys.executable, "-m", "hype", "--help"]

    assert done.code == 0
    assert subprocess.run(as_a_module, check=True, capture_output=True).stdout
    for command in ("demo", "new", "check", "run", "simulate", "status", "score", "report"):
        assert command in done.out


def test_run_without_a_display_ends_with_one_message(tmp_path, hype, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    study = whole_study(tmp_path)
    before = contents(tmp_path)
    said = hype("run", study.folder, "--evaluator", "p01").failed()

    assert "there is no display here" in said
    assert contents(tmp_path) == before


def test_new_without_folders_is_a_file_to_start_from(tmp_path, hype):
    done = hype("new", tmp_path / "mine")

    assert done.code == 0
    assert load_study(tmp_path / "mine").settings.study.name == "mine"
    assert (tmp_path / "mine/stimuli/real").is_dir()
    assert "hype stimuli scan" in done.out
    assert "hype masks make" in done.out


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory, kernels: None) -> tuple[Path, str]:
    """Return a study made from two folders of images, and what `hype new` printed."""
    place = tmp_path_factory.mktemp("new")
    real = image_folder(place / "photos", 41, side_px=40)
    fake = image_folder(place / "samples", 41, first=100, side_px=24)
    images = ("--real", real, "--fake", f"mymodel={fake}", "--size", 24)
    with pytest.MonkeyPatch.context() as patch:
        # Starting more processes would take longer than making six masks in this one.
        patch.setattr(os, "sched_getaffinity", lambda _: {0})
        done = run_here("new", place / "mine", *images, "--masks", "6")
    assert done.code == 0, done
    return place / "mine", done.out


def test_new_with_folders_is_ready_to_run(new, hype):
    """The paper promises results with one click: here from two folders to a score."""
    mine, said = new

    assert "41 real, 41 mymodel images of 24 x 24 px" in said
    assert "In 3 blocks, 24 trials per block are too few for the staircase" in said
    checked = hype("check", mine, "--no-display", "--json").json
    assert checked["ok"]
    assert checked["facts"]["staircase_measures"]["settles"]
    assert checked["facts"]["images"] == {"real": 41, "mymodel": 41}
    assert checked["facts"]["masks"] == 6
    assert hype("simulate", mine, "--evaluators", "12").code == 0
    assert hype("score", mine, "--simulated", "--json").json["protocol"] == "time"


def test_a_pool_from_new_to_who_passed(tmp_path, hype):
    real = image_folder(tmp_path / "photos", 30)
    fakes = [
        f"{name}={image_folder(tmp_path / name, 20, first=100 * place)}"
        for place, name in enumerate(("old", "older"), start=1)
    ]
    pool = tmp_path / "experiments" / "pool"
    models = [part for fake in fakes for part in ("--fake", fake)]
    said = hype("new", pool, "--template", "qualification", "--real", real, *models).out

    assert "30 real, 20 old, 20 older images of 64 x 64 px." in said
    assert load_study(pool).settings.qualification.trials == 54
    assert not (pool / "masks").exists()
    (selection,) = hype("check", pool, "--no-display", "--json").json["facts"]["selection"]
    assert selection["tested_on"] == ["old", "older"]
    assert hype("simulate", pool, "--evaluators", "3").code == 0
    told = hype("status", pool, "--simulated", "--json").json
    assert told["passed"] == sum(e["qualified"] for e in told["evaluators"]) > 0
    refused = hype("score", pool, "--simulated").refused()
    assert "only contains a qualification, so it has no scores; hype status" in refused


def test_masks_are_made_once(tmp_path, hype, kernels):
    images = stimulus_set(tmp_path / "stimuli")
    size = ("--size", 20, "--scales", 1, "--workers", 1)
    arguments = ("masks", "make", images, "-o", tmp_path / "masks", "-n", 5, *size, "--json")

    assert hype(*arguments).json == {
        "masks": str(tmp_path / "masks"),
        "number": 5,
        "made": 5,
        "size_px": 20,
    }
    assert hype(*arguments).json["made"] == 0
    assert len(list((tmp_path / "masks").glob("*.png"))) == 5


def test_masks_are_compared_with_their_sources(tmp_path, hype):
    images, masks = stimulus_set(tmp_path / "stimuli"), tmp_path / "masks"
    size = ("--size", 16, "--scales", 1, "--workers", 1)
    hype("masks", "make", images, "-o", masks, "-n", 3, *size)
    plain = hype("masks", "check", masks, images, "--workers", 1)
    told = hype("masks", "check", masks, images, "--workers", 1, "--json")

    assert plain.code == 0
    assert "parent real correlation" not in plain.out, "a single scale has no parents"
    assert "magnitude correlation" in plain.out
    assert "Correlation of masks with their sources: median 0." in plain.out
    assert [mask["path"] for mask in told.json["masks"]] == ["00001.png", "00002.png", "00003.png"]
    assert set(told.json["stimuli"]) == {"luminance", "contrast"}

    shutil.copy(images / told.json["masks"][1]["source"], masks / "00002.png")
    shown = hype("masks", "check", masks, images, "--workers", 1)
    assert shown.code == 1
    assert "00002.png: shows its source" in shown.out


def test_check_prints_for_people_and_for_programs(tmp_path, hype):
    study = whole_study(tmp_path, display={"refresh_hz": 100.0})
    plain = hype("check", study.folder, "--no-display")
    told = hype("check", study.path, "--no-display", "--json")

    assert plain.code == told.code == 0
    assert "Ready." in plain.out
    rule = "starts at 500 ms; -30 ms after 3 correct answers in a row, +10 ms after a wrong one"
    assert rule in plain.out
    assert "settles at 63.0% correct" in plain.out
    assert "91 levels, 100 to 1000 ms; at 100 Hz all are exact" in plain.out
    assert told.json == {
        "study": str(study.path),
        "ok": True,
        "lines": told.json["lines"],
        "findings": [],
        "facts": told.json["facts"],
    }
    assert ["masks", "8"] in told.json["lines"]


def test_check_says_once_what_to_do_about_many_like_faults(tmp_path, hype):
    study = whole_study(tmp_path)
    for number in (0, 3, 5):
        (tmp_path / f"stimuli/real/00{number}.png").unlink()
    plain = hype("check", study.folder, "--no-display").out
    findings = hype("check", study.folder, "--no-display", "--json").json["findings"]
    remedies = [f["remedy"] for f in findings if f["code"] == "image-missing"]

    assert plain.count(": is missing, but the manifest lists it") == len(remedies) == 3
    assert plain.count(remedies[0]) == 1


@pytest.mark.long
def test_check_at_a_display_says_what_it_is(tmp_path, hype, display):
    if not display:
        pytest.skip("this machine has a display of another kind")
    look = {"fullscreen": False, "window_px": [640, 480]}
    study = whole_study(tmp_path, display=look)
    plain = hype("check", study.folder)
    told = hype("check", study.folder, "--json").json

    assert plain.code == 0
    assert "1024 x 768 px, refresh rate unknown; flips do not wait for the screen" in plain.out
    assert "flips-unsynced" in {finding["code"] for finding in told["findings"]}
    assert all(all(finding.values()) for finding in told["findings"])
    assert told["facts"]["display"]["sync"] == "software"
    assert told["facts"]["exposures"]["refresh_hz"] == 60


def test_simulate_says_what_it_did(tmp_path, hype):
    study = named_study(tmp_path, **BOTH, practice={"trials": 0})
    told = hype("simulate", study.folder, "--evaluators", "8", "--json").json

    assert told["simulated"] is True
    assert told["evaluators"] == 8
    assert told["judgements"] == 4 * (2 * 6) + 4 * 6
    assert told["endings"] == {"complete": 8}
    assert [(c["condition"], c["methods"], c["evaluators"]) for c in told["cells"]] == [
        ("crude", ["infinity"], 2),
        ("crude", ["time"], 2),
        ("good", ["infinity"], 2),
        ("good", ["time"], 2),
    ]


def test_simulate_fills_the_design_and_starts_afresh_when_told(tmp_path, hype):
    study = named_study(tmp_path, study={"evaluators": 3}, qualification={"enabled": False})

    assert hype("simulate", study.folder, "--json").json["evaluators"] == 6
    assert hype("simulate", study.folder, "--json").json["evaluators"] == 0
    assert hype("simulate", study.folder, "--fresh", "--json").json["evaluators"] == 6
    assert len(hype("status", study.folder, "--simulated", "--json").json["evaluators"]) == 6


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of both methods with 4 simulated evaluators in each cell."""
    from hype.protocols.registry import course_of
    from hype.session.simulate import Simulation

    study = named_study(tmp_path_factory.mktemp("simulated"), ENOUGH, **BOTH)
    with record_of(study) as engine:
        list(Simulation(engine, course_of(study), seed=3).fill(4))
    return study.folder


def is_dropped(trial: JudgementTrial, _: int) -> bool:
    return trial.task is Task.TIME and trial.number == 2


def flashed_study(folder: Path, spoiled_trials: str) -> Path:
    """A study of HYPE_time with four people: 2 blocks of 6 trials, each with one spoiled trial."""
    study = named_study(
        folder, timing={"spoiled_trials": spoiled_trials}, qualification={"enabled": False}
    )
    with record_of(study) as engine:
        for n in range(4):
            station = PaperStation(times=True, spoils=is_dropped)
            assert sit(engine, study, f"p{n}", station) == "complete"
    return study.folder


@pytest.mark.parametrize(
    ("setting", "option", "measured", "left_out"),
    [
        pytest.param("keep", (), 48, False, marks=pytest.mark.long),
        ("keep", ("--spoiled", "leave-out"), 48, True),
        pytest.param("leave-out", (), 48, True, marks=pytest.mark.long),
        pytest.param("leave-out", ("--spoiled", "keep"), 48, False, marks=pytest.mark.long),
        ("repeat", (), 56, True),
        ("repeat", ("--spoiled", "keep"), 56, False),
    ],
)
def test_spoiled_trials_are_scored_as_the_study_or_the_option_says(
    tmp_path, hype, setting, option, measured, left_out
):
    folder = flashed_study(tmp_path, setting)
    arguments = ("--draws", "100", *option)
    told = hype("score", folder, *arguments, "--json").json

    assert told["spoiled_trials"] == {
        "ok": measured - 8,
        "late": 0,
        "dropped": 8,
        "seen": 0,
        "measured": measured,
        "spoiled": 8,
        "left_out": left_out,
    }
    assert sum(c["judgements"] for c in told["conditions"]) == measured - 8 * left_out
    assert sum(c["spoiled"] for c in told["conditions"]) == 8
    becomes = "left out" if left_out else "scored"
    said = f"8 of {measured} measured exposures were not as requested (8 dropped); they are "
    printed = hype("score", folder, "--notes", *arguments).out
    assert f"Note: {said}{becomes}." in printed
    assert ("a repeated image counts twice" in printed) == (setting == "repeat" and not left_out)
