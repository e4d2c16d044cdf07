"""Plans of comparisons: what meets, how it is shared out, on which sides and in which order."""

from collections import Counter
from itertools import chain, combinations
from typing import Any

import pytest
from builders import comparison_pools, comparison_settings, prompts_of
from hypothesis import given
from hypothesis import strategies as st

from hype.protocols.comparison.sampling import (
    METHODS,
    ComparisonPools,
    comparison_cells,
    plan_comparisons,
    shared_out,
    times_met,
)
from hype.protocols.comparison.settings import ComparisonFile
from hype.protocols.comparison.trial import ComparisonPlan, ComparisonTask, Planned
from hype.protocols.prompted.settings import images_by_condition
from hype.protocols.prompted.trial import Choice, Meeting, Prompt, meetings
from hype.study.assignment import Assignment, Cell

COMPARED, VALIDATED = ComparisonTask.COMPARISON, ComparisonTask.VALIDATION


def pair_of(meeting: Meeting) -> frozenset[str]:
    return frozenset((meeting.one.condition, meeting.other.condition))


def images_of(meeting: Meeting) -> frozenset[str]:
    return frozenset((meeting.one.path, meeting.other.path))


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


def planned(plan: ComparisonPlan, task: ComparisonTask = COMPARED) -> list[Planned]:
    return [one for block in plan.blocks for one in block.planned if one.task is task]


def test_282_prompts_make_the_27072_comparisons_of_the_source():
    asked = comparison_settings()
    shares = shared_out(asked, "abcd", prompts_of(282))
    votes = len(list(chain(*shares))) * asked.evaluators_per_cell

    assert len(list(chain(*shares))) == 27_072
    assert len(shares) == 282
    assert votes == 703_872


def test_every_comparison_of_the_design_is_in_one_share():
    prompts = prompts_of(5)
    shares = shared_out(comparison_settings(comparison={"trials": 7}), "abcd", prompts)
    shared = Counter(map(images_of, chain(*shares)))
    designed = Counter(map(images_of, chain(*meetings("abcd", prompts).values())))

    assert shared == designed
    assert set(shared.values()) == {1}


@given(
    conditions=st.integers(2, 6),
    prompts=st.integers(1, 5),
    images=st.integers(1, 4),
    blocks=st.integers(1, 3),
    trials=st.integers(1, 30),
)
def test_each_share_has_all_pairs_equally_often_and_fits_a_session(
    conditions, prompts, images, blocks, trials
):
    names = "abcdef"[:conditions]
    asked = comparison_settings(comparison={"blocks": blocks, "trials": trials})
    shares = shared_out(asked, names, prompts_of(prompts, images, names))
    pairs = [frozenset(pair) for pair in combinations(names, 2)]

    lengths = [len(share) for share in shares]
    assert sum(lengths) == len(pairs) * prompts * images**2
    assert max(lengths) - min(lengths) <= 1
    assert max(lengths) <= blocks * trials
    for share in shares:
        counts = Counter(map(pair_of, share))
        assert max(counts[pair] for pair in pairs) - min(counts[pair] for pair in pairs) <= 1


def test_prompts_that_lack_a_condition_are_compared_without_it():
    whole, part = prompts_of(2)
    lacking = Prompt(text=part.text, images={c: part.images[c] for c in "abc"})
    asked = comparison_settings()
    shares = shared_out(asked, "abcd", (whole, lacking))
    counts = Counter(map(pair_of, chain(*shares)))
    pools = ComparisonPools(
        conditions=tuple("abcd"), prompts=(whole, lacking), obvious=(), shares=shares
    )

    assert {counts[frozenset(pair)] for pair in combinations("abc", 2)} == {32}
    assert {counts[frozenset((c, "d"))] for c in "abc"} == {16}
    assert (times_met(pools, "a", "b"), times_met(pools, "a", "d")) == (32, 16)
    assert images_by_condition(pools.prompts) == {"a": 8, "b": 8, "c": 8, "d": 4}


@given(
    evaluator=st.text("abc123", min_size=1, max_size=8),
    trials=st.integers(1, 60),
    seed=st.integers(0, 2**40),
)
def test_sides_are_balanced_to_within_one_in_each_pair_of_a_share(evaluator, trials, seed):
    asked = comparison_settings(
        study={"seed": seed}, comparison={"trials": trials, "blocks": 1, "practice": 0}
    )
    pools = comparison_pools(asked, prompts=1)
    number = len(pools.shares)
    for share in {1, number}:
        slots = planned(plan_of(asked, pools, evaluator, share=share))
        lefts: Counter[tuple[str, str]] = Counter(
            (one.left.condition, one.right.condition) for one in slots
        )
        for one, other in combinations("abcd", 2):
            assert abs(lefts[one, other] - lefts[other, one]) <= 1
        met = sorted(tuple(sorted((one.left.path, one.right.path))) for one in slots)
        assert met == sorted(tuple(sorted(images_of(m))) for m in pools.shares[share - 1])


