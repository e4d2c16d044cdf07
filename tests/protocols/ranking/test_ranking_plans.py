"""Plans of rankings: which groups there are, how they are shared out, and what checkers rank."""

from collections import Counter
from itertools import chain

import pytest
from builders import prompts_of
from hypothesis import given
from hypothesis import strategies as st
from prompted_builders import pools_to_rank, ranker, ranking_settings

from hype.protocols.prompted.trial import Prompt
from hype.protocols.ranking.sampling import CHECKERS, plan_rankings, ranking_cells, ranking_pools
from hype.protocols.ranking.trial import Group, RankingPlan, RankingTask

CHECKED = {"screening": {"test": 2, "checkers": ["check*"]}}


def conditions_of(group: Group) -> str:
    return "".join(sorted(image.condition for image in group.images))


def names(plan: RankingPlan, task: RankingTask) -> list[str]:
    return [group.name for block in plan.blocks if block.task is task for group in block.groups]


def test_a_group_has_an_image_of_each_condition_and_every_image_is_in_one():
    asked = ranking_settings(ranking={"images": 3})
    pools = pools_to_rank(asked, prompts=4)
    groups = list(chain(*pools.shares))
    images = Counter(image.path for group in groups for image in group.images)

    assert len(groups) == 12
    assert {conditions_of(group) for group in groups} == {"abcd"}
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
    assert {len(set(conditions_of(group))) for group in groups} == {size}
    assert max(counts[c] for c in letters) - min(counts[c] for c in letters) <= 1


def test_a_prompt_that_lacks_a_condition_is_ranked_without_it():
    whole, part = prompts_of(2, 1)
    lacking = Prompt(text=part.text, images={c: part.images[c] for c in "abc"})
    pools = ranking_pools(ranking_settings(), tuple("abcd"), (whole, lacking))

    assert sorted(map(conditions_of, chain(*pools.shares))) == ["abc", "abcd"]


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
    first = Counter(plan.blocks[1].groups[0].images[0].condition for plan in plans)

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


def test_checkers_have_no_place_of_the_design():
    asked = ranking_settings(ranking={"blocks": 1, "groups": 1})
    cells = ranking_cells(pools_to_rank(asked))

    assert [cell.share for cell in cells] == [1, 2, 3]
    assert CHECKERS not in cells


@pytest.mark.parametrize(("share", "number"), [(0.0, 0), (0.2, 2), (0.25, 2), (0.5, 5)])
def test_prompts_are_held_out_for_good(share, number):
    """And ranked as the others are."""
    asked = ranking_settings(ranking={"held_out": share})
    pools, again = (pools_to_rank(asked, prompts=10) for _ in range(2))

    assert len(pools.held_out) == number
    assert pools.held_out == again.held_out <= {prompt.text for prompt in pools.prompts}
    assert len(list(chain(*pools.shares))) == 10


def test_how_long_it_takes_counts_images_of_test_and_share():
    asked = ranking_settings(**CHECKED)
    plan = plan_rankings(asked, pools_to_rank(asked, prompts=20), ranker())

    assert plan.minutes == round((60 + 4 * 20 * 4) / 60)
