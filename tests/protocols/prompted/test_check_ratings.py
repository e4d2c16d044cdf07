"""The pre-flight of studies of ratings and of rankings."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rated_studies import RANKED_COUNTS, RATED_COUNTS, ranked_study, rated_study

from hype.check.findings import Finding, Preflight
from hype.protocols.prompted.settings import PromptedStudy
from hype.protocols.ranking.checks import check_ranking_study
from hype.protocols.rating.checks import check_rating_study

Rows = list[dict[str, str]]


def edited(study: PromptedStudy, change: Callable[[Rows], None]) -> Path:
    """Change the rows of a manifest."""
    manifest = study.stimuli_folder / "manifest.csv"
    with manifest.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    change(rows)
    with manifest.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return manifest


def of_rows(condition: str, **cells: str) -> Callable[[Rows], None]:
    """Change cells of all rows of a condition with its first row's prompt."""

    def change(rows: Rows) -> None:
        own = [row for row in rows if row["condition"] == condition]
        for row in [row for row in own if row["prompt"] == own[0]["prompt"]]:
            row.update(cells)

    return change


def only(flight: Preflight) -> Finding:
    (found,) = flight.findings
    return found


def test_ratings_that_are_ready(tmp_path: Path) -> None:
    flight = check_rating_study(rated_study(tmp_path, files=True))
    axes = flight.facts.pop("axes")

    assert flight.findings == []
    assert [axis["axis"] for axis in axes] == ["overall", "artifacts", "style"]
    assert axes[0]["answers"] == ["1", "2", "3", "4", "5", "not-relevant"]
    assert flight.facts == {
        "images": {**{name: 4 for name in RATED_COUNTS if name}, "real": 1},
        "conditions": ["crude", "fine", "good"],
        "prompts": 2,
        "images_rated": {"crude": 4, "fine": 4, "good": 4},
        "of": "pairs",
        "items": 24,
        "items_per_prompt": {"least": 12, "most": 12},
        "with_truth": {},
        "cells": 2,
        "evaluators": 4,
        "ratings_per_item": 2,
        "ratings_per_axis": {"least": 16, "most": 16},
        "answers": 144,
        "session": {"practice": 1, "rating": 12},
        "minutes": {"rating": 4},
    }


def test_single_images_with_what_is_right(tmp_path: Path) -> None:
    rating = {"of": "images", "ratings": 1}
    flight = check_rating_study(rated_study(tmp_path, files=True, rating=rating))

    assert only(flight).code == "one-rating"
    assert flight.facts["items"] == 12
    assert flight.facts["items_per_prompt"] == {"least": 6, "most": 6}
    assert flight.facts["ratings_per_axis"] == {"least": 4, "most": 4}
    assert set(flight.facts["with_truth"]) == {"anatomy", "aesthetics"}


def test_rankings_that_are_ready_but_for_a_short_test(tmp_path: Path) -> None:
    flight = check_ranking_study(ranked_study(tmp_path, files=True))

    assert only(flight).code == "few-test-groups"
    assert flight.facts == {
        "images": {**{name: 6 for name in RANKED_COUNTS if name}, "real": 1},
        "conditions": ["crude", "fine", "good", "great"],
        "prompts": 3,
        "images_ranked": {"crude": 6, "fine": 6, "good": 6, "great": 6},
        "groups": 5,
        "images_per_group": {"least": 4, "most": 4},
        "cells": 2,
        "evaluators": 4,
        "rankings_per_group": 2,
        "rankings": 10,
        "comparisons": 60,
        "rankings_per_pair": {"least": 10, "most": 10},
        "held_out": 0,
        "screening": {
            "test": 1,
            "checkers": ["check*"],
            "check_share": 0.5,
            "groups_to_check": 3,
            "min_recall": None,
        },
        "session": {"practice": 1, "test": 1, "ranking": 2},
        "minutes": {"ranking": 2},
    }


WARNED: dict[str, tuple[dict[str, Any], str]] = {
    "one-ranking": ({"ranking": {"rankings": 1}}, "nobody can say how far"),
    "no-checkers": (
        {"screening": {"checkers": []}},
        "50% of everybody's groups are to be ranked again",
    ),
    "everybody-checks": ({"screening": {"checkers": ["*"]}}, "'*', by which everybody"),
    "few-held-out": ({"ranking": {"held_out": 0.3}}, "= 0.3 keeps 1 of 3 prompts"),
}


@pytest.mark.parametrize("code", WARNED)
def test_what_a_design_of_rankings_cannot_tell(code: str, tmp_path: Path) -> None:
    changes, said = WARNED[code]
    screening = {"test": 0} | changes.get("screening", {})
    flight = check_ranking_study(
        ranked_study(tmp_path, files=True, **(changes | {"screening": screening}))
    )

    assert only(flight).code == code
    assert said in only(flight).message
    assert flight.exit_code == 0


def test_groups_that_lack_a_condition(tmp_path: Path) -> None:
    study = ranked_study(tmp_path, files=True, screening={"test": 0})
    edited(study, of_rows("fine", prompt=""))
    flight = check_ranking_study(study)

    assert only(flight).code == "groups-incomplete"
    assert "2 groups have fewer than 4 images: the prompt 'a " in only(flight).message
    assert only(flight).message.endswith("has no image of 'fine'")
    assert flight.facts["images_per_group"] == {"least": 3, "most": 4}


def test_pairs_that_are_uneven_or_show_one_picture_twice(tmp_path: Path) -> None:
    uneven = rated_study(tmp_path / "uneven", files=True)
    edited(uneven, of_rows("fine", prompt=""))
    same = rated_study(tmp_path / "same", files=True)
    images = same.stimuli_folder / "fake"
    (images / "good" / "000.png").write_bytes((images / "crude" / "000.png").read_bytes())

    def one_sum(rows: Rows) -> None:
        sums = {row["path"]: row["sha256"] for row in rows}
        prompts = {row["path"]: row["prompt"] for row in rows}
        for row in rows:
            if row["path"] == "fake/good/000.png":
                row["sha256"] = sums["fake/crude/000.png"]
                row["prompt"] = prompts["fake/crude/000.png"]
            elif row["path"] == "fake/good/001.png":
                row["prompt"] = prompts["fake/crude/001.png"]

    edited(same, one_sum)

    assert only(check_rating_study(uneven)).code == "pairs-uneven"
    assert "crude and fine are rated 4 times" in only(check_rating_study(uneven)).message
    assert only(check_rating_study(same)).code == "image-with-itself"


def test_errors_name_manifest_and_row(tmp_path: Path) -> None:
    single = rated_study(tmp_path / "single", files=True, rating={"of": "images"})
    manifest = edited(single, of_rows("fine", sound="perhaps"))
    few = rated_study(tmp_path / "few", files=True, rating={"images": 3})
    many = ranked_study(tmp_path / "many", files=True, ranking={"group": 5})
    left = ranked_study(tmp_path / "left", files=True, screening={"test": 6})

    wrong = only(check_rating_study(single))
    assert (wrong.code, wrong.severity) == ("axes-wrong", "error")
    assert wrong.message.startswith(f"{manifest}: says 'perhaps' in the column 'sound' of fake/")
    assert only(check_rating_study(few)).code == "too-few-images"
    assert "rating.images = 3" in only(check_rating_study(few)).message
    assert (
        "ranking.group = 5, and there are 4 conditions" in only(check_ranking_study(many)).message
    )
    assert only(check_ranking_study(left)).code == "groups-unfit"
