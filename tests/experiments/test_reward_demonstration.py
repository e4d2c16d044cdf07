"""The short reward demonstration: votes, a reward model, and votes on the images that it picks."""

import csv
import json
import runpy
from pathlib import Path

import pytest
from running import run_here

MADE = runpy.run_path(
    str(Path(__file__).parents[2] / "experiments" / "fashion-reward" / "demonstrate.py")
)


@pytest.mark.long
def test_from_votes_to_a_model_and_to_votes_on_what_it_picks(tmp_path):
    ran = []

    def hype(*words: object) -> None:
        ran.append(run_here(*words))
        assert ran[-1].code == 0, ran[-1].err

    MADE["demonstrate"](tmp_path, labels=3, images=10, best_of=4, hype=hype)
    model = json.loads((tmp_path / "model" / "model.json").read_text())
    again = run_here(
        "score", tmp_path / "experiments" / "voted-again", "--simulated", "--json"
    ).json

    assert model["scores"]["agreement"]["accuracy"]["value"] > 0.6
    assert {row["condition"] for row in again["conditions"]} == {"picked", "random"}
    assert (again["simulated"], again["votes"], again["prompts"]) == (True, 312, 3)
    with (tmp_path / "scores.csv").open(newline="") as file:
        assert {row["part"] for row in csv.DictReader(file)} == {"test"}
    assert "SIMULATED" in (tmp_path / "report.html").read_text().upper()
