import numpy as np
import numpy.typing as npt
import pytest
from simulated_comparisons import counts_of, rows_of, votes_of

from hype.statistics.bradley_terry import fit_strengths, win_probabilities
from hype.statistics.paired_counts import Counts, EvaluatorCounts, answers_of
from hype.statistics.strength_table import StrengthTable, strength_table

STUDIES = 25
STRENGTHS = np.array([0.6, 0.1, -0.1, -0.6])
PAIRS = np.triu_indices(4, 1)


def table(counts: Counts, ties: str = "half") -> StrengthTable:
    votes = votes_of(rows_of(counts), counts.conditions)
    return strength_table(counts, answers_of(votes, "sample")[0], ties=ties)


def test_everything_of_a_sound_study():
    found = table(counts_of([[0, 70, 85], [30, 0, 60], [15, 40, 0]]))

    assert [row.condition for row in found.conditions] == ["a", "b", "c"]
    assert found.conditions[0].strength.value == pytest.approx(0.83736155)
    assert len(found.differences) == 3
    assert found.problems == ()


def test_no_score_is_invented():
    found = table(counts_of([[0, 7, 8], [0, 0, 6], [0, 4, 0]]))

    assert [row.condition for row in found.conditions] == ["b", "c"]
    assert found.conditions[0].strength.value == pytest.approx(np.log(6 / 4) / 2)
    assert len(found.problems) == 1
    nothing = table(counts_of([[0, 7], [0, 0]]))
    assert (nothing.conditions, nothing.fitted) == ((), None)
    assert set(nothing.connectivity.reasons) == {"a", "b"}


def test_ties_that_are_left_out_join_nothing():
    counts = counts_of([[0, 7], [0, 0]], [[0, 3], [3, 0]])

    assert len(table(counts, ties="half").conditions) == 2
    assert table(counts, ties="none").conditions == ()


def test_ties_that_explain_everything_leave_davidson_nothing():
    found = table(counts_of([[0, 7], [0, 0]], [[0, 3], [3, 0]]), ties="davidson")

    assert found.conditions == ()
    assert "no finite ν" in found.problems[0]


def answers(
    rng: np.random.Generator, people: int, each: int, taste: float
) -> tuple[Counts, EvaluatorCounts]:
    """People whose own strengths vary by ``taste``, with ``each`` comparisons a person."""
    own = STRENGTHS + taste * rng.standard_normal((people, 4))
    person = np.repeat(np.arange(people), each)
    pair = rng.integers(6, size=people * each)
    first, second = PAIRS[0][pair], PAIRS[1][pair]
    chance = 1 / (1 + np.exp(own[person, second] - own[person, first]))
    won = rng.random(len(pair)) < chance
    chosen, other = np.where(won, first, second), np.where(won, second, first)
    wins = np.zeros((4, 4))
    np.add.at(wins, (chosen, other), 1)
    return counts_of(wins), EvaluatorCounts(
        conditions=tuple("abcd"),
        evaluators=people,
        evaluator=person,
        chosen=chosen,
        other=other,
        tied=np.zeros(len(person), dtype=bool),
    )


def truth(taste: float) -> npt.NDArray[np.float64]:
    """The strengths that fit the answers of everybody there could be."""
    own = STRENGTHS + taste * np.random.default_rng(0).standard_normal((5_000, 4))
    return fit_strengths(np.mean([win_probabilities(one) for one in own], axis=0)).log_strengths


@pytest.mark.parametrize(
    ("people", "each", "taste"), [(300, 1, 0.0), (40, 40, 0.8)], ids=["once each", "40 each"]
)
def test_intervals_cover_the_truth(people, each, taste):
    """95 % intervals of 25 studies of four conditions; see `benchmarks/verdicts.py`."""
    rng, true = np.random.default_rng(44), truth(taste)
    covers = []
    for _ in range(STUDIES):
        found = strength_table(*answers(rng, people, each, taste), ties="half")
        for row in found.conditions:
            assert row.strength.low is not None
            assert row.strength.high is not None
            own = true["abcd".index(row.condition)]
            covers.append(row.strength.low <= own <= row.strength.high)

    assert 0.9 <= np.mean(covers) <= 0.99
