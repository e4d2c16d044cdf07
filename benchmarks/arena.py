"""How many battles an arena takes, and how often it is wrong.

    python benchmarks/arena.py [--arenas 400]

Every vote is followed by a look: `hype.statistics.separation` says whether the goal is reached, and
if so the arena ends. Pairs are chosen by `hype.statistics.separation`; many arenas are played
at once, with its own functions. Error rate 5 %.

1. Five models as close as those of Christodoulou & Kuhlmann-Jørgensen (2024: for preference 29.86
   the best, two near 24.1, 21.99 the last), their Bradley-Terry scores 29.86, 24.2, 24.0, 22.9 and
   21.99: until the best one is known.
   Five models of which each wins 60 % against the next: until the whole ranking is known.
2. Equal models: how often an arena ends at all, which is always wrong. Beside it what comes of
   looking after every vote at ordinary 95 % Wilson intervals, a deliberately wrong rule. "far":
   the three others lose 88 % against the two equal ones.
3. Two models: the plan of a fixed number with 80 % power, and the sequential rule. Exact, by adding
   up all courses; so are two equal models in table 2.
4. Evaluators with tastes: each has log-strengths of their own around the common ones, with the
   standard deviation given, and votes 50 times. How often equal models are told apart within
   20,000 votes, where votes or evaluators count; and how many evaluators it takes where one model
   is chosen 55 % of the time by a typical evaluator.

Fixed seed. Takes about a quarter of an hour on two cores.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import argparse
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt
from machine import Load, description

from hype.statistics.separation import (
    BETS,
    EQUAL,
    RANDOM_SHARE,
    Goal,
    Rule,
    claims,
    closure,
    evidence,
    level_for,
    logistic,
    mixed,
    next_pair,
    open_pairs,
    posterior,
    separation,
    worth,
)
from hype.workers import worker_pool

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

SEED: Final = 2003
ALPHA: Final = 0.05
POWER: Final = 0.8
SHORT, LONG = 20_000, 100_000
MODELS: Final = np.log([29.86, 24.2, 24.0, 22.9, 21.99])
SPREAD: Final = -math.log(0.6 / 0.4) * np.arange(5)
TWO_BEST: Final = np.log([29.86, 29.86, 24.0, 22.9, 21.99])
TWO_FAR: Final = np.array([0.0, 0.0, -2.0, -2.0, -2.0])
EVEN: Final = np.zeros(5)
VOTES: Final = 50
"""Of one evaluator with a taste."""
TASTES: Final = (0.0, 0.5, 1.0)
WILSON_Z: Final = NormalDist().inv_cdf(1 - ALPHA / 2)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """When each arena ended, 0 for never, and whether what it then said was right."""

    battles: Ints
    right: Flags

    @property
    def ended(self) -> Flags:
        """Which arenas did."""
        return self.battles > 0


def joined(outcomes: Iterable[Outcome]) -> Outcome:
    """Join what several workers found."""
    parts = list(outcomes)
    return Outcome(
        battles=np.concatenate([part.battles for part in parts]),
        right=np.concatenate([part.right for part in parts]),
    )


# Boundaries: how far a condition must lead after n votes of a pair


def sequential(level: float, most: int) -> Ints:
    """Give the leads at which the evidence reaches 1/level; beyond n where it cannot."""
    votes = np.arange(most + 1)
    below, enough = votes // 2, votes + 1
    for _ in range(most.bit_length() + 1):
        middle = (below + enough) // 2
        inside = np.minimum(middle, votes)
        reached = evidence(inside, votes - inside) >= -math.log(level)
        reached &= (2 * middle > votes) & (middle <= votes)
        below, enough = np.where(reached, below, middle), np.where(reached, middle, enough)
    return 2 * enough - votes


def wilson(most: int) -> Ints:
    """Give the leads at which a 95 % Wilson interval leaves out one half."""
    return np.floor(WILSON_Z * np.sqrt(np.arange(most + 1))).astype(np.int64) + 1


# Many arenas at once


@dataclass(kw_only=True)
class Played:
    """Arenas that are not at their end: their votes, what is known, and the last strengths."""

    number: Ints
    wins: Floats
    direct: Flags
    mean: Floats
    taste: Floats

    def keep(self, on: Flags) -> None:
        """Leave those that are at their end."""
        for name, values in vars(self).items():
            setattr(self, name, values[on])


def play(
    strengths: Floats,
    rule: Rule,
    goal: Goal,
    leads: Ints,
    arenas: int,
    most: int,
    seed: Sequence[int],
    taste_sd: float = 0.0,
) -> Outcome:
    """Play arenas until the goal is reached, or ``most`` battles."""
    rng = np.random.default_rng(seed)
    k = len(strengths)
    state = Played(
        number=np.arange(arenas),
        wins=np.zeros((arenas, k, k)),
        direct=np.zeros((arenas, k, k), dtype=bool),
        mean=np.zeros((arenas, k)),
        taste=np.zeros((arenas, k)),
    )
    battles, right = np.zeros(arenas, dtype=np.int64), np.zeros(arenas, dtype=bool)
    best = np.flatnonzero(strengths == strengths.max())
    for battle in range(1, most + 1):
        if taste_sd and battle % VOTES == 1:
            state.taste = rng.normal(0, taste_sd, state.taste.shape)
        winner, loser = voted(state, chosen(state, rule, goal, rng), strengths, rng)
        known = judged(state, winner, loser, leads)
        ended = reached(known, winner, goal)
        if ended.any():
            battles[state.number[ended]] = battle
            told = closure(known[ended]) if goal == "ranking" else known[ended]
            right[state.number[ended]] = is_right(told, best, goal)
            state.keep(~ended)
            if not len(state.number):
                break
    return Outcome(battles=battles, right=right)


def chosen(state: Played, rule: Rule, goal: Goal, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Choose each arena's pair, as `next_pair` does."""
    arenas, k = state.mean.shape
    upper = np.triu(np.ones((k, k), dtype=bool), 1)
    near = np.broadcast_to(upper, (arenas, k, k))
    if rule == "adaptive":
        state.mean, covariance = posterior(state.wins, state.mean)
        known = closure(state.direct) if goal == "ranking" else state.direct
        free = open_pairs(state.mean, known, goal) & upper
        gain = np.where(free, worth(state.mean, covariance), -np.inf)
        most = gain.max(axis=(1, 2), keepdims=True)
        near = (gain >= most - EQUAL * abs(most)) & upper
        near |= upper & (rng.random((arenas, 1, 1)) < RANDOM_SHARE)
    return (near * rng.random((arenas, k, k))).reshape(arenas, -1).argmax(axis=1)


