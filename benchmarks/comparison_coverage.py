"""Studies of comparisons simulated from known strengths, for `comparisons.py`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from hype.statistics.bradley_terry import fit_strengths
from hype.statistics.estimate import Estimate
from hype.statistics.paired_counts import Counts, EvaluatorCounts
from hype.statistics.strength_table import StrengthTable, strength_table
from hype.statistics.strengths import fit_davidson, moments

Array = npt.NDArray[np.float64]

DRAWS: Final = 500
CLOSE: Final = (0.6, 0.1, -0.1, -0.6)
"""Log-strengths of four conditions."""
MANY: Final = tuple(np.linspace(-1, 1, 12).tolist())


@dataclass(frozen=True, kw_only=True)
class Design:
    """A study.

    Attributes
    ----------
    strengths
        Of the typical evaluator.
    people, each
        Evaluators, and comparisons of each, of pairs drawn at random.
    taste
        Standard deviation of the evaluators' own log-strengths.
    nu
        Davidson's ν.
    known
        Whether the analysis knows who answered.
    honest
        Whether intervals are to cover as they say; those that take answers of one person to be
        independent must not be expected to.
    """

    name: str
    strengths: tuple[float, ...]
    people: int
    each: int
    taste: float = 0.0
    nu: float = 0.0
    known: bool
    honest: bool = True


DESIGNS: Final = (
    Design(
        name="4 conditions, 120 independent comparisons",
        strengths=CLOSE,
        people=120,
        each=1,
        known=False,
    ),
    Design(
        name="4 conditions, 600 independent comparisons",
        strengths=CLOSE,
        people=600,
        each=1,
        known=False,
    ),
    Design(
        name="the same with ties, ν = 0.7", strengths=CLOSE, people=600, each=1, nu=0.7, known=False
    ),
    Design(
        name="12 conditions, 600 independent comparisons",
        strengths=MANY,
        people=600,
        each=1,
        known=False,
    ),
    Design(
        name="6 people of their own taste, 60 comparisons each",
        strengths=CLOSE,
        people=6,
        each=60,
        taste=0.8,
        known=True,
    ),
    Design(
        name="15 people of their own taste, 60 comparisons each",
        strengths=CLOSE,
        people=15,
        each=60,
        taste=0.8,
        known=True,
    ),
    Design(
        name="40 people of their own taste, 40 comparisons each",
        strengths=CLOSE,
        people=40,
        each=40,
        taste=0.8,
        known=True,
    ),
    Design(
        name="the same with ties, ν = 0.7",
        strengths=CLOSE,
        people=40,
        each=40,
        taste=0.8,
        nu=0.7,
        known=True,
    ),
    Design(
        name="200 people of their own taste, 10 comparisons each",
        strengths=CLOSE,
        people=200,
        each=10,
        taste=0.8,
        known=True,
    ),
    Design(
        name="40 people of their own taste, taken for one",
        strengths=CLOSE,
        people=40,
        each=40,
        taste=0.8,
        known=False,
        honest=False,
    ),
)


def answers(design: Design, rng: np.random.Generator) -> EvaluatorCounts:
    """Simulate a study."""
    size = len(design.strengths)
    own = design.strengths + design.taste * rng.standard_normal((design.people, size))
    person = np.repeat(np.arange(design.people), design.each)
    pairs = np.triu_indices(size, 1)
    drawn = rng.integers(len(pairs[0]), size=len(person))
    first, second = pairs[0][drawn], pairs[1][drawn]
    half = (own[person, first] - own[person, second]) / 2
    whole = np.exp(half) + np.exp(-half) + design.nu
    where = rng.random(len(person)) * whole
    won, tied = where < np.exp(half), where >= np.exp(half) + np.exp(-half)
    chosen = np.where(won | tied, first, second)
    other = np.where(won | tied, second, first)
    keys, times = np.unique(
        ((person * 2 + tied) * size + chosen) * size + other, return_counts=True
    )
    return EvaluatorCounts(
        conditions=tuple(f"m{place:02}" for place in range(size)),
        evaluators=design.people,
        evaluator=keys // (2 * size * size),
        chosen=keys // size % size,
        other=keys % size,
        tied=keys // (size * size) % 2 == 1,
        times=times.astype(float),
    )


def summed(found: EvaluatorCounts) -> Counts:
    """Forget who answered."""
    wins, ties = np.zeros((2, len(found.conditions), len(found.conditions)))
    np.add.at(wins, (found.chosen, found.other), found.times * ~found.tied)
    np.add.at(ties, (found.chosen, found.other), found.times * found.tied)
    return Counts(conditions=found.conditions, wins=wins, ties=ties + ties.T)


def truth(design: Design, rng: np.random.Generator) -> Array:
    """Give the strengths that fit the answers of everybody there could be."""
    if not design.taste:
        return np.array(design.strengths)
    size = len(design.strengths)
    wins, ties = np.zeros((2, size, size))
    log_nu = np.log(design.nu) if design.nu else -np.inf
    for own in design.strengths + design.taste * rng.standard_normal((20_000, size)):
        model = moments(own, log_nu)
        wins += model.points - model.tie / 2
        ties += model.tie
    np.fill_diagonal(wins, 0)
    np.fill_diagonal(ties, 0)
    if not design.nu:
        return fit_strengths(wins).log_strengths
    names = tuple(map(str, range(size)))
    return fit_davidson(Counts(conditions=names, wins=wins, ties=ties)).log_strengths


def estimates(
    found: StrengthTable, true: dict[str, float]
) -> Iterator[tuple[str, str, Estimate, float]]:
    """Yield every interval of a study with the truth: of what, of which kind."""
    for row in found.conditions:
        yield "strength", "bootstrap", row.strength, true[row.condition]
        if row.sandwich is not None:
            yield "strength", "sandwich", row.sandwich, true[row.condition]
    for pair in found.differences:
        apart = true[pair.a] - true[pair.b]
        yield "difference", "bootstrap", pair.difference, apart
        if pair.sandwich is not None:
            yield "difference", "sandwich", pair.sandwich, apart


def coverage(
    design: Design, studies: int, *, confidence: float, honest: tuple[float, float], seed: int
) -> Iterator[list[str]]:
    """Simulate and score studies; yield the rows of a table."""
    rng = np.random.default_rng(seed)
    own = truth(design, rng)
    cases: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    undefined = 0
    for _ in range(studies):
        answered = answers(design, rng)
        found = strength_table(
            summed(answered),
            answered if design.known else None,
            ties="davidson",
            draws=DRAWS,
            rng=rng,
            confidence=confidence,
        )
        true = dict(zip(answered.conditions, own.tolist(), strict=True))
        undefined += found.draws.undefined if found.draws else DRAWS
        for number, kind, estimate, value in estimates(found, true):
            low = -np.inf if estimate.low is None else estimate.low
            high = np.inf if estimate.high is None else estimate.high
            cases.setdefault((number, kind), []).append((low <= value <= high, high - low))
    aim = honest if design.honest else (0.0, honest[0])
    for (number, kind), each in cases.items():
        covered = sum(covers for covers, _ in each)
        share = covered / len(each)
        sure = binomtest(covered, len(each)).proportion_ci(method="wilson")
        yield [
            *(design.name, number, kind, str(studies), f"{share:.1%}"),
            *(f"{sure.low:.1%} – {sure.high:.1%}", f"{np.mean([w for _, w in each]):.3f}"),
            *(f"{undefined / (studies * DRAWS):.2%}", f"{aim[0]:.0%} – {aim[1]:.0%}"),
            "yes" if aim[0] <= share <= aim[1] else "no",
        ]
