"""The looks of an arena: when its stopping rule tests the votes, and with which error rate.

**Looks** happen at fixed numbers of people who have finished: `FIRST_LOOK`, then twice as many each
time, and finally all planned people. A look at n people uses only the first n who finished, so past
looks never change. The error α is spent in proportion to the people (Lan and DeMets 1983, "Discrete
sequential boundaries for clinical trials"): with N planned people, a look at n people after a look
at m may err with probability

    ε = α (n − m) / N,

and all looks together with probability α, even if they are correlated (Bonferroni).

**Models that join.** When a model joins, what is left of α is spent on later looks, as above: they
come after 12, 24, 48, … more people, and N is the number of people planned from then on. A look
covers the models that have joined by then. If a model joins after an arena has ended, there are
new looks. All looks together spend at most α for any number of models, since no part of α is
spent twice ("alpha-spending": Foster and Stine 2008, "α-investing"; Tian and Ramdas 2021, "Online
control of the familywise error rate"). With a reserve r, only a share 1 − r of the rest is spent
before the next model joins, so some is left for any number of models: at least α (1 − r) rʲ for the
looks after the j-th model. All this holds if joining and planning do not depend on the votes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hype.errors import InputError

Goal = Literal["top", "ranking"]
Rule = Literal["random", "adaptive"]

FIRST_LOOK: Final = 12
"""Number of people at the first look. With fewer, only very large differences could be shown."""
FEWEST: Final = 2


@dataclass(frozen=True, kw_only=True)
class Look:
    """A look at the votes, planned beforehand."""

    people: int  # number of people who must have finished
    level: float  # ε, the error rate spent on this look
    without: frozenset[int] = frozenset()  # conditions that have not joined yet


@dataclass(frozen=True, kw_only=True)
class JoinedCondition:
    """A condition that joined."""

    condition: int
    finished: int  # number of people who had finished when the condition joined
    planned: int  # number of people planned from then on


def looks_of(
    planned: int,
    alpha: float = 0.05,
    *,
    reserve: float = 0.0,
    newcomers: Sequence[JoinedCondition] = (),
) -> tuple[Look, ...]:
    """Plan the looks of an arena; ``planned``: the planned number of people.

    ``alpha``: the allowed probability of ever being wrong; InputError if it is not between 0 and 1.
    With one person there is no look. ``newcomers``: the conditions that joined, in this order.
    ``reserve``: the share of the remaining ``alpha`` that is kept for the next newcomer.
    """
    if not 0 < alpha < 1:
        raise InputError("alpha", f"is {alpha}", "it must be a number between 0 and 1")
    looks: list[Look] = []
    left, begun = alpha, [(0, planned), *((one.finished, one.planned) for one in newcomers)]
    for number, (after, end) in enumerate(begun):
        until = begun[number + 1][0] if number < len(newcomers) else end
        without = frozenset(one.condition for one in newcomers[number:])
        own = [
            Look(people=after + look.people, level=look.level, without=without)
            for look in looks_at(end - after, left * (1 - reserve))
            if after + look.people <= until
        ]
        left -= sum(look.level for look in own)
        looks += own
    return tuple(looks)


def looks_at(planned: int, alpha: float) -> tuple[Look, ...]:
    """Plan looks that spend ``alpha`` in proportion to the number of people."""
    if planned < FEWEST:
        return ()
    numbers = [FIRST_LOOK]
    while numbers[-1] * math.sqrt(2) < planned:
        numbers.append(2 * numbers[-1])
    numbers[-1] = planned
    before = [0, *numbers]
    return tuple(
        Look(people=now, level=alpha * (now - then) / planned)
        for then, now in zip(before, numbers, strict=False)
    )
