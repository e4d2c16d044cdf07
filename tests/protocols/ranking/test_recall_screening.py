import pandas as pd
import pytest
from made_rankings import made

from hype.protocols.ranking.export import screening
from hype.protocols.ranking.table import check_rankings

CHECKED = [("chief", "g1", "abcd"), ("chief", "g2", ["a", ("b", "c"), "d"])]


def table(*parts):
    return check_rankings(pd.concat(parts, ignore_index=True))


def screened(rankings, checks=CHECKED, task="ranking", **options):
    checkers = made(checks, checker=True, task="check")
    return screening(table(made(rankings, checker=False, task=task), checkers), **options)


def one(found, name="ann"):
    return {each["evaluator"]: each for each in found["evaluators"]}[name]


@pytest.mark.parametrize(
    ("order", "recall"),
    [
        ("abcd", 1),
        ("bacd", 1),
        ("cabd", 0),
        ([("a", "b"), "c", "d"], 1),
        ([("b", "c"), "a", "d"], 1 / 2),
        ([("a", "b", "c", "d")], 1 / 2),
    ],
)
def test_the_first_choice_is_among_the_first_two(order, recall):
    found = one(screened([("ann", "g1", order)]))["check"]
    assert found["recall"].value == pytest.approx(recall)
    assert (found["groups"], found["chance"]) == (1, 0.5)


def test_a_tie_for_the_second_place_is_half_of_it():
    assert one(screened([("ann", "g2", "bacd")]))["check"]["recall"].value == 0.5
    assert one(screened([("ann", "g2", "abcd")]))["check"]["recall"].value == 1


def test_several_checkers_are_averaged():
    checks = [*CHECKED, ("head", "g1", "dcba"), ("boss", "g1", "bdca")]
    found = screened([("ann", "g1", "abcd"), ("ben", "g1", "bacd")], checks)
    assert found["checkers"] == 3
    assert one(found)["check"]["recall"].value == pytest.approx(1 / 3)
    assert one(found, "ben")["check"]["recall"].value == pytest.approx(2 / 3)


def test_test_and_cross_checks_apart():
    found = screening(
        table(
            made([("ann", "g1", "abcd"), ("ben", "g1", "dabc")], task="test", checker=False),
            made(
                [("ann", "g2", "dabc"), *(("ann", f"h{k}", "abcd") for k in range(9))],
                task="ranking",
                checker=False,
            ),
            made([("cat", "h1", "abcd")], task="ranking", checker=False),
            made(CHECKED, task="check", checker=True),
        ),
        min_recall=0.5,
    )
    ann, ben, cat = (one(found, name) for name in ("ann", "ben", "cat"))
    assert (ann["test"]["recall"].value, ann["check"]["recall"].value) == (1, 0)
    assert (ann["failed"], ben["failed"]) == (False, True)
    assert (ann["rankings"], ann["checked"], ann["enough"]) == (10, 1, True)
    assert (ben["test"]["recall"].value, ben["check"], ben["enough"]) == (0, None, None)
    assert (cat["checked"], cat["enough"], cat["failed"]) == (0, False, False)
    assert (found["failed"], found["unscreened"]) == (("ben",), ("cat",))
    assert 0 < ann["test"]["recall"].low < ann["test"]["recall"].high == 1


def test_nobody_fails_without_a_rule():
    found = screened([("ann", "g1", "dcba")])
    assert (one(found)["check"]["recall"].value, found["failed"]) == (0, ())
    assert screened([("ann", "g1", "dcba")], min_recall=0.4)["failed"] == ("ann",)


def test_without_checkers_nobody_is_screened():
    assert screening(check_rankings(made([("ann", "g", "ab")]))) is None
    # An unfinished ranking of a checker does not count either.
    assert screened([("ann", "g1", "abcd")], [("chief", "g1", "ab")]) is None
