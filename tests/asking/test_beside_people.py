"""Judges with known behaviour, asked over HTTP and compared with people, get the right figures."""

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
    """Return the strength that simulated people see in each image, by checksum."""
    worth = {}
    for path in study.stimuli_folder.rglob("*.png"):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        worth[sha256] = STRENGTHS.get(path.parent.name, 0.0)
    return worth


def held(study, judges):
    """Ask judges over HTTP and return their scores from `hype score`, and their folder."""
    for name, judge in judges.items():
        with ModelServer(judge) as server:
            ran = run_here("judge", study.folder, "--endpoint", server.url, "--model", name)
            assert ran.code == 0, ran
    folder = study.folder / "judges"
    scored = run_here("score", study.folder, "--simulated", "--judges", folder, "--json")
    return scored.json, folder


def named(told, table="judges"):
    """Return the last row of each judge in a table, by judge."""
    return {row["judge"]: row for row in told[table]}


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


@pytest.mark.long
def test_judges_of_comparisons_stand_beside_people(compared):
    told, folder = compared
    judges = named(told)
    true, left = judges["true"], judges["left"]
    first = named(told, "judges_position")["left"]
    assert (first["first"], first["same"], first["both"]) == (100, 0, 24)
    assert true["accuracy"] > true["person"] > 50
    assert true["difference"] > judges["dice"]["difference"]
    assert ("verdict" in true, true["missing"]) == (False, "")
    assert (true["pairs_judged"], true["of_pairs"], left["pairs_decided"]) == (24, 24, 0)
    pairs = [row for row in told["judges_pairs"] if row["judge"] == "true"]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [
        *(("crude", "fine"), ("crude", "good"), ("fine", "good"))
    ]

    score = ("score", folder.parent, "--simulated", "--judges", folder)
    judges = named(run_here(*score, "--margin", 0.05, "--json").json)
    low = named(told)["true"]["difference_low"]
    assert judges["true"]["verdict"] == ("as good" if low > -5 else "not known")
    assert judges["dice"]["verdict"] != "as good"
    assert run_here(*score, "--margin", 2).code == 2


@pytest.mark.long
def test_judges_of_ratings_stand_beside_people_in_any_order_of_their_rows(rated, tmp_path):
    """Judges who prefer the first place, and judges who prefer an image, get different figures."""
    told, folder = rated
    places = named(told, "judges_position")
    assert [places["left"][fact] for fact in ("first", "decided", "same", "both")] == [
        *(100, 144, 0, 72)
    ]
    assert places["true"]["first"] == 50
    assert places["true"]["same"] == places["true"]["both"] > 0
    assert named(told)["left"]["constant"] == ""
    low = {row["judge"]: row["r_low"] for row in told["judges_axes"] if row["axis"] == "overall"}
    assert low["true"] > 0 > low["dice"]

    with (folder / "true.csv").open() as file:
        head, *rows = csv.reader(file)
    with (tmp_path / "true.csv").open("w", newline="") as file:
        csv.writer(file).writerows([head, *reversed(rows)])
    again = run_here("score", folder.parent, "--simulated", "--judges", tmp_path, "--json")
    own = [row for row in told["judges_axes"] if row["judge"] == "true"]
    assert again.json["judges_axes"] == own != []


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
    told, folder = judged
    judges = named(told)
    assert judges["true"]["error"] == 0
    assert judges["true"]["people_error"] > 10
    assert judges["left"]["constant"] == "real"
    errors = {row["of"]: row["error"] for row in told["judges_errors"] if row["judge"] == "left"}
    assert (errors["fakes of crude"], errors["fakes of good"]) == (100, 100)
    page = folder / "report.html"
    ran = run_here("report", folder.parent, "--simulated", "--judges", folder, "-o", page)
    assert ran.code == 0, ran
    assert "left gives the same answer to everything (real)." in page.read_text()


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


@pytest.mark.long
def test_judges_that_rank_stand_beside_people(ranked):
    judges = named(ranked[0])
    assert judges["true"]["accuracy_low"] > 50
    dice = judges["dice"]
    assert dice["accuracy_low"] < 50 < dice["accuracy_high"]
    assert judges["first"]["accuracy"] == 50  # each image is first once, so it wins once
