"""`hype score` and `hype report` on ratings: of a study, with judges and a leaderboard."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rated_studies import rated_study, simulate

if TYPE_CHECKING:
    from running import Program

    from hype.protocols.rating.settings import RatingStudy

MARK = "SIMULATED EVALUATORS: nobody real was asked"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made = rated_study(tmp_path_factory.mktemp("rated"))
    simulate(made, 4)
    return made


def judges_of(study: RatingStudy, folder: Path, hype: Program) -> Path:
    """Write a judge that prefers the first image throughout."""
    assert hype("export", study.folder, "--simulated", "-o", folder / "data").code == 0
    with (folder / "data" / "ratings.csv").open(encoding="utf-8", newline="") as file:
        asked = {(row["item"], row["axis"]) for row in csv.DictReader(file) if not row["excluded"]}
    path = folder / "first.csv"
    lines = [f"{item},{axis},1" for item, axis in sorted(asked)]
    path.write_text("\n".join(["item,axis,answer", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("undrawn")
def test_a_report_with_everything(study, tmp_path, hype):
    board = tmp_path / "board.csv"
    board.write_text("condition,score\ncrude,1\nfine,2\ngood,3\n", encoding="utf-8")
    out, tables = tmp_path / "r.html", tmp_path / "tables"
    more = ("--judges", judges_of(study, tmp_path, hype), "--leaderboard", board)
    files = ("-o", out, "--tables", tables)
    done = hype("report", study.folder, "--simulated", *more, *files)
    page = out.read_text(encoding="utf-8")

    assert done.code == 0
    assert MARK in page
    assert "Which image is better overall?</dd>" in page.replace("<small>", "</dd>")
    assert "<dt>Registered</dt><dd>no</dd>" in page
    assert 'id="rating-judges"' in page
    assert "first gives one answer to everything (1)." in page
    assert (tables / "judges-kappa.tex").exists()
