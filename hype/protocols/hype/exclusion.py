"""Which judgements are not scored, and why: one rule, for the rows of a record and of a table.

A study puts it to its record as judgements leave it: their column ``excluded`` says what came of
it. A table may lack that column; what it says of evaluators and trials then follows from the same
statuses, tasks and verdicts.

A trial of HYPE_time is spoiled where its image or a mask was not on the screen for as long as it
should have been, or where it had been shown before and was not answered then;
`hype.session.timing` gives the verdict, and `late`, `dropped` and `seen` are bad ones.

Rules by which an evaluator is called careless are stated in a study before anybody comes. Whoever
guesses drives a staircase up, so that one careless evaluator makes a condition look better. A rule
looks at all answers of the blocks that are scored, catch trials among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from hype.errors import InputError
from hype.protocols.hype.trial import Task
from hype.session.steps import LEFT_OUT, Ending
from hype.session.timing import Verdict
from hype.tables.reasons import WHY_LEFT_OUT

if TYPE_CHECKING:
    import pandas as pd

    from hype.protocols.hype.settings import Study

COMPLETE: Final = Ending.COMPLETE.value


class Unscored(str, Enum):
    """Why a judgement is not scored; where several hold, the first.

    What is so of an evaluator comes before what is so of a trial: all judgements of somebody who
    did not qualify say so.
    """

    UNFINISHED = "unfinished"
    UNQUALIFIED = "unqualified"
    DECLINED = "declined"
    LEFT_OUT = LEFT_OUT
    CARELESS = "careless"
    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    CATCH = "catch"
    SPOILED = "spoiled"


REASONS: Final = {
    Unscored.UNFINISHED.value: "the evaluator has begun and not finished",
    Unscored.UNQUALIFIED.value: "the evaluator did not pass the qualification",
    Unscored.DECLINED.value: "the evaluator did not consent",
    Unscored.LEFT_OUT.value: WHY_LEFT_OUT,
    Unscored.CARELESS.value: "the evaluator's answers break a rule of exclusion of the study",
    Unscored.PRACTICE.value: "practice is never scored",
    Unscored.QUALIFICATION.value: "the qualification is never scored",
    Unscored.CATCH.value: "catch trials, whose images are obvious, are never scored",
    Unscored.SPOILED.value: "the screen spoiled the trial, and the study leaves such trials out or "
    "repeats them",
}

BY_STATUS: Final = {
    "active": Unscored.UNFINISHED.value,
    "unqualified": Unscored.UNQUALIFIED.value,
    "declined": Unscored.DECLINED.value,
    LEFT_OUT: Unscored.LEFT_OUT.value,
    "full": Unscored.UNFINISHED.value,
}

BY_TASK: Final = {
    Task.PRACTICE.value: Unscored.PRACTICE.value,
    Task.QUALIFICATION.value: Unscored.QUALIFICATION.value,
    Task.CATCH.value: Unscored.CATCH.value,
}

IN_WORDS: Final = {
    Unscored.DECLINED.value: "declined",
    Unscored.LEFT_OUT.value: "left out by the study file",
    Unscored.UNQUALIFIED.value: "did not pass the qualification",
    Unscored.UNFINISHED.value: "has not finished",
    Unscored.CARELESS.value: "careless by the study's rules",
    Unscored.SPOILED.value: "trial spoiled by the screen",
}
"""What a report calls a reason, where it is not the name of a task; in the order of its tables."""
SPOILED_VERDICTS: Final = (Verdict.LATE.value, Verdict.DROPPED.value, Verdict.SEEN.value)


def why_excluded(study: Study) -> Callable[[object, object, object], str]:
    """Give what says why a judgement of a task, status and verdict is not scored; "" if it is."""
    spoils = study.settings.timing.spoiled_trials != "keep"

    def reason(task: object, status: object, verdict: object) -> str:
        spoiled = spoils and task == Task.TIME.value and verdict in SPOILED_VERDICTS
        other_reason = BY_STATUS.get(str(status)) or BY_TASK.get(str(task))
        return other_reason or (Unscored.SPOILED.value if spoiled else "")

    return reason


def finished(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators whose status is complete; all where there is no status.

    Raises
    ------
    InputError
        Nobody has finished yet.
    """
    if "status" not in judgements:
        return _all_rows(judgements, value=True)
    done = judgements["status"].eq(COMPLETE)
    if not done.any():
        raise InputError("judgements", "no evaluator has finished yet", "scores need a whole one")
    return done


