"""Plans of comparisons, ratings and rankings: what they follow from, and what their sums say."""

from typing import Any

import pytest
from builders import comparison_pools, comparison_settings, merged
from prompted_builders import (
    pools_to_rank,
    pools_to_rate,
    ranker,
    ranking_settings,
    rater,
    rating_settings,
)

from hype.protocols.comparison.sampling import METHODS, plan_comparisons
from hype.protocols.prompted.trial import PromptedPlan
from hype.protocols.ranking.sampling import plan_rankings
from hype.protocols.rating.sampling import plan_ratings
from hype.study.assignment import Assignment, Cell

VALIDATED = {"validation": {"kind": "listed", "share": 0.1}}
CHECKED = {"screening": {"test": 2, "checkers": ["check*"]}}
PAIRS = (("a", "b"), ("d", "c"), ("a", "d"))


def planned(protocol: str, evaluator: str = "p01", **changes: Any) -> PromptedPlan:
    """Plan a session of a small study; of an arena its pairs, and of a checker's groups."""
    if protocol == "comparison":
        asked = comparison_settings(**merged(VALIDATED, changes))
        pairs = PAIRS if asked.comparison.arena else ()
        cell = Cell(condition="", methods=METHODS, share=0 if pairs else 1)
        place = Assignment(evaluator=evaluator, cell=cell, pairs=pairs)
        return plan_comparisons(asked, comparison_pools(asked), place)
    if protocol == "rating":
        rated = rating_settings(**changes)
        return plan_ratings(rated, pools_to_rate(rated), rater(evaluator))
    ranked = ranking_settings(**merged(CHECKED, changes))
    pools = pools_to_rank(ranked, prompts=9)
    is_checker = ranked.screening.is_checker(evaluator)
    groups = tuple(sorted(pools.groups)[:3]) if is_checker else ()
    return plan_rankings(ranked, pools, ranker(evaluator, 0 if is_checker else 1, groups))


SUMS: list[tuple[str, dict[str, Any], str, str]] = [
    ("comparison", {}, "p01", "1e5bb13d08fa3d1fc491cfec1e1519b289f008394521f1b19ee68f373f599104"),
    (
        *("comparison", {"comparison": {"arena": {}}}, "p01"),
        "e34e983942d6aa4c49c35b01e58b6ba1e11b611442253b305a17d0a2f0e35bde",
    ),
    ("rating", {}, "p01", "b17399326d04e038f3dc85049ffef6f7d4e18e9b9d11a38d06420f58a96618d6"),
    (
        *("rating", {"rating": {"of": "images"}}, "p01"),
        "e5537b86978490860ebfd9d0f5df2a5794472c6bf116596a5c4ef8bff9aada77",
    ),
    (
        *("ranking", {"ranking": {"group": 3}}, "p01"),
        "0b295abd82899f998ac37b5ccc349817685b0ec2d1ec36d53a9489f903381690",
    ),
    (
        *("ranking", {"ranking": {"group": 3}}, "check1"),
        "94b661bba3770ec2c9e55bbc7d234139bf4294fa82c3282d940bcd3ab033fed1",
    ),
]


@pytest.mark.parametrize(("protocol", "changes", "evaluator", "checksum"), SUMS)
def test_plans_are_the_same_on_every_machine(protocol, changes, evaluator, checksum):
    """Sessions that were left could not be resumed if they were not."""
    assert planned(protocol, evaluator, **changes).checksum() == checksum


DECIDING: list[tuple[str, str, str, object]] = [
    *((protocol, "study", "seed", 8) for protocol in ("comparison", "rating", "ranking")),
    ("comparison", "comparison", "ties", True),
    ("comparison", "comparison", "min_ms", 600.0),
    ("comparison", "comparison", "wait_ms", 6000.0),
    ("comparison", "comparison", "limit_ms", 9000.0),
    ("comparison", "comparison", "blocks", 3),
    ("comparison", "comparison", "practice", 2),
    ("comparison", "comparison", "prompt", "words"),
    ("comparison", "validation", "share", 0.2),
    ("rating", "rating", "levels", 7),
    ("rating", "rating", "not_relevant", False),
    ("rating", "rating", "axes", ["style", "overall", "anatomy", "objects"]),
    ("rating", "rating", "blocks", 3),
    ("rating", "rating", "practice", 0),
    ("rating", "rating", "images", 2),
    ("rating", "axes", "style", {"question": "Whose?"}),
    ("ranking", "ranking", "ties", True),
    ("ranking", "ranking", "group", 3),
    ("ranking", "ranking", "blocks", 1),
    ("ranking", "ranking", "practice", 0),
    ("ranking", "ranking", "images", 2),
    ("ranking", "screening", "test", 1),
]


@pytest.mark.parametrize(("protocol", "table", "key", "value"), DECIDING)
def test_whatever_decides_the_trials_is_in_the_checksum(protocol, table, key, value):
    changed = planned(protocol, **{table: {key: value}})

    assert changed.checksum() != planned(protocol).checksum()


def test_words_and_who_checks_how_much_are_not_in_the_checksum():
    """A misprint may be mended, and more be checked, between two sessions of an evaluator."""
    changed = planned(
        "ranking",
        ranking={"question": "Which is best?", "held_out": 0.5, "rankings": 3},
        screening={"checkers": ["c*"], "check_share": 0.3},
    )

    assert changed.checksum() == planned("ranking").checksum()


@pytest.mark.parametrize("protocol", ["comparison", "rating", "ranking"])
def test_the_order_is_each_evaluators_own(protocol):
    one, again, other = (planned(protocol, who) for who in ("a", "a", "b"))

    assert one == again
    assert one.checksum() == again.checksum() != other.checksum()
    assert [image.path for image in one.images()] != [image.path for image in other.images()]
