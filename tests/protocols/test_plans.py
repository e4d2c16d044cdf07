"""Plans of comparisons, ratings and rankings: items, shares and order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise, product
from typing import Any

import pytest
from builders import candidate, comparison_pools, comparison_settings, merged, prompts_of
from hypothesis import given
from hypothesis import strategies as st
from prompted_builders import (
    pools_to_rank,
    pools_to_rate,
    ranker,
    ranking_settings,
    rater,
    rating_settings,
)

from hype.protocols.comparison.sampling import (
    METHODS,
    ComparisonPools,
    comparison_cells,
    plan_comparisons,
    share_out,
)
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.comparison.trial import ComparisonPlan, ComparisonTask, Planned
from hype.protocols.prompted.settings import images_by_condition
from hype.protocols.prompted.trial import Candidate, Choice, Prompt, PromptedPlan
from hype.protocols.ranking.sampling import plan_rankings, ranking_pools
from hype.protocols.ranking.trial import Group, RankingPlan, RankingTask
from hype.protocols.rating.sampling import plan_ratings, rating_pools
from hype.protocols.rating.trial import PlannedItem, RatingPlan
from hype.session.steps import Page
from hype.study.assignment import Assignment, Cell

PAIRED = ("comparison", "rating")
Pair = tuple[Candidate, Candidate]
COMPARED, VALIDATED = ComparisonTask.COMPARISON, ComparisonTask.VALIDATION
PRACTISED = ComparisonTask.PRACTICE


def plan_of(
    asked: ComparisonFile,
    pools: ComparisonPools,
    evaluator: str = "p01",
    *,
    share: int = 1,
    pairs: tuple[tuple[str, str], ...] = (),
) -> ComparisonPlan:
    share = 0 if pairs else share
    cell = Cell(condition="", methods=METHODS, share=share)
    return plan_comparisons(asked, pools, Assignment(evaluator=evaluator, cell=cell, pairs=pairs))


def slots_of(plan: ComparisonPlan, task: ComparisonTask = COMPARED) -> list[Planned]:
    return [one for block in plan.blocks for one in block.items if one.task is task]


def test_282_prompts_make_the_27072_comparisons_of_the_source():
    asked = comparison_settings()
    shares = share_out(asked, "abcd", prompts_of(282))
    votes = len(list(chain(*shares))) * asked.evaluators_per_cell

    assert len(list(chain(*shares))) == 27_072
    assert len(shares) == 282
    assert votes == 703_872


def shares_of(protocol: str, names: str, prompts: Sequence[Prompt], most: int) -> list[list[Pair]]:
    """Divide pairs of images into shares of at most ``most`` pairs."""
    if protocol == "comparison":
        compared = comparison_settings(comparison={"blocks": 1, "trials": most})
        shares = share_out(compared, tuple(names), tuple(prompts))
        return [[(one.one, one.other) for one in share] for share in shares]
    rated = rating_settings(rating={"blocks": 1, "items": most})
    pools = rating_pools(rated, tuple(names), tuple(prompts), {})
    return [[(one.images[0], one.images[1]) for one in share] for share in pools.shares]


def conditions_in(pair: Pair) -> frozenset[str]:
    return frozenset(image.condition for image in pair)


def paths_in(pair: Pair) -> frozenset[str]:
    return frozenset(image.path for image in pair)


@pytest.mark.parametrize("protocol", PAIRED)
@given(
    conditions=st.integers(2, 6),
    prompts=st.integers(1, 5),
    images=st.integers(1, 4),
    most=st.integers(1, 60),
)
def test_every_pair_is_in_one_share_and_each_share_has_all_conditions_equally_often(
    protocol, conditions, prompts, images, most
):
    names = "abcdef"[:conditions]
    made = prompts_of(prompts, images, names)
    shares = shares_of(protocol, names, made, most)
    pairs = list(map(frozenset, combinations(names, 2)))
    lengths = list(map(len, shares))

    assert Counter(map(paths_in, chain(*shares))) == Counter(
        frozenset((one.path, other.path))
        for prompt in made
        for a, b in combinations(names, 2)
        for one, other in product(prompt.images[a], prompt.images[b])
    )
    assert max(lengths) <= most
    assert max(lengths) - min(lengths) <= 1
    for share in shares:
        counts = Counter(map(conditions_in, share))
        assert max(counts[pair] for pair in pairs) - min(counts[pair] for pair in pairs) <= 1


def test_a_prompt_that_lacks_a_condition_is_asked_about_without_it():
    whole, part = prompts_of(2)
    lacking = Prompt(text=part.text, images={c: part.images[c] for c in "abc"})
    for protocol in PAIRED:
        met = chain(*shares_of(protocol, "abcd", (whole, lacking), 96))
        counts = Counter(map(conditions_in, met))
        assert {counts[frozenset(pair)] for pair in combinations("abc", 2)} == {32}
        assert {counts[frozenset((c, "d"))] for c in "abc"} == {16}
    assert images_by_condition((whole, lacking)) == {"a": 8, "b": 8, "c": 8, "d": 4}
    ranked = ranking_pools(ranking_settings(), tuple("abcd"), (whole, lacking))
    assert {ranked_in(group) for group in chain(*ranked.shares)} == {"abc", "abcd"}


def shown(protocol: str, evaluator: str, seed: int, most: int, *, images: int = 2) -> list[Any]:
    """Return for each share its pairs, and the (left, right) pairs that an evaluator sees."""
    changes = {"study": {"seed": seed}}
    number = {"images": images, "blocks": 1, "practice": 0}
    found = []
    if protocol == "comparison":
        compared = comparison_settings(comparison=number | {"trials": most}, **changes)
        pools = comparison_pools(compared, prompts=1, images=images)
        for share, met in enumerate(pools.shares, start=1):
            slots = slots_of(plan_of(compared, pools, evaluator, share=share))
            pairs = [(one.one, one.other) for one in met]
            found.append((pairs, [(one.left, one.right) for one in slots]))
        return found
    rated = rating_settings(rating=number | {"items": most}, **changes)
    of_ratings = pools_to_rate(rated, 1)
    for share, items in enumerate(of_ratings.shares, start=1):
        planned = rated_in(plan_ratings(rated, of_ratings, rater(evaluator, share)))
        sides = [one.item.images[:: -1 if one.swapped else 1] for one in planned]
        found.append(([one.images for one in items], sides))
    return found


@pytest.mark.parametrize("protocol", PAIRED)
@given(
    evaluator=st.text("abc123", min_size=1, max_size=8),
    most=st.integers(1, 60),
    seed=st.integers(0, 2**40),
)
def test_each_pair_of_a_share_comes_once_and_sides_are_balanced(protocol, evaluator, most, seed):
    for pairs, sides in shown(protocol, evaluator, seed, most):
        assert Counter(map(paths_in, sides)) == Counter(map(paths_in, pairs))
        lefts = Counter((left.condition, right.condition) for left, right in sides)
        for one, other in combinations("abcd", 2):
            assert abs(lefts[one, other] - lefts[other, one]) <= 1


@pytest.mark.parametrize("protocol", PAIRED)
def test_who_is_on_the_left_once_more_is_drawn(protocol):
    """For an odd number the side is random; else the first condition would be more often left."""
    first = [shown(protocol, f"p{n}", 7, 6, images=1)[0][1][0] for n in range(400)]
    of_two = [
        left.condition for left, right in first if {left.condition, right.condition} == {*"ab"}
    ]

    assert 0.3 < of_two.count("a") / len(of_two) < 0.7


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, 0.4])
def test_validation_is_its_share_of_each_block(share):
    asked = comparison_settings(validation={"kind": "listed", "share": share})
    plan = plan_of(asked, comparison_pools(asked))

    for block in plan.blocks:
        if block.task is not PRACTISED:
            number = sum(one.task is VALIDATED for one in block.items)
            assert number == max(1, round(48 * share / (1 - share)))
            assert len(block.items) - number == 48


def test_validation_stands_anywhere_in_a_block():
    """It may also be first or last, so that nobody can recognise it by its place."""
    asked = comparison_settings(
        comparison={"blocks": 1, "trials": 8}, validation={"kind": "listed", "share": 0.1}
    )
    pools = comparison_pools(asked)
    places: Counter[int] = Counter()
    for number in range(900):
        *_, block = plan_of(asked, pools, f"p{number}").blocks
        places.update(at for at, one in enumerate(block.items) if one.task is VALIDATED)

    assert set(places) == set(range(9))
    assert max(places.values()) < 1.6 * min(places.values())


def test_the_better_image_is_on_either_side_half_of_the_times():
    asked = comparison_settings(validation={"kind": "listed", "share": 0.3})
    pools = comparison_pools(asked)
    for number in range(20):
        plan = plan_of(asked, pools, f"p{number}")
        for block in plan.blocks:
            sides = Counter(one.obvious for one in block.items if one.obvious)
            assert abs(sides[Choice.LEFT] - sides[Choice.RIGHT]) <= 1
        for one in slots_of(plan, VALIDATED):
            better = one.left if one.obvious is Choice.LEFT else one.right
            assert "better" in better.path


def test_every_obvious_comparison_comes_before_any_comes_again():
    asked = comparison_settings(validation={"kind": "listed", "share": 0.3})
    *_, block = plan_of(asked, comparison_pools(asked, obvious=8)).blocks
    counts = Counter(one.prompt for one in block.items if one.task is VALIDATED)

    assert len(counts) == 8
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("order", ["pairs", "blocks"])
def test_criteria_take_turns_on_each_pair_or_have_blocks_of_their_own(order):
    names = ["preference", "coherence", "alignment"]
    comparison = {"criterion": names, "criterion_order": order, "blocks": 2, "trials": 6}
    asked = comparison_settings(comparison=comparison, validation={"kind": "listed", "share": 0.2})
    pools = comparison_pools(asked)
    share = Counter((one.one.path, one.other.path) for one in pools.shares[0])
    begins_with = set()
    for number in range(20):
        plan = plan_of(asked, pools, f"p{number}")
        practice, *blocks = ([*plan.trials(block)] for block in plan.blocks)
        trials = [*chain(*blocks)]
        counted = [trial for trial in trials if trial.task is COMPARED]
        begins_with.add(counted[0].criterion)

        assert {one.criterion for one in trials + practice if one.obvious} == {"alignment"}
        for name in names:
            met = Counter(
                tuple(sorted((one.left.path, one.right.path)))
                for one in counted
                if one.criterion == name
            )
            assert met == Counter(tuple(sorted(pair)) for pair in share.elements())
        for block in blocks:
            assert [trial.number for trial in block] == [*range(1, len(block) + 1)]
        pairs = [(one.task, one.block, one.pair) for one in practice + trials]
        stay = [at for at, (pair, following) in enumerate(pairwise(pairs)) if pair == following]
        shown = [one.pictures for one in practice + trials]
        if order == "pairs":
            assert [one.criterion for one in counted] == names * (len(counted) // 3)
            assert all(shown[at] == shown[at + 1] for at in stay)
            assert len(stay) == 2 * len(counted) // 3
        else:
            assert not stay
            assert all(len({one.criterion for one in block}) == 1 for block in blocks)
        # A station loads the images of a pair only once.
        loaded = [each for at, pictures in enumerate(shown) if at not in stay for each in pictures]
        assert [*plan.upcoming()] == loaded

    assert begins_with == ({"preference"} if order == "pairs" else {*names})
    whole = comparison_settings(comparison=comparison | {"criterion": names[:2]})
    assert plan_of(whole, pools).checksum() != plan_of(asked, pools).checksum()


def test_practice_comes_first_and_only_with_something_obvious():
    asked = comparison_settings()
    first, *others = plan_of(asked, comparison_pools(asked)).blocks

    assert first.task is PRACTISED
    assert [one.task for one in first.items] == [PRACTISED] * 3
    assert all(one.obvious for one in first.items)
    assert not any(block.task is PRACTISED for block in others)
    assert plan_of(asked, comparison_pools(asked, obvious=0)).blocks[0].task is not PRACTISED
    none = comparison_settings(comparison={"practice": 0})
    assert plan_of(none, comparison_pools(none)).blocks[0].task is not PRACTISED


@given(blocks=st.integers(1, 7), trials=st.integers(1, 20), share=st.integers(1, 3))
def test_blocks_are_equally_long_to_within_one(blocks, trials, share):
    asked = comparison_settings(comparison={"blocks": blocks, "trials": trials, "practice": 0})
    pools = comparison_pools(asked)
    plan = plan_of(asked, pools, share=min(share, len(pools.shares)))
    lengths = [len(block.items) for block in plan.blocks]

    assert max(lengths) - min(lengths) <= 1
    assert max(lengths) <= trials
    assert [block.number for block in plan.blocks] == list(range(1, len(lengths) + 1))


CHOSEN = (("a", "b"), ("c", "d"), ("d", "b"), ("a", "b"))


def test_an_arena_shows_the_pairs_that_it_chose_in_their_order():
    asked = comparison_settings(comparison={"arena": {}, "blocks": 2, "trials": 2})
    pools = comparison_pools(asked)
    slots = slots_of(plan_of(asked, pools, pairs=CHOSEN))

    assert [frozenset((p.left.condition, p.right.condition)) for p in slots] == [
        frozenset(pair) for pair in CHOSEN
    ]
    for one in slots:
        (prompt,) = (p for p in pools.prompts if p.text == one.prompt)
        assert one.left in prompt.images[one.left.condition]
        assert one.right in prompt.images[one.right.condition]


def test_an_arena_draws_prompts_images_and_sides():
    asked = comparison_settings(comparison={"arena": {}, "blocks": 1, "trials": 1000})
    slots = slots_of(plan_of(asked, comparison_pools(asked), pairs=(("a", "b"),) * 1000))

    assert 430 < sum(one.left.condition == "a" for one in slots) < 570
    prompts = Counter(one.prompt for one in slots)
    assert len(prompts) == 3
    assert min(prompts.values()) > 270
    assert len({one.left.path for one in slots} | {one.right.path for one in slots}) == 24


def test_places_of_the_design_and_evaluators_for_each():
    asked = comparison_settings(comparison={"trials": 24, "votes": 5})
    pools = comparison_pools(asked)
    arena = comparison_settings(comparison={"arena": {"most_votes": 97}})

    assert [cell.share for cell in comparison_cells(asked, pools)] == [1, 2, 3, 4, 5, 6]
    assert asked.evaluators_per_cell == 5
    assert comparison_cells(arena, comparison_pools(arena)) == (
        Cell(condition="", methods=METHODS),
    )
    assert arena.evaluators_per_cell == 2


def test_how_long_it_takes_counts_the_words_of_the_prompt():
    def minutes(**comparison: Any) -> int:
        asked = comparison_settings(comparison={"practice": 0, **comparison})
        return plan_of(asked, comparison_pools(asked)).minutes

    assert minutes() == round((60 + 96 * 4) / 60)
    assert minutes(prompt="words", word_ms=3000.0) == round((60 + 96 * (4 + 6)) / 60)
    assert minutes(prompt="shown", word_ms=3000.0) == minutes()
    assert minutes(prompt="words", word_ms=0.001) == minutes()


SINGLE = {"rating": {"of": "images"}}


def left_of(planned: PlannedItem) -> str:
    return planned.item.images[planned.swapped].condition


def rated_in(plan: RatingPlan) -> list[PlannedItem]:
    return [one for block in plan.blocks if block.page is Page.BLOCK for one in block.items]


def test_every_single_image_is_rated_once_with_what_is_right_of_it():
    asked = rating_settings(**SINGLE)
    prompts = prompts_of(2, 1, "ab")
    path = prompts[0].images["a"][0].path
    pools = rating_pools(asked, tuple("ab"), prompts, {path: (("anatomy", "no"),)})
    every = list(chain(*pools.shares))

    assert {one.images[0].path for one in every} == {
        image.path for prompt in prompts for some in prompt.images.values() for image in some
    }
    assert [one.truths for one in every if one.truths] == [(("anatomy", "no"),)]
    assert not any(one.swapped for one in rated_in(plan_ratings(asked, pools, rater())))


def test_neither_first_images_nor_left_ones_follow_conditions():
    """This distinguishes a judge who prefers first images from one who prefers a condition."""
    asked = rating_settings(rating={"items": 99, "images": 3})
    slots = rated_in(plan_ratings(asked, pools_to_rate(asked, 10, "ab"), rater()))
    first = Counter(one.item.images[0].condition for one in slots)
    both = Counter((one.item.images[0].condition, left_of(one)) for one in slots)

    assert len(slots) == 90
    assert min(first.values()) > 25
    assert min(both[one, other] for one in "ab" for other in "ab") > 10


def test_axes_come_as_the_study_has_them_or_in_an_order_of_ones_own():
    fixed, drawn = rating_settings(), rating_settings(rating={"axis_order": "random"})
    pools = pools_to_rate(fixed)
    orders = {
        tuple(axis.name for axis in plan_ratings(drawn, pools, rater(f"p{n}")).axes)
        for n in range(20)
    }

    assert [axis.name for axis in plan_ratings(fixed, pools, rater()).axes] == [*fixed.axis_names]
    assert len(orders) > 15
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(fixed.axis_names))}


def test_one_practises_on_items_that_one_does_not_rate_later():
    asked = rating_settings(rating={"blocks": 1, "items": 9, "practice": 4})
    pools = pools_to_rate(asked)
    for share in range(1, len(pools.shares) + 1):
        first, *_ = plan_ratings(asked, pools, rater("p01", share)).blocks
        own = {one.name for one in pools.shares[share - 1]}
        assert first.page is Page.PRACTICE
        assert len(first.items) == 4
        assert own.isdisjoint({one.item.name for one in first.items})


def test_of_a_single_share_one_practises_on_what_there_is():
    asked = rating_settings(rating={"practice": 2})
    plan = plan_ratings(asked, pools_to_rate(asked, 2), rater())

    assert [block.page for block in plan.blocks] == [Page.PRACTICE, Page.BLOCK, Page.BLOCK]
    none = rating_settings(rating={"practice": 0})
    assert plan_ratings(none, pools_to_rate(none, 2), rater()).blocks[0].page is Page.BLOCK


def test_how_long_it_takes_counts_axes():
    few, many = (rating_settings(rating={"axes": list(some)}) for some in (["style"], AXES))
    minutes = [plan_ratings(one, pools_to_rate(one), rater()).minutes for one in (few, many)]

    assert minutes == [round((60 + 18 * (3 + 4)) / 60), round((60 + 18 * (3 + 16)) / 60)]


AXES = ["style", "overall", "anatomy", "objects"]
CHECKED = {"screening": {"test": 2, "checkers": ["check*"]}}


def ranked_in(group: Group) -> str:
    return "".join(sorted(image.condition for image in group.images))


def names(plan: RankingPlan, task: RankingTask) -> list[str]:
    return [group.name for block in plan.blocks if block.task is task for group in block.items]


def test_a_group_has_an_image_of_each_condition_and_every_image_is_in_one():
    asked = ranking_settings(ranking={"images": 3})
    pools = pools_to_rank(asked, prompts=4)
    groups = list(chain(*pools.shares))
    images = Counter(image.path for group in groups for image in group.images)

    assert len(groups) == 12
    assert {ranked_in(group) for group in groups} == {"abcd"}
    assert set(images.values()) == {1}
    assert len(images) == 4 * 3 * 4


@given(
    conditions=st.integers(3, 8),
    size=st.integers(2, 7),
    prompts=st.integers(1, 8),
    images=st.integers(1, 3),
)
def test_in_incomplete_groups_conditions_are_ranked_equally_often(
    conditions, size, prompts, images
):
    letters = "abcdefgh"[:conditions]
    size = min(size, conditions)
    asked = ranking_settings(ranking={"group": size, "images": images})
    groups = list(chain(*pools_to_rank(asked, prompts, letters).shares))
    counts = Counter(image.condition for group in groups for image in group.images)

    assert len(groups) == prompts * images
    assert {len(set(ranked_in(group))) for group in groups} == {size}
    assert max(counts[c] for c in letters) - min(counts[c] for c in letters) <= 1


def test_every_group_is_in_the_test_or_in_one_share():
    asked = ranking_settings(ranking={"blocks": 1, "groups": 4}, **CHECKED)
    pools = pools_to_rank(asked, prompts=12)
    every = [group.name for group in (*pools.test, *chain(*pools.shares))]

    assert [len(pools.test), *map(len, pools.shares)] == [2, 3, 4, 3]
    assert len(set(every)) == 12
    assert set(pools.groups) == {group.name for group in chain(*pools.shares)}


def test_everybody_ranks_the_same_test_first_and_then_their_share_once():
    asked = ranking_settings(ranking={"blocks": 2, "groups": 2, "practice": 2}, **CHECKED)
    pools = pools_to_rank(asked, prompts=9)
    test = [group.name for group in pools.test]
    for share, groups in enumerate(pools.shares, start=1):
        plan = plan_rankings(asked, pools, ranker(f"p{share}", share))
        own = names(plan, RankingTask.RANKING)
        assert [block.task.value for block in plan.blocks[:2]] == ["practice", "test"]
        assert names(plan, RankingTask.TEST) == test
        assert sorted(own) == sorted(group.name for group in groups)
        assert set(names(plan, RankingTask.PRACTICE)).isdisjoint({*own, *test})
        assert len(names(plan, RankingTask.PRACTICE)) == 2


def test_images_lie_in_an_order_of_each_evaluators_own():
    asked = ranking_settings(**CHECKED)
    pools = pools_to_rank(asked)
    plans = [plan_rankings(asked, pools, ranker(f"p{n}")) for n in range(200)]
    first = Counter(plan.blocks[1].items[0].images[0].condition for plan in plans)

    assert set(first) == set("abcd")
    assert min(first.values()) > 25
    assert plans[0].checksum() == plan_rankings(asked, pools, ranker("p0")).checksum()
    assert len({plan.checksum() for plan in plans}) == 200


def test_a_checker_takes_the_test_and_ranks_what_they_were_given_without_practice():
    asked = ranking_settings(ranking={"blocks": 2, "groups": 2, "practice": 2}, **CHECKED)
    pools = pools_to_rank(asked, prompts=9)
    given_them = tuple(list(pools.groups)[2:5])
    plan = plan_rankings(asked, pools, ranker("check1", 0, given_them))

    assert [block.task.value for block in plan.blocks] == ["test", "check", "check"]
    assert [block.number for block in plan.blocks] == [1, 1, 2]
    assert sorted(names(plan, RankingTask.CHECK)) == sorted(given_them)
    assert names(plan, RankingTask.TEST) == [group.name for group in pools.test]
    only_test = plan_rankings(asked, pools, ranker("check2", 0))
    assert [block.task.value for block in only_test.blocks] == ["test"]


@pytest.mark.parametrize(("share", "number"), [(0.0, 0), (0.2, 2), (0.25, 2), (0.5, 5)])
def test_prompts_are_held_out_for_good(share, number):
    asked = ranking_settings(ranking={"held_out": share})
    pools, again = (pools_to_rank(asked, prompts=10) for _ in range(2))

    assert len(pools.held_out) == number
    assert pools.held_out == again.held_out <= {prompt.text for prompt in pools.prompts}
    assert len(list(chain(*pools.shares))) == 10


def test_how_long_it_takes_counts_images_of_test_and_share():
    asked = ranking_settings(**CHECKED)
    plan = plan_rankings(asked, pools_to_rank(asked, prompts=20), ranker())

    assert plan.minutes == round((60 + 4 * 20 * 4) / 60)


LISTED = {"validation": {"kind": "listed", "share": 0.1}}
PAIRS = (("a", "b"), ("d", "c"), ("a", "d"))


def plan_for(protocol: str, evaluator: str = "p01", **changes: Any) -> PromptedPlan:
    """Plan a session of a small study, with the pairs of an arena or the groups of a checker."""
    if protocol == "comparison":
        asked = comparison_settings(**merged(LISTED, changes))
        pairs = PAIRS if asked.comparison.arena else ()
        cell = Cell(condition="", methods=METHODS, share=0 if pairs else 1)
        place = Assignment(evaluator=evaluator, cell=cell, pairs=pairs)
        return plan_comparisons(asked, comparison_pools(asked), place)
    if protocol == "rating":
        rated = rating_settings(**changes)
        return plan_ratings(rated, pools_to_rate(rated), rater(evaluator))
    ranked = ranking_settings(**merged(CHECKED, changes))
    pools = pools_to_rank(ranked, prompts=9)
    is_checker = ranked.is_checker(evaluator)
    groups = tuple(sorted(pools.groups)[:3]) if is_checker else ()
    return plan_rankings(ranked, pools, ranker(evaluator, 0 if is_checker else 1, groups))


SUMS: list[tuple[str, dict[str, Any], str, str]] = [
    ("comparison", {}, "p01", "1e5bb13d08fa3d1fc491cfec1e1519b289f008394521f1b19ee68f373f599104"),
    (
        *("comparison", {"comparison": {"arena": {}}}, "p01"),
        "e34e983942d6aa4c49c35b01e58b6ba1e11b611442253b305a17d0a2f0e35bde",
    ),
    ("rating", {}, "p01", "d5bf358714cbd6afdbf4c6906d34b3646889df3d4a61e7cfc9a20f72addbbb61"),
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
    """Otherwise interrupted sessions could not be resumed."""
    assert plan_for(protocol, evaluator, **changes).checksum() == checksum


DECIDING: list[tuple[str, str, str, object]] = [
    *((protocol, "study", "seed", 8) for protocol in ("comparison", "rating", "ranking")),
    ("comparison", "comparison", "ties", True),
    ("comparison", "comparison", "both_bad", True),
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
    changed = plan_for(protocol, **{table: {key: value}})

    assert changed.checksum() != plan_for(protocol).checksum()


@pytest.mark.parametrize("protocol", PAIRED)
def test_a_reference_is_shown_last_and_is_in_the_checksum(protocol):
    plan, original = plan_for(protocol), candidate(0, "original")
    prompts = [f"thing {number}" for number in range(10)]
    one, other = (
        replace(plan, references=dict.fromkeys(prompts, o))
        for o in (original, candidate(1, "original"))
    )
    seen = dict(one.shown())

    assert {images[2:] for images in seen.values()} <= {(original,), ()}
    assert original in one.images()
    assert original.path in {request.path for request in one.upcoming()}
    assert len({each.checksum() for each in (plan, one, other)}) == 3


def test_words_and_who_checks_how_much_are_not_in_the_checksum():
    """Texts may be corrected, and more groups checked, between two sessions of an evaluator."""
    changed = plan_for(
        "ranking",
        ranking={"question": "Which is best?", "held_out": 0.5, "rankings": 3},
        screening={"checkers": ["c*"], "check_share": 0.3},
    )

    assert changed.checksum() == plan_for("ranking").checksum()


@pytest.mark.parametrize("protocol", ["comparison", "rating", "ranking"])
def test_the_order_is_each_evaluators_own(protocol):
    one, again, other = (plan_for(protocol, who) for who in ("a", "a", "b"))

    assert one == again
    assert one.checksum() == again.checksum() != other.checksum()
    assert [image.path for image in one.images()] != [image.path for image in other.images()]
