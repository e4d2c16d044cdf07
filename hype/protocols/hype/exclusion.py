"""Which judgements of a table are scored, and how many are not, and why.

The reasons are those of `hype.protocols.hype.rows`. A study applies them to its record as
judgements leave it, and their column ``excluded`` says the result. Of a table without that column
the same follows from its statuses, tasks and verdicts.

A trial of HYPE_time is spoiled where its image or a mask was not on the screen for as long as it
should have been, or where it had been shown before and was not answered then;
`hype.session.timing` gives the verdict, and `late`, `dropped` and `seen` are bad ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import pandas as pd

from hype.errors import InputError
from hype.protocols.hype.rows import CARELESS, OF_EVALUATORS, REASONS, SPOILED
from hype.protocols.hype.trial import Task
from hype.session.timing import Verdict
from hype.tables.reasons import COMPLETE, SCORED, reasons_of

Treatment = Literal["keep", "leave-out"]
"""What becomes of spoiled trials."""
TREATMENTS: Final[tuple[Treatment, ...]] = ("keep", "leave-out")
_OF_TRIALS: Final = {reason.name for reason in REASONS} - {each.name for each in OF_EVALUATORS}


def all_rows(judgements: pd.DataFrame, *, value: bool) -> pd.Series:
    return pd.Series(value, index=judgements.index)


def are_unfinished(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators whose status says that they did not come to the end."""
    if "status" not in judgements:
        return all_rows(judgements, value=False)
    return judgements["status"].ne(COMPLETE)


def are_finished(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators who finished; all where there is no status.

    Rows that the table itself leaves out, for a reason that is none of a trial, are not among them;
    those of careless evaluators are, so that scores can be given with and without them. InputError
    where there is none.
    """
    done = ~are_unfinished(judgements)
    if "excluded" in judgements:
        done &= judgements["excluded"].isin([SCORED, CARELESS, *_OF_TRIALS])
    if not done.any():
        unfinished = are_unfinished(judgements).all()
        problem = "no evaluator has finished yet" if unfinished else "the table leaves all rows out"
        raise InputError("judgements", problem, "scores need a whole evaluator")
    return done


def are_left_out(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators who are left out as careless."""
    if "excluded" not in judgements:
        return all_rows(judgements, value=False)
    return judgements["excluded"].eq(CARELESS)


def are_counted(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators who finished, and are not left out as careless.

    InputError where there is nobody.
    """
    kept = are_finished(judgements) & ~are_left_out(judgements)
    if not kept.any():
        problem = "every evaluator who finished is careless by the study's rules, and is left out"
        raise InputError("judgements", problem, "exclusion.leave_out = false scores them")
    return kept


@dataclass(frozen=True, kw_only=True)
class SpoiledTrials:
    """Measured trials of HYPE_time by their verdict."""

    ok: int
    late: int
    dropped: int
    left_out: bool  # whether all but those that are ok were left out of the score
    seen: int = 0

    @property
    def spoiled(self) -> int:
        """How many of them were not as requested."""
        return self.late + self.dropped + self.seen

    @property
    def measured(self) -> int:
        return self.ok + self.spoiled


def check_treatment(treatment: str) -> None:
    if treatment not in TREATMENTS:
        allowed = f"allowed is {' or '.join(TREATMENTS)}"
        raise InputError("spoiled", f"{treatment!r} is not allowed", allowed)


def treatment_in(frame: pd.DataFrame) -> Treatment:
    """Tell from its marks whether the study of a table leaves spoiled trials out.

    One that repeats them does too: the repetition takes their place.
    """
    marked = "excluded" in frame and frame["excluded"].eq(SPOILED).any()
    return "leave-out" if marked else "keep"


def are_measured(judgements: pd.DataFrame) -> pd.Series:
    if "verdict" not in judgements:
        return all_rows(judgements, value=False)
    return judgements["task"].eq(Task.TIME.value) & judgements["verdict"].ne("")


def are_spoiled(judgements: pd.DataFrame) -> pd.Series:
    measured = are_measured(judgements)
    return measured & judgements["verdict"].ne(Verdict.OK.value) if measured.any() else measured


def count_spoiled(judgements: pd.DataFrame, *columns: str) -> Mapping[object, int]:
    """Count the spoiled trials for each value (or tuple of values) of one or more columns."""
    keys = [judgements[column] for column in columns]
    counts = are_spoiled(judgements).groupby(keys, observed=True).sum()
    return {key: int(count) for key, count in counts.items()}


def drop_spoiled(judgements: pd.DataFrame) -> pd.DataFrame:
    """Leave the spoiled trials out; InputError where nothing is left."""
    left = judgements[~are_spoiled(judgements)]
    if left.empty:
        problem = f"all {len(judgements):,} exposures are late, dropped or seen and are left out"
        raise InputError("judgements, task time", problem, "--spoiled keep scores them")
    return left


def count_verdicts(judgements: pd.DataFrame, *, left_out: bool) -> SpoiledTrials | None:
    measured = are_measured(judgements)
    if not measured.any():
        return None
    verdicts = judgements.loc[measured, "verdict"]
    counts = {verdict.value: int(verdicts.eq(verdict.value).sum()) for verdict in Verdict}
    return SpoiledTrials(**counts, left_out=left_out)


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """Judgements that are not scored."""

    reason: str  # why, as a sentence says it
    condition: str  # whose they would have been
    # evaluators, judgements: how many evaluators gave them, and how many they are
    evaluators: int
    judgements: int


def exclusions(judgements: pd.DataFrame, treatment: Treatment) -> tuple[Exclusion, ...]:
    """Count the judgements that are not scored, by reason and condition.

    In the order of the reasons; within a reason in the order of the conditions' names. Together
    with those that are scored they are all judgements. Spoiled trials are among them only where
    ``treatment`` leaves them out, whatever the table says of them.
    """
    check_treatment(treatment)
    facts = {"is_spoiled": are_spoiled(judgements)} if treatment == "leave-out" else {}
    if "excluded" in judgements:
        marks = judgements["excluded"].astype(str)
        facts["excluded"] = marks.where(marks.ne(SPOILED), SCORED)
    reasons = reasons_of(judgements, REASONS, **facts)
    left = judgements.loc[reasons.ne(SCORED), ["condition", "evaluator"]]
    groups = left.groupby([reasons[left.index], "condition"], observed=True)["evaluator"]
    said = {reason.name: reason.said for reason in REASONS}
    return tuple(
        Exclusion(
            reason=said.get(str(reason), str(reason)),
            condition=str(condition),
            evaluators=int(evaluators),
            judgements=int(size),
        )
        for (reason, condition), evaluators, size in groups.agg(["nunique", "size"]).itertuples()
    )
