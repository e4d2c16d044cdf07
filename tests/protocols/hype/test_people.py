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
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.oneway import anova_oneway

from hype.protocols.hype.scoring import score
from hype.protocols.hype.separability import compare_conditions

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


@pytest.fixture(scope="module")
def tests(result):
    return compare_conditions(
        {row.condition: [e.score for e in row.evaluator_scores] for row in result.conditions}
    )


def pingouins(test, table):
    """Run one of its tests; versions differ in how they join the words of a column's name."""
    import pingouin  # here: few of many processes need it, and it takes seconds

    found = getattr(pingouin, test)(data=table, dv="err_rt", between="model")
    return found.rename(columns=lambda name: name.replace("-", "_").lower())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("score", "err_rt"), ("fakes_error", "f_err_rt"), ("reals_error", "r_err_rt")],
)
def test_means_per_model_are_the_tables_own(result, table, ours, theirs):
    means = table.groupby("model")[theirs].mean()
    assert len(result.conditions) == len(means)
    for row in result.conditions:
        assert getattr(row, ours) / 100 == pytest.approx(means[row.condition], abs=1e-12, rel=0)


def test_spread_is_that_of_the_mean(result, table):
    rates = 100 * table.set_index("model")["err_rt"]
    for row in result.conditions:
        own = rates.loc[row.condition]
        assert row.std == pytest.approx(own.std(ddof=0) / np.sqrt(len(own)), rel=0.03)


def test_standard_errors_are_the_tables_own(result, table):
    errors = 100 * table.groupby("model")["err_rt"].sem()
    for row in result.conditions:
        own = [evaluator.score for evaluator in row.evaluator_scores]
        assert np.std(own, ddof=1) / np.sqrt(len(own)) == pytest.approx(errors[row.condition])


def test_ranks_are_the_tables_own(result, table):
    means = table.groupby("model")["err_rt"].mean().sort_values(ascending=False)
    assert means.is_unique
    assert [row.condition for row in result.conditions] == list(means.index)


@pytest.mark.parametrize("variances", ["equal", "unequal"])
def test_statsmodels_agrees_on_the_analysis_of_variance(result, tests, table, variances):
    witness = anova_oneway(table["err_rt"], table["model"], use_var=variances)
    ours = result.anova if variances == "equal" else tests.welch
    found = [ours.f, ours.p, ours.df_between, ours.df_within]
    assert found == pytest.approx([witness.statistic, witness.pvalue, *witness.df], rel=1e-9)


@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame:Warning")
def test_pingouin_agrees_on_the_analysis_of_variance(result, tests, table):
    witness = pingouins("anova", table)[["f", "p_unc", "np2"]].iloc[0].astype(float)
    anova = result.anova
    assert [anova.f, anova.p, anova.eta_squared] == pytest.approx(witness.tolist(), rel=1e-9)
    columns = ["f", "p_unc", "ddof1", "ddof2"]
    witness = pingouins("welch_anova", table)[columns].iloc[0].astype(float)
    welch = tests.welch
    found = [welch.f, welch.p, welch.df_between, welch.df_within]
    assert found == pytest.approx(witness.tolist(), rel=1e-9)


def test_statsmodels_agrees_on_tukey(tests, table):
    witness = pairwise_tukeyhsd(100 * table["err_rt"], table["model"])
    models = witness.groupsunique
    rows = zip(*np.triu_indices(len(models), 1), strict=True)
    expected = {frozenset([models[i], models[j]]): row for row, (i, j) in enumerate(rows)}
    assert len(tests.pairwise) == len(expected)
    for pair in tests.pairwise:
        row = expected[frozenset([pair.a, pair.b])]
        sign = 1 if pair.a > pair.b else -1
        low, high = sorted(sign * witness.confint[row])
        assert pair.difference == pytest.approx(sign * witness.meandiffs[row])
        assert pair.p == pytest.approx(witness.pvalues[row], abs=1e-8)
        assert (pair.ci_low, pair.ci_high) == pytest.approx((low, high), abs=1e-6)
        assert pair.separable == witness.reject[row]


@pytest.mark.parametrize(
    ("clustered", "test", "p"),
    [(False, "pairwise_tukey", "p_tukey"), (True, "pairwise_gameshowell", "pval")],
)
def test_pingouin_agrees_on_pairs(result, tests, table, clustered, test, p):
    rows = {frozenset([row.a, row.b]): row for row in pingouins(test, table).itertuples()}
    pairs = result.pairwise if clustered else tests.pairwise
    assert len(pairs) == len(rows)
    for pair in pairs:
        row = rows[frozenset([pair.a, pair.b])]
        sign = 1 if pair.a == row.a else -1
        assert pair.difference == pytest.approx(100 * sign * row.diff)
        assert pair.p == pytest.approx(getattr(row, p), abs=1e-9)
        assert pair.hedges_g == pytest.approx(sign * row.hedges, rel=1e-4)


def test_models_that_share_a_letter_are_not_separable(tests):
    letters = {model: set(own) for model, own in tests.letters.items()}
    for pair in tests.pairwise:
        assert (not letters[pair.a] & letters[pair.b]) == pair.separable


def test_everybody_is_counted(result, table):
    assert sum(row.evaluators for row in result.conditions) == len(table)
    assert sum(row.judgements for row in result.conditions) == 2 * IMAGES * len(table)
    assert result.anova.df_within == len(table) - len(result.conditions)
    (note,) = result.notes
    assert "name no images" in note
