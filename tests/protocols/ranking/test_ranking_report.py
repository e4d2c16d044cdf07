"""`hype score` and `hype report` on rankings: of a study, with preference models."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rated_studies import ranked_study, simulate

if TYPE_CHECKING:
    from hype.protocols.ranking.settings import RankingStudy

MARK = "SIMULATED EVALUATORS: nobody real was asked"
LIKED = {"crude": 0, "fine": 1, "good": 2, "great": 3}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made = ranked_study(tmp_path_factory.mktemp("ranked"), files=True)
    simulate(made, 4)
    return made


def model_of(study: RankingStudy, folder: Path) -> Path:
    """Write the scores of a model that likes what the simulated evaluators like."""
    path = folder / "liking.csv"
    with (study.stimuli_folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        images = [(row["path"], row["condition"]) for row in csv.DictReader(file)]
    lines = [f"{image},{LIKED[made]}" for image, made in images if made in LIKED]
    path.write_text("\n".join(["image,score", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("undrawn")
def test_a_report_with_a_model(study, tmp_path, hype):
    out, tables = tmp_path / "r.html", tmp_path / "tables"
    files = ("-o", out, "--tables", tables)
    model = ("--judges", model_of(study, tmp_path))
    done = hype("report", study.folder, "--simulated", *model, *files)
    page = out.read_text(encoding="utf-8")

    assert done.code == 0
    assert MARK in page
    assert study.settings.ranking.question in page
    assert "<dt>Registered</dt><dd>no</dd>" in page
    assert "Wu et al. (2023)" in page
    assert 'id="ranking-models"' in page
    assert 'src="data:image/png;base64,' not in page
    assert "no prompt has two images that were shown 5 times or more" in page
    with (tables / "judges.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["judge"], row["simulated"]) == ("liking", "true")
