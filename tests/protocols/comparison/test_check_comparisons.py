"""The pre-flight of studies of comparisons."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import noise, rewrite_row
from compared_studies import COUNTS, compared_study
from PIL import Image

from hype.check.findings import Finding, Preflight
from hype.protocols.comparison.checks import check_comparison_study
from hype.protocols.comparison.settings import ComparisonStudy
from hype.protocols.registry import protocol_of
from hype.stimuli.collection import scan


def rescan(study: ComparisonStudy, rows: Callable[[list[dict[str, str]]], None]) -> None:
    """Change the rows of a manifest."""
    manifest = study.stimuli_folder / "manifest.csv"
    with manifest.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    rows(found)
    with manifest.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(found)


def only(flight: Preflight) -> Finding:
    (found,) = flight.findings
    return found


def test_a_study_that_is_ready(tmp_path: Path) -> None:
    flight = check_comparison_study(compared_study(tmp_path, files=True))

    assert flight.findings == []
    assert flight.facts == {
        "images": {**{name: 4 for name in COUNTS if name}, "real": 1},
        "conditions": ["crude", "fine", "good"],
        "prompts": 2,
        "images_compared": {"crude": 4, "fine": 4, "good": 4},
        "pairs": 3,
        "comparisons": 24,
        "comparisons_per_prompt": {"least": 12, "most": 12},
        "cells": 1,
        "evaluators": 6,
        "votes": 144,
        "votes_per_pair": {"least": 48, "most": 48},
        "arena": None,
        "session": {"practice": 2, "comparison": 24, "validation": 6},
        "obvious": 6,
        "minutes": {"comparison": 3},
    }


def test_an_arena_that_is_ready(tmp_path: Path) -> None:
    arena = {"comparison": {"trials": 10, "arena": {"most_votes": 195, "images": "fixed"}}}
    flight = check_comparison_study(compared_study(tmp_path, files=True, **arena))

    assert flight.findings == []
    assert flight.facts["votes"] == 195
    assert flight.facts["evaluators"] == 20
    assert flight.facts["arena"]["pairs"] == "adaptive"
    assert flight.facts["session"]["comparison"] == 10


def prompts_gone(study: ComparisonStudy) -> None:
    rescan(study, lambda rows: [row.pop("prompt") for row in rows])


def a_lone_prompt(study: ComparisonStudy) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        (crude, *_) = (row for row in rows if row["condition"] == "crude")
        crude["prompt"] = "a hat"

    rescan(study, change)


def an_image_less(study: ComparisonStudy) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        (crude, *_) = (row for row in rows if row["condition"] == "crude")
        crude["prompt"] = ""

    rescan(study, change)


def list_of(text: str) -> Callable[[ComparisonStudy], None]:
    def write(study: ComparisonStudy) -> None:
        (study.folder / "validation.csv").write_text(text, encoding="utf-8")

    return write


LISTED = {"validation": {"kind": "listed"}}
LISTS = "prompt,better,worse\n"
GOOD = "fake/good/000.png"
ERRORS: dict[str, tuple[Callable[[ComparisonStudy], None] | None, dict[str, Any], str, str]] = {
    "no manifest": (
        lambda study: (study.stimuli_folder / "manifest.csv").unlink(),
        *({}, "manifest-missing", "hype stimuli scan"),
    ),
    "unknown condition": (
        None,
        {"stimuli": {"conditions": ["good", "great"]}},
        "condition-unknown",
        "'great' is no condition of",
    ),
    "one condition": (
        None,
        {"stimuli": {"conditions": ["good"]}, "observers": None},
        "condition-unknown",
        "asks about images of good",
    ),
    "no prompts": (prompts_gone, {}, "prompts-unfit", "manifest.csv: has no column 'prompt'"),
    "a prompt of one condition": (
        a_lone_prompt,
        {},
        "prompts-unfit",
        "manifest.csv: the prompt 'a hat' has images of one condition only (crude)",
    ),
    "a prompt that no image has": (
        None,
        {"comparison": {"prompts": {"a hat": "a straw hat"}}},
        "prompts-unfit",
        "a hat",
    ),
    "too few images": (
        an_image_less,
        {},
        "too-few-images",
        "too few images of 'crude' for the prompt 'a coat': 1, and comparison.images = 2",
    ),
    "no other prompt": (
        lambda study: rescan(study, lambda rows: [row.update(prompt="a bag") for row in rows]),
        *({}, "validation-wrong", "has no other prompt to take a wrong image from"),
    ),
    "no list": (None, LISTED, "validation-wrong", "validation.csv"),
    "an empty list": (list_of(LISTS), LISTED, "validation-wrong", "lists no comparison"),
    "unknown image": (
        list_of(f"{LISTS}a bag,fake/good/999.png,fake/crude/000.png\n"),
        *(LISTED, "validation-wrong", "validation.csv line 2"),
    ),
    "an image with itself": (
        list_of(f"{LISTS}a bag,{GOOD},{GOOD}\n"),
        *(LISTED, "validation-wrong", f"'{GOOD}' stands beside itself"),
    ),
    "another column": (
        list_of(f"prompt,good,bad\na bag,{GOOD},{GOOD}\n"),
        *(LISTED, "validation-wrong", "validation.csv"),
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_wrong_input_is_found_once_and_named(what: str, tmp_path: Path) -> None:
    change, settings, code, said = ERRORS[what]
    study = compared_study(tmp_path, files=True, **settings)
    if change:
        change(study)
    flight = check_comparison_study(study)

    assert only(flight).code == code
    assert only(flight).severity == "error"
    assert said in only(flight).message + only(flight).remedy
    assert flight.exit_code == 2


def smaller(path: Path) -> None:
    Image.open(path).resize((14, 14)).save(path)


def in_colour(path: Path) -> None:
    Image.open(path).convert("RGB").save(path)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (smaller, "giveaway-size", "size (16 x 16 px: crude, fine; 14 x 14 px: good)"),
        (in_colour, "giveaway-colour", "colour (grey: crude, fine; colour: good)"),
    ],
)
def test_what_tells_conditions_apart_beside_the_picture_is_warned_of(
    change: Callable[[Path], None], code: str, said: str, tmp_path: Path
) -> None:
    study = compared_study(tmp_path, files=True)
    prompts = {}
    with (study.stimuli_folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        prompts = {row["path"]: row["prompt"] for row in csv.DictReader(file)}
    for path in (study.stimuli_folder / "fake" / "good").iterdir():
        change(path)
    scan(study.stimuli_folder)
    rescan(study, lambda rows: [row.update(prompt=prompts[row["path"]]) for row in rows])
    found = only(check_comparison_study(study))

    assert (found.code, found.severity) == (code, "warning")
    assert f"conditions differ in {said}" in found.message


def test_a_picture_that_would_stand_beside_itself_is_warned_of(tmp_path: Path) -> None:
    """Two conditions have one picture, in files of two names."""
    study = compared_study(tmp_path, files=True)
    one, other = "fake/crude/000.png", "fake/good/000.png"
    (study.stimuli_folder / other).write_bytes((study.stimuli_folder / one).read_bytes())

    def same(rows: list[dict[str, str]]) -> None:
        by_path = {row["path"]: row for row in rows}
        by_path[other]["sha256"] = by_path[one]["sha256"]

    rescan(study, same)
    found = only(check_comparison_study(study))

    assert found.code == "image-with-itself"
    assert f"1 comparison shows one picture twice: {one} and {other}" in found.message


def test_pairs_that_are_not_compared_equally_often_are_warned_of(tmp_path: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        for row in rows:
            if row["condition"] == "good" and row["prompt"] == "a bag":
                row["prompt"] = ""

    study = compared_study(tmp_path, files=True)
    rescan(study, change)
    flight = check_comparison_study(study)

    assert only(flight).code == "pairs-uneven"
    assert "compared 4 times, and crude and fine 8 times" in only(flight).message
    assert "the prompt 'a bag' has no image of 'good'" in only(flight).message
    assert flight.facts["votes_per_pair"] == {"least": 24, "most": 48}


@pytest.mark.parametrize(("win_rate", "found"), [(0.55, ["too-few-votes"]), (0.99, [])])
def test_a_design_that_does_not_show_what_is_planned_is_warned_of(
    win_rate: float, found: list[str], tmp_path: Path
) -> None:
    alike = {"taste_spread": 0.0, "image_spread": 0.0}
    study = compared_study(tmp_path, files=True, analysis={"win_rate": win_rate}, people=alike)
    flight = protocol_of(study).checks.study(study)

    assert [finding.code for finding in flight.findings] == found
    if found:
        assert flight.facts["planned"]["votes_needed_per_pair"] == 778
        assert "gets 48 votes, and to tell a win rate of 55.0% from 50%" in only(flight).message
        assert only(flight).remedy.startswith("set comparison.votes to 98, or plan")


def test_an_arena_that_could_not_know_its_goal_says_why(tmp_path: Path) -> None:
    arena = {"most_votes": 50}
    study = compared_study(tmp_path, files=True, comparison={"arena": arena})
    flight = check_comparison_study(study)
    found = {finding.code: finding for finding in flight.findings}

    assert list(found) == ["arena-evaluators", "arena-prompts"]
    assert found["arena-evaluators"].remedy == "comparison.arena.most_votes = 288 or more"
    assert "2 tell little of others" in found["arena-prompts"].message
    assert found["arena-prompts"].message.endswith("it will speak of these images alone")


def test_an_image_that_changed_is_named(tmp_path: Path) -> None:
    study = compared_study(tmp_path, files=True)
    noise(77).save(study.stimuli_folder / GOOD)
    rewrite_row(study.stimuli_folder / "manifest.csv", 0)

    assert only(check_comparison_study(study)).code == "image-changed"
