"""The conditions that an evaluator judges, and their order.

Places of the design are numbered from 1, and evaluators fill them in turn. The places form squares
(Youden's, developed cyclically); a square has one place for each condition. In a square, every
condition is judged equally often at each position. If everyone judges all conditions, the squares
are those of Williams (1949) and their mirror images, where each condition also follows every other
equally often. If everyone judges only some conditions, squares are chosen one by one: each pair of
conditions should be judged by equally many people, and equally often in both orders (cyclic
designs: John & Williams, 1995).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Final

from hype.errors import InputError
from hype.protocols.hype.settings import StudyFile
from hype.study.assignment import Assignment, Cell, design, least_filled
from hype.study.draws import Draws, Purpose, study_sequence

TRIED: Final = 4096
"""To choose a square, `TRIED` / ``each``² candidates are tried, but at least 16."""


@cache
def draw_cycle(conditions: int, each: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """Draw squares for people who judge ``each`` conditions; the design repeats these squares.

    Each row has the conditions of an evaluator, numbered from 0. All machines give the same result.
    """
    draws = Draws(study_sequence(seed, Purpose.DESIGN, "conditions"))
    names = draws.permutation(conditions).tolist()
    if each == conditions:  # Williams's square, in which all steps differ, and its mirror image
        zigzag = [(nth + 1) // 2 * (1 if nth % 2 else -1) % each for nth in range(each)]
        squares = iter([tuple(zigzag), tuple(-offset % each for offset in zigzag)])
    else:
        squares = choose(conditions, each, draws)
    rows = (row for offsets in squares for row in spread_rows(conditions, offsets))
    return tuple(tuple(names[condition] for condition in row) for row in rows)


def choose(conditions: int, each: int, draws: Draws) -> Iterator[tuple[int, ...]]:
    """Yield the offsets of each square, chosen to balance pairs and orders as well as possible."""
    tried = max(16, TRIED // each**2)
    together: Counter[int] = Counter()
    following: Counter[int] = Counter()
    for _ in range(conditions - 1):
        best: tuple[tuple[int, int], tuple[int, ...]] | None = None
        for _ in range(tried):
            drawn = (0, *(1 + other for other in draws.sample(conditions - 1, each - 1)))
            added = together + differences(conditions, combinations(drawn, 2), both=True)
            after = following + differences(conditions, pairwise(drawn))
            uneven = (
                sum(number**2 for number in added.values()),
                sum(number**2 for number in after.values()),
            )
            if best is None or (uneven, drawn) < best:
                best = (uneven, drawn)
        if best:
            together += differences(conditions, combinations(best[1], 2), both=True)
            following += differences(conditions, pairwise(best[1]))
            yield best[1]


def differences(
    conditions: int, pairs: Iterator[tuple[int, int]], *, both: bool = False
) -> Counter[int]:
    counts: Counter[int] = Counter()
    for one, other in pairs:
        counts[(other - one) % conditions] += 1
        if both:
            counts[(one - other) % conditions] += 1
    return counts


def spread_rows(conditions: int, offsets: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Order a square's rows: for any n, the first n have all conditions about equally often."""
    served: Counter[int] = Counter()
    left = list(range(conditions))
    while left:
        first = min(left, key=lambda cell: sum(served[(cell + o) % conditions] for o in offsets))
        left.remove(first)
        row = tuple((first + offset) % conditions for offset in offsets)
        served.update(row)
        yield row


def first_conditions(settings: StudyFile, conditions: Sequence[str]) -> tuple[str, ...]:
    """Return the conditions that the study started with, without those that joined later."""
    return tuple(name for name in conditions if name not in settings.added)


