"""What a reader must know in order to read the figures of comparisons rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.comparison.rows import SCORED_TASK
from hype.protocols.prompted.results import FEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from hype.statistics.strength_table import StrengthTable


def notes(votes: pd.DataFrame, scored: pd.DataFrame, table: StrengthTable) -> tuple[str, ...]:
    """Give the notes on a score.

    Parameters
    ----------
    votes
        All rows, as `check_comparisons` returns them.
    scored
        Those that are scored.
    table
        The strengths. What is wrong with these is said by `StrengthTable.problems`.
    """
    return (*_on_evaluators(scored), *_on_conditions(votes, scored), *_on_draws(table))


def _on_evaluators(scored: pd.DataFrame) -> Iterator[str]:
    if "evaluator" not in scored:
        yield (
            "The table does not say who answered: comparisons are taken to be independent, which "
            "makes intervals too narrow where somebody answered several, and how far evaluators "
            "agree is not known. A win rate without that is incomplete."
        )
        return
    people = scored["evaluator"].nunique()
    if people == 1:
        yield (
            "All comparisons are of one evaluator: intervals say how this one varies, and nothing "
            "of others."
        )
    elif people < FEW:
        yield f"There are only {people} evaluators: how evaluators vary is known roughly."


def _on_conditions(votes: pd.DataFrame, scored: pd.DataFrame) -> Iterator[str]:
    shown = votes[votes["task"].eq(SCORED_TASK).to_numpy()]
    names = {str(name) for side in ("left", "right") for name in shown[side].unique()}
    if lost := sorted(names - set(scored["left"].cat.categories)):
        yield f"Nothing is left to score of {', '.join(lost)}."


def _on_draws(table: StrengthTable) -> Iterator[str]:
    if table.draws is not None and table.draws.undefined:
        yield (
            f"In {table.draws.undefined:,} of {table.draws.draws:,} draws of the bootstrap some "
            "condition never lost or never won: intervals are as wide as if these draws lay "
            "outside, and open where they are too many."
        )