def voted(
    state: Played, cell: npt.NDArray[np.intp], strengths: Floats, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Cast a vote in each arena."""
    arena, (first, second) = np.arange(len(cell)), np.divmod(cell, len(strengths))
    liked = strengths + state.taste
    for_first = rng.random(len(cell)) < logistic(liked[arena, first] - liked[arena, second])
    winner, loser = np.where(for_first, first, second), np.where(for_first, second, first)
    state.wins[arena, winner, loser] += 1
    return winner, loser


def judged(
    state: Played,
    winner: npt.NDArray[np.intp],
    loser: npt.NDArray[np.intp],
    leads: Ints,
) -> Flags:
    """Bring the claims up to date, of which one pair's may have changed in each arena."""
    arena = np.arange(len(winner))
    won, lost = state.wins[arena, winner, loser], state.wins[arena, loser, winner]
    needed = leads[(won + lost).astype(np.int64)]
    state.direct[arena, winner, loser] = won - lost >= needed
    state.direct[arena, loser, winner] = lost - won >= needed
    return state.direct


def reached(known: Flags, winner: npt.NDArray[np.intp], goal: Goal) -> Flags:
    """Say which arenas are at their end."""
    k = known.shape[-1]
    if goal == "top":
        return known[np.arange(len(winner)), winner].sum(axis=1) == k - 1
    ended = known.sum(axis=(1, 2)) >= k - 1
    if ended.any():
        closed = closure(known[ended])
        ended[ended] = (closed & ~closed.swapaxes(1, 2)).sum(axis=(1, 2)) == math.comb(k, 2)
    return ended


def is_right(known: Flags, best: npt.NDArray[np.intp], goal: Goal) -> Flags:
    """Say whether the one best condition was named, or all in their order, the first being best."""
    k = known.shape[-1]
    if goal == "ranking":
        return known[:, np.triu(np.ones((k, k), dtype=bool), 1)].all(axis=1)
    return (known[:, best[0]].sum(axis=1) == k - 1) & (len(best) == 1)


def agree(seed: int) -> None:
    """Stop if arenas played at once are not those of `next_pair` and `separation`."""
    rng = np.random.default_rng(seed)
    leads = sequential(level_for("top", ALPHA, 5), 4000)
    for number in range(20):
        counts = rng.integers(0, 200 * (number + 1) // 10 + 1, (5, 5))
        wins = np.triu(counts, 1) + np.tril(rng.permuted(counts, axis=0), -1).astype(float)
        direct = claims(wins, level_for("top", ALPHA, 5))
        by_lead = wins - wins.T >= leads[(wins + wins.T).astype(int)]
        mean, covariance = posterior(wins[None], rng.normal(0, 0.3, (1, 5)))
        gain = np.where(open_pairs(mean, direct[None], "top"), worth(mean, covariance), -np.inf)
        upper = np.triu(np.ones((5, 5), dtype=bool), 1)
        best = divmod(int(np.where(upper, gain[0], -np.inf).argmax()), 5)
        pair = next_pair(wins, np.zeros((5, 5)), rule="adaptive", draw=RANDOM_SHARE, goal="top")
        if (by_lead & ~np.eye(5, dtype=bool) != direct).any() or pair != best:
            raise SystemExit(f"arena {number}: played otherwise than the package does")
        if (separation(wins, goal="top", alpha=ALPHA).beats != direct).any():
            raise SystemExit(f"arena {number}: judged otherwise than the package does")


# Two models, exactly


def course(leads: Ints, rate: float, most: int) -> tuple[Floats, Floats]:
    """Give the probabilities of ending after n votes, for either model and for the worse one."""
    reachable = leads[: most + 1] <= np.arange(most + 1)
    width = int(leads[: most + 1][reachable].max()) + 2
    now = np.zeros(2 * width + 1)
    now[width] = 1.0
    ends, wrong = np.zeros(most + 1), np.zeros(most + 1)
    for votes in range(1, most + 1):
        after = np.zeros_like(now)
        after[1:] += rate * now[:-1]
        after[:-1] += (1 - rate) * now[1:]
        if reachable[votes]:
            up, down = slice(width + leads[votes], None), slice(width - leads[votes] + 1)
            wrong[votes] = after[down].sum()
            ends[votes] = after[up].sum() + wrong[votes]
            after[up] = after[down] = 0.0
        now = after
    return ends, wrong


def fixed_number(rate: float) -> int:
    """Give the comparisons that a plan needs."""
    z = WILSON_Z + NormalDist().inv_cdf(POWER)
    return math.ceil(z**2 * rate * (1 - rate) / (rate - 0.5) ** 2)


# Evaluators with tastes, two models


def by_vote(taste_sd: float, arenas: int, seed: int) -> float:
    """Give how often two equal models are told apart, each vote counting."""
    rng = np.random.default_rng([SEED, seed])
    leads = sequential(ALPHA, SHORT)[1:]
    ended = 0
    for _ in range(arenas):
        tastes = rng.normal(0, taste_sd * math.sqrt(2), SHORT // VOTES)
        chance = np.repeat(logistic(tastes), VOTES)
        lead = np.cumsum(np.where(rng.random(SHORT) < chance, 1, -1))
        ended += bool((np.abs(lead) >= leads).any())
    return ended / arenas


def by_evaluator(
    taste_sd: float, ahead: float, arenas: int, most: int, seed: int
) -> tuple[Ints, Flags]:
    """Give after how many evaluators two models were told apart, 0 for never, and if rightly."""
    rng = np.random.default_rng([SEED, seed])
    logs = np.zeros((arenas, len(BETS)))
    ended, right = np.zeros(arenas, dtype=np.int64), np.zeros(arenas, dtype=bool)
    for number in range(1, most + 1):
        chance = logistic(ahead + rng.normal(0, taste_sd * math.sqrt(2), arenas))
        share = rng.binomial(VOTES, chance)[:, None] / VOTES
        logs += np.log(2 * (share * BETS + (1 - share) * (1 - BETS)))
        new = (mixed(logs) >= -math.log(ALPHA)) & (ended == 0)
        ended[new] = number
        right[new] = (mixed(logs[:, BETS > 0.5]) > mixed(logs[:, BETS < 0.5]))[new]
    return ended, right


# Tables


def quantiles(values: npt.NDArray[np.int64]) -> str:
    """Write the median, and from where to where the middle 80 % lie."""
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return f"{middle:9,.0f} {low:9,.0f} – {high:7,.0f}"


def exact_quantiles(ends: Floats) -> str:
    """Write the same of a distribution."""
    low, middle, high = np.searchsorted(np.cumsum(ends), (0.1, 0.5, 0.9))
    return f"{middle:7,} {low:7,} – {high:7,}"


def play_all(arenas: int, tasks: Sequence[tuple[object, ...]]) -> list[Outcome]:
    """Play each task's arenas, in two halves so that no core waits."""
    calls = [
        (numbered, (place, half, arenas // 2, *task))
        for place, task in enumerate(tasks)
        for half in range(2)
    ]
    found: dict[int, list[tuple[int, Outcome]]] = {}
    with worker_pool() as team:
        for place, half, outcome in team.run(calls):
            found.setdefault(place, []).append((half, outcome))
    return [
        joined(outcome for _, outcome in sorted(found[place], key=lambda pair: pair[0]))
        for place in range(len(tasks))
    ]


def numbered(
    place: int,
    half: int,
    arenas: int,
    strengths: Floats,
    rule: Rule,
    goal: Goal,
    looks: str,
    most: int,
    taste_sd: float,
) -> tuple[int, int, Outcome]:
    """Play one half of a task, and say whose it is."""
    level = level_for(goal, ALPHA, len(strengths))
    leads = wilson(most) if looks == "Wilson" else sequential(level, most)
    seed = [SEED, place, half]
    return place, half, play(strengths, rule, goal, leads, arenas, most, seed, taste_sd)


def print_battles(arenas: int) -> None:
    """Print how long it takes to know."""
    cases = [
        (name, goal, rule, strengths)
        for name, goal, strengths in (
            ("as close as the source's", "top", MODELS),
            ("60 % to the next", "top", SPREAD),
            ("60 % to the next", "ranking", SPREAD),
        )
        for rule in ("random", "adaptive")
    ]
    tasks = [(strengths, rule, goal, "", LONG, 0.0) for _, goal, rule, strengths in cases]
    print(f"1. Battles until the goal is known, {arenas} arenas each")
    print("five models              goal      pairs        median      10 – 90 %      mean  right")
    for (name, goal, rule, _), outcome in zip(cases, play_all(arenas, tasks), strict=True):
        ended = outcome.battles[outcome.ended]
        print(
            f"{name:24} {goal:9} {rule:9} {quantiles(ended)} {ended.mean():9,.0f} "
            f"{outcome.right[outcome.ended].mean():6.1%}"
            + f"  {(~outcome.ended).sum()} not at {LONG:,}"
            * bool((~outcome.ended).any())
        )
    plan = fixed_number(float(logistic(MODELS[0] - MODELS[1])))
    print(f"planned, 80 % power at the source's best two: {plan} a pair, {10 * plan:,} in all")


def print_errors(arenas: int) -> None:
    """Print how often equal models are told apart."""
    print("\n2. Ended, always wrongly, though the best models are equal; a look after every vote")
    print("models               pairs     looks at     arenas   20,000  100,000")
    for looks, leads in (("sequence", sequential(ALPHA, LONG)), ("Wilson", wilson(LONG))):
        ends = np.cumsum(course(leads, 0.5, LONG)[0])
        print(
            f"two equal            the one   {looks:9}     exact {ends[SHORT]:8.2%} {ends[-1]:8.2%}"
        )
    cases = [
        (name, rule, looks, strengths, most)
        for name, strengths in (
            ("best two of five", TWO_BEST),
            ("best two, far", TWO_FAR),
            ("five equal", EVEN),
        )
        for rule, looks, most in (
            ("random", "sequence", LONG),
            ("adaptive", "sequence", SHORT),
            ("random", "Wilson", SHORT),
            ("adaptive", "Wilson", SHORT),
        )
    ]
    tasks = [
        (strengths, rule, "top", looks, most, 0.0) for _, rule, looks, strengths, most in cases
    ]
    for (name, rule, looks, _, most), outcome in zip(cases, play_all(arenas, tasks), strict=True):
        short = outcome.ended & (outcome.battles <= SHORT)
        long = f"{outcome.ended.mean():8.2%}" if most == LONG else "       –"
        print(f"{name:20} {rule:9} {looks:9} {arenas:9} {short.mean():8.2%} {long}")


def print_plans() -> None:
    """Print the plan of a fixed number beside the sequential rule."""
    print("\n3. Two models: plans with 80 % power, and until the better one is known; exact")
    print(
        "win rate    plan     mean  median      10 – 90 %   known by plan   wrong   if equal, wrong"
    )
    never = np.cumsum(course(sequential(ALPHA, SHORT), 0.5, SHORT)[0])
    for rate in (0.52, 0.55, 0.6, 0.65, 0.8):
        plan = fixed_number(rate)
        most = 12 * plan + 1000
        ends, wrong = course(sequential(ALPHA, most), rate, most)
        mean = (ends * np.arange(most + 1)).sum() / ends.sum()
        print(
            f"{rate:8.2f} {plan:7,} {mean:8,.0f} {exact_quantiles(ends)} "
            f"{ends[: plan + 1].sum():14.1%} {wrong.sum():8.2%} {never[plan]:17.2%}"
        )


def print_tastes(arenas: int) -> None:
    """Print what tastes do, where votes count and where evaluators do."""
    print(f"\n4. Evaluators with tastes, {VOTES} votes each")
    print(f"equal models told apart within {SHORT:,} votes")
    print("                                       SD of tastes")
    print("models, pairs              counting " + "".join(f"{sd:9.1f}" for sd in TASTES))
    votes = [by_vote(sd, 5 * arenas, number) for number, sd in enumerate(TASTES)]
    print("two equal                  votes    " + "".join(f"{part:9.1%}" for part in votes))
    cases = [("random", sd) for sd in TASTES] + [("adaptive", sd) for sd in TASTES]
    tasks = [(TWO_FAR, rule, "top", "", SHORT, sd) for rule, sd in cases]
    rates = [outcome.ended.mean() for outcome in play_all(arenas, tasks)]
    for rule, parts in (("random", rates[:3]), ("adaptive", rates[3:])):
        name = f"best two, far, {rule}"
        print(f"{name:27}votes    " + "".join(f"{part:9.1%}" for part in parts))
    people = SHORT // VOTES
    told = [by_evaluator(sd, 0.0, 10 * arenas, people, 7)[0] for sd in TASTES]
    print("two equal                  people   " + "".join(f"{(t > 0).mean():9.2%}" for t in told))
    ahead = math.log(0.55 / 0.45)
    print("evaluators until the better of two is known (55 % of a typical evaluator's votes)")
    print("SD of tastes      median      10 – 90 %   votes, median  right")
    for sd in TASTES:
        ended, right = by_evaluator(sd, ahead, 5 * arenas, 20 * people, 8)
        known = ended[ended > 0]
        print(
            f"{sd:12.1f}  {quantiles(known)} {np.median(known) * VOTES:15,.0f} "
            f"{right[ended > 0].mean():6.1%}"
        )


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arenas", type=int, default=400)
    arenas = parser.parse_args().arenas
    begin, load = time.perf_counter(), Load()
    agree(SEED)
    print_battles(arenas)
    print_errors(2 * arenas)
    print_plans()
    print_tastes(arenas)
    print(f"\n{description(['numpy'])}; {time.perf_counter() - begin:.0f} s, ", end="")
    print(f"other programs took {load.of_others():.1f} cores")


if __name__ == "__main__":
    main()
