"""Metrics against scores of conditions in classes, whose points are not independent."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hype.library.scores import FOLDER
from hype.protocols.hype.metrics import correlate, read_metrics

# Zhou et al. (2019), table 4: HYPE_infinity, KID, FID and precision of 3 models in 5 classes.
# KID and FID of SN-GAN's lemons are left open.
IMAGENET_5 = """condition,class,score,kid,fid,precision
trunc,lemon,18.4,.043,94.22,.784
no-trunc,lemon,20.2,.036,87.54,.774
sn-gan,lemon,12.0,,,.656
trunc,samoyed,19.9,.027,56.94,.794
no-trunc,samoyed,19.7,.014,46.14,.906
sn-gan,samoyed,5.8,.046,88.68,.785
trunc,library,17.4,.049,98.45,.695
no-trunc,library,22.9,.029,78.49,.814
sn-gan,library,13.6,.043,94.89,.814
trunc,french horn,7.3,.031,78.21,.732
no-trunc,french horn,6.9,.042,96.18,.757
sn-gan,french horn,3.6,.156,196.12,.674
trunc,baseball player,1.9,.049,91.31,.853
no-trunc,baseball player,2.2,.026,76.71,.838
sn-gan,baseball player,2.8,.052,105.82,.785
"""


def test_the_published_table_in_one_command(write_csv, hype):
    """The text prints -.377, -.282 and -.067, which no value of the open cells gives."""
    path = write_csv(IMAGENET_5)
    told = hype("metrics", path, "--by", "class", "--json").json["metrics"]

    assert {m["metric"]: (m["n"], round(m["spearman_rho"], 3)) for m in told} == {
        "kid": (14, -0.496),
        "fid": (14, -0.389),
        "precision": (15, -0.004),
    }
    assert {m["method"] for m in told} == {"exact permutation of conditions and classes"}
    shown = hype("metrics", path, "--by", "class").out
    assert "Points" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_p_permutes_whole_conditions_and_whole_classes(rng):
    scores, metric = rng.standard_normal((2, 3, 4))
    points = list(product("abc", "wxyz"))
    index = pd.MultiIndex.from_tuples(points)
    frame = pd.DataFrame({"m": metric.ravel()}, index=index)
    (found,) = correlate(dict(zip(points, scores.ravel(), strict=True)), frame, rng=rng)

    every = [
        stats.spearmanr(scores.ravel(), metric[np.ix_(rows, columns)].ravel()).statistic
        for rows in permutations(range(3))
        for columns in permutations(range(4))
    ]
    own = stats.spearmanr(scores.ravel(), metric.ravel()).statistic
    assert found["spearman_rho"] == pytest.approx(own)
    assert found["spearman_p"] == pytest.approx(np.mean(np.abs(every) >= abs(own) - 1e-9))
    assert found["spearman_low"] < own < found["spearman_high"]


def test_a_table_of_classes_has_each_condition_once_in_each(write_csv, hype):
    doubled = IMAGENET_5 + "trunc,lemon,1,1,1,1\n"

    assert (
        "each condition once in a class"
        in hype("metrics", write_csv(doubled), "--by", "class").refused()
    )


def test_without_the_column_a_table_is_one_of_conditions(write_csv):
    assert read_metrics(write_csv("condition,fid\na,1\n"), "class").index.nlevels == 1


def test_hype_time_has_no_scores_in_classes(write_csv, hype, tmp_path):
    table = pd.read_csv(FOLDER / "time.csv", dtype=str)
    table["class"] = np.where(table["image"].str.contains("[02468].png"), "even", "odd")
    table.to_csv(tmp_path / "time.csv", index=False)
    metrics = write_csv("condition,class,fid\nvae,even,1\nvae,odd,2\nflow,even,3\n")
    given = ("score", tmp_path / "time.csv", "--simulated", "--by", "class", "--metrics", metrics)
    shown = hype(*given).out

    assert "Note: The metrics are of conditions within classes, and there are no" in shown
    assert "Automated metrics" not in shown
