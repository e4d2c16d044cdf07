import numpy as np
import pytest
from simulated_comparisons import counts_of, rows_of, votes_of

from hype.statistics.paired_counts import Counts, answers_of
from hype.statistics.strength_table import StrengthTable, strength_table


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
    assert "no finite strengths" in found.problems[0]
