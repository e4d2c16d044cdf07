"""The pre-flight of studies of comparisons, ratings and rankings."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from builders import noise, rewrite_rows
from compared_studies import COUNTS, compared_study
from PIL import Image
from rated_studies import RANKED_COUNTS, RATED_COUNTS, ranked_study, rated_study
from small_studies import make_tested

from hype.check.findings import Finding, Preflight
from hype.protocols.comparison.checks import check_comparison_study
from hype.protocols.prompted.settings import PromptedStudy
from hype.protocols.ranking.checks import check_ranking_study
from hype.protocols.rating.checks import check_rating_study
from hype.protocols.registry import protocol_of
from hype.stimuli.collection import scan

MAKE = {"comparison": compared_study, "rating": rated_study, "ranking": ranked_study}
CHECK: Mapping[str, Callable[[Any], Preflight]] = {
    "comparison": check_comparison_study,
    "rating": check_rating_study,
    "ranking": check_ranking_study,
}
NO_TEST = {"screening": {"test": 0}}
"""Without this setting, a test with one group causes a warning."""
PLANNED = {"comparison": {"analysis": {"win_rate": 0.99, "power": 0.51}}}
"""An analysis for which few votes are enough."""
Row = Mapping[str, str]
Change = Callable[[PromptedStudy], object]


def checked(
    protocol: str, folder: Path, settings: Mapping[str, Any], change: Change | None = None
) -> Preflight:
    """Check a study with changed settings and files."""
    study = MAKE[protocol](folder, files=True, **PLANNED.get(protocol, {}), **settings)
    if change:
        change(study)
    return CHECK[protocol](study)


def only(flight: Preflight) -> Finding:
    (found,) = flight.findings
    return found


def rows_with(where: Callable[[Row], object], **cells: str) -> Change:
    """Change cells in those rows of a manifest for which ``where`` is true."""
    return lambda study: rewrite_rows(
        study.stimuli_folder / "manifest.csv", lambda _, row: row | cells if where(row) else row
    )


def is_fine_bag(row: Row) -> bool:
    return row["condition"] == "fine" and row["prompt"] == "a bag"


def list_of(*rows: str) -> Change:
    text = "\n".join(("prompt,better,worse", *rows, ""))
    return lambda study: (study.folder / "validation.csv").write_text(text, encoding="utf-8")


def without_prompts(study: PromptedStudy) -> None:
    def without(_number: int, row: dict[str, str]) -> dict[str, str]:
        return {name: cell for name, cell in row.items() if name != "prompt"}

    rewrite_rows(study.stimuli_folder / "manifest.csv", without)


FACTS: dict[str, dict[str, Any]] = {
    "comparison": {
        "images": {**{name: 4 for name in COUNTS if name}, "real": 1},
        "conditions": ["crude", "fine", "good"],
        "prompts": 2,
        "images_compared": {"crude": 4, "fine": 4, "good": 4},
        "pairs": 3,
        "criteria": ["alignment"],
        "comparisons": 24,
        "comparisons_per_prompt": {"least": 12, "most": 12},
        "cells": 1,
        "evaluators": 6,
        "votes": 144,
        "votes_per_pair": {"least": 48, "most": 48},
        "arena": None,
        "session": {"practice": 2, "comparison": 24, "validation": 6, "test": 0},
        "obvious": 6,
        "minutes": {"comparison": 3},
        "paid_answers": {"comparison": 30},
    },
    "rating": {
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
        "paid_answers": {"rating": 36},
    },
    "ranking": {
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
        "paid_answers": {"ranking": 3},
    },
}


@pytest.mark.parametrize("protocol", MAKE)
def test_a_study_that_is_ready(protocol, tmp_path):
    flight = checked(protocol, tmp_path, {})
    axes = flight.facts.pop("axes", [])
    flight.facts.pop("planned", None)

    expected = ["few-test-groups"] if protocol == "ranking" else []
    assert [finding.code for finding in flight.findings] == expected
    assert flight.facts == FACTS[protocol]
    if protocol == "rating":
        assert [axis["axis"] for axis in axes] == ["overall", "artifacts", "style"]
        assert axes[0]["answers"] == ["1", "2", "3", "4", "5", "not-relevant"]


def test_an_arena_that_is_ready(tmp_path):
    arena = {"trials": 10, "arena": {"most_votes": 195, "images": "fixed"}}
    flight = checked("comparison", tmp_path, {"comparison": arena})

    assert flight.findings == []
    assert (flight.facts["votes"], flight.facts["evaluators"]) == (195, 20)
    assert flight.facts["arena"]["pairs"] == "adaptive"
    assert flight.facts["session"]["comparison"] == 10


def test_single_images_with_what_is_right(tmp_path):
    flight = checked("rating", tmp_path, {"rating": {"of": "images", "ratings": 1}})

    assert only(flight).code == "one-rating"
    assert flight.facts["items"] == 12
    assert flight.facts["items_per_prompt"] == {"least": 6, "most": 6}
    assert flight.facts["ratings_per_axis"] == {"least": 4, "most": 4}
    assert set(flight.facts["with_truth"]) == {"anatomy", "aesthetics"}


LISTED = {"validation": {"kind": "listed"}}
GOOD = "fake/good/000.png"
ORIGINAL = "real/000.png"
BESIDE = {"comparison": {"show_reference": "beside"}}
BESIDE_RATED = {"rating": {"show_reference": "above"}}
ERRORS: dict[str, tuple[str, dict[str, Any], Change | None, str, str]] = {
    "no manifest": (
        *("comparison", {}),
        lambda study: (study.stimuli_folder / "manifest.csv").unlink(),
        *("manifest-missing", "hype stimuli scan"),
    ),
    "unknown condition": (
        *("comparison", {"stimuli": {"conditions": ["good", "great"]}}, None),
        *("condition-unknown", "'great' is not a condition of"),
    ),
    "one condition": (
        *("comparison", {"stimuli": {"conditions": ["good"]}, "observers": None}, None),
        *("condition-unknown", "asks about images of good"),
    ),
    "no prompts": (
        *("comparison", {}, without_prompts),
        *("prompts-unfit", "manifest.csv: has no column 'prompt'"),
    ),
    "a prompt of one condition": (
        *("comparison", {}, rows_with(lambda row: row["path"] == GOOD, prompt="a hat")),
        *("prompts-unfit", "the prompt 'a hat' has images of one condition only (good)"),
    ),
    "a prompt that no image has": (
        *("comparison", {"comparison": {"prompts": {"a hat": "a straw hat"}}}, None),
        *("prompts-unfit", "a hat"),
    ),
    "too few images": (
        *("comparison", {}, rows_with(lambda row: row["path"] == GOOD, prompt="")),
        *("too-few-images", "too few images of 'good' for the prompt 'a "),
    ),
    "more images than there are": (
        *("rating", {"rating": {"images": 3}}, None),
        *("too-few-images", ": 2, but rating.images = 3"),
    ),
    "no other prompt": (
        *("comparison", {}, rows_with(lambda _: True, prompt="a bag")),
        *("validation-wrong", "needs a second prompt for the wrong image"),
    ),
    "no list": ("comparison", LISTED, None, "validation-wrong", "validation.csv"),
    "an empty list": ("comparison", LISTED, list_of(), "validation-wrong", "lists no comparison"),
    "unknown image": (
        *("comparison", LISTED, list_of("a bag,fake/good/999.png,fake/crude/000.png")),
        *("validation-wrong", "validation.csv line 2"),
    ),
    "an image with itself": (
        *("comparison", LISTED, list_of(f"a bag,{GOOD},{GOOD}")),
        *("validation-wrong", f"'{GOOD}' is compared with itself"),
    ),
    "an image that changed": (
        *("comparison", {}, lambda study: noise(77).save(study.stimuli_folder / GOOD)),
        *("image-changed", GOOD),
    ),
    "what cannot be right": (
        *("rating", {"rating": {"of": "images"}}, rows_with(is_fine_bag, sound="perhaps")),
        *("axes-wrong", "'sound' of fake/fine/000.png | one of yes, no, the answers of the axis"),
    ),
    "no reference": (
        *("comparison", BESIDE, None),
        *("reference-missing", "the reference of fake/crude/000.png is missing"),
    ),
    "two references of a prompt": (
        *("comparison", BESIDE),
        lambda study: (
            rows_with(lambda _: True, reference=ORIGINAL)(study),
            rows_with(lambda row: row["path"] == GOOD, reference=GOOD)(study),
        ),
        *("reference-missing", "the prompt 'a coat' has two references"),
    ),
    "a listed prompt without a reference": (
        *("comparison", BESIDE | LISTED),
        lambda study: (
            rows_with(lambda _: True, reference=ORIGINAL)(study),
            list_of(f"a hat,{GOOD},fake/crude/000.png")(study),
        ),
        *("validation-wrong", "the prompt 'a hat' has no reference"),
    ),
    "a group larger than there are conditions": (
        *("ranking", {"ranking": {"group": 5}}, None),
        *("groups-unfit", "ranking.group = 5, but there are 4 conditions"),
    ),
    "nothing but the test": (
        *("ranking", {"screening": {"test": 6}}, None),
        *("groups-unfit", "screening.test = 6 leaves no group to rank: there are only 6 groups"),
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_wrong_input_is_found_once_and_named(what, tmp_path):
    protocol, settings, change, code, said = ERRORS[what]
    flight = checked(protocol, tmp_path, settings, change)

    assert (only(flight).code, only(flight).severity) == (code, "error")
    assert said in only(flight).message + " | " + only(flight).remedy
    assert flight.exit_code == 2


def same_picture_twice(study: PromptedStudy) -> None:
    """Give two conditions the same picture for a prompt, in two files."""
    stimuli = study.stimuli_folder
    (stimuli / GOOD).write_bytes((stimuli / "fake/crude/000.png").read_bytes())
    with (stimuli / "manifest.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["path"]: row for row in csv.DictReader(file)}

    def as_crude(_number: int, row: dict[str, str]) -> Row:
        crude = rows[row["path"].replace("good", "crude")]
        return row | {name: crude[name] for name in ("prompt", *["sha256"][: row["path"] == GOOD])}

    rewrite_rows(stimuli / "manifest.csv", as_crude)


WARNINGS: dict[str, tuple[str, dict[str, Any], Change | None, str, str]] = {
    "comparisons of one picture": (
        *("comparison", {}, same_picture_twice, "image-with-itself"),
        "1 comparison shows one picture twice: fake/crude/000.png and fake/good/000.png",
    ),
    "ratings of one picture": ("rating", {}, same_picture_twice, "image-with-itself", "twice"),
    "an original beside itself": (
        *("rating", BESIDE_RATED, rows_with(lambda _: True, reference=GOOD)),
        *("image-with-itself", f"1 pair shows one picture twice: {GOOD} and {GOOD}"),
    ),
    "uneven comparisons": (
        *("comparison", {}, rows_with(is_fine_bag, prompt=""), "pairs-uneven"),
        "compared 4 times, and crude and good 8 times: the prompt 'a bag' has no image of 'fine'",
    ),
    "uneven ratings": (
        *("rating", {}, rows_with(is_fine_bag, prompt=""), "pairs-uneven"),
        "crude and fine are rated 4 times",
    ),
    "groups that lack a condition": (
        *("ranking", NO_TEST, rows_with(is_fine_bag, prompt=""), "groups-incomplete"),
        "2 groups have fewer than 4 images: the prompt 'a bag' has no image of 'fine'",
    ),
    "one ranking": (
        *("ranking", NO_TEST | {"ranking": {"rankings": 1}}, None, "one-ranking"),
        "how good a preference model can be",
    ),
    "no checkers": (
        *("ranking", {"screening": {"test": 0, "checkers": []}}, None, "no-checkers"),
        "no checker can give the right order",
    ),
    "few are held out": (
        *("ranking", NO_TEST | {"ranking": {"held_out": 0.3}}, None, "few-held-out"),
        "= 0.3 keeps 1 of 3 prompts",
    ),
}


@pytest.mark.parametrize("what", WARNINGS)
def test_what_a_design_cannot_tell_is_warned_of(what, tmp_path):
    protocol, settings, change, code, said = WARNINGS[what]
    flight = checked(protocol, tmp_path, settings, change)

    assert (only(flight).code, flight.exit_code) == (code, 0)
    assert said in only(flight).message
    if what == "uneven comparisons":
        assert flight.facts["votes_per_pair"] == {"least": 24, "most": 48}
    if what == "groups that lack a condition":
        assert flight.facts["images_per_group"] == {"least": 3, "most": 4}


def test_a_test_whose_images_say_what_is_right_needs_no_checkers(tmp_path):
    study = make_tested(tmp_path, "ranking", decide="ask", check_share=0.0, checkers=[])

    codes = {finding.code for finding in check_ranking_study(study).findings}

    assert "few-test-groups" in codes
    assert "no-checkers" not in codes


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (
            *(lambda image: image.resize((14, 14)), "giveaway-size"),
            "size (16 x 16 px: crude, fine; 14 x 14 px: good)",
        ),
        (
            *(lambda image: image.convert("RGB"), "giveaway-colour"),
            "colour (grey: crude, fine; colour: good)",
        ),
    ],
    ids=["size", "colour"],
)
def test_what_tells_conditions_apart_beside_the_picture_is_warned_of(change, code, said, tmp_path):
    study = compared_study(tmp_path, files=True, **PLANNED["comparison"])
    manifest = study.stimuli_folder / "manifest.csv"
    with manifest.open(encoding="utf-8", newline="") as file:
        prompts = {row["path"]: row["prompt"] for row in csv.DictReader(file)}
    for path in (study.stimuli_folder / "fake" / "good").iterdir():
        change(Image.open(path)).save(path)
    scan(study.stimuli_folder)
    rewrite_rows(manifest, lambda _, row: row | {"prompt": prompts[row["path"]]})
    found = only(check_comparison_study(study))

    assert (found.code, found.severity) == (code, "warning")
    assert f"conditions differ in {said}" in found.message


@pytest.mark.parametrize(("win_rate", "found"), [(0.55, ["too-few-votes"]), (0.99, [])])
def test_a_design_that_does_not_show_what_is_planned_is_warned_of(win_rate, found, tmp_path):
    alike = {"taste_spread": 0.0, "image_spread": 0.0}
    study = compared_study(tmp_path, files=True, analysis={"win_rate": win_rate}, people=alike)
    flight = protocol_of(study).checks.study(study)

    assert [finding.code for finding in flight.findings] == found
    if found:
        assert flight.facts["planned"]["votes_needed_per_pair"] == 778
        assert "are needed to distinguish a win rate of 55.0% from 50%" in only(flight).message
        assert only(flight).remedy.startswith("set comparison.votes to 98, or plan")


def test_an_arena_that_could_not_know_its_goal_says_why(tmp_path):
    flight = checked("comparison", tmp_path, {"comparison": {"arena": {"most_votes": 50}}})
    found = {finding.code: finding for finding in flight.findings}

    assert list(found) == ["arena-evaluators", "arena-prompts"]
    assert found["arena-evaluators"].remedy == "comparison.arena.most_votes = 288 or more"
    assert found["arena-prompts"].message.endswith("the result will only apply to these images")
