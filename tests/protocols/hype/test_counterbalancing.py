"""Conditions and their order for evaluators who judge several."""

from collections import Counter
from itertools import combinations, pairwise

import pytest
from builders import settings_of
from long import long_but

from hype.protocols.hype.counterbalancing import conditions_of_cell, draw_cycle, places_of_design
from hype.study.assignment import Cell

DESIGNS = [
    *((2, 2), (4, 3), (5, 3), (8, 4)),
    *(
        pytest.param(*design, marks=pytest.mark.long)
        for design in ((3, 2), (3, 3), (4, 2), (4, 4), (6, 4), (7, 3), (12, 5))
    ),
]
EXACT = [(2, 2), (3, 2), (3, 3), (4, 2), (4, 4), (5, 3), (6, 6), (7, 3), (8, 3), (9, 9), (31, 31)]
"""Designs in which all pairs, and all orders of neighbours, are exactly equally frequent."""


@pytest.mark.parametrize(("conditions", "each"), DESIGNS)
def test_each_condition_is_served_equally_often_in_each_place_of_every_square(conditions, each):
    rows = draw_cycle(conditions, each, seed=7)

    assert all(len({*row}) == each for row in rows)
    for first in range(0, len(rows), conditions):
        for served in zip(*rows[first : first + conditions], strict=True):
            assert sorted(served) == [*range(conditions)]


@pytest.mark.parametrize(("conditions", "each"), DESIGNS)
@pytest.mark.parametrize("seed", long_but([0], [0, 1, 2019]))
def test_pairs_are_served_by_the_same_people_about_equally_often(conditions, each, seed):
    rows = draw_cycle(conditions, each, seed)
    pairs = Counter(frozenset(pair) for row in rows for pair in combinations(row, 2))
    number = conditions * (conditions - 1) // 2
    exactly = len(rows) * each * (each - 1) / 2 / number

    assert len(pairs) == number
    assert all(abs(times - exactly) <= 2 for times in pairs.values())
    if (conditions, each) in EXACT:
        assert {*pairs.values()} == {exactly}


@pytest.mark.parametrize(("conditions", "each"), EXACT)
def test_each_follows_each_other_equally_often(conditions, each):
    rows = draw_cycle(conditions, each, seed=7)
    following = Counter(pair for row in rows for pair in pairwise(row))

    assert len(following) == conditions * (conditions - 1)
    assert len({*following.values()}) == 1


def test_places_are_one_for_each_evaluator_who_is_wanted():
    settings = settings_of(study={"conditions_each": 2, "evaluators": 6})
    cells = places_of_design(settings, ["a", "b", "c"])
    served = Counter(
        name for cell in cells for name in conditions_of_cell(settings, ["a", "b", "c"], cell)
    )

    assert [cell.share for cell in cells] == [*range(1, 10)]
    assert served == {"a": 6, "b": 6, "c": 6}


def test_between_subjects_a_place_is_a_condition():
    settings = settings_of()

    assert places_of_design(settings, ["a", "b"]) == (
        Cell(condition="a", methods=("time",)),
        Cell(condition="b", methods=("time",)),
    )
    assert conditions_of_cell(settings, ["a", "b"], Cell(condition="b", methods=("time",))) == (
        "b",
    )
