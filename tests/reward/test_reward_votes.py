from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_tastes import tasted

from hype.errors import InputError
from hype.reward.votes import (
    VoteSplit,
    others_choices,
    pairs_of,
    split_prompts,
    votes_of_rows,
    weights_by_agreement,
)


@given(st.integers(3, 60), st.integers(0, 1000))
def test_no_prompt_is_in_two_parts_and_none_is_lost(prompts, seed):
    votes = tasted(prompts=prompts, votes=50).votes
    parts = split_prompts(votes, np.random.default_rng(seed))

    assert sorted(np.concatenate(list(parts.values())).tolist()) == list(range(prompts))
    assert all(some.size for some in parts.values())


def test_the_test_has_the_prompts_that_the_study_holds_out():
    votes = tasted(prompts=10, votes=50, held_out=("p003", "p007")).votes
    parts = split_prompts(votes, np.random.default_rng(0))

    assert parts[VoteSplit.TEST].tolist() == [3, 7]


def test_two_prompts_are_too_few():
    votes = tasted(prompts=2, votes=50).votes
    with pytest.raises(InputError, match="2 prompts, 0 of them held out for the test; three or"):
        split_prompts(votes, np.random.default_rng(0))


def rows():
    a, b = ("fake/x/1.png", "x"), ("fake/y/1.png", "y")
    return [
        (7, "a bag", a, b, 1),
        (7, "a bag", b, a, 1),
        (9, "a bag", b, a, -1),
        (9, "a bag", a, b, 0),
        (12, "a bag", a, b, 1),
    ]


def test_votes_on_the_same_two_images_are_gathered_whichever_came_first():
    votes = votes_of_rows(rows(), ())
    pairs = pairs_of(votes, np.array([1.0, 2.0, 0.5]))

    assert (votes.evaluators, votes.images) == (3, ("fake/x/1.png", "fake/y/1.png"))
    assert (pairs.one.tolist(), pairs.other.tolist()) == ([0], [1])
    assert (pairs.for_one[0], pairs.for_other[0], pairs.ties[0]) == (1 + 2 + 0.5, 1, 2)
    assert pairs.total == 6.5


def test_others_choices_by_hand():
    same, chosen = others_choices(votes_of_rows(rows(), ()))

    assert chosen.tolist() == [3, 3, 3, 4, 3]  # a tie chooses nothing
    assert same.tolist() == [2, 0, 2, 0, 2]


def test_who_presses_anything_weighs_less():
    votes = tasted(prompts=10, votes=6000, people=20, careless=5, size=2.0).votes
    weight = weights_by_agreement(votes)

    assert weight.mean() == pytest.approx(1)
    assert weight[:5].max() < weight[5:].min()


def test_who_met_nobody_weighs_like_most():
    votes = tasted(prompts=10, votes=3000, people=8, size=2.0).votes
    weight = weights_by_agreement(replace(votes, evaluators=9))

    assert weight[8] == pytest.approx(1, abs=0.1)


def test_the_checksum_is_of_who_voted_how():
    first, again, other = (tasted(votes=60, seed=seed).votes for seed in (0, 0, 1))

    assert first.checksum() == again.checksum() != other.checksum()
