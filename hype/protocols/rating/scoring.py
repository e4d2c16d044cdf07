"""From a table of ratings to everything that is known from it; each step is in a sibling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hype.protocols.rating.axes import axis_correlations, axis_strengths, axis_table
from hype.protocols.rating.cautions import rating_notes
from hype.protocols.rating.condition_means import (
    ConditionValues,
    codes_of,
    condition_means,
    condition_values,
)
from hype.protocols.rating.exclusions import scored_ratings
from hype.protocols.rating.leaderboard import beside_leaderboard
from hype.protocols.rating.options import RatingOptions
from hype.protocols.rating.results import AgainstTruth, AnswerCount, AxisScore, RatingScore
from hype.protocols.rating.scale import NO, YES
from hype.protocols.rating.table import is_pairs
from hype.statistics.correlation import correlation
from hype.statistics.krippendorff import unit_alpha
from hype.statistics.proportions import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from hype.protocols.rating.condition_means import FloatArray, IntArray
    from hype.protocols.rating.results import AxisCorrelations
    from hype.protocols.rating.scale import AnswerKind
    from hype.statistics.krippendorff import Alpha, AlphaUnit


def against_truth(
    ratings: pd.DataFrame, kind: AnswerKind, *, confidence: float
) -> AgainstTruth | None:
    """Hold the relevant answers of one axis against the truth; None where it is not known."""
    if "truth_value" not in ratings:
        return None
    known = ratings[(ratings["truth_value"].notna() & ratings["value"].notna()).to_numpy()]
    if not len(known):
        return None
    people = codes_of(known, "evaluator") if "evaluator" in known else None
    answer, right = known["value"].to_numpy(), known["truth_value"].to_numpy()
    if kind == "numbers":
        found = correlation(answer, right, people, confidence=confidence)
        return AgainstTruth(ratings=len(known), correlation=found)
    correct = (answer == right).astype(np.float64)
    one = np.zeros(len(known), dtype=np.int64)
    values = ConditionValues(("",), one, correct, people)
    (share,) = condition_means(values, shares=True, confidence=confidence)
    low, high = wilson(correct.sum(), len(known), confidence=confidence)
    return AgainstTruth(
        ratings=len(known),
        accuracy=share.mean,
        low=share.low,
        high=share.high,
        wilson_low=float(low),
        wilson_high=float(high),
        evaluators=share.evaluators,
    )


def score_ratings(ratings: pd.DataFrame, options: RatingOptions | None = None) -> RatingScore:
    """Score a table of ratings.

    Parameters
    ----------
    ratings
        As `check_ratings` returns them. Only rows of the task rating are scored, and of these only
        what neither the column excluded nor the evaluator's status leaves out.
    options
        The choices of the study and the analyst.

    Returns
    -------
    RatingScore
        The same ratings, options and seed give the same result. The order of the rows matters to
        nothing but the order of axes that the options do not name, and to rounding.

    Raises
    ------
    InputError
        No rating is left to score.
    """
    chosen = options or RatingOptions()
    scored, exclusions = scored_ratings(ratings)
    names = axes_in_order(scored, chosen.axes)
    axes = tuple(_axis(rows, name, chosen) for name, rows in _by_axis(scored, names))
    overall = chosen.overall if chosen.overall in names else None
    correlations, unmatched = _correlations(scored, names, overall, chosen)
    board = chosen.leaderboard
    return RatingScore(
        what="pairs" if is_pairs(scored) else "images",
        simulated=bool(ratings["simulated"].any()),
        rows=len(ratings),
        ratings=len(scored),
        evaluators=_number(scored, "evaluator"),
        prompts=_number(scored, "prompt"),
        items=int(scored["item"].nunique()),
        conditions=tuple(map(str, scored["first"].cat.categories)),
        scale=chosen.scale,
        ties=chosen.ties,
        level=chosen.level,
        axes=axes,
        overall=overall,
        correlations=correlations,
        leaderboard=None
        if board is None
        else beside_leaderboard(axes, board, overall, confidence=chosen.confidence),
        exclusions=exclusions,
        alpha=chosen.alpha,
        confidence=chosen.confidence,
        draws=chosen.draws,
        seed=chosen.seed,
        notes=rating_notes(ratings, scored, axes, chosen, unmatched=unmatched),
    )


def axes_in_order(ratings: pd.DataFrame, first: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Give the axes that were rated: those named first in their order, then as they appear."""
    found = [str(name) for name in ratings["axis"].unique()]
    return (*(name for name in first if name in found), *(n for n in found if n not in first))