def test_who_is_left_once_more_is_drawn():
    """Of an odd number: or else the first condition would be on the left more often, always."""
    asked = comparison_settings(comparison={"practice": 0})
    pools = comparison_pools(asked, prompts=1, images=1, conditions="ab")
    first = [planned(plan_of(asked, pools, f"p{n}"))[0].left.condition for n in range(400)]

    assert 140 < first.count("a") < 260


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, 0.4])
def test_validation_is_its_share_of_each_block(share):
    asked = comparison_settings(validation={"kind": "listed", "share": share})
    plan = plan_of(asked, comparison_pools(asked))

    for block in plan.blocks:
        if not block.practice:
            number = sum(one.task is VALIDATED for one in block.planned)
            assert number == max(1, round(48 * share / (1 - share)))
            assert len(block.planned) - number == 48


def test_validation_stands_anywhere_in_a_block():
    """First and last too, so that nobody can tell from the place."""
    asked = comparison_settings(
        comparison={"blocks": 1, "trials": 8}, validation={"kind": "listed", "share": 0.1}
    )
    pools = comparison_pools(asked)
    places: Counter[int] = Counter()
    for number in range(900):
        *_, block = plan_of(asked, pools, f"p{number}").blocks
        places.update(at for at, one in enumerate(block.planned) if one.task is VALIDATED)

    assert set(places) == set(range(9))
    assert max(places.values()) < 1.6 * min(places.values())


def test_the_better_image_is_on_either_side_half_of_the_times():
    asked = comparison_settings(validation={"kind": "listed", "share": 0.3})
    pools = comparison_pools(asked)
    for number in range(20):
        plan = plan_of(asked, pools, f"p{number}")
        for block in plan.blocks:
            sides = Counter(one.obvious for one in block.planned if one.obvious)
            assert abs(sides[Choice.LEFT] - sides[Choice.RIGHT]) <= 1
        for one in planned(plan, VALIDATED):
            better = one.left if one.obvious is Choice.LEFT else one.right
            assert "better" in better.path


def test_every_obvious_comparison_comes_before_any_comes_again():
    asked = comparison_settings(validation={"kind": "listed", "share": 0.3})
    *_, block = plan_of(asked, comparison_pools(asked, obvious=8)).blocks
    counts = Counter(one.prompt for one in block.planned if one.task is VALIDATED)

    assert len(counts) == 8
    assert max(counts.values()) - min(counts.values()) <= 1


def test_practice_comes_first_and_only_with_something_obvious():
    asked = comparison_settings()
    first, *others = plan_of(asked, comparison_pools(asked)).blocks

    assert first.practice
    assert [one.task for one in first.planned] == [ComparisonTask.PRACTICE] * 3
    assert all(one.obvious for one in first.planned)
    assert not any(block.practice for block in others)
    assert not plan_of(asked, comparison_pools(asked, obvious=0)).blocks[0].practice
    none = comparison_settings(comparison={"practice": 0})
    assert not plan_of(none, comparison_pools(none)).blocks[0].practice


@given(blocks=st.integers(1, 7), trials=st.integers(1, 20), share=st.integers(1, 3))
def test_blocks_are_equally_long_to_within_one(blocks, trials, share):
    asked = comparison_settings(comparison={"blocks": blocks, "trials": trials, "practice": 0})
    pools = comparison_pools(asked)
    plan = plan_of(asked, pools, share=min(share, len(pools.shares)))
    lengths = [len(block.planned) for block in plan.blocks]

    assert max(lengths) - min(lengths) <= 1
    assert max(lengths) <= trials
    assert [block.number for block in plan.blocks] == list(range(1, len(lengths) + 1))


PAIRS = (("a", "b"), ("c", "d"), ("d", "b"), ("a", "b"))


def test_an_arena_shows_the_pairs_that_it_chose_in_their_order():
    asked = comparison_settings(comparison={"arena": {}, "blocks": 2, "trials": 2})
    pools = comparison_pools(asked)
    slots = planned(plan_of(asked, pools, pairs=PAIRS))

    assert [frozenset((p.left.condition, p.right.condition)) for p in slots] == [
        frozenset(pair) for pair in PAIRS
    ]
    for one in slots:
        (prompt,) = (p for p in pools.prompts if p.text == one.prompt)
        assert one.left in prompt.images[one.left.condition]
        assert one.right in prompt.images[one.right.condition]


def test_an_arena_draws_prompts_images_and_sides():
    asked = comparison_settings(comparison={"arena": {}, "blocks": 1, "trials": 1000})
    slots = planned(plan_of(asked, comparison_pools(asked), pairs=(("a", "b"),) * 1000))

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
