"""Trials that the screen spoiled: which they are, how many, and the rest without them.

A trial of HYPE_time is spoiled where its image or a mask was not on the screen for as long as it
should have been, or where it had been shown before and was not answered then;
`hype.session.timing` gives the verdict, and `late`, `dropped` and `seen` are bad ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import pandas as pd

from hype.errors import InputError
from hype.session.timing import Verdict
from hype.session.timing_table import TIMING_COLUMNS, TimingTable, table_of_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

Treatment = Literal["keep", "leave-out"]
"""What becomes of spoiled trials."""

TREATMENTS: Final[tuple[Treatment, ...]] = ("keep", "leave-out")


@dataclass(frozen=True, kw_only=True)
class SpoiledTrials:
    """Measured trials of HYPE_time by their verdict, and what became of the spoiled ones.

    Parameters
    ----------
    ok, late, dropped, seen
        How many.
    left_out
        Whether all but the first were left out of the score.
    """

    ok: int
    late: int
    dropped: int
    left_out: bool
    seen: int = 0

    @property
    def measured(self) -> int:
        return self.ok + self.spoiled

    @property
    def spoiled(self) -> int:
        """How many of them were not as requested."""
        return self.late + self.dropped + self.seen


def check_treatment(treatment: str) -> None:
    """Refuse what is no `Treatment`."""
    if treatment not in TREATMENTS:
        allowed = f"allowed is {' or '.join(TREATMENTS)}"
        raise InputError("spoiled", f"{treatment!r} is not allowed", allowed)


def are_measured(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are trials of HYPE_time with a verdict.

    Parameters
    ----------
    judgements
        As `check_judgements` returns them; this holds for all functions here.
    """
    if "verdict" not in judgements:
        return pd.Series(False, index=judgements.index)
    return judgements["task"].eq("time") & judgements["verdict"].ne("")


def are_spoiled(judgements: pd.DataFrame) -> pd.Series:
    measured = are_measured(judgements)
    return measured & judgements["verdict"].ne(Verdict.OK.value) if measured.any() else measured


def spoiled_by(judgements: pd.DataFrame, *columns: str) -> Mapping[object, int]:
    """Count the spoiled trials for each value (or tuple of values) of one or more columns."""
    keys = [judgements[column] for column in columns]
    counts = are_spoiled(judgements).groupby(keys, observed=True).sum()
    return {key: int(count) for key, count in counts.items()}


def without_spoiled(judgements: pd.DataFrame) -> pd.DataFrame:
    """Leave the spoiled trials out.

    Raises
    ------
    InputError
        Nothing is left.
    """
    left = judgements[~are_spoiled(judgements)]
    if left.empty:
        problem = f"all {len(judgements):,} exposures are late, dropped or seen and are left out"
        raise InputError("judgements, task time", problem, "--keep-spoiled scores them")
    return left


def count_verdicts(judgements: pd.DataFrame, *, left_out: bool) -> SpoiledTrials | None:
    """Count measured trials by their verdict; None where there are none."""
    measured = are_measured(judgements)
    if not measured.any():
        return None
    verdicts = judgements.loc[measured, "verdict"]
    counts = {verdict.value: int(verdicts.eq(verdict.value).sum()) for verdict in Verdict}
    return SpoiledTrials(**counts, left_out=left_out)


def measured_timing(judgements: pd.DataFrame) -> TimingTable:
    trials = judgements.loc[are_measured(judgements)]
    columns = [name for name in TIMING_COLUMNS if name in trials]
    return table_of_rows(trials[columns].to_dict("records"))
