"""How often an arena is wrong, and how many votes it takes.

    python benchmarks/arena.py [--arenas 400] [--only errors|votes|joining]

People with tastes and models with better and worse images are drawn anew for each arena: a vote is
for i over j with the log-odds s_i − s_j, the person's tastes for the two and their images' own
strengths added. The rule is the package's (`hype.statistics.separation`): 104 evaluators of 48
votes are planned, α = 5 %. Adaptive pairs are chosen by its own functions, anew at every sixth vote
of a session.

1. Errors: equal models, or two best ones, and how often an arena names a top, or an order, that is
   not so.
2. Votes: one model wins so often against the others, which are equal ("one close": against the
   second, the others being far worse); how often it is known, and after how many votes.
3. Bias: how often the best model was chosen where arenas ended, and had they all gone on.
4. Joining: one model, or three, join three others once 52 people have finished, and each brings
   35 evaluators more. How often anything is claimed at any look, before or after, that is not so;
   and how often a newcomer that is the best is known, after how many votes in all.

Fixed seed. 400 arenas take about half an hour on two cores, those of 4. another half.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from machine import Load, description

from hype.statistics.arrays import BoolArray, FloatArray
from hype.statistics.separation import (
    EQUAL,
    RANDOM_SHARE,
    FinishedVotes,
    Goal,
    JoinedCondition,
    Look,
    Rule,
    Separation,
    logistic,
    looked_at,
    looks_of,
    open_pairs,
    pairs_of_behind,
    posterior,
    worth,
)
from hype.workers import worker_pool

SEED: Final = 2003
PEOPLE: Final = 104
SESSION: Final = 48
ANEW: Final = 6
IMAGES: Final = 4
"""Of a model and prompt."""
FEW, MANY = 10, 282
"""Prompts."""
SPREADS: Final = (0.0, 0.3, 0.5, 1.0)
TASTES: Final = (0.0, 0.3, 0.6)
RATES: Final = (0.55, 0.6, 0.7)
RULES: Final[tuple[Rule, ...]] = ("random", "adaptive")
JOINING: Final = 52
"""People who have finished when models join."""
MORE: Final = 35
"""Evaluators more that are planned for each."""
AT_ONCE: Final = 50
"""Arenas that are played together."""


@dataclass(frozen=True, kw_only=True)
class Arena:
    """What is played."""

    strengths: tuple[float, ...]
    prompts: int
    spread: float
    taste: float
    rule: Rule = "random"
    goal: Goal = "top"
    joining: int = 0  # how many of the models join: the last ones

    @property
    def people(self) -> int:
        return PEOPLE + MORE * self.joining

    @property
    def newcomers(self) -> list[JoinedCondition]:
        first = len(self.strengths) - self.joining
        return [
            JoinedCondition(
                condition=at, finished=JOINING, planned=PEOPLE + MORE * (at - first + 1)
            )
            for at in range(first, len(self.strengths))
        ]

    @property
    def looks(self) -> dict[int, Look]:
        looks = looks_of(PEOPLE, newcomers=self.newcomers)
        return {look.people * SESSION: look for look in looks}

    def is_there(self, vote: int) -> int:
        """How many models there are, the first ones."""
        before = vote < JOINING * SESSION
        return len(self.strengths) - (self.joining if before else 0)

    def truth(self, models: int) -> tuple[int, ...] | int | None:
        """The best of the first models, or all in their order; None where there is none."""
        own = self.strengths[:models]
        order = sorted(range(models), key=lambda at: -own[at])
        ties = np.diff(sorted(own)) == 0
        if self.goal == "ranking":
            return None if ties.any() else tuple(order)
        return None if ties[-1] else order[0]

    def is_wrong(self, one: Separation) -> bool:
        """Whether any pair is called separable that is not so."""
        own = np.array(self.strengths)
        return bool((one.apart & (own[:, None] <= own)).any())


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How an arena went."""

    votes: int  # when the goal was known; 0 for never
    right: bool
    wrong: bool  # whether anything was claimed that is not so
    wrong_pair: bool  # whether a pair was called separable at the last look, and is not so
    # ended, whole: how often the first model was chosen when the arena ended, and of all votes
    ended: float
    whole: float


def free_pairs(arena: Arena, mean: FloatArray, known: BoolArray, there: int) -> BoolArray:
    """Mark the pairs whose order matters, of the models that there are."""
    free = np.zeros(known.shape, dtype=bool)
    free[:, :there, :there] = open_pairs(mean[:, :there], known[:, :there, :there], arena.goal)
    return free


def most_telling(free: BoolArray, gain: FloatArray) -> BoolArray:
    """Mark the pairs of most gain, of those that are free."""
    own = np.where(free, gain, -np.inf)
    most = own.max(axis=(1, 2), keepdims=True)
    return np.asarray(own >= most - EQUAL * abs(most))


def is_looked_at(before: Sequence[Separation], look: Look) -> bool:
    """Whether a look comes: not where the one before knew its goal of the same models."""
    return not (before and before[-1].reached and before[-1].look.without == look.without)


