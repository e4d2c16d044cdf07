"""The mixed model finds simulated truth again; statsmodels is the second opinion."""

import dataclasses
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM
from threadpoolctl import threadpool_limits

from hype.protocols.hype.mixed_model import crossed_samples, mixed_model
from hype.statistics.crossed_logistic import fit_crossed

EVALUATOR_SD, IMAGE_SD = 0.5, 0.8


def simulated(log_odds, *, evaluators, trials, images, seed, sds=(EVALUATOR_SD, IMAGE_SD)):
    """Judgements of a pool of real images and one pool of fakes per condition."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(0, sds[1], (len(log_odds) + 1, images))
    parts = []
    for c, base in enumerate(log_odds):
        for e in range(evaluators):
            drawn = np.concatenate([rng.permutation(images)[: trials // 2] for _ in range(2)])
            fake = np.arange(trials) < trials // 2
            odds = base + rng.normal(0, sds[0]) + effects[np.where(fake, c, -1), drawn]
            wrong = rng.random(trials) < expit(odds)
            parts.append(
                pd.DataFrame(
                    {
                        "evaluator": f"e{c}-{e}",
                        "condition": "abcdefgh"[c],
                        "truth": np.where(fake, "fake", "real"),
                        "answer": np.where(fake == wrong, "real", "fake"),
                        "image": drawn.astype(str),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


LOG_ODDS = (-1.5, -0.5, 0.0)


@cache
def study():
    return simulated(LOG_ODDS, evaluators=20, trials=60, images=60, seed=4)


@cache
def fitted():
    return mixed_model(study())


def test_simulated_truth_is_found_again():
    found = fitted()
    assert found.converged
    assert (found.judgements, found.evaluators, found.images) == (3600, 60, 240)
    for row, truth in zip(found.conditions, LOG_ODDS, strict=True):
        assert row.log_odds == pytest.approx(truth, abs=2.5 * row.sd)
        assert row.ci_low < row.typical_error < row.ci_high
    for spread, truth in ((found.evaluator_sd, EVALUATOR_SD), (found.image_sd, IMAGE_SD)):
        assert spread.ci_low < truth < spread.ci_high
        assert spread.ci_high / spread.ci_low < 2


@pytest.mark.long
def test_intervals_cover_the_truth_as_often_as_they_say():
    truth = np.array([-1.2, 0.0])
    inside, spreads = [], []
    for seed in range(14):
        table = simulated(truth, evaluators=10, trials=40, images=40, seed=seed, sds=(0.5, 0.5))
        found = mixed_model(table)
        inside += [
            abs(r.log_odds - t) < 1.96 * r.sd for r, t in zip(found.conditions, truth, strict=True)
        ]
        spreads += [s.ci_low < 0.5 < s.ci_high for s in (found.evaluator_sd, found.image_sd)]
    assert 0.8 <= np.mean(inside) <= 1
    assert 0.8 <= np.mean(spreads) <= 1


def test_marginal_error_rates_are_those_observed():
    for row in fitted().conditions:
        assert row.marginal_error == pytest.approx(row.observed_error, abs=1.5)
        # Variation pulls the average towards chance.
        assert abs(row.typical_error - 50) >= abs(row.marginal_error - 50)


def test_statsmodels_agrees_on_estimates_but_not_on_the_uncertainty_of_conditions():
    codes = crossed_samples(study())
    rows = np.arange(len(codes.wrong))
    columns = (codes.condition, codes.evaluator, codes.image)
    fixed, *random = (sparse.csr_array((np.ones(len(rows)), (rows, c))) for c in columns)
    kinds = np.repeat([0, 1], [codes.evaluators, codes.images])
    model = BinomialBayesMixedGLM(
        codes.wrong, fixed.toarray(), sparse.hstack(random).tocsr(), kinds, vcp_p=1, fe_p=3
    )
    start = np.zeros(sum(part.shape[1] for part in (fixed, *random)) + 2)
    with threadpool_limits(1):
        witness = model.fit_vb(mean=start, sd=np.exp(start - 1), fit_method="L-BFGS-B")
    ours = fit_crossed(*columns, codes.wrong)
    assert np.exp(ours.log_sds) == pytest.approx(np.exp(witness.vcp_mean), rel=0.08)
    assert ours.coefficients == pytest.approx(witness.fe_mean, abs=0.06)
    sds = np.sqrt(np.diag(ours.covariance))
    assert (sds > 1.7 * witness.fe_sd).all()
    # What evaluators alone make uncertain is more than all that statsmodels says.
    assert (EVALUATOR_SD / np.sqrt(20) > 1.4 * witness.fe_sd).all()


def test_pairs_follow_from_the_conditions_and_share_real_images():
    found = fitted()
    assert [(pair.a, pair.b) for pair in found.pairwise] == [("a", "b"), ("a", "c"), ("b", "c")]
    rows = {row.condition: row for row in found.conditions}
    for pair in found.pairwise:
        a, b = rows[pair.a], rows[pair.b]
        assert pair.difference == pytest.approx(a.log_odds - b.log_odds)
        assert pair.sd < np.hypot(a.sd, b.sd)
        assert pair.z == pytest.approx(pair.difference / pair.sd)
        assert pair.p <= pair.p_corrected <= min(1, 3 * pair.p + 1e-9)


def test_neither_names_nor_the_order_of_rows_nor_categories_matter():
    table = study().sample(frac=1, random_state=1)
    table["evaluator"] = "x" + table["evaluator"]
    table = table.astype("category")
    for one, other in zip(fitted().conditions, mixed_model(table).conditions, strict=True):
        assert one.log_odds == pytest.approx(other.log_odds, abs=1e-3)
        assert one.sd == pytest.approx(other.sd, rel=1e-2)


def test_swapping_right_and_wrong_turns_the_sign():
    table = study()
    table = table.assign(answer=table["answer"].map({"fake": "real", "real": "fake"}))
    for one, other in zip(fitted().conditions, mixed_model(table).conditions, strict=True):
        assert one.log_odds == pytest.approx(-other.log_odds, abs=1e-3)
        assert one.marginal_error == pytest.approx(100 - other.marginal_error, abs=0.05)


def test_fakes_of_two_conditions_with_one_name_are_two_images_and_reals_are_one():
    table = pd.DataFrame(
        {
            "evaluator": ["p", "p", "q", "q"],
            "condition": ["a", "a", "b", "b"],
            "truth": ["fake", "real", "fake", "real"],
            "answer": ["fake", "fake", "real", "real"],
            "image": ["1", "1", "1", "1"],
        }
    )
    codes = crossed_samples(table)
    assert codes.images == 3
    assert codes.image[1] == codes.image[3]
    assert codes.wrong.tolist() == [0, 1, 1, 0]


def test_a_condition_in_which_nobody_errs_keeps_finite_figures():
    table = simulated((0.0, 0.0), evaluators=6, trials=20, images=20, seed=1)
    never = table["condition"].eq("a")
    table.loc[never, "answer"] = table.loc[never, "truth"]
    found = mixed_model(table)
    assert found.converged
    assert found.conditions[0].typical_error < 2
    assert np.isfinite(found.conditions[0].sd)


def test_large_deviations_are_found_too():
    table = simulated((-1.0, 0.0), evaluators=15, trials=40, images=40, seed=2, sds=(1.0, 2.5))
    found = mixed_model(table)
    assert found.converged
    assert found.image_sd.ci_low < 2.5 < found.image_sd.ci_high


def test_the_result_is_plain_values():
    assert json.loads(json.dumps(dataclasses.asdict(fitted())))["image_sd"]["sd"] > 0


def without_images(table):
    return table.drop(columns="image")


def numbered(table):
    return table.assign(image=np.arange(len(table)).astype(str))


def one_evaluator_each(table):
    return table.assign(evaluator=table["condition"])


def all_right(table):
    return table.assign(answer=table["truth"])


def on_a_staircase(table):
    return table.assign(task="time")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (without_images, "No judgement names its image"),
        (lambda table: table.assign(image=""), "No judgement names its image"),
        (numbered, "No image was judged twice"),
        (one_evaluator_each, "single evaluator"),
        (all_right, "No judgements are wrong"),
        (on_a_staircase, "staircase"),
    ],
)
def test_what_cannot_be_fitted_is_named(change, sentence):
    found = mixed_model(change(study()))
    assert sentence in found.problem
    assert (found.conditions, found.pairwise, found.image_sd) == ((), (), None)
    assert not found.converged


def test_judgements_without_an_image_are_left_out_and_counted():
    table = study().copy()
    table.loc[:9, "image"] = ""
    found = mixed_model(table)
    assert (found.left_out, found.judgements) == (10, 3590)
