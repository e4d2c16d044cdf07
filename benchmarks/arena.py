"""How often an arena is wrong, and how many votes it takes.

    python benchmarks/arena.py [--arenas 400] [--only errors|votes]

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

Fixed seed. 400 arenas take about half an hour on two cores.
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

from hype.statistics.separation import (
    EQUAL,
    RANDOM_SHARE,
    Goal,
    Rule,
    Separation,
    Votes,
    logistic,
    looked_at,
    looks_of,
    open_pairs,
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
LOOKS: Final = {look.people * SESSION: look for look in looks_of(PEOPLE)}
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

    @property
    def truth(self) -> tuple[int, ...] | int | None:
        """The best model, or all in their order; None where there is none."""
        order = sorted(range(len(self.strengths)), key=lambda at: -self.strengths[at])
        ties = np.diff(sorted(self.strengths)) == 0
        if self.goal == "ranking":
            return None if ties.any() else tuple(order)
        return None if ties[-1] else order[0]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How an arena went."""

    votes: int  # when the goal was known; 0 for never
    right: bool
    # ended, whole: how often the first model was chosen when the arena ended, and of all votes
    ended: float
    whole: float


def played(arena: Arena, number: int, seed: Sequence[int]) -> list[Outcome]:
    """Play some arenas to the last vote that was planned."""
    rng, k = np.random.default_rng(seed), len(arena.strengths)
    strengths, everyone = np.array(arena.strengths), np.arange(number)
    images = rng.normal(0, arena.spread, (number, arena.prompts, IMAGES, k))
    upper = np.triu(np.ones((k, k), dtype=bool), 1)
    points, mean = np.zeros((number, k, k)), np.zeros((number, k))
    shape = (number, PEOPLE * SESSION)
    chosen, other, prompts = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    known = np.zeros(points.shape, dtype=bool)
    found: dict[int, Separation] = {}
    for vote in range(shape[1]):
        if vote % SESSION == 0:
            taste = rng.normal(0, arena.taste, (number, k))
            expected = points.copy()
        near = np.broadcast_to(upper, (number, k, k))
        if arena.rule == "adaptive":
            if vote % ANEW == 0:
                mean, covariance = posterior(expected, mean)
                free = open_pairs(mean, known, arena.goal) & upper
                gain = np.where(free, worth(mean, covariance), -np.inf)
                most = gain.max(axis=(1, 2), keepdims=True)
                best = (gain >= most - EQUAL * abs(most)) & upper
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
        look = LOOKS.get(vote + 1)
        for own in set(everyone.tolist()) - found.keys() if look else ():
            votes = Votes(
                conditions=k,
                chosen=chosen[own, : vote + 1],
                other=other[own, : vote + 1],
                tied=np.zeros(vote + 1, dtype=bool),
                people=np.arange(vote + 1) // SESSION,
                items=prompts[own, : vote + 1],
            )
            last = looked_at(votes, look, arena.goal)
            known[own] = last.beats
            if last.reached:
                found[own] = last

    def outcome(own: int) -> Outcome:
        last = found.get(own)
        told = last and (last.top if arena.goal == "top" else last.order)
        end = last.votes if last else shape[1]
        won, lost = chosen[own] == 0, other[own] == 0
        return Outcome(
            votes=last.votes if last else 0,
            right=last is not None and told == arena.truth,
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
    print(f"1. Arenas that name a top, or an order, that is not so; {number} each")
    print(f"{'':44}SD of tastes   SD of images" + "".join(f"{sd:7.1f}" for sd in SPREADS))
    for name, _, rule, goal, prompts, taste in rows:
        wrong = [np.mean([one.votes > 0 and not one.right for one in next(found)]) for _ in SPREADS]
        shares = "".join(f"{share:7.1%}" for share in wrong)
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


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arenas", type=int, default=400)
    parser.add_argument("--only", choices=("errors", "votes"))
    given = parser.parse_args()
    begin, load = time.perf_counter(), Load()
    if given.only != "votes":
        print_errors(given.arenas)
    if given.only != "errors":
        print_votes(given.arenas)
    print(f"\n{description(['numpy'])}; {time.perf_counter() - begin:.0f} s, ", end="")
    print(f"other programs took {load.of_others():.1f} cores")


if __name__ == "__main__":
    main()