def played(arena: Arena, number: int, seed: Sequence[int]) -> list[Outcome]:
    """Play some arenas to the last vote that was planned."""
    rng, k = np.random.default_rng(seed), len(arena.strengths)
    strengths, everyone = np.array(arena.strengths), np.arange(number)
    images = rng.normal(0, arena.spread, (number, arena.prompts, IMAGES, k))
    points, mean = np.zeros((number, k, k)), np.zeros((number, k))
    shape, looks = (number, arena.people * SESSION), arena.looks
    chosen, other, prompts = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    known = np.zeros(points.shape, dtype=bool)
    found: dict[int, list[Separation]] = {own: [] for own in range(number)}
    joined = [one.condition for one in arena.newcomers]
    for vote in range(shape[1]):
        there = arena.is_there(vote)
        upper = np.zeros((k, k), dtype=bool)
        upper[:there, :there] = np.triu(np.ones((there, there), dtype=bool), 1)
        if vote % SESSION == 0:
            taste = rng.normal(0, arena.taste, (number, k))
            expected = points.copy()
        wanted = np.broadcast_to(upper, (number, k, k))
        if there == k:
            wanted = wanted & pairs_of_behind(expected, joined)
        near = wanted
        if arena.rule == "adaptive":
            if vote % ANEW == 0:
                mean, covariance = posterior(expected, mean)
                free = wanted & free_pairs(arena, mean, known, there)
                free = np.where(free.any(axis=(1, 2), keepdims=True), free, wanted)
                best = most_telling(free, worth(mean, covariance)) & upper
            near = best | (upper & (rng.random((number, 1, 1)) < RANDOM_SHARE))
        cell = (near * rng.random((number, k, k))).reshape(number, -1).argmax(axis=1)
        first, second = np.divmod(cell, k)
        prompt, one, two = (rng.integers(n, size=number) for n in (arena.prompts, IMAGES, IMAGES))
        liked = strengths + taste
        ahead = liked[everyone, first] - liked[everyone, second]
        ahead += images[everyone, prompt, one, first] - images[everyone, prompt, two, second]
        won = rng.random(number) < logistic(ahead)
        winner, loser = np.where(won, first, second), np.where(won, second, first)
        chosen[:, vote], other[:, vote], prompts[:, vote] = winner, loser, prompt
        points[everyone, winner, loser] += 1
        hoped = logistic(mean[everyone, first] - mean[everyone, second])
        expected[everyone, first, second] += hoped
        expected[everyone, second, first] += 1 - hoped
        look = looks.get(vote + 1)
        for own in [own for own in found if look and is_looked_at(found[own], look)]:
            votes = FinishedVotes(
                conditions=k,
                chosen=chosen[own, : vote + 1],
                other=other[own, : vote + 1],
                tied=np.zeros(vote + 1, dtype=bool),
                people=np.arange(vote + 1) // SESSION,
                items=prompts[own, : vote + 1],
            )
            last = looked_at(votes, look, arena.goal)
            known[own] = last.beats
            found[own].append(last)

    def claimed(one: Separation) -> object:
        return one.top if arena.goal == "top" else one.order

    def outcome(own: int) -> Outcome:
        last = found[own][-1] if found[own] and found[own][-1].settled else None
        end = last.votes if last else shape[1]
        won, lost = chosen[own] == 0, other[own] == 0
        return Outcome(
            votes=last.votes if last else 0,
            right=last is not None and claimed(last) == arena.truth(k),
            wrong=any(
                claimed(one) != arena.truth(k - len(one.look.without))
                for one in found[own]
                if one.reached
            ),
            wrong_pair=any(arena.is_wrong(one) for one in found[own][-1:]),
            ended=won[:end].sum() / (won | lost)[:end].sum(),
            whole=won.sum() / (won | lost).sum(),
        )

    return [outcome(own) for own in range(number)]


def outcomes(place: int, arena: Arena, number: int, part: int) -> tuple[int, list[Outcome]]:
    return place, played(arena, number, [SEED, place, part])


