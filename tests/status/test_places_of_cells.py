"""The places of a design, from the status of each evaluator."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hype.status.looking import count_cells, count_people, remaining_of
from hype.study.assignment import Cell

TIME, INFINITY = ("time",), ("infinity",)
DESIGN = [Cell(condition=c, methods=m) for m in (TIME, INFINITY) for c in ("crude", "good")]


def person(status: str = "complete", **changes: Any) -> dict[str, Any]:
    usual = {"condition": "good", "methods": TIME, "share": None, "answers": 12, "pay": 1.2}
    return {**usual, "status": status, **changes}


def cells(*people: dict[str, Any], each: int = 3) -> list[Any]:
    return count_cells(people, DESIGN, each)


BEGUN, FAILED = person("active", answers=4), person("unqualified", answers=0)
STATUSES = (
    *("complete", "active", "coming", "left", "left-out"),
    *("unqualified", "waiting", "declined", "full"),
)


def test_a_place_that_is_not_of_the_design_any_more_wants_nobody():
    found = cells(person(condition="old"))

    assert found[-1]["condition"] == "old"
    assert [found[-1][name] for name in ("wanted", "needed", "complete")] == [0, 0, 1]


@given(
    st.lists(
        st.builds(
            person,
            st.sampled_from(STATUSES),
            condition=st.sampled_from(["crude", "good", "old"]),
            methods=st.sampled_from([TIME, INFINITY]),
            answers=st.integers(0, 99),
        )
    )
)
def test_everyone_is_in_one_place(people):
    found = cells(*people)
    whole = {name: sum(one[name] for one in found) for name in count_people((), 0)}
    left = remaining_of(people, found)
    by_status = ("complete", "active", "left", "left_out")
    by_status += ("unqualified", "waiting", "declined", "full")

    assert whole["came"] == len(people) == sum(whole[status] for status in by_status)
    assert whole["answers"] == sum(one["answers"] for one in people)
    assert left["begun"] <= left["evaluators"] == whole["needed"]


def remaining(*people: dict[str, Any], each: int = 2) -> Any:
    return remaining_of(people, cells(*people, each=each))


def test_what_is_left_costs_what_each_method_cost_so_far():
    """The methods differ in cost, so one mean would be wrong for both."""
    left = remaining(person(methods=INFINITY, pay=2.0), person(pay=9.0), person(pay=7.0))

    assert left["evaluators"] == 8 - 3
    assert left["cost"] == 2 * 8.0 + 3 * 2.0
    assert remaining(person())["cost"] is None, "nobody has done the other method"


def test_those_who_have_begun_are_among_those_who_must_finish():
    left = remaining(person(), BEGUN, FAILED)

    assert (left["evaluators"], left["begun"]) == (7, 1)