def are_left_out(judgements: pd.DataFrame) -> pd.Series:
    if "excluded" not in judgements:
        return _all_rows(judgements, value=False)
    return judgements["excluded"].eq(Unscored.CARELESS.value)


def counted(judgements: pd.DataFrame) -> pd.Series:
    """Tell which rows are of evaluators who finished, and are not left out as careless.

    Raises
    ------
    InputError
        There is nobody.
    """
    kept = finished(judgements) & ~are_left_out(judgements)
    if not kept.any():
        problem = "every evaluator who finished is careless by the study's rules, and is left out"
        raise InputError("judgements", problem, "exclusion.leave_out = false scores them")
    return kept


Treatment = Literal["keep", "leave-out"]
"""What becomes of spoiled trials."""
TREATMENTS: Final[tuple[Treatment, ...]] = ("keep", "leave-out")


@dataclass(frozen=True, kw_only=True)
class SpoiledTrials:
    """Measured trials of HYPE_time by their verdict, and what became of the spoiled ones."""

    # ok, late, dropped, seen: how many
    ok: int
    late: int
    dropped: int
    left_out: bool  # whether all but the first were left out of the score
    seen: int = 0

    @property
    def measured(self) -> int:
        return self.ok + self.spoiled

    @property
    def spoiled(self) -> int:
        """How many of them were not as requested."""
        return sum(self.spoiled_by_kind.values())

    @property
    def spoiled_by_kind(self) -> Mapping[str, int]:
        return {"late": self.late, "dropped": self.dropped, "seen before": self.seen}


def check_treatment(treatment: str) -> None:
    if treatment not in TREATMENTS:
        allowed = f"allowed is {' or '.join(TREATMENTS)}"
        raise InputError("spoiled", f"{treatment!r} is not allowed", allowed)


def are_measured(judgements: pd.DataFrame) -> pd.Series:
    if "verdict" not in judgements:
        return _all_rows(judgements, value=False)
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


SCORED: Final = ""
"""Stands where there is no reason."""


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """Judgements that are not scored."""

    reason: str  # why, in a few words
    condition: str  # whose they would have been
    # evaluators, judgements: how many evaluators gave them, and how many they are
    evaluators: int
    judgements: int


def exclusions(judgements: pd.DataFrame, treatment: Treatment) -> tuple[Exclusion, ...]:
    """Count the judgements that are not scored, by reason and condition.

    Evaluators first, then trials, then the tasks that are never scored; within a reason in the
    order of the conditions' names. Together with those that are scored they are all judgements.
    """
    check_treatment(treatment)
    reasons = reasons_of(judgements, treatment)
    excluded = judgements.loc[reasons.ne(SCORED), ["condition", "evaluator"]]
    groups = excluded.groupby([reasons[excluded.index], "condition"], observed=True)["evaluator"]
    counts = groups.agg(["nunique", "size"])
    excluded_rows = [
        Exclusion(
            reason=str(reason),
            condition=str(condition),
            evaluators=int(evaluators),
            judgements=int(size),
        )
        for (reason, condition), evaluators, size in counts.itertuples(name=None)
    ]
    ranks = {reason: rank for rank, reason in enumerate((*IN_WORDS.values(), *BY_TASK))}
    return tuple(sorted(excluded_rows, key=lambda row: (ranks.get(row.reason, -1), row.condition)))


def reasons_of(judgements: pd.DataFrame, treatment: Treatment) -> pd.Series:
    """Give for each judgement why it is not scored; empty where it is.

    Where there are several reasons the evaluator's comes first: a judgement of somebody who did not
    pass the qualification is excluded for that, and not for being one of the qualification.
    """
    import pandas as pd

    reasons = pd.Series(SCORED, index=judgements.index, dtype=object)
    for reason, rows in _rows_by_reason(judgements, treatment):
        reasons[rows] = reason
    return reasons


def _rows_by_reason(
    judgements: pd.DataFrame, treatment: Treatment
) -> Iterator[tuple[str, pd.Series]]:
    """Yield each reason and the rows of which it holds; of several the last one counts."""
    if treatment == "leave-out":
        yield IN_WORDS[Unscored.SPOILED.value], are_spoiled(judgements)
    for task in BY_TASK:
        yield task, judgements["task"].eq(task)
    if "status" in judgements:
        for status in judgements["status"].cat.categories:
            if status != COMPLETE:
                yield reason_of_status(status), judgements["status"].eq(status)
    yield IN_WORDS[Unscored.CARELESS.value], are_left_out(judgements)