def _by_axis(scored: pd.DataFrame, names: tuple[str, ...]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give the rows of each axis, without columns that nothing on an axis depends on."""
    wanted = ("item", "answer", "value", "first", "second", "evaluator", "truth_value")
    lean = scored[[name for name in wanted if name in scored]]
    codes = codes_of(scored, "axis")
    for name in names:
        place = scored["axis"].cat.categories.get_loc(name)
        yield name, lean[codes == place]


def _axis(rows: pd.DataFrame, name: str, options: RatingOptions) -> AxisScore:
    told = rows[rows["value"].notna().to_numpy()]
    kind, confidence = _kind(told), options.confidence
    found = condition_values(told)
    by_model = axis_strengths(told, name, options) if kind == "levels" and len(told) else None
    return AxisScore(
        axis=name,
        kind=kind,
        ratings=len(rows),
        not_relevant=len(rows) - len(told),
        not_relevant_share=1 - len(told) / len(rows),
        evaluators=_number(told, "evaluator"),
        items=int(told["item"].nunique()),
        answers=_answers(told, kind, options),
        means=condition_means(found, shares=kind == "yes-no", confidence=confidence),
        strengths=by_model.strengths if by_model else (),
        fit=by_model.fit if by_model else None,
        bootstrap=by_model.bootstrap if by_model else None,
        alphas=tuple(_alphas(told, found, options)),
        truth=against_truth(told, kind, confidence=confidence),
    )


def _kind(told: pd.DataFrame) -> AnswerKind:
    if is_pairs(told):
        return "levels"
    return "yes-no" if told["answer"].isin([YES, NO]).any() else "numbers"


def _answers(
    told: pd.DataFrame, kind: AnswerKind, options: RatingOptions
) -> tuple[AnswerCount, ...]:
    counts = told["answer"].value_counts()
    return tuple(
        AnswerCount(
            answer=answer,
            count=int(counts.get(answer, 0)),
            share=float(counts.get(answer, 0) / max(len(told), 1)),
        )
        for answer in options.scale.answers(kind)
    )


def _alphas(told: pd.DataFrame, found: ConditionValues, options: RatingOptions) -> Iterator[Alpha]:
    """Compute α over conditions, and over items where two people rated the same."""
    items = codes_of(told, "item")
    person = codes_of(told, "evaluator") if "evaluator" in told else None
    value = told["value"].to_numpy()
    over: list[tuple[AlphaUnit, IntArray, FloatArray, IntArray | None]] = [
        ("conditions", found.condition, found.value, found.evaluator),
        ("items", items, value, person),
    ]
    for what, unit, of_unit, who in over:
        alpha = unit_alpha(
            unit, of_unit, who, what=what, level=options.level, confidence=options.confidence
        )
        if alpha is not None:
            yield alpha


def _correlations(
    scored: pd.DataFrame, names: tuple[str, ...], overall: str | None, options: RatingOptions
) -> tuple[AxisCorrelations | None, int]:
    """Correlate the axes, and count the items that cannot be matched."""
    if len(names) < 2:
        return None, 0
    table = axis_table(scored, names)
    found = axis_correlations(table, names, overall, confidence=options.confidence)
    return found, table.dropped


def _number(rows: pd.DataFrame, name: str) -> int | None:
    return int(rows[name].nunique()) if name in rows else None
