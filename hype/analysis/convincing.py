"""The most and the least convincing fakes of each condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hype.analysis.image_scores import ImageScore, image_scores, least_convincing, most_convincing

if TYPE_CHECKING:
    import pandas as pd

NAMED: Final = 5
"""How many of each are named."""


@dataclass(frozen=True, kw_only=True)
class Convincing:
    """The fakes that were most, and least, often taken for real; best of their kind first."""

    most: tuple[ImageScore, ...]
    least: tuple[ImageScore, ...]


def convincing_by_condition(judgements: pd.DataFrame) -> dict[str, Convincing]:
    """Find the extreme images of each condition; empty where the images have no names.

    Parameters
    ----------
    judgements
        Rows of one protocol, as `check_judgements` returns them.
    """
    scores = image_scores(judgements)
    if scores.empty:
        return {}
    fakes = scores[scores["truth"].eq("fake")]
    return {
        str(name): Convincing(
            most=most_convincing(rows, str(name), NAMED),
            least=least_convincing(rows, str(name), NAMED),
        )
        for name, rows in fakes.groupby("condition", observed=True, sort=True)
    }
