"""Judges whose ways are known, asked over HTTP and held against people: what is found of them."""

from __future__ import annotations

import csv
import hashlib

import pytest
from builders import merged, whole_study
from compared_studies import compared_study
from model_server import ModelServer, by_worth, dice, left_lover
from rated_studies import RANKED, RANKED_PROMPTS, rated_study, written
from running import run_here

STRENGTHS = {"crude": -0.8, "fine": 0.0, "good": 0.8, "great": 1.6}


def worth_of(study):
    """Give each image what simulated people find of its condition."""
    worth = {}
    for path in study.stimuli_folder.rglob("*.png"):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        worth[sha256] = STRENGTHS.get(path.parent.name, 0.0)
    return worth


def held(study, judges):
    """Ask judges over HTTP; gives what `hype score` finds of each, and their folder."""
    for name, judge in judges.items():
        with ModelServer(judge) as server:
            ran = run_here("judge", study.folder, "--endpoint", server.url, "--model", name)
            assert ran.code == 0, ran
    folder = study.folder / "judges"
    scored = run_here("score", study.folder, "--simulated", "--judges", folder, "--json")
    return {judge["judge"]: judge for judge in scored.json["judges"]["judges"]}, folder


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    changes = {"ratings": 8, "items": 12}
    study = rated_study(tmp_path_factory.mktemp("rated"), files=True, rating=changes)
    assert run_here("simulate", study.folder, "--evaluators", 8).code == 0
    judges = {"dice": dice(), "left": left_lover, "true": by_worth(worth_of(study))}
    return held(study, judges)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    study = compared_study(
        tmp_path_factory.mktemp("compared"),
        files=True,
        comparison={"images": 2, "votes": 40, "trials": 24},
    )
    assert run_here("simulate", study.folder, "--evaluators", 20).code == 0
    judges = {"dice": dice(), "left": left_lover, "true": by_worth(worth_of(study))}
    return held(study, judges)


def test_judges_of_comparisons_stand_beside_people(compared):
    judges, _ = compared
    found = {name: judge["verdict"] for name, judge in judges.items()}
    assert found == {"true": "agrees", "left": "one-sided", "dice": "random"}
    place = judges["left"]["position"]
    assert (place["share"], place["same"], place["both"]) == (1.0, 0, 24)
    true = judges["true"]
    assert true["accuracy"]["value"] > true["single"]["value"] > 0.5
    assert (true["pairs_judged"], true["of_pairs"], true["missing"]) == (24, 24, {})
    assert [(pair["a"], pair["b"]) for pair in true["pairs"]] == [
        *(("crude", "fine"), ("crude", "good"), ("fine", "good"))
    ]
    assert set(judges["dice"]["elo"]) == {"crude", "fine", "good"}


def test_who_prefers_the_first_place_is_told_from_who_prefers_an_image(rated):
    judges, _ = rated
    assert judges["left"]["verdict"] == "one-sided"
    assert judges["left"]["said"][0].startswith(
        "It always prefers what is shown first: in 100% of its 144 decided answers, where pairs "
        "were shown in both orders"
    )
    assert "one answer" not in " ".join(judges["left"]["said"])
    position = judges["left"]["position"]
    assert (position["share"], position["people_share"]) == (1.0, None)
    assert (position["same"], position["both"]) == (0, 72)
    assert (position["judge_only"], position["people_only"]) == (24, 0)


def test_dice_agree_with_nobody_and_a_true_judge_does(rated):
    judges, _ = rated
    assert judges["dice"]["verdict"] == "random"
    assert judges["true"]["verdict"] not in ("random", "one-sided", "constant", "inverted")
    rows = {row["axis"]: row for row in judges["true"]["axes"]}
    assert rows["overall"]["correlation"]["low"] > 0
    place = judges["true"]["position"]
    assert place["share"] == 0.5
    assert place["same"] == place["both"] > 0


def test_the_table_of_a_judge_reads_the_same_in_any_order_of_its_rows(rated, tmp_path):
    judges, folder = rated
    with (folder / "true.csv").open() as file:
        head, *rows = csv.reader(file)
    with (tmp_path / "true.csv").open("w", newline="") as file:
        csv.writer(file).writerows([head, *reversed(rows)])
    again = run_here("score", folder.parent, "--simulated", "--judges", tmp_path, "--json")
    assert again.json["judges"]["judges"][0]["axes"] == judges["true"]["axes"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    study = whole_study(
        tmp_path_factory.mktemp("judged"),
        dict.fromkeys(("", "crude", "good"), 24),
        study={"methods": ["infinity"]},
        qualification={"enabled": False},
        practice={"trials": 0},
        infinity={"trials": 40},
        observers={name: {"ceiling": 0.8} for name in ("crude", "good")},
    )
    assert run_here("simulate", study.folder, "--evaluators", 16).code == 0
    worth = {
        hashlib.sha256(path.read_bytes()).hexdigest(): float(path.parent.name == "real") - 0.5
        for path in study.stimuli_folder.rglob("*.png")
    }
    judges = {"dice": dice(), "left": left_lover, "true": by_worth(worth)}
    return held(study, judges)


def test_judges_of_real_and_fake_stand_beside_people(judged):
    judges, folder = judged
    found = {name: judge["verdict"] for name, judge in judges.items()}
    assert found == {"true": "agrees", "left": "constant", "dice": "random"}
    true = judges["true"]
    assert true["error"]["value"] == 0
    assert true["d_prime"]["value"] > true["people_d_prime"]["value"]
    assert true["people_error"]["value"] > 0.1
    assert true["difference_of_errors"]["high"] < 0
    assert {row["condition"]: row["error"] for row in judges["left"]["conditions"]} == {
        "crude": 1.0,
        "good": 1.0,
    }
    page = folder / "report.html"
    ran = run_here("report", folder.parent, "--simulated", "--judges", folder, "-o", page)
    assert ran.code == 0, ran
    text = page.read_text()
    assert "It calls everything real: it does not look." in text
    assert "it errs less than people" in text


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    changes = {
        "ranking": {"images": 8, "rankings": 12, "groups": 12, "practice": 0},
        "screening": {"test": 0, "check_share": 0.0, "checkers": None},
    }
    counts = {"": 1, **dict.fromkeys(("crude", "fine", "good", "great"), 24)}
    folder = tmp_path_factory.mktemp("ranked")
    study = written(folder, merged(RANKED, changes), counts, RANKED_PROMPTS, files=True)
    assert run_here("simulate", study.folder, "--evaluators", 12).code == 0
    judges = {"dice": dice(), "first": left_lover, "true": by_worth(worth_of(study))}
    return held(study, judges)


def test_judges_that_rank_stand_beside_people(ranked):
    judges, _ = ranked
    found = {name: judge["verdict"] for name, judge in judges.items()}
    assert found["dice"] == "random"
    assert found["first"] == "constant"  # of both orders each image has the same
    assert found["true"] not in ("random", "constant", "inverted")
    assert judges["true"]["accuracy"]["low"] > 0.5
