import numpy as np
import pytest
from simulated_comparisons import random_counts, rows_of, votes_of

from hype.statistics.paired_counts import answers_of, count
from hype.statistics.strengths import fit, scores_of_answers

CENTRED = np.eye(4)[:, 1:] - 1 / 4


def test_the_same_as_statsmodels(rng):
    rows = rows_of(random_counts([0.9, 0.2, -0.4, -0.7], 60, rng))
    people = rng.integers(12, size=len(rows))
    votes = votes_of(rows, "abcd", [f"p{person:02}" for person in people])
    left, right = (votes[side].cat.codes.to_numpy() for side in ("left", "right"))
    won = (votes["answer"] == "left").to_numpy().astype(float)
    import statsmodels.api as sm  # here, since few test processes need it

    model = sm.GLM(won, (np.eye(4)[left] - np.eye(4)[right])[:, 1:], family=sm.families.Binomial())
    grouped = {"cov_type": "cluster", "cov_kwds": {"groups": people, "use_correction": False}}
    fitted, (answers, _) = fit(count(votes), "half"), answers_of(votes, "fixed")
    scores = scores_of_answers(answers, fitted).toarray()
    sums = np.zeros((12, 4))
    np.add.at(sums, answers.evaluator, scores)

    for options, found in (({"cov_type": "HC0"}, scores), (grouped, sums)):
        expected = CENTRED @ model.fit(tol=1e-14, **options).cov_params() @ CENTRED.T
        covariance = fitted.inverse @ found.T @ found @ fitted.inverse
        assert covariance == pytest.approx(expected, abs=1e-6)
