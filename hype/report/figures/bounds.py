"""Floor and ceiling of the staircases, where they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from hype.analysis import Score

Bounds = tuple[float, float]


def known_bounds_ms(score: Score, judgements: pd.DataFrame) -> Bounds | None:
    """Give floor and ceiling in ms.

    None for a table that does not tell them: the extremes that were shown are no bounds.

    Parameters
    ----------
    score
        Of either protocol; untimed scores have no bounds.
    judgements
        As `hype.analysis.check_judgements` returns them.
    """
    stairs = score.conditions[0].staircases
    if stairs is None or not {"floor_ms", "ceiling_ms"} <= set(judgements.columns):
        return None
    return stairs.shortest_ms, stairs.longest_ms
