"""Judgements of 227 people over nine generators of faces, and a made-up table of that layout.

The people's table (Stein et al. 2023, "Exposing flaws of generative model evaluation metrics and
their unfair treatment of diffusion models") is no part of this project; where it is not at hand
only the made-up one is tested.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from known_tables import untimed_table

from hype.protocols.hype.scoring import score

PEOPLE = Path(__file__).resolve().parents[4] / "shared/data/dgm-eval-ffhq256.csv"
IMAGES = 100
"""Fakes, and as many reals, that each person judged."""


def made_up_table() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    sizes = {"ldm": 25, "unleashing": 27, "stylenat": 25}
    rows = [(f"participant_{name}_{i}", name) for name, n in sizes.items() for i in range(n)]
    table = pd.DataFrame(rows, columns=["id", "model"])
    table["f_err_rt"] = rng.integers(0, 60, len(table)) / IMAGES
    table["r_err_rt"] = rng.integers(0, 60, len(table)) / IMAGES
    table["err_rt"] = (table["f_err_rt"] + table["r_err_rt"]) / 2
    table["num_correct"] = 2 * IMAGES * (1 - table["err_rt"])
    return table


@pytest.fixture(params=["people", "made up"], scope="module")
def table(request):
    if request.param == "made up":
        return made_up_table()
    if not PEOPLE.exists():
        pytest.skip("the table of people's judgements is not at hand")
    return pd.read_csv(PEOPLE)


@pytest.fixture(scope="module")
def result(table):
    errors: dict[str, dict[str, tuple[int, int]]] = {}
    for row in table.itertuples():
        wrong = (round(row.f_err_rt * IMAGES), round(row.r_err_rt * IMAGES))
        assert wrong == pytest.approx((row.f_err_rt * IMAGES, row.r_err_rt * IMAGES), abs=1e-9)
        errors.setdefault(row.model, {})[row.id] = wrong
    (scored,) = score(untimed_table(errors, images=IMAGES))
    return scored


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("score", "err_rt"), ("fakes_error", "f_err_rt"), ("reals_error", "r_err_rt")],
)
def test_means_per_model_are_the_tables_own(result, table, ours, theirs):
    means = table.groupby("model")[theirs].mean()
    assert len(result.conditions) == len(means)
    for row in result.conditions:
        assert row[ours] / 100 == pytest.approx(means[row["condition"]], abs=1e-12, rel=0)


def test_spread_is_that_of_the_mean(result, table):
    rates = 100 * table.set_index("model")["err_rt"]
    for row in result.conditions:
        own = rates.loc[row["condition"]]
        assert row["std"] == pytest.approx(own.std(ddof=0) / np.sqrt(len(own)), rel=0.03)


def test_ranks_are_the_tables_own(result, table):
    means = table.groupby("model")["err_rt"].mean().sort_values(ascending=False)
    assert means.is_unique
    assert [row["condition"] for row in result.conditions] == list(means.index)


def test_everybody_is_counted(result, table):
    assert sum(row["evaluators"] for row in result.conditions) == len(table)
    assert sum(row["judgements"] for row in result.conditions) == 2 * IMAGES * len(table)
    assert result.anova.df_within == len(table) - len(result.conditions)
    (note,) = result.notes
    assert "name no images" in note
