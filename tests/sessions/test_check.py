"""The pre-flight: what it finds, and the exit code it gives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import mask_set, noise, rewrite_row, stimulus_set, whole_study, write_study

from hype.errors import InputError, SessionProblem
from hype.sessions.check import Preflight, check_study
from hype.stimuli.scan import scan
from hype.study.load import Study

EXACT = {"display": {"refresh_hz": 100.0}}
"""At 100 Hz no duration has to be rounded, so there is nothing to warn of."""


def messages(flight: Preflight, level: str) -> list[str]:
    return [f.message for f in flight.findings if f.level == level]


def test_a_study_that_is_ready(tmp_path: Path) -> None:
    flight = check_study(whole_study(tmp_path, **EXACT))

    assert flight.findings == []
    assert flight.exit_code == 0
    assert flight.facts == {
        "images": {"crude": 14, "good": 14, "real": 14},
        "masks": 8,
        "cells": 2,
        "evaluators": 60,
        "minutes": {"time": 5},
        "staircase_settles_at": 0.63,
    }


def first_image(study: Study) -> Path:
    return study.stimuli_folder / "fake" / "crude" / "000.png"


FAULTS: dict[str, tuple[Callable[[Study], object], str]] = {
    "image missing": (lambda s: first_image(s).unlink(), r"crude/000\.png: is missing"),
    "image empty": (lambda s: first_image(s).write_bytes(b""), r"crude/000\.png: is empty"),
    "image truncated": (
        lambda s: first_image(s).write_bytes(first_image(s).read_bytes()[:-60]),
        r"crude/000\.png: cannot be decoded",
    ),
    "image changed": (lambda s: noise(1).save(first_image(s)), r"crude/000\.png: changed since"),
    "size unlike the manifest": (
        lambda s: rewrite_row(s.stimuli_folder / "manifest.csv", 0, width="15"),
        r"crude/000\.png: is 16 x 16 px, unlike its manifest",
    ),
    "no manifest": (
        lambda s: (s.stimuli_folder / "manifest.csv").unlink(),
        r"stimuli/manifest\.csv: there is no such file; .*hype stimuli scan",
    ),
    "mask missing": (
        lambda s: (s.folder / "masks" / "00003.png").unlink(),
        r"00003\.png: there is",
    ),
    "no mask set": (
        lambda s: (s.folder / "masks" / "manifest.csv").unlink(),
        r"masks/manifest\.csv: there is no such file; .*hype masks make",
    ),
    "mask unlike its manifest": (
        lambda s: noise(1, 20).save(s.folder / "masks" / "00003.png"),
        r"00003\.png: is 20 x 20 px; 16 x 16 px",
    ),
}


@pytest.mark.parametrize("what", FAULTS)
def test_wrong_input_is_found_once_and_named(what: str, tmp_path: Path) -> None:
    fault, message = FAULTS[what]
    study = whole_study(tmp_path, **EXACT)
    fault(study)
    flight = check_study(study)

    assert flight.exit_code == 2
    (error,) = messages(flight, "error")
    with pytest.raises(InputError, match=message):
        raise InputError(*error.split(": ", maxsplit=1))


IN_THE_STUDY: dict[str, tuple[dict[str, Any], str]] = {
    "unknown condition": ({"stimuli": {"conditions": ["best"]}}, "'best' is no condition of"),
    "observer of no condition": ({"observers": {"best": {}}}, "observers: 'best' is no condition"),
    "more trials than real images": ({"time": {"trials": 10}}, "images of 'real'"),
}


@pytest.mark.parametrize("what", IN_THE_STUDY)
def test_a_study_that_asks_for_what_is_not_there_is_told_once(what: str, tmp_path: Path) -> None:
    """Once, whatever the number of conditions."""
    changes, message = IN_THE_STUDY[what]
    flight = check_study(whole_study(tmp_path, **EXACT, **changes))

    assert flight.exit_code == 2
    assert [message in error for error in messages(flight, "error")] == [True]


def test_masks_of_another_size_than_the_images(tmp_path: Path) -> None:
    stimulus_set(tmp_path / "stimuli", side_px=16)
    mask_set(tmp_path / "masks", 8, side_px=32)
    flight = check_study(write_study(tmp_path, **EXACT))

    assert flight.exit_code == 2
    assert len(messages(flight, "error")) == 1
    assert "masks are 32 px and the images 16 px; hype masks make --size 16" in str(flight.findings)


def test_faults_that_have_nothing_to_do_with_one_another_are_all_found(tmp_path: Path) -> None:
    study = whole_study(tmp_path, time={"trials": 10})
    first_image(study).unlink()
    (tmp_path / "masks" / "manifest.csv").unlink()
    found = "\n".join(messages(check_study(study), "error"))

    assert "000.png: is missing" in found
    assert "masks/manifest.csv: there is no such file" in found
    assert "images of 'real', and one evaluator needs" in found


def test_sizes_that_tell_real_from_fake_are_warned_of(tmp_path: Path) -> None:
    study = whole_study(tmp_path, **EXACT)
    for path in (study.stimuli_folder / "real").iterdir():
        noise(5000 + int(path.stem), 14).save(path)
    scan(study.stimuli_folder)
    flight = check_study(study)

    assert flight.exit_code == 0
    assert [
        ("differ in size (14 x 14 and 16 x 16 px)" in w) for w in messages(flight, "warning")
    ] == [
        True,
        True,
    ]


def test_images_that_the_manifest_does_not_know_are_warned_of(tmp_path: Path) -> None:
    study = whole_study(tmp_path, **EXACT)
    noise(1).save(study.stimuli_folder / "real" / "late.png")
    flight = check_study(study)

    assert flight.exit_code == 0
    (warning,) = messages(flight, "warning")
    assert "1 images are not in the manifest and will not be shown, real/late.png" in warning


def test_durations_that_the_screen_cannot_show_are_warned_of(tmp_path: Path) -> None:
    flight = check_study(whole_study(tmp_path, display={"refresh_hz": 60.0}))
    warnings = "\n".join(messages(flight, "warning"))

    assert flight.exit_code == 0
    assert "time.mask_ms = 30: at 60 Hz a mask lasts 33.3 ms" in warnings
    assert "steps by 10 ms and a frame at 60 Hz lasts 16.67 ms" in warnings


def test_a_staircase_without_a_threshold_is_warned_of(tmp_path: Path) -> None:
    rule = {"correct_to_descend": 1, "allow_at_or_below_chance": True}
    flight = check_study(whole_study(tmp_path, **EXACT, time={"staircase": rule}))

    assert flight.exit_code == 0
    assert "settles at 25.0% correct, which is no threshold" in str(flight.findings)


def test_an_untimed_study_needs_no_masks(tmp_path: Path) -> None:
    """Not even where its file, made by `hype new`, names a folder for them."""
    stimulus_set(tmp_path / "stimuli")
    flight = check_study(write_study(tmp_path, study={"methods": ["infinity"]}))

    assert flight.findings == []


def test_exit_codes_rank_wrong_input_above_an_unfit_station() -> None:
    flight = Preflight()
    flight.warn("slow screen")
    assert flight.exit_code == 0
    flight.add(SessionProblem("no keyboard"))
    assert flight.exit_code == 1
    flight.add(InputError("study.toml", "is odd"))
    assert flight.exit_code == 2


def test_looking_changes_nothing(tmp_path: Path) -> None:
    study = whole_study(tmp_path)
    before = sorted((p, p.stat().st_mtime_ns) for p in tmp_path.rglob("*"))
    check_study(study)

    assert sorted((p, p.stat().st_mtime_ns) for p in tmp_path.rglob("*")) == before
