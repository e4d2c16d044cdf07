"""Judges whose ways are known, asked over HTTP and held against people: what is found of them."""

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
    true, left = judges["true"], judges["left"]
    first = left["first_image"]
    assert (first["judge"]["value"], first["same"], first["both"]) == (1.0, 0, 24)
    assert true["accuracy"]["value"] > true["person"]["value"] > 0.5
    assert true["difference"]["value"] > judges["dice"]["difference"]["value"]
    assert (true["verdict"], true["missing"]) == (None, {})
    assert (true["pairs_judged"], true["of_pairs"], left["pairs_decided"]) == (24, 24, 0)
    assert [(pair["a"], pair["b"]) for pair in true["pairs"]] == [
        *(("crude", "fine"), ("crude", "good"), ("fine", "good"))
    ]


def test_a_margin_brings_verdicts(compared):
    judges, folder = compared
    study = ("score", folder.parent, "--simulated", "--judges", folder)
    scored = run_here(*study, "--margin", 0.05, "--json").json["judges"]
    assert scored["margin"] == 0.05
    verdicts = {judge["judge"]: judge["verdict"] for judge in scored["judges"]}
    low = judges["true"]["difference"]["low"]
    assert verdicts["true"] == ("as good" if low > -0.05 else "not known")
    assert verdicts["dice"] != "as good"
    assert run_here(*study, "--margin", 2).code == 2


def test_who_prefers_the_first_place_is_told_from_who_prefers_an_image(rated):
    judges, _ = rated
    first = judges["left"]["first_image"]
    assert (first["judge"]["value"], first["judge"]["n"], first["people"]) == (1.0, 144, None)
    assert (first["same"], first["both"]) == (0, 72)
    assert {row["constant"] for row in judges["left"]["axes"]} == {""}


def test_dice_agree_with_nobody_and_a_true_judge_does(rated):
    judges, _ = rated
    rows, dice_rows = (
        {row["axis"]: row for row in judges[name]["axes"]} for name in ("true", "dice")
    )
    assert rows["overall"]["r"]["low"] > 0 > dice_rows["overall"]["r"]["low"]
    first = judges["true"]["first_image"]
    assert first["judge"]["value"] == 0.5
    assert first["same"] == first["both"] > 0


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
    errors = judges["true"]["errors"]
    assert errors["judge"]["value"] == 0
    assert errors["people"]["value"] > 0.1
    assert judges["left"]["constant"] == "real"
    rows = judges["left"]["conditions"]
    assert {row["condition"]: row["errors"]["judge"]["value"] for row in rows} == {
        "crude": 1.0,
        "good": 1.0,
    }
    page = folder / "report.html"
    ran = run_here("report", folder.parent, "--simulated", "--judges", folder, "-o", page)
    assert ran.code == 0, ran
    assert "left gives one answer to everything (real)." in page.read_text()


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
    assert judges["true"]["accuracy"]["low"] > 0.5
    dice = judges["dice"]["accuracy"]
    assert dice["low"] < 0.5 < dice["high"]
    assert judges["first"]["accuracy"]["value"] == 0.5  # of both orders each image has the same
