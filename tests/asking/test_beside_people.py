"""Judges whose ways are known, asked over HTTP and held against people: what is found of them."""

from __future__ import annotations

import csv
import hashlib

import pytest
from model_server import ModelServer, by_worth, dice, left_lover
from rated_studies import rated_study
from running import run_here

STRENGTHS = {"crude": -0.8, "fine": 0.0, "good": 0.8}


def worth_of(study):
    """Give each image what simulated people find of its condition."""
    worth = {}
    for path in study.stimuli_folder.rglob("*.png"):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        worth[sha256] = STRENGTHS.get(path.parent.name, 0.0)
    return worth


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    study = rated_study(tmp_path_factory.mktemp("rated"), files=True, rating={"ratings": 8})
    assert run_here("simulate", study.folder, "--evaluators", 16).code == 0
    judges = {"dice": dice(), "left": left_lover, "true": by_worth(worth_of(study))}
    for name, judge in judges.items():
        with ModelServer(judge) as server:
            ran = run_here("judge", study.folder, "--endpoint", server.url, "--model", name)
            assert ran.code == 0, ran
    folder = study.folder / "judges"
    scored = run_here("score", study.folder, "--simulated", "--judges", folder, "--json")
    return {judge["judge"]: judge for judge in scored.json["judges"]["judges"]}, folder


def test_who_prefers_the_first_place_is_told_from_who_prefers_an_image(rated):
    judges, _ = rated
    assert judges["left"]["verdict"] == "one-sided"
    assert judges["left"]["said"][0].startswith(
        "It always prefers what is shown first: in 100% of its 144 decided answers, where pairs "
        "were shown in both orders"
    )
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
