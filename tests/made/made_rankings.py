"""Tables of rankings with a known truth."""

import numpy as np
import pandas as pd

from hype.protocols.ranking.orders import expand, find_order_sample
from hype.protocols.ranking.table import check_rankings
from hype.statistics.paired_counts import orders


def made(rankings, **columns):
    """Make a table from (evaluator, group, conditions best first); tied conditions are a tuple."""
    rows = []
    for evaluator, group, order in rankings:
        place = 1
        for entry in order:
            tied = entry if isinstance(entry, tuple) else (entry,)
            rows += [(evaluator, group, condition, place) for condition in tied]
            place += len(tied)
    return pd.DataFrame(rows, columns=["evaluator", "group", "condition", "rank"]).assign(**columns)


def of_rankings(rankings, **columns):
    """Make such a table, and check it."""
    return check_rankings(made(rankings, **columns))


def drawn(strengths, *, rng, taste=0.0, evaluators=10, groups=10, size=None, ties=0.0, own=False):
    """Draw rankings by Plackett and Luce's model: orders of strengths with Gumbel noise.

    Parameters
    ----------
    strengths
        Log-strengths of m00, m01, …
    taste
        Standard deviation of each evaluator's own preference, added to each strength.
    evaluators, groups
        Each evaluator ranks all groups.
    size
        Number of images in a group, of conditions drawn at random; by default one of each.
    ties
        Neighbours whose difference is smaller than this are tied.
    own
        Whether each evaluator has groups of their own.
    """
    strengths = np.asarray(strengths, dtype=float)
    many, size = len(strengths), size or len(strengths)
    shown = rng.random((groups * (evaluators if own else 1), many)).argsort(axis=1)[:, :size]
    group = np.tile(np.arange(groups), evaluators)
    evaluator = np.repeat(np.arange(evaluators), groups)
    group = group + groups * evaluator if own else group
    liked = strengths + taste * rng.standard_normal((evaluators, many))
    condition = shown[group]
    noise = rng.gumbel(size=condition.shape)
    utility = liked[evaluator[:, np.newaxis], condition] + noise
    order = np.argsort(-utility, axis=1)
    best_first = np.take_along_axis(utility, order, axis=1)
    apart = np.diff(best_first, axis=1, prepend=np.inf) < -ties
    apart[:, 0] = True
    rank = np.maximum.accumulate(np.where(apart, np.arange(1, size + 1), 1), axis=1)
    return table_of(
        evaluator, group, np.take_along_axis(condition, order, axis=1).ravel(), rank.ravel(), size
    )


def table_of(evaluator, group, condition, rank, size):
    """Make a checked table from the numbers of evaluators, groups, conditions and ranks."""
    return check_rankings(
        pd.DataFrame(
            {
                "evaluator": coded("e", np.repeat(evaluator, size)),
                "group": coded("g", np.repeat(group, size)),
                "condition": coded("m", condition, 2),
                "rank": rank,
            }
        )
    )


def coded(letter, numbers, digits=6):
    """Convert numbers to names, quickly."""
    most = int(np.max(numbers)) + 1
    names = [f"{letter}{number:0{digits}d}" for number in range(most)]
    return pd.Categorical.from_codes(numbers, categories=names)


def count_rankings(rankings):
    """Count the comparisons in a table's finished rankings, by pairs of conditions."""
    return expand(orders(rankings)).counts()


def count_rankings_by_evaluator(rankings):
    """Count the comparisons in a table's finished rankings, by pairs and evaluators."""
    laid = orders(rankings)
    return expand(laid).answers(find_order_sample(rankings, laid, "fixed"))
