import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import norm
from scipy.stats import t as student
from simulated_comparisons import counts_of, random_counts, rows_of, votes_of

from hype.statistics.paired_counts import count, count_by_evaluator
from hype.statistics.strengths import fit, sandwich_of_comparisons, sandwich_of_evaluators

CENTRED = np.eye(4)[:, 1:] - 1 / 4


def test_the_same_as_statsmodels(rng: np.random.Generator) -> None:
    rows = rows_of(random_counts([0.9, 0.2, -0.4, -0.7], 60, rng))
    people = rng.integers(12, size=len(rows))
    votes = votes_of(rows, "abcd", [f"p{person:02}" for person in people])
    left, right = (votes[side].cat.codes.to_numpy() for side in ("left", "right"))
    design = np.eye(4)[left] - np.eye(4)[right]
    won = (votes["answer"] == "left").to_numpy().astype(float)
    model = sm.GLM(won, design[:, 1:], family=sm.families.Binomial())
    plain = model.fit(tol=1e-14, cov_type="HC0")
    grouped = model.fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": people, "use_correction": False}
    )
    counts, by_evaluator = count(votes), count_by_evaluator(votes)
    fitted = fit(counts, "half")

    assert by_evaluator is not None
    own = sandwich_of_comparisons(counts, fitted)
    clustered = sandwich_of_evaluators(by_evaluator, fitted)
    assert clustered is not None
    assert own.covariance == pytest.approx(CENTRED @ plain.cov_params() @ CENTRED.T, abs=1e-6)
    assert clustered.covariance * 11 / 12 == pytest.approx(
        CENTRED @ grouped.cov_params() @ CENTRED.T, abs=1e-6
    )
    assert (own.evaluators, clustered.evaluators) == (None, 12)


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_people_who_answer_once_are_comparisons(ties: str, rng: np.random.Generator) -> None:
    rows = rows_of(random_counts([0.5, 0, -0.5], 100, rng, nu=0.7))
    votes = votes_of(rows, "abc", [f"p{place:03}" for place in range(len(rows))])
    fitted, people = fit(count(votes), ties), count_by_evaluator(votes)

    assert people is not None
    clustered = sandwich_of_evaluators(people, fitted)
    assert clustered is not None
    assert clustered.covariance * (len(rows) - 1) / len(rows) == pytest.approx(
        sandwich_of_comparisons(count(votes), fitted).covariance
    )


@pytest.mark.parametrize(("ties", "ratio"), [("davidson", 1.0), ("half", 0.87)])
def test_beside_the_information(ties: str, ratio: float, rng: np.random.Generator) -> None:
    """A true model needs no sandwich; half wins vary less than wins do."""
    counts = random_counts([0.5, 0, -0.5], 20_000, rng, nu=0.7)
    fitted = fit(counts, ties)
    found = sandwich_of_comparisons(counts, fitted).standard_errors

    assert found / np.sqrt(np.diag(fitted.covariance)) == pytest.approx(np.full(3, ratio), abs=0.02)


def test_differences_and_reach() -> None:
    counts = counts_of([[0, 7, 8], [3, 0, 6], [2, 4, 0]])
    found = sandwich_of_comparisons(counts, fit(counts, "half"))
    contrast = np.array([1, 0, -1])

    assert found.of_differences[0, 2] ** 2 == pytest.approx(contrast @ found.covariance @ contrast)
    assert found.of_differences[1, 1] == 0
    assert found.reach(0.95) == pytest.approx(norm.ppf(0.975))
    votes = votes_of(rows_of(counts), "abc", [f"p{place % 5}" for place in range(30)])
    people = count_by_evaluator(votes)
    assert people is not None
    five = sandwich_of_evaluators(people, fit(counts, "half"))
    assert five is not None
    assert five.reach(0.95) == pytest.approx(student.ppf(0.975, 4))


def test_a_single_person_shows_nothing() -> None:
    votes = votes_of(rows_of(counts_of([[0, 3], [2, 0]])), "ab", ["p"] * 5)
    people = count_by_evaluator(votes)

    assert people is not None
    assert sandwich_of_evaluators(people, fit(count(votes), "half")) is None
