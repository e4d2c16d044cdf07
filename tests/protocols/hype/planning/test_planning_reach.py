"""Finding where an uneven function reaches a value."""

import math

import pytest

from hype.protocols.hype.planning.rival import NotDefined, Point, expand, narrow


def test_steps_grow_until_the_value_is_reached() -> None:
    points = expand(lambda at: at, 5.0, first=1.0, limit=100.0, grow=2.0)

    assert points == [Point(at, at) for at in (0.0, 1.0, 2.0, 4.0, 8.0)]


def test_what_is_not_reached_ends_at_the_limit() -> None:
    points = expand(lambda at: at, 50.0, first=1.0, limit=5.0, grow=2.0)

    assert [point.at for point in points] == [0.0, 1.0, 2.0, 4.0, 5.0]


def test_without_any_room_the_beginning_is_all_there_is() -> None:
    points = expand(lambda at: at, 1.0, first=1.0, limit=0.0, grow=2.0)

    assert {point.at for point in points} == {0.0}


def test_beyond_where_it_is_defined_shorter_steps_are_tried() -> None:
    def function(at: float) -> float:
        if at > 5.5:
            raise NotDefined
        return at

    assert expand(function, 5.2, first=1.0, limit=99.0, grow=2.0)[-1].at == pytest.approx(5.5)
    short = expand(function, 8.0, first=1.0, limit=99.0, grow=2.0)
    assert 5 <= short[-1].value <= 5.5
    assert len(short) < 12


def test_a_value_is_found_in_few_rounds() -> None:
    tried = []

    def function(at: float) -> float:
        tried.append(at)
        return math.expm1(at)

    found = narrow(function, 3.0, Point(0, 0), Point(4, math.expm1(4)), tolerance=0.03, rounds=20)

    assert found.value == pytest.approx(3.0, abs=0.03)
    assert len(tried) < 10


def test_at_a_jump_the_nearer_side_is_given() -> None:
    def function(at: float) -> float:
        return at if at < 1 else at + 5

    found = narrow(function, 2.5, Point(0, 0), Point(4, 9), tolerance=0.01, rounds=12)

    assert abs(found.value - 2.5) == pytest.approx(1.5, abs=0.2)
    assert abs(found.at - 1) < 0.1


def test_what_is_near_enough_is_not_searched_for() -> None:
    found = narrow(math.sqrt, 2.0, Point(0, 0), Point(4, 2), tolerance=0.1, rounds=9)

    assert found == Point(4, 2)
