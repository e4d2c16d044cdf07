"""The files of the shipped judges are identical to what their program makes."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

FOLDER = Path(__file__).parents[2] / "experiments" / "fashion-rankings"
MADE = runpy.run_path(str(FOLDER / "judges.py"))


@pytest.fixture(scope="module")
def manifest() -> pd.DataFrame:
    return pd.read_csv(MADE["STIMULI"] / "manifest.csv")


def test_each_judge_scores_every_image_as_it_says(manifest):
    pictures = MADE["pictures_of"](manifest)
    assert {path.stem for path in (FOLDER / "judges").glob("*.csv")} == set(MADE["MEASURES"])
    for name, measure in MADE["MEASURES"].items():
        table = pd.read_csv(FOLDER / "judges" / f"{name}.csv")

        assert table["judge"].unique().tolist() == [name]
        assert table["image"].tolist() == manifest["path"].tolist()
        assert table["score"].to_numpy() == pytest.approx(measure(pictures, manifest), abs=1e-4)
