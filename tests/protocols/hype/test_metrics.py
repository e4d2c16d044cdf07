from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hype.errors import InputError
from hype.library.scores import FOLDER
from hype.protocols.hype.metrics import correlate, read_metrics

# Zhou et al. (2019), tables 2 and 3: StyleGAN, ProGAN, BEGAN and WGAN-GP on CelebA-64, then
# StyleGAN with and without truncation on FFHQ.
FACES = """condition, fid, kid, precision
stylegan,131.7,.005,.982
progan,2.5,.001,.990
began,67.7,.056,.326
wgan-gp,43.6,.046,.654
trunc,13.8,.007,.976
no-trunc,4.4,.001,.983
"""


FACES_SCORES = dict(
    zip(
        ["stylegan", "progan", "began", "wgan-gp", "trunc", "no-trunc"],
        [50.7, 40.3, 10.0, 3.8, 27.6, 19.0],
        strict=True,
    )
)


def by_metric(scores, table, rng, **options):
    return {row["metric"]: row for row in correlate(scores, table, rng=rng, **options)}


@pytest.mark.parametrize(
    ("metric", "rho", "p_of_t", "exact_p"),
    [
        ("fid", -0.029, 0.96, 1.0),
        ("kid", -0.609, 0.20, 152 / 720),
        ("precision", 0.657, 0.16, 0.175),
    ],
)
def test_published_rho_of_faces_and_the_exact_p_beside_the_published_one(
    metric, rho, p_of_t, exact_p, write_csv, rng
):
    found = by_metric(FACES_SCORES, read_metrics(write_csv(FACES)), rng)[metric]
    assert found["spearman_rho"] == pytest.approx(rho, abs=6e-4)
    assert found["spearman_p"] == pytest.approx(exact_p, abs=1e-12)
    assert (found["n"], found["method"]) == (6, "exact permutation")
    t = rho * np.sqrt(4 / (1 - rho**2))
    assert 2 * stats.t.sf(abs(t), 4) == pytest.approx(p_of_t, abs=6e-3)


@pytest.mark.parametrize("ties", [False, True])
def test_scipy_agrees(ties, rng):
    x, y = rng.integers(0, 4 if ties else 1000, (2, 7)).astype(float)
    table = frame_of(y)
    (found,) = correlate(named(x), table, rng=rng)
    assert found["spearman_rho"] == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found["kendall_tau"] == pytest.approx(stats.kendalltau(x, y).statistic)
    if not ties:
        assert found["kendall_p"] == pytest.approx(stats.kendalltau(x, y, method="exact").pvalue)
    (small,) = correlate(named(x[:5]), table, rng=rng)
    some = [abs(stats.spearmanr(x[:5], y[:5][list(o)]).statistic) for o in permutations(range(5))]
    observed = abs(stats.spearmanr(x[:5], y[:5]).statistic)
    assert small["spearman_p"] == pytest.approx(np.mean(np.array(some) >= observed - 1e-9))


def named(values):
    return {f"c{i}": float(value) for i, value in enumerate(values)}


def frame_of(values, name="fid"):
    index = pd.Index([f"c{i}" for i in range(len(values))], name="condition")
    return pd.DataFrame({name: np.asarray(values, dtype=float)}, index=index)


def test_a_random_p_is_never_zero_and_the_same_seed_gives_the_same_p():
    x = np.arange(20.0)
    runs = [
        correlate(named(x), frame_of(x), rng=np.random.default_rng(3), draws=999)[0]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert runs[0]["spearman_p"] == runs[0]["kendall_p"] == pytest.approx(1 / 1000)


def test_what_is_missing_on_either_side_is_named(write_csv, rng):
    table = read_metrics(write_csv("condition,fid,kid\na,1,4\nb,2,\nc,3,6\nz,9,9\n"))
    found = by_metric({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}, table, rng)
    assert found["fid"]["n"] == 3
    assert found["fid"]["spearman_rho"] == pytest.approx(1)
    assert found["fid"]["spearman_p"] == pytest.approx(2 / 6)
    assert found["kid"]["n"] == 2
    assert (found["kid"]["spearman_rho"], found["kid"]["kendall_p"], found["kid"]["method"]) == (
        None,
        None,
        "",
    )
    assert "Fewer than 3 conditions" in found["kid"]["problem"]


@pytest.mark.parametrize(
    ("scores", "metric", "sentence"),
    [([1, 2, 3], [7, 7, 7], "metric is the same"), ([5, 5, 5], [1, 2, 3], "same score")],
)
def test_what_does_not_vary_has_no_correlation(scores, metric, sentence, rng):
    (found,) = correlate(named(scores), frame_of(metric), rng=rng)
    assert (found["spearman_rho"], found["spearman_p"], found["kendall_tau"]) == (None, None, None)
    assert sentence in found["problem"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,fid\na,1\n", "column 'condition' is missing; required: .*; found: model, fid"),
        ("condition\na\n", "names no metric"),
        ("condition,fid\n", "lists no condition"),
        ("condition,fid\na,1\n,2\n", "row 3, column condition: is empty"),
        ("condition,fid\na,1\na,2\n", "row 3, column condition: 'a' is not allowed; .*once"),
        ("condition,fid\na,1\nb,low\n", "row 3, column fid: 'low' is not allowed; .*a number"),
        ("condition,fid\na,inf\n", "row 2, column fid: 'inf'"),
        ("condition,fid\na,nan\n", "row 2, column fid: 'nan'"),
        ("condition,fid,\na,1,2\n", "a column is called ''"),
    ],
)
def test_tables_that_are_none(text, message, write_csv):
    with pytest.raises(InputError, match=message):
        read_metrics(write_csv(text))


# Zhou et al. (2019), table 4: HYPE_infinity, KID, FID and precision of 3 models in 5 classes.
# The table has no KID and FID for SN-GAN's lemons.
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
    """The text prints -.377, -.282 and -.067, which no values of the empty cells give."""
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

    assert "Note: The metrics are given by class, but there are no scores by class" in shown
    assert "Automated metrics" not in shown
