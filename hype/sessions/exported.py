"""Judgements as they leave a study: the record's columns, and what only the study file knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from sqlalchemy import Column, Engine, Float, String

from hype.errors import InputError
from hype.protocol.steps import Task
from hype.protocol.timing import Verdict
from hype.store.reading import exported_columns, exported_declarations, read_judgements
from hype.store.record import RECORD_FILE
from hype.store.schema import column
from hype.study.load import Study


class Excluded(str, Enum):
    """Why a judgement is not scored; where several hold, the first.

    What is so of an evaluator comes before what is so of a trial: all judgements of somebody who
    did not qualify say so.
    """

    UNFINISHED = "unfinished"
    UNQUALIFIED = "unqualified"
    DECLINED = "declined"
    PRACTICE = "practice"
    QUALIFICATION = "qualification"
    SPOILED = "spoiled"


REASONS: Final = {
    Excluded.UNFINISHED.value: "the evaluator has begun and not finished",
    Excluded.UNQUALIFIED.value: "the evaluator did not pass the qualification",
    Excluded.DECLINED.value: "the evaluator did not consent",
    Excluded.PRACTICE.value: "practice is never scored",
    Excluded.QUALIFICATION.value: "the qualification is never scored",
    Excluded.SPOILED.value: "the screen spoiled the trial, and the study leaves such trials out or "
    "repeats them",
}

ADDED: Final = (
    column("floor_ms", Float, "shortest exposure that the study's staircase allows", null=True),
    column("ceiling_ms", Float, "longest exposure that the study's staircase allows", null=True),
    column(
        "excluded",
        String(16),
        "why the judgement is not scored under the study's rules; empty where it is",
        blank=True,
        levels=REASONS,
    ),
)
"""The columns that the study file makes: its staircase's bounds beside every exposure, and why a
judgement is not scored."""

NEEDED: Final = ("status", "task", "exposure_ms", "verdict")
"""The columns of the record that those are made of."""

BY_STATUS: Final = {
    "active": Excluded.UNFINISHED.value,
    "unqualified": Excluded.UNQUALIFIED.value,
    "declined": Excluded.DECLINED.value,
}
BY_TASK: Final = {
    Task.PRACTICE.value: Excluded.PRACTICE.value,
    Task.QUALIFICATION.value: Excluded.QUALIFICATION.value,
}
SPOILED: Final = (Verdict.LATE.value, Verdict.DROPPED.value)

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Judgements of people, or of simulated evaluators: columns, and rows that are read once."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


def declared_columns() -> dict[str, Column[Any]]:
    """Give how each column of an exported judgement is declared, in their order."""
    return exported_declarations() | {added.name: added for added in ADDED}


def exported_judgements(
    engine: Engine, study: Study, *, simulated: bool, columns: Collection[str] = ()
) -> Exported:
    """Read judgements; of the record's columns those that are wanted, or without any all."""
    wanted = {*columns, *NEEDED}
    names = tuple(name for name in exported_columns() if not columns or name in wanted)
    rows = read_judgements(engine, simulated=simulated, columns=names)
    return Exported(
        columns=(*names, *(added.name for added in ADDED)),
        rows=with_added(rows, names, study),
    )


def require_judgements(engine: Engine, study: Study, *, simulated: bool) -> None:
    """Refuse to go on with nothing.

    Raises
    ------
    InputError
        As `no_judgements` says.
    """
    rows = read_judgements(engine, simulated=simulated, columns=("evaluator",))
    if next(rows, None) is None:
        raise no_judgements(study, simulated=simulated)


def no_judgements(study: Study, *, simulated: bool) -> InputError:
    """Say that a record holds nothing of the kind that was asked for, and how there would be."""
    kind, other = ("simulated evaluators", "") if simulated else ("people", "--simulated")
    hint = f"{other} takes the simulated evaluators" if other else "hype simulate makes some"
    return InputError(study.folder / RECORD_FILE, f"holds no judgements by {kind}", hint)


def with_added(rows: Iterator[Row], names: tuple[str, ...], study: Study) -> Iterator[Row]:
    """Add to each row what the study file says of it."""
    status, task, exposure, verdict = map(names.index, NEEDED)
    staircase = study.settings.time.staircase
    bounds_ms = (staircase.min_ms, staircase.max_ms)
    reason = why_excluded(study)
    for row in rows:
        bounds = bounds_ms if row[exposure] is not None else (None, None)
        yield (*row, *bounds, reason(row[task], row[status], row[verdict]))


def why_excluded(study: Study) -> Callable[[object, object, object], str]:
    """Give what says why a judgement of a task, status and verdict is not scored; "" if it is."""
    spoils = study.settings.timing.spoiled_trials != "keep"

    def reason(task: object, status: object, verdict: object) -> str:
        spoiled = spoils and task == Task.TIME.value and verdict in SPOILED
        found = BY_STATUS.get(str(status)) or BY_TASK.get(str(task))
        return found or (Excluded.SPOILED.value if spoiled else "")

    return reason
