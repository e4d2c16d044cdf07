import numpy as np
import pytest
from simulated_comparisons import counts_of, random_counts, rows_of, votes_of

from hype.errors import InputError
from hype.statistics.paired_counts import count, count_by_evaluator
from hype.statistics.strength_intervals import draw_comparisons, draw_evaluators, refit
from hype.statistics.strengths import fit

RULES = ("half", "davidson", "none")


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("each", [12, 400])
def test_tables_are_fitted_together_as_one_by_one(
    ties: str, each: int, rng: np.random.Generator
) -> None:
    nu = 0 if ties == "none" else 0.7
    strengths = [0.8, 0.1, -0.3, -0.6]
    fitted = fit(random_counts(strengths, each, rng, nu), ties)
    tables = [random_counts(strengths, each, rng, nu) for _ in range(30)]
    found, done = refit(
        fitted,
        np.stack([table.points.sum(axis=1) for table in tables]),
        np.stack([table.ties.sum() / 2 for table in tables]),
        np.stack([table.comparisons for table in tables]),
    )

    assert done.sum() > 10
    for place in np.flatnonzero(done).tolist():
        own, table = found[place], tables[place]
        alone = fit(table, ties)
        assert own[:4] - own[:4].mean() == pytest.approx(alone.log_strengths, abs=1e-8)
        if alone.log_nu is not None:
            assert own[4] == pytest.approx(alone.log_nu, abs=1e-8)


@pytest.mark.parametrize("ties", RULES)
def test_independent_comparisons_vary_as_the_information_says(
    ties: str, rng: np.random.Generator
) -> None:
    counts = random_counts([0.8, 0.1, -0.3, -0.6], 2_000, rng, 0 if ties == "none" else 0.4)
    fitted = fit(counts, ties)
    draws = draw_comparisons(counts, fitted, draws=3_000, rng=rng)
    errors = np.sqrt(np.diag(fitted.covariance))

    assert (draws.undefined, draws.draws, draws.unit) == (0, 3_000, "comparisons")
    assert draws.log_strengths.mean(axis=1) == pytest.approx(np.zeros(3_000), abs=1e-12)
    assert draws.log_strengths.mean(axis=0) == pytest.approx(fitted.log_strengths, abs=0.01)
    if ties != "half":  # whose information is too small: ties vary less than wins and losses
        assert draws.log_strengths.std(axis=0) == pytest.approx(errors, rel=0.1)
    assert (draws.nu is None) == (ties != "davidson")


def test_comparisons_of_two_that_met_once_vary_too(rng: np.random.Generator) -> None:
    size = 26
    wins = np.zeros((size, size))
    chosen = rng.random((size, size)) < 0.5
    wins[np.triu(chosen, 1) | np.tril(~chosen.T, -1)] = 1
    counts = counts_of(wins)
    fitted = fit(counts, "half")
    draws = draw_comparisons(counts, fitted, draws=500, rng=rng)

    errors = np.sqrt(np.diag(fitted.covariance))
    assert np.median(draws.log_strengths.std(axis=0) / errors) == pytest.approx(1, abs=0.25)


def test_people_who_always_answer_alike_count_once(rng: np.random.Generator) -> None:
    """Fifteen people, each of whom gives one answer of their own forty times."""
    rows = rows_of(counts_of([[0, 3, 4], [2, 0, 3], [1, 2, 0]]))
    votes = votes_of(rows * 40, "abc", [f"p{place % 15:02}" for place in range(40 * 15)])
    by_evaluator = count_by_evaluator(votes)
    fitted = fit(count(votes), "half")

    assert by_evaluator is not None
    by_people = draw_evaluators(by_evaluator, fitted, draws=400, rng=rng)
    by_answers = draw_comparisons(count(votes), fitted, draws=400, rng=rng)
    assert by_people.unit == "evaluators"
    ratio = by_people.log_strengths.std(axis=0) / by_answers.log_strengths.std(axis=0)
    assert ratio.min() > 4


def test_people_who_answer_once_vary_as_comparisons(rng: np.random.Generator) -> None:
    rows = rows_of(random_counts([0.5, 0, -0.5], 500, rng, nu=0.5))
    votes = votes_of(rows, "abc", [f"p{place:04}" for place in range(len(rows))])
    people = count_by_evaluator(votes)
    fitted = fit(count(votes), "davidson")

    assert people is not None
    one = draw_evaluators(people, fitted, draws=2_000, rng=rng)
    other = draw_comparisons(count(votes), fitted, draws=2_000, rng=rng)
    ratio = one.log_strengths.std(axis=0) / other.log_strengths.std(axis=0)
    assert ratio == pytest.approx(np.ones(3), abs=0.1)


def test_draws_without_finite_strengths_are_counted(rng: np.random.Generator) -> None:
    """B beat a once, and is not among the losers in a draw with probability exp(-1)."""
    counts = counts_of([[0, 30], [1, 0]])
    draws = draw_comparisons(counts, fit(counts, "half"), draws=4_000, rng=rng)

    assert draws.undefined / 4_000 == pytest.approx(np.exp(-1), abs=0.03)
    assert len(draws.log_strengths) == 4_000 - draws.undefined
    assert np.isfinite(draws.log_strengths).all()


def test_draws_without_ties_have_none_to_explain(rng: np.random.Generator) -> None:
    counts = counts_of([[0, 30], [20, 0]], [[0, 1], [1, 0]])
    draws = draw_comparisons(counts, fit(counts, "davidson"), draws=1_000, rng=rng)

    assert draws.nu is not None
    assert draws.undefined == 0
    assert np.mean(draws.nu == 0) == pytest.approx(np.exp(-1), abs=0.06)


def test_the_same_seed_gives_the_same_draws() -> None:
    counts = counts_of([[0, 70, 85], [30, 0, 60], [15, 40, 0]])
    fitted = fit(counts, "half")
    one, other = (
        draw_comparisons(counts, fitted, draws=250, rng=np.random.default_rng(4)) for _ in "ab"
    )

    assert np.array_equal(one.log_strengths, other.log_strengths)


def test_a_single_draw_is_refused(rng: np.random.Generator) -> None:
    counts = counts_of([[0, 3], [2, 0]])
    with pytest.raises(InputError, match="2 or more"):
        draw_comparisons(counts, fit(counts, "half"), draws=1, rng=rng)
