"""What the design of a study of comparisons gives each pair of conditions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from hype.protocols.comparison.pools import read_comparison_pools
from hype.protocols.comparison.sampling import comparison_cells, evaluators_per_cell
from hype.protocols.prompted.trial import Meeting
from hype.protocols.studies import ComparisonStudy


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDesign:
    """What each pair of conditions is given.

    Attributes
    ----------
    conditions, prompts, pairs
        How many there are.
    comparisons
        Pairs of images that meet; 0 in an arena, which draws them.
    votes
        For each of these; 0 in an arena.
    fewest, most
        Votes of the pairs of conditions; in an arena what each has on average.
    evaluators
        How many come, if all finish.
    session
        Comparisons in the longest session.
    each
        Of these, how many are of the same two conditions, on average.
    arena
        Whether pairs are chosen as evaluators come.
    """

    conditions: int
    prompts: int
    pairs: int
    comparisons: int
    votes: int
    fewest: float
    most: float
    evaluators: int
    session: int
    each: float
    arena: bool


def design_of(study: ComparisonStudy) -> PairDesign:
    """Count what a study gives.

    Raises
    ------
    InputError
        Its materials are wrong, or too few.
    """
    pools = read_comparison_pools(study)
    settings, asked = study.settings, study.settings.comparison
    pairs = math.comb(len(pools.conditions), 2)
    places = len(comparison_cells(settings, pools))
    evaluators = places * evaluators_per_cell(settings)
    if asked.arena:
        session = asked.blocks * asked.trials
        votes_each = evaluators * session / pairs
        fewest = most = votes_each
        comparisons, votes = 0, 0
    else:
        met = meetings_of_pairs(chain.from_iterable(pools.shares))
        session, votes = max(map(len, pools.shares)), asked.votes
        comparisons = sum(met)
        fewest, most = min(met) * votes, max(met) * votes
    return PairDesign(
        conditions=len(pools.conditions),
        prompts=len(pools.prompts),
        pairs=pairs,
        comparisons=comparisons,
        votes=votes,
        fewest=fewest,
        most=most,
        evaluators=evaluators,
        session=session,
        each=max(1.0, session / pairs),
        arena=asked.arena is not None,
    )


def meetings_of_pairs(met: Iterable[Meeting]) -> list[int]:
    """Count how often each two conditions meet that meet at all."""
    counts: dict[frozenset[str], int] = {}
    for meeting in met:
        pair = frozenset((meeting.one.condition, meeting.other.condition))
        counts[pair] = counts.get(pair, 0) + 1
    return list(counts.values())