def play_all(arenas: Sequence[Arena], number: int) -> list[list[Outcome]]:
    parts = range(max(1, number // AT_ONCE))
    calls = [
        (outcomes, (place, arena, min(AT_ONCE, number), part))
        for place, arena in enumerate(arenas)
        for part in parts
    ]
    found: list[list[Outcome]] = [[] for _ in arenas]
    with worker_pool() as team:
        for place, some in team.run(calls):
            found[place] += some
    return found


def print_errors(number: int) -> None:
    cases: list[tuple[str, tuple[float, ...], Rule, Goal]] = [
        ("two equal", (0.0, 0.0), "random", "top"),
        ("three equal", (0.0,) * 3, "adaptive", "top"),
        ("six equal", (0.0,) * 6, "adaptive", "top"),
        ("best two of four, far", (0.0, 0.0, -2.0, -2.0), "adaptive", "top"),
        ("best two of three, far", (0.0, 0.0, -1.5), "adaptive", "ranking"),
    ]
    first, *others = cases
    rows = [(*first, prompts, taste) for prompts, taste in product((FEW, MANY), TASTES)]
    rows += [(*case, prompts, TASTES[1]) for case, prompts in product(others, (FEW, MANY))]
    arenas = [
        Arena(strengths=strengths, prompts=prompts, spread=sd, taste=taste, rule=rule, goal=goal)
        for _, strengths, rule, goal, prompts, taste in rows
        for sd in SPREADS
    ]
    found = iter(play_all(arenas, number))
    print(f"1. Arenas that claim what is not so, of the goal and then of any pair; {number} each")
    print(f"{'':44}SD of tastes   SD of images" + "".join(f"{sd:7.1f}" for sd in 2 * SPREADS))
    for name, _, rule, goal, prompts, taste in rows:
        each = [next(found) for _ in SPREADS]
        wrong = [np.mean([one.votes > 0 and not one.right for one in some]) for some in each]
        pairs = [np.mean([one.wrong_pair for one in some]) for some in each]
        shares = "".join(f"{share:7.1%}" for share in (*wrong, *pairs))
        print(f"{name:24}{rule:9}{goal:8}{prompts:3}{taste:12.1f}{'':15}{shares}")


def print_votes(number: int) -> None:
    cases: list[tuple[str, tuple[float, ...], Rule]] = [
        ("two", (0.0,), "random"),
        *(("six", (0.0,) * 5, rule) for rule in RULES),
        *(("five, one close", (0.0, -1.0, -1.5, -2.0), rule) for rule in RULES),
    ]
    rows = [(*case, prompts, rate) for case, prompts, rate in product(cases, (FEW, MANY), RATES)]
    arenas = [
        Arena(
            strengths=(math.log(rate / (1 - rate)), *others),
            prompts=prompts,
            spread=0.5,
            taste=0.3,
            rule=rule,
        )
        for _, others, rule, prompts, rate in rows
    ]
    print(f"\n2, 3. Until the best is known; SD of images 0.5, of tastes 0.3; {number} arenas each")
    print("                                                                  it won: at the end of")
    print("models          pairs    prompts  rate  known  wrong  votes, mean   those known   all")
    for (name, _, rule, prompts, rate), found in zip(rows, play_all(arenas, number), strict=True):
        votes = np.array([one.votes for one in found])
        known, right = votes > 0, np.array([one.right for one in found])
        spent = np.where(known, votes, PEOPLE * SESSION)
        ended, whole = (
            np.array([getattr(one, end) for one in found]) for end in ("ended", "whole")
        )
        print(
            f"{name:16}{rule:9}{prompts:6} {rate:6.2f} {known.mean():6.0%}"
            f" {(known & ~right).mean():6.1%} {spent.mean():10,.0f}"
            f"{ended[known].mean() if known.any() else math.nan:14.1%} {whole.mean():7.1%}"
        )


def print_joining(number: int) -> None:
    cases = [
        (name, strengths, joining, rule, prompts)
        for name, strengths, joining in (
            ("two equal, one more", (0.0,) * 3, 1),
            ("two equal, one far below", (0.0, 0.0, -2.0), 1),
            ("two equal, three far below", (0.0, 0.0, -2.0, -2.0, -2.0), 3),
            ("three equal, one more", (0.0,) * 4, 1),
            ("three equal, three more", (0.0,) * 6, 3),
            ("three equal, 60 % against", (0.0, 0.0, 0.0, math.log(1.5)), 1),
            ("three equal, 70 % against", (0.0, 0.0, 0.0, math.log(7 / 3)), 1),
        )
        for rule, prompts in product(RULES, (FEW, MANY))
    ]
    arenas = [
        Arena(
            strengths=strengths, prompts=prompts, spread=0.5, taste=0.3, rule=rule, joining=joining
        )
        for _, strengths, joining, rule, prompts in cases
    ]
    print(f"\n4. Models that join; SD of images 0.5, of tastes 0.3; {number} arenas each")
    print("                            pairs   prompts  wrong claims (SE)  best known  votes, mean")
    for (name, _, _, rule, prompts), found in zip(cases, play_all(arenas, number), strict=True):
        wrong = np.array([one.wrong for one in found])
        right = np.array([one.right for one in found])
        votes = np.mean([one.votes for one in found if one.right]) if right.any() else math.nan
        error = math.sqrt(wrong.mean() * (1 - wrong.mean()) / number)
        print(
            f"{name:28}{rule:9}{prompts:6}{wrong.mean():11.1%} ({error:.1%})"
            f"{right.mean():12.0%}{votes:13,.0f}"
        )


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arenas", type=int, default=400)
    parser.add_argument("--only", choices=("errors", "votes", "joining"))
    given = parser.parse_args()
    begin, load = time.perf_counter(), Load()
    if given.only in (None, "errors"):
        print_errors(given.arenas)
    if given.only in (None, "votes"):
        print_votes(given.arenas)
    if given.only in (None, "joining"):
        print_joining(given.arenas)
    print(f"\n{description(['numpy'])}; {time.perf_counter() - begin:.0f} s, ", end="")
    print(f"other programs took {load.of_others():.1f} cores")


if __name__ == "__main__":
    main()
