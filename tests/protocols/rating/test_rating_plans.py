"""Plans of ratings: what is rated, how it is shared out, on which sides and in which order."""

from collections import Counter
from itertools import chain, combinations

from builders import prompts_of
from hypothesis import given
from hypothesis import strategies as st
from prompted_builders import pools_to_rate, rater, rating_settings

from hype.protocols.prompted.trial import Prompt
from hype.protocols.rating.sampling import plan_ratings, rating_pools
from hype.protocols.rating.trial import PlannedItem, RatedItem, RatingPlan

SINGLE = {"rating": {"of": "images"}}


def conditions_of(item: RatedItem) -> tuple[str, ...]:
    return tuple(sorted(image.condition for image in item.images))


def left_of(planned: PlannedItem) -> str:
    return planned.item.images[planned.swapped].condition


def counted(plan: RatingPlan) -> list[PlannedItem]:
    return [one for block in plan.blocks if not block.practice for one in block.items]


@given(
    conditions=st.integers(2, 6),
    prompts=st.integers(1, 6),
    images=st.integers(1, 3),
    items=st.integers(1, 30),
)
def test_every_pair_is_in_one_share_and_each_share_has_all_pairs_of_conditions_equally_often(
    conditions, prompts, images, items
):
    names = "abcdef"[:conditions]
    asked = rating_settings(rating={"images": images, "blocks": 1, "items": items})
    pools = pools_to_rate(asked, prompts, names)
    every = list(chain(*pools.shares))
    pairs = list(combinations(names, 2))

    assert len(every) == len(pairs) * prompts * images**2
    assert len({one.name for one in every}) == len(every)
    assert Counter(map(conditions_of, every)) == dict.fromkeys(pairs, prompts * images**2)
    assert max(map(len, pools.shares)) <= items
    for share in pools.shares:
        counts = Counter(map(conditions_of, share))
        assert max(counts[pair] for pair in pairs) - min(counts[pair] for pair in pairs) <= 1


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
    assert not any(one.swapped for one in counted(plan_ratings(asked, pools, rater())))


def test_a_prompt_that_lacks_a_condition_is_rated_without_it():
    whole, part = prompts_of(2, 1)
    lacking = Prompt(text=part.text, images={c: part.images[c] for c in "abc"})
    pools = rating_pools(rating_settings(), tuple("abcd"), (whole, lacking), {})
    counts = Counter(map(conditions_of, chain(*pools.shares)))

    assert {counts[pair] for pair in combinations("abc", 2)} == {2}
    assert {counts[c, "d"] for c in "abc"} == {1}


@given(evaluator=st.text("abc123", min_size=1, max_size=8), seed=st.integers(0, 2**40))
def test_each_condition_is_on_the_left_half_the_time_and_every_item_of_a_share_comes_once(
    evaluator, seed
):
    asked = rating_settings(study={"seed": seed}, rating={"images": 2, "items": 20})
    pools = pools_to_rate(asked)
    for share, items in enumerate(pools.shares, start=1):
        slots = counted(plan_ratings(asked, pools, rater(evaluator, share)))
        assert Counter(one.item.name for one in slots) == Counter(one.name for one in items)
        lefts = Counter((conditions_of(one.item), left_of(one)) for one in slots)
        for pair in combinations("abcd", 2):
            assert abs(lefts[pair, pair[0]] - lefts[pair, pair[1]]) <= 1


def test_neither_first_images_nor_left_ones_follow_conditions():
    """A judge who prefers first images is told from one who prefers a condition."""
    asked = rating_settings(rating={"items": 99, "images": 3})
    slots = counted(plan_ratings(asked, pools_to_rate(asked, 10, "ab"), rater()))
    first = Counter(one.item.images[0].condition for one in slots)
    both = Counter((one.item.images[0].condition, left_of(one)) for one in slots)

    assert len(slots) == 90
    assert min(first.values()) > 25
    assert min(both[one, other] for one in "ab" for other in "ab") > 10


def test_who_is_on_the_left_once_more_is_drawn():
    asked = rating_settings(rating={"practice": 0})
    pools = pools_to_rate(asked, 1, "ab")
    first = [left_of(counted(plan_ratings(asked, pools, rater(f"p{n}")))[0]) for n in range(400)]

    assert 140 < first.count("a") < 260


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
        assert first.practice
        assert first.size == 4
        assert own.isdisjoint({one.item.name for one in first.items})


def test_of_a_single_share_one_practises_on_what_there_is():
    asked = rating_settings(rating={"practice": 2})
    plan = plan_ratings(asked, pools_to_rate(asked, 2), rater())

    assert [block.practice for block in plan.blocks] == [True, False, False]
    none = rating_settings(rating={"practice": 0})
    assert not plan_ratings(none, pools_to_rate(none, 2), rater()).blocks[0].practice


def test_how_long_it_takes_counts_axes():
    few, many = (rating_settings(rating={"axes": list(some)}) for some in (["style"], AXES))
    minutes = [plan_ratings(one, pools_to_rate(one), rater()).minutes for one in (few, many)]

    assert minutes == [round((60 + 18 * (3 + 4)) / 60), round((60 + 18 * (3 + 16)) / 60)]


AXES = ["style", "overall", "anatomy", "objects"]