def reason_of_status(status: str) -> str:
    known = BY_STATUS.get(status)
    return IN_WORDS[known] if known else f"is not complete: {status}"


def _all_rows(judgements: pd.DataFrame, *, value: bool) -> pd.Series:
    # Loaded where it is needed: the rule is also put to records, without a table.
    import pandas as pd

    return pd.Series(value, index=judgements.index)


def treatment_in(frame: pd.DataFrame) -> Treatment:
    """Tell from its marks whether the study of a table leaves spoiled trials out.

    One that repeats them does too: the repetition takes their place.
    """
    if "excluded" not in frame:
        return "keep"

    marked = frame["excluded"].eq(Unscored.SPOILED.value)
    return "leave-out" if marked.any() else "keep"


class Rule(str, Enum):
    """What an evaluator's answers may break; the values are words of the export."""

    SPEED = "speed"
    ONE_KEY = "one-key"
    CATCH = "catch"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The most that an evaluator's answers may come to; a rule that is None is not asked."""

    # fast_share, fast_ms: share, 0 to 1, of answers that come faster than ``fast_ms``
    fast_ms: float = 300.0
    fast_share: float | None = None
    # Share of the answer that is given more often: of one key, since keys keep their meaning
    one_key_share: float | None = None
    catch_error: float | None = None  # share of catch trials that are judged wrongly
    longest_run: int | None = None  # the same answer so many times in a row, within a block

    @property
    def asked(self) -> bool:
        return bool(self.said)

    @property
    def said(self) -> tuple[str, ...]:
        """The rules in words: what makes an evaluator careless."""
        limits = (
            (self.fast_share, f"of their answers came faster than {self.fast_ms:g} ms"),
            (self.one_key_share, "of their answers were the same"),
            (self.catch_error, "of their catch trials were wrong"),
        )
        shares = [f"more than {most:.0%} {what}" for most, what in limits if most is not None]
        if self.longest_run is None:
            return tuple(shares)
        return (*shares, f"the same answer came more than {self.longest_run} times in a row")


class GivenAnswer(NamedTuple):
    """One answer of a block that is scored, or of a catch trial in it."""

    task: str
    trial: int
    answer: str
    correct: bool
    rt_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What is counted of one evaluator's answers; `Rules` says of each what it is held against."""

    answers: int
    fast: int
    commonest: int
    run: int
    caught: int
    missed: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that an evaluator's answers break, and how, in words."""

    rule: Rule
    said: str


def habits_of(given: Iterable[GivenAnswer], fast_ms: float) -> Habits:
    """Count one evaluator's answers, which come in the order in which they were given."""
    rows = list(given)
    reals = sum(row.answer == "real" for row in rows)
    catch = [row for row in rows if row.task == Task.CATCH.value]
    return Habits(
        answers=len(rows),
        fast=sum(row.rt_ms < fast_ms for row in rows),
        commonest=max(reals, len(rows) - reals),
        run=longest_run(rows),
        caught=len(catch),
        missed=sum(not row.correct for row in catch),
    )


def longest_run(rows: Iterable[GivenAnswer]) -> int:
    """Give how often at most one answer came in a row; trials are numbered anew in each block."""
    longest = run = 0
    before: GivenAnswer | None = None
    for row in rows:
        goes_on = before is not None and row.trial > before.trial and row.answer == before.answer
        run = run + 1 if goes_on else 1
        longest, before = max(longest, run), row
    return longest


def broken_rules(habits: Habits, rules: Rules) -> tuple[Broken, ...]:
    return tuple(_broken(habits, rules))


def _broken(habits: Habits, rules: Rules) -> Iterator[Broken]:
    shares = (
        (
            Rule.SPEED,
            habits.fast,
            habits.answers,
            rules.fast_share,
            f"answers are faster than {rules.fast_ms:g} ms",
        ),
        (
            Rule.ONE_KEY,
            habits.commonest,
            habits.answers,
            rules.one_key_share,
            "answers are the same",
        ),
        (Rule.CATCH, habits.missed, habits.caught, rules.catch_error, "catch trials are wrong"),
    )
    for rule, number, of, most, what in shares:
        if most is not None and of and number / of > most:
            yield Broken(rule, f"{number} of {of} {what} ({number / of:.0%}; at most {most:.0%})")
    if rules.longest_run is not None and habits.run > rules.longest_run:
        sentence = f"{habits.run} equal answers in a row (at most {rules.longest_run})"
        yield Broken(Rule.RUN, sentence)
