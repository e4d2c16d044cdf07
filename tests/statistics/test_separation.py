"""When the best condition and the ranking are known, for other people and other images."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from hype.errors import InputError
from hype.statistics.looks import FIRST_LOOK, JoinedCondition, Look, looks_of
from hype.statistics.separation import (
    FinishedVotes,
    Separation,
    closure,
    items_of,
    look_at,
    next_pairs,
    separations,
)

LOOKS = looks_of(48)


def votes_of(
    strengths, *, people=48, each=30, prompts=40, images=0.0, taste=0.0, rng, pairs=None
) -> FinishedVotes:
    """Draw votes on random pairs; ``images`` and ``taste`` are the spreads of images and people."""
    k, number = len(strengths), people * each
    who, what = np.repeat(np.arange(people), each), rng.integers(prompts, size=number)
    first = rng.integers(k, size=number)
    second = (first + rng.integers(1, k, size=number)) % k
    if pairs is not None:
        first, second = np.array(pairs)[rng.integers(len(pairs), size=number)].T
    liked = np.asarray(strengths, dtype=float) + rng.normal(0, taste, (people, k))[who]
    liked += rng.normal(0, images, (prompts, k))[what]
    rows = np.arange(number)
    won = rng.random(number) < expit(liked[rows, first] - liked[rows, second])
    return FinishedVotes(
        conditions=k,
        chosen=np.where(won, first, second),
        other=np.where(won, second, first),
        tied=np.zeros(number, dtype=bool),
        people=who,
        items=what,
    )


def last_of(votes: FinishedVotes, goal="top", looks=LOOKS) -> Separation:
    *_, last = separations(votes, looks, goal=goal)
    return last


@given(st.integers(2, 5000), st.floats(0.001, 0.4))
def test_looks_spend_the_error_in_proportion_to_people(planned, alpha):
    looks = looks_of(planned, alpha)
    numbers = np.array([look.people for look in looks])

    assert numbers[-1] == planned
    assert numbers[0] == min(planned, FIRST_LOOK) or planned < FIRST_LOOK * np.sqrt(2)
    assert (np.diff(numbers) > 0).all()
    assert sum(look.level for look in looks) == pytest.approx(alpha)
    assert np.cumsum([look.level for look in looks]) == pytest.approx(alpha * numbers / planned)


def test_one_person_is_no_look():
    assert looks_of(1) == ()
    assert looks_of(104)[:2] == (
        Look(people=12, level=pytest.approx(0.05 * 12 / 104)),
        Look(people=24, level=pytest.approx(0.05 * 12 / 104)),
    )


def test_a_difference_has_the_error_of_two_crossed_samples():
    """With two conditions the difference is the log-odds of a mean, here worked by hand."""
    votes = votes_of([0.4, 0.0], images=0.8, taste=0.6, rng=np.random.default_rng(2))
    won = (votes.chosen == 0).astype(float)
    rate, number = won.mean(), len(won)
    # The normal prior of SD 1 for each strength is half as much information on the difference.
    found = look_at(votes, Look(people=48, level=0.05), "top")
    assert found.difference[0, 1] == pytest.approx(np.log(rate / (1 - rate)), rel=0.01)

    psi = (won - rate) / number
    of_people = np.bincount(votes.people, psi)
    of_items = np.bincount(votes.items, psi)
    cells = np.bincount(votes.people * 40 + votes.items, psi)
    variance = (of_people**2).sum() * 48 / 47
    variance += (of_items**2).sum() - (cells**2).sum()
    error = np.sqrt(variance) / (rate * (1 - rate))
    assert found.reach[0, 1] / error == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("kind", ["images", "tastes"])
def test_equal_models_have_no_top_though_the_prompts_or_people_favour_one(kind):
    """The earlier rule of bets on evaluators named a best one in 28% (SD 1, 10 prompts)."""
    rng = np.random.default_rng(5)
    spread = {"images": 1.0, "taste": 0.3} if kind == "images" else {"taste": 0.8}
    named = sum(
        last_of(votes_of([0.0, 0.0], prompts=10, each=12, rng=rng, **spread)).reached
        for _ in range(25)
    )
    assert named <= 3, "5% of 25, and two standard errors"


def test_without_other_images_in_mind_the_prompts_decide():
    rng = np.random.default_rng(6)
    votes = votes_of([0.0, 0.0], prompts=4, images=1.5, each=60, rng=rng)

    assert not last_of(votes).reached
    assert last_of(replace(votes, items=None)).reached


def test_the_top_beats_every_other_one():
    rng = np.random.default_rng(1)
    found = last_of(votes_of([1.0, 0.0, 0.0], rng=rng))

    assert (found.top, found.order, found.reached) == (0, None, True)
    assert found.look.people < 48, "it was known early"
    assert not found.beats[1, 2]


def test_pairs_err_together():
    """With many equal models a pair is rarely called different, although each test errs in 5%."""
    rng = np.random.default_rng(12)
    looks = [Look(people=48, level=0.05)]
    found = [
        last_of(votes_of([0.0] * 5, prompts=20, each=24, rng=rng), looks=looks) for _ in range(30)
    ]

    assert sum(one.beats.any() for one in found) > 6, "many of the 10 pairs"
    assert sum(one.apart.any() for one in found) <= 4, "5% of 30, and two standard errors"
    assert all((one.beats | ~one.apart).all() for one in found)


def test_a_ranking_is_known_through_neighbours():
    direct = np.zeros((4, 4), dtype=bool)
    direct[2, 0] = direct[0, 3] = direct[3, 1] = True

    assert closure(direct).sum() == 6
    found = last_of(votes_of([1.5, 0, -1.5], rng=np.random.default_rng(3)), goal="ranking")
    assert (found.order, found.top) == ((0, 1, 2), 0)


def test_who_is_still_at_it_changes_nothing_and_what_is_known_stays_known():
    rng = np.random.default_rng(4)
    votes = votes_of([0.6, 0.0], rng=rng)
    more = votes_of([-2.0, 0.0], people=100, rng=rng)
    longer = FinishedVotes(
        conditions=2,
        chosen=np.append(votes.chosen, more.chosen),
        other=np.append(votes.other, more.other),
        tied=np.append(votes.tied, more.tied),
        people=np.append(votes.people, more.people + 48),
        items=np.append(votes.items, more.items),
    )
    soon, late = last_of(votes, looks=looks_of(148)), last_of(longer, looks=looks_of(148))

    assert soon.reached
    assert (soon.look, soon.top) == (late.look, late.top)
    assert (soon.reach == late.reach).all()
    before = votes.keep_first(soon.look.people - 1)
    assert not any(one.reached for one in separations(before, looks_of(148), goal="top"))


def test_nothing_is_claimed_of_what_never_met():
    rng = np.random.default_rng(7)
    found = last_of(votes_of([2, 0, 3, -3, 0], pairs=[(0, 1), (2, 3)], rng=rng), goal="ranking")

    assert found.beats[0, 1]
    assert found.beats[2, 3]
    assert found.beats.sum() == 2
    assert np.isinf(found.reach[0, 2])
    assert np.isinf(found.reach[4]).all()


def test_what_votes_are_about():
    prompts, images = [*"abcdea"], [[f"x{n}", f"y{n}"] for n in range(5)] + [["x0", "y1"]]

    assert items_of(prompts, images, "sample", conditions=2).tolist() == [0, 1, 2, 3, 4, 0]
    found = items_of(["a"] * 6, images, "sample", conditions=2)
    assert found.tolist() == [[n, 5 + n] for n in range(5)] + [[0, 6]]
    assert items_of(prompts, images, "fixed", conditions=2) is None


def test_few_prompts_or_images_say_nothing_of_others():
    images = [[f"x{n}", f"y{n}"] for n in range(4)]

    assert items_of([*"abcd"], images, "sample", conditions=2) is None
    assert items_of(["a"] * 4, images, "sample", conditions=2) is None


def test_what_cannot_be_used_is_refused():
    votes = votes_of([0, 0], rng=np.random.default_rng(1))
    with pytest.raises(InputError, match=r"alpha: is 0.0; it must be a number between 0 and 1"):
        looks_of(100, 0.0)
    with pytest.raises(InputError, match=r"there is 1; a comparison needs two conditions or more"):
        replace(votes, conditions=1)


def test_what_is_left_of_alpha_is_spent_after_a_model_joined_and_no_part_of_it_twice():
    joins = JoinedCondition(condition=3, finished=30, planned=134)
    looks = looks_of(104, 0.05, newcomers=[joins])
    before = [look for look in looks if look.without]
    assert [look.people for look in before] == [12, 24]
    assert [look.people for look in looks[2:]] == [42, 54, 78, 134]
    assert {look.without for look in before} == {frozenset({3})}
    assert before == [replace(look, without=frozenset({3})) for look in looks_of(104, 0.05)[:2]]
    left = 0.05 * (1 - 24 / 104)
    assert [look.level for look in looks[2:]] == pytest.approx(
        [left * people / 104 for people in (12, 12, 24, 56)]
    )
    assert sum(look.level for look in looks) == pytest.approx(0.05)


@given(
    st.lists(st.integers(0, 80), max_size=6),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.integers(12, 200),
)
def test_however_many_join_alpha_is_all_that_is_spent(gaps, reserve, planned):
    newcomers, finished = [], 0
    for number, gap in enumerate(gaps):
        finished += gap
        planned = max(planned, finished) + 20
        newcomers.append(JoinedCondition(condition=3 + number, finished=finished, planned=planned))
    looks = looks_of(60, 0.05, reserve=reserve, newcomers=newcomers)
    assert sum(look.level for look in looks) <= 0.05 + 1e-12
    people = [look.people for look in looks]
    assert people == sorted(set(people))
    if reserve:
        assert 0.05 - sum(look.level for look in looks) > 0


def test_a_top_of_before_is_not_one_of_all_and_looks_begin_again():
    votes = made_votes(number=48, beats=[(0, 1), (0, 2), (1, 2)])
    wide = replace(votes, conditions=4)
    joins = JoinedCondition(condition=3, finished=24, planned=48)
    looks = looks_of(48, newcomers=[joins])
    found = list(separations(wide, looks))
    assert found[0].top == 0
    assert not found[0].settled
    assert [one.look.people for one in found] == [12, 36, 48]
    assert not any(one.reached for one in found[1:])  # the fourth one is unknown


def made_votes(number, beats):
    """Make votes in which each person prefers the first of each pair, on ten prompts."""
    rows = [(i, j, who) for who in range(number) for i, j in beats for _ in range(3)]
    chosen, other, people = (np.array(some) for some in zip(*rows, strict=True))
    return FinishedVotes(
        conditions=3,
        chosen=chosen,
        other=other,
        tied=np.zeros(len(rows), dtype=bool),
        people=people,
        items=np.arange(len(rows)) % 10,
    )


@pytest.mark.parametrize("rule", ["random", "adaptive"])
def test_newcomers_are_asked_about_until_they_are_level(rule):
    points = np.full((4, 4), 10.0)
    points[3] = points[:, 3] = 0
    np.fill_diagonal(points, 0)
    known = np.zeros((4, 4), dtype=bool)
    draws = np.random.default_rng(1).uniform(0.1, 1, 90)  # adaptive: 1 in 10 is random
    pairs = next_pairs(points, rule=rule, draws=draws, known=known, joined=[3])
    assert all(3 in pair for pair in pairs[:40])
    if rule == "random":
        assert not all(3 in pair for pair in pairs[60:])
    assert pairs[:5] != next_pairs(points, rule="random", draws=draws[:5], known=known)
