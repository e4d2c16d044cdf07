"""The pre-flight: its findings and exit codes."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from builders import mask_set, noise, rewrite_row, stimulus_set, whole_study, write_study
from long import long_but
from PIL import Image

from hype.check.findings import REMEDIES, Finding, Preflight
from hype.errors import InputError, SessionProblem
from hype.protocols.hype.checks import check_study, lines_of_study
from hype.protocols.hype.settings import Study
from hype.stimuli.collection import scan


def of_severity(flight: Preflight, severity: str) -> list[Finding]:
    return [finding for finding in flight.findings if finding.severity == severity]


def test_a_study_that_is_ready(tmp_path):
    flight = check_study(whole_study(tmp_path))

    assert flight.findings == []
    assert flight.exit_code == 0
    assert [one["tested_on"] for one in flight.facts.pop("selection")] == [["good"], ["crude"]]
    assert flight.facts == {
        "images": {"crude": 14, "good": 14, "real": 14},
        "masks": 8,
        "cells": 2,
        "evaluators": 60,
        "minutes": {"time": 5},
        "paid_answers": {"time": 7.6},  # 12 trials at an accuracy of 63%
        "unused": ["infinity.trials"],  # the study is smaller than the paper's
    }


def first_image(study: Study) -> Path:
    return study.stimuli_folder / "fake" / "crude" / "000.png"


def manifest_of(study: Study) -> Path:
    return study.stimuli_folder / "manifest.csv"


def mask_file(study: Study, name: str) -> Path:
    return study.folder / "masks" / name


def pictured(file: str) -> dict[str, object]:
    return {"pictures": {"instructions_timed": {"file": file, "alt": "how it goes"}}}


FAULTS: list[tuple[str, str, Callable[[Study], object]]] = [
    ("image-missing", r"crude/000\.png: is missing", lambda s: first_image(s).unlink()),
    ("image-unreadable", r"crude/000\.png: is empty", lambda s: first_image(s).write_bytes(b"")),
    ("image-changed", r"crude/000\.png: changed since", lambda s: noise(1).save(first_image(s))),
    (
        "image-changed",
        r"crude/000\.png: is 16 x 16 px, but the manifest gives another size",
        lambda s: rewrite_row(manifest_of(s), 0, width="15"),
    ),
    ("manifest-missing", r"manifest\.csv: there is no such", lambda s: manifest_of(s).unlink()),
    (
        "manifest-wrong",
        r"stimuli/manifest\.csv line 2: condition 'crude' of a real image",
        lambda s: rewrite_row(manifest_of(s), 0, kind="real"),
    ),
    (
        "mask-unfit",
        r"masks: 1 of 8 masks are missing, such as 00003\.png",
        lambda s: mask_file(s, "00003.png").unlink(),
    ),
    ("masks-missing", r"there is no such file", lambda s: mask_file(s, "manifest.csv").unlink()),
    (
        "masks-wrong",
        r"masks/manifest\.csv line 2: size_px 'big'",
        lambda s: rewrite_row(mask_file(s, "manifest.csv"), 0, size_px="big"),
    ),
    (
        "mask-unfit",
        r"00003\.png: is 20 x 20 px",
        lambda s: noise(1, 20).save(mask_file(s, "00003.png")),
    ),
]


@pytest.mark.parametrize(("code", "message", "fault"), FAULTS)
def test_wrong_input_is_found_once_and_named(code, message, fault, tmp_path):
    study = whole_study(tmp_path, qualification={"enabled": False})
    fault(study)
    flight = check_study(study)
    (error,) = of_severity(flight, "error")

    assert flight.exit_code == 2
    assert error.code == code
    assert re.search(message, error.message)
    assert error.remedy
    assert error.remedy not in error.message


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        (
            {"stimuli": {"conditions": ["best"]}},
            "condition-unknown",
            "'best' is not a condition of",
        ),
        ({"observers": {"best": {}}}, "condition-unknown", "observers: 'best' is not a condition"),
        ({"time": {"trials": 10}}, "too-few-images", "'real', but one evaluator needs 15"),
        ({"time": {"masks": 9}}, "too-few-masks", "fewer masks (8) than"),
        (pictured("how.png"), "page-picture-unreadable", "how.png: there is no such image"),
        (pictured("stimuli/real/000.png"), "page-picture-asked", "000.png: is one of the stimuli"),
    ],
)
def test_a_study_that_asks_for_what_is_not_there_is_told_once(changes, code, message, tmp_path):
    flight = check_study(whole_study(tmp_path, **changes))
    (error,) = of_severity(flight, "error")

    assert flight.exit_code == 2
    assert error.code == code
    assert message in error.message
    assert error.remedy


def test_masks_of_another_size_than_the_images(tmp_path):
    stimulus_set(tmp_path / "stimuli", side_px=16)
    mask_set(tmp_path / "masks", 8, side_px=32)
    flight = check_study(write_study(tmp_path))
    (error,) = of_severity(flight, "error")

    assert flight.exit_code == 2
    assert error.code == "masks-of-other-size"
    assert error.message.endswith("masks are 32 px, but the images are 16 px")
    assert error.remedy.endswith(f"hype masks make {tmp_path}/stimuli -o {tmp_path}/masks -n 8")


def smaller(image: Image.Image, path: Path) -> None:
    image.resize((14, 14)).save(path)


def as_bmp(image: Image.Image, path: Path) -> None:
    path.unlink()
    image.save(path.with_suffix(".bmp"))


def in_colour(image: Image.Image, path: Path) -> None:
    image.convert("RGB").save(path)


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (smaller, "giveaway-size", "differ in size (14 x 14 px; 16 x 16 px)"),
        (as_bmp, "giveaway-format", "differ in format (bmp; png)"),
        (in_colour, "giveaway-colour", "differ in colour (colour; grey)"),
    ],
)
@pytest.mark.parametrize("how_many", long_but([14], [14, 1]))
def test_what_tells_real_from_fake_beside_the_picture_is_warned_of(
    change, code, message, how_many, tmp_path
):
    study = whole_study(tmp_path)
    for path in sorted((study.stimuli_folder / "real").iterdir())[:how_many]:
        change(noise(5000 + int(path.stem)), path)
    scan(study.stimuli_folder)
    flight = check_study(study)
    # Masks are made for one image size, so images of two sizes also cause an error.
    found = [finding for finding in flight.findings if finding.severity == "warning"]

    assert [finding.code for finding in found] == [code, code]
    if how_many == 14:
        assert flight.exit_code == 0
        assert all(message in finding.message for finding in found)
    assert {name for f in found for name in ("crude", "good") if repr(name) in f.message} == {
        *("crude", "good"),
    }


def test_images_that_the_manifest_does_not_know_are_warned_of(tmp_path):
    study = whole_study(tmp_path)
    noise(1).save(study.stimuli_folder / "real" / "late.png")
    flight = check_study(study)
    (warning,) = flight.findings

    assert flight.exit_code == 0
    assert (warning.code, warning.severity) == ("images-unlisted", "warning")
    assert "not in the manifest and will not be shown, such as real/late.png" in str(warning)
    assert f"hype stimuli scan {study.stimuli_folder}" in warning.remedy


def test_an_untimed_study_needs_no_masks(tmp_path):
    """No masks are needed even if the file, made by `hype new`, names a folder for masks."""
    stimulus_set(tmp_path / "stimuli")
    flight = check_study(write_study(tmp_path, study={"methods": ["infinity"]}))

    assert flight.findings == []


def test_exit_codes_rank_wrong_input_above_an_unfit_station():
    flight = Preflight()
    flight.warn("slow", "slow screen", "take another")
    assert flight.exit_code == 0
    flight.add("keyboard-unfit", SessionProblem("no keyboard"))
    assert flight.exit_code == 1
    flight.add("study-odd", InputError("study.toml", "is odd"))
    assert flight.exit_code == 2


@pytest.mark.parametrize(
    ("code", "error", "message", "remedy"),
    [
        ("any", InputError("f.toml", "is odd", "make it even"), "f.toml: is odd", "make it even"),
        ("any", InputError("f.toml", "is odd"), "f.toml: is odd", "correct it"),
        (
            "image-unreadable",
            InputError("a.png", "is empty", "an image"),
            "a.png: is empty",
            f"{REMEDIES['image-unreadable']} (an image)",
        ),
        ("any", SessionProblem("no x (y; z); plug it in"), "no x (y; z)", "plug it in"),
        ("keyboard-unfit", SessionProblem("none"), "none", REMEDIES["keyboard-unfit"]),
    ],
)
def test_a_finding_parts_what_is_wrong_from_what_to_do(code, error, message, remedy):
    flight = Preflight()

    assert not flight.allows(code, partial(throw, error))
    assert not flight.allows(code, partial(throw, error))
    assert [(f.code, f.message, f.remedy) for f in flight.findings] == [(code, message, remedy)]


def throw(error: Exception) -> None:
    raise error


def test_looking_changes_nothing(tmp_path):
    study = whole_study(tmp_path)
    before = sorted((p, p.stat().st_mtime_ns) for p in tmp_path.rglob("*"))
    check_study(study)

    assert sorted((p, p.stat().st_mtime_ns) for p in tmp_path.rglob("*")) == before


def test_settings_of_a_method_that_the_study_lacks_have_no_effect(tmp_path):
    flight = check_study(
        whole_study(tmp_path, study={"methods": ["infinity"]}, time={"mask_ms": 50})
    )
    assert "time.mask_ms" in flight.facts["unused"]
    (line,) = (text for title, text in lines_of_study(flight.facts) if title == "no effect")
    assert "time.mask_ms" in line
    assert not any(name.startswith("infinity.") for name in flight.facts["unused"])