def conditions_of_cell(
    settings: StudyFile, conditions: Sequence[str], cell: Cell
) -> tuple[str, ...]:
    """Return the conditions that the evaluator of a place judges, in order; may be empty.

    A model that joined later has its own places after all others. At these places, the new model is
    judged together with earlier conditions, equally often at each position in the order.
    """
    if not cell.share:
        return (cell.condition,) if cell.condition else ()
    each, seed = settings.study.conditions_each, settings.study.seed
    began, wanted = len(first_conditions(settings, conditions)), settings.study.evaluators
    before = people_wanted(settings, len(conditions)) - wanted * len(settings.added)
    if cell.share <= before:
        rows = draw_cycle(began, each, seed)
        return tuple(conditions[nth] for nth in rows[(cell.share - 1) % len(rows)])
    joined, place = divmod(cell.share - before - 1, wanted)
    newest = began + joined
    rows = tuple(row for row in draw_cycle(newest + 1, each, seed) if newest in row)
    return tuple(conditions[nth] for nth in rows[place % len(rows)])


def people_wanted(settings: StudyFile, conditions: int) -> int:
    """Return how many evaluators the conditions need for each set of methods.

    Each model that joined needs further evaluators, for its own places.
    """
    each, joined = settings.study.conditions_each, len(settings.added)
    began = math.ceil(settings.study.evaluators * (conditions - joined) / each)
    return began + settings.study.evaluators * joined


def places_of_design(settings: StudyFile, conditions: Sequence[str]) -> tuple[Cell, ...]:
    """Return the places of the design; within subjects, one for each wanted evaluator.

    Places of models that joined come last, so that the others do not change.
    """
    began, methods = first_conditions(settings, conditions), settings.methods_of_one_evaluator()
    cells = design(settings.conditions_evaluated(began), methods)
    if not settings.within:
        joined = conditions[len(began) :]
        return (*cells, *(cell for name in joined for cell in design((name,), methods)))
    wanted = people_wanted(settings, len(conditions))
    return tuple(replace(cell, share=nth) for nth in range(1, wanted + 1) for cell in cells)


def different_places(settings: StudyFile, conditions: Sequence[str]) -> tuple[Cell, ...]:
    """Return one place for each set of conditions and methods."""
    cells = places_of_design(settings, conditions)
    by_methods = {
        (frozenset(conditions_of_cell(settings, conditions, c)), c.methods): c
        for c in reversed(cells)
    }
    return tuple(reversed(by_methods.values()))


def next_place(
    evaluator: str,
    *,
    cells: Sequence[Cell],
    filled: Mapping[Cell, int],
    taken: Mapping[Cell, int],
    settings: StudyFile,
    conditions: int,
) -> Assignment:
    """Assign ``evaluator`` a meaning of the keys and a place, the first with fewest evaluators.

    The meaning of the keys alternates from square to square, so that each condition and order
    occurs with both meanings. Someone who replaces an evaluator gets the same meaning.
    """
    fewest = min(filled.get(cell, 0) for cell in cells)
    free = [cell for cell in cells if filled.get(cell, 0) == fewest]
    first = [cell for cell in free if cell.share == min(other.share for other in free)]
    cell = least_filled(evaluator, cells=first, filled=filled, seed=settings.study.seed)
    left_means = settings.keys.left_means
    if left_means == "counterbalanced":
        joined, wanted = len(settings.added), settings.study.evaluators
        before = people_wanted(settings, conditions) - wanted * joined
        if cell.share <= before:
            square = (cell.share - 1) // (conditions - joined)
        else:
            square = (cell.share - before - 1) // settings.study.conditions_each
        left_means = ("real", "fake")[(square + taken.get(cell, 0)) % 2]
    return Assignment(evaluator=evaluator, cell=cell, left_means=left_means)


def require_served(path: Path, settings: StudyFile, conditions: Sequence[str]) -> None:
    """Refuse a study in which people judge more conditions than there are."""
    each, most = settings.study.conditions_each, len(conditions)
    if each > most:
        raise InputError(
            path,
            f"study.conditions_each = {each}, but {most} "
            f"{'condition is' if most == 1 else 'conditions are'} evaluated",
            f"at most {most}",
        )
