"""The assignment of evaluators to conditions."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hype.study.assignment import Assignment, Cell, assign, design
from hype.study.table import KeySettings

CELLS = design(("a", "b", "c"), (("time",), ("infinity",)))


def come(number: int, *, keys: KeySettings | None = None, seed: int = 1) -> list[Assignment]:
    """Assign evaluators who come one after the other and all finish."""
    filled: Counter[Cell] = Counter()
    arrived: Counter[tuple[Cell, str]] = Counter()
    result = []
    for n in range(number):
        assignment = assign(
            f"p{n}",
            cells=CELLS,
            filled=filled,
            arrived=arrived,
            keys=keys or KeySettings(),
            seed=seed,
        )
        filled[assignment.cell] += 1
        arrived[assignment.cell, assignment.left_means] += 1
        result.append(assignment)
    return result


def test_cells_are_every_condition_with_every_choice_of_methods():
    assert (
        tuple(
            Cell(condition=c, methods=(m,)) for m in ("time", "infinity") for c in ("a", "b", "c")
        )
        == CELLS
    )
    assert len(design(("a", "b"), (("time", "infinity"),))) == 2


@given(number=st.integers(0, 60), seed=st.integers(0, 1000))
def test_cells_fill_evenly(number, seed):
    counts = Counter(a.cell for a in come(number, seed=seed))

    assert max(counts.values(), default=0) - min(counts[cell] for cell in CELLS) <= 1


def test_keys_are_counterbalanced_within_every_cell():
    """After an even number of evaluators per cell, each cell has both mappings equally often."""
    counts = Counter((a.cell, a.left_means) for a in come(6 * 10))

    assert counts == {(cell, means): 5 for cell in CELLS for means in ("real", "fake")}


def test_who_was_turned_away_moves_the_mapping_on():
    """The next evaluator of the cell gets the other mapping, although the place is still free."""
    arrived: Counter[tuple[Cell, str]] = Counter()

    def next_means() -> str:
        means = assign(
            "p1", cells=CELLS[:1], filled={}, arrived=arrived, keys=KeySettings(), seed=1
        ).left_means
        arrived[CELLS[0], means] += 1
        return means

    assert [next_means() for _ in range(4)] == ["real", "fake"] * 2


@pytest.mark.parametrize("means", ["real", "fake"])
def test_who_comes_after_somebody_who_left_has_their_mapping(means):
    arrived = Counter({(CELLS[0], "real"): 3, (CELLS[0], "fake"): 3})
    arrived[CELLS[0], means] -= 1
    cells: dict[str, Any] = {"cells": CELLS[:1], "filled": {}, "arrived": arrived}

    assert assign("p9", **cells, keys=KeySettings(), seed=1).left_means == means


@pytest.mark.parametrize("means", ["real", "fake"])
def test_a_fixed_mapping_is_for_everyone(means):
    assert {a.left_means for a in come(12, keys=KeySettings(left_means=means))} == {means}


def test_ties_are_decided_by_the_evaluator_and_the_seed_alone():
    firsts = [come(1, seed=seed)[0].cell for seed in range(60)]

    assert come(7) == come(7)
    assert set(firsts) == set(CELLS)  # the first cell varies
