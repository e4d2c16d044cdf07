"""The rows of a table that a score was computed from, for what is shown beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hype.analysis.pairwise.left_out import ONE_SIDED, reasons_of
from hype.analysis.pairwise.sides import sides
from hype.analysis.tables.distinct import distinct, only_used, with_categories
from hype.analysis.tables.reasons import SCORED

if TYPE_CHECKING:
    import pandas as pd

    from hype.analysis.pairwise.scores import PairwiseScore

BoolArray = npt.NDArray[np.bool_]


def scored_rows(votes: pd.DataFrame, score: PairwiseScore) -> pd.DataFrame:
    """Keep the rows that were scored, over the conditions, evaluators and prompts they have.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them.
    score
        What `score_comparisons` made of them.
    """
    failed = score.validation.failed if score.validation else ()
    kept = reasons_of(votes, failed=failed).eq(SCORED).to_numpy()
    if any(one.reason == ONE_SIDED for one in score.exclusions):
        who = sides(votes[kept], alpha=score.alpha).always_one
        kept = reasons_of(votes, failed=failed, one_sided=who).eq(SCORED).to_numpy()
    return rows_of(votes, kept)


def rows_of(votes: pd.DataFrame, kept: BoolArray) -> pd.DataFrame:
    """Keep some rows, over the conditions, evaluators and prompts they have.

    Parameters
    ----------
    votes
        As `check_comparisons` returns them.
    kept
        Shape (rows,).
    """
    rows = votes[kept].copy(deep=False)
    both = {side: distinct(rows[side]) for side in ("left", "right")}
    names = sorted({str(name) for side in both for name in rows[side].unique()})
    for side, cells in both.items():
        rows[side] = with_categories(cells.codes, cells.texts, names, rows.index)
    for name in ("evaluator", "prompt"):
        if name in rows:
            rows[name] = only_used(rows[name])
    return rows
