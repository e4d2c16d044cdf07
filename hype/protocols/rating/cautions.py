"""What a reader must know in order to read the figures of ratings rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from hype.protocols.prompted.results import FEW
from hype.protocols.rating.condition_means import codes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hype.protocols.rating.options import RatingOptions
    from hype.protocols.rating.results import AxisScore

IntArray = npt.NDArray[np.int64]

MOSTLY: Final = 0.5
"""The share of answers that are not relevant above which it is said."""

TELLING: Final = 10
"""Answers of one evaluator that, all alike, are no accident."""

_MOST_NAMED: Final = 6


def rating_notes(
    ratings: pd.DataFrame,
    scored: pd.DataFrame,
    axes: Sequence[AxisScore],
    options: RatingOptions,
    *,
    unmatched: int,
) -> tuple[str, ...]:
    """Give the notes on a score.

    Parameters
    ----------
    ratings
        All rows, as `check_ratings` returns them.
    scored
        Those that are scored.
    axes
        The scores. What is wrong with strengths is said by their fit.
    options
        The choices of the study and the analyst.
    unmatched
        Items whose answers cannot be matched with each other.
    """
    return (
        *_on_evaluators(scored, unmatched),
        *_on_constant(scored),
        *_on_axes(axes, options),
        *_on_conditions(ratings, scored),
    )


def constant_evaluators(scored: pd.DataFrame) -> tuple[str, ...]:
    """Name the evaluators who gave `TELLING` answers or more, all the same.

    That is the same level, or, where it is known on which side the first image stood, the same
    level as they saw it: always the left one, for instance.
    """
    if "evaluator" not in scored:
        return ()
    people = codes_of(scored, "evaluator")
    answer = codes_of(scored, "answer")
    same = _always_one(people, answer)
    if "first_side" in scored and "value" in scored:
        same |= _always_one(people, _as_seen(scored))
    names = scored["evaluator"].cat.categories
    return tuple(str(names[place]) for place in np.flatnonzero(same).tolist())


def _always_one(people: IntArray, answer: IntArray) -> npt.NDArray[np.bool_]:
    total = np.bincount(people)
    size = int(answer.max(initial=-1)) + 1
    different = np.bincount(np.unique(people * size + answer) // size, minlength=len(total))
    same: npt.NDArray[np.bool_] = (different == 1) & (total >= TELLING)
    return same


def _as_seen(scored: pd.DataFrame) -> IntArray:
    """Number the answers by how much better the image on the left was called."""
    value = scored["value"].to_numpy()
    seen = np.where(scored["first_side"].eq("right").to_numpy(), -value, value)
    seen = np.where(scored["first_side"].eq("").to_numpy(), np.inf, seen)  # matches no other
    codes, _ = pd.factorize(seen, use_na_sentinel=False)
    return codes.astype(np.int64)


def _on_evaluators(scored: pd.DataFrame, unmatched: int) -> Iterator[str]:
    if "evaluator" not in scored:
        yield (
            "The table does not say who answered: ratings are taken to be independent, which makes "
            "intervals too narrow where somebody gave several."
        )
        if unmatched:
            yield (
                f"{unmatched:,} items have several answers on an axis by unknown people, which "
                "cannot be matched with their answers on others; correlations between axes leave "
                "these items out."
            )
        return
    people = scored["evaluator"].nunique()
    if people < 3:
        who = "one evaluator" if people == 1 else "two evaluators"
        yield (
            f"All ratings are of {who}: intervals take ratings to be independent and say nothing "
            "of how other people would differ."
        )
    elif people < FEW:
        yield f"There are only {people} evaluators: how evaluators vary is known roughly."


def _on_constant(scored: pd.DataFrame) -> Iterator[str]:
    names = constant_evaluators(scored)
    if names:
        shown = ", ".join(names[:_MOST_NAMED])
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        yield (
            f"The same answer to everything, {TELLING} times or more: {shown}{more}. Their ratings "
            "are scored all the same."
        )


def _on_axes(axes: Sequence[AxisScore], options: RatingOptions) -> Iterator[str]:
    for axis in axes:
        if axis.not_relevant_share > MOSTLY:
            yield (
                f"On {axis.axis}, {axis.not_relevant_share:.0%} of the answers are that it is not "
                f"relevant: its figures rest on the {axis.ratings - axis.not_relevant:,} others."
            )
        drawn = axis.bootstrap
        if drawn is not None and drawn.undefined:
            yield (
                f"On {axis.axis}, in {drawn.undefined:,} of {drawn.draws:,} draws of the bootstrap "
                "some condition never lost or never won: intervals are as wide as if these draws "
                "lay outside, and open where they are too many."
            )
    rated = {axis.axis for axis in axes}
    if lost := [name for name in options.axes if name not in rated]:
        yield f"Nothing was rated on {', '.join(lost)}."


def _on_conditions(ratings: pd.DataFrame, scored: pd.DataFrame) -> Iterator[str]:
    shown = ratings[ratings["task"].eq("rating").to_numpy()]
    places = [name for name in ("first", "second") if name in shown]
    names = {str(name) for place in places for name in shown[place].unique()}
    if lost := sorted(names - set(scored["first"].cat.categories)):
        yield f"Nothing is left to score of {', '.join(lost)}."
