"""Evaluators whom their study calls careless: who they are, and what the scores are without them.

The rules are the study's and are put to the record (`hype.protocols.hype.carelessness`); a table
has what came of it in its columns ``careless`` and ``excluded``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hype.protocols.hype.completeness import are_left_out
from hype.protocols.hype.condition_scores import Rows, plain_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class CarelessEvaluator:
    """Somebody who broke rules of the study, and which."""

    evaluator: str
    condition: str
    rules: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BothWays:
    """A condition's score with and without careless evaluators; None where nobody else is left."""

    condition: str
    evaluators: int
    score: float
    evaluators_without: int
    score_without: float | None


@dataclass(frozen=True, kw_only=True)
class Careless:
    """The careless evaluators of one protocol.

    Parameters
    ----------
    left_out
        Whether the study leaves them out of every other figure.
    evaluators, conditions
        Each of them, and the conditions that they judged.
    """

    left_out: bool
    evaluators: tuple[CarelessEvaluator, ...]
    conditions: tuple[BothWays, ...]


def are_careless(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of careless evaluators.

    Parameters
    ----------
    judgements
        As `check_judgements` returns them.
    """
    left_out = are_left_out(judgements)
    return judgements["careless"].ne("") | left_out if "careless" in judgements else left_out


def careless(rows: Rows) -> Careless | None:
    """Say who of those who finished one protocol is careless; None where nobody is."""
    flagged = are_careless(rows.scored)
    if not flagged.any():
        return None
    theirs = rows.scored[flagged]
    every, others = plain_scores(rows), plain_scores(rows.only(~are_careless(rows.shown)))
    names = theirs["condition"].unique()
    return Careless(
        left_out=bool(are_left_out(theirs).all()),
        evaluators=tuple(_evaluators(theirs)),
        conditions=tuple(
            BothWays(
                condition=name,
                evaluators=every[name][0],
                score=every[name][1],
                evaluators_without=others[name][0] if name in others else 0,
                score_without=others[name][1] if name in others else None,
            )
            for name in sorted(map(str, names))
        ),
    )


def _evaluators(theirs: pd.DataFrame) -> Iterator[CarelessEvaluator]:
    """Yield each of them, by condition and code."""
    if "careless" not in theirs:
        theirs = theirs.assign(careless="")
    who = theirs[["condition", "evaluator", "careless"]].astype(str).drop_duplicates()
    for condition, evaluator, rules in sorted(who.itertuples(index=False, name=None)):
        yield CarelessEvaluator(
            evaluator=evaluator, condition=condition, rules=tuple(rules.split())
        )


def careless_note(found: Careless | None, unit: str) -> tuple[str, ...]:
    """Name them in a sentence, with what their answers make of the scores."""
    if found is None:
        return ()
    named = ", ".join(
        f"{one.evaluator} ({', '.join([one.condition, *one.rules])})" for one in found.evaluators
    )
    fate = "left out of every other figure" if found.left_out else "scored like everybody"
    ways = "; ".join(_both_ways(one, unit) for one in found.conditions)
    return (f"Careless by the study's rules, and {fate}: {named}. {ways}.",)


def _both_ways(one: BothWays, unit: str) -> str:
    mark = unit if unit == "%" else f" {unit}"
    without = "nobody is left without them"
    if one.score_without is not None:
        without = f"{one.score_without:.1f}{mark} without them ({one.evaluators_without})"
    return f"{one.condition}: {one.score:.1f}{mark} with them ({one.evaluators}), {without}"
