"""Why answers are not scored, each for one reason; and the order of notes on scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum
from functools import cache, partial
from operator import eq, ne
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hype.session.steps import CARELESS, LEFT_OUT, NO_ANSWER, Ending

if TYPE_CHECKING:
    import pandas as pd

    BoolArray = npt.NDArray[np.bool_]

COMPLETE: Final = Ending.COMPLETE.value
DECLINED: Final = Ending.DECLINED.value
WITHDRAWN: Final = (DECLINED, LEFT_OUT)
"""Statuses of people none of whose answers count, by their own wish or the experimenter's."""
SCORED: Final = ""
"""Stands where there is no reason."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an answer is not scored."""

    name: str  # what the column excluded says
    _: KW_ONLY
    # of, holds: the fact that decides, usually a column, and whether it is the case of one of its
    # values: something that `hype power` can send to other processes
    of: str
    holds: Callable[[Any], bool] = bool
    meaning: str = ""  # what a data dictionary says of it
    said: str  # how a sentence says which answers these are
    # Whether the answers of a study say it as they go out; scores alone know the others
    is_recorded: bool = True


def reasons_of_people(*others: Reason) -> tuple[Reason, ...]:
    """Return the reasons that all protocols have: how far the evaluator came, and how carelessly.

    ``others`` are those of statuses that only some protocols have.
    """
    return (
        Reason(
            DECLINED,
            of="status",
            holds=partial(eq, DECLINED),
            meaning="the evaluator did not consent",
            said="by people who declined",
        ),
        Reason(
            LEFT_OUT,
            of="status",
            holds=partial(eq, LEFT_OUT),
            meaning="the study file leaves the evaluator out, and says why",
            said="by people whom the study file leaves out",
        ),
        *others,
        Reason(
            "unfinished",
            of="status",
            holds=partial(ne, COMPLETE),
            meaning="the evaluator has begun and not finished",
            said="by people who have not finished",
        ),
        Reason(
            CARELESS,
            of="is_careless",
            meaning="the evaluator's answers break a rule of exclusion of the study",
            said="by people who are careless by the study's rules",
        ),
    )


TOO_LATE: Final = Reason(
    "no-answer",
    of="answer",
    holds=partial(eq, NO_ANSWER),
    meaning="the time limit passed",
    said="not answered before the time limit",
)


def reason_of_task(task: str, *, meaning: str, said: str) -> Reason:
    """Declare that answers of a task are never scored."""
    return Reason(task, of="task", holds=partial(eq, task), meaning=meaning, said=said)


PRACTICE: Final = reason_of_task(
    "practice", meaning="practice is never scored", said="for practice"
)
TEST: Final = reason_of_task("test", meaning="the test is never scored", said="of the test")


def rule_of(reasons: Sequence[Reason]) -> Callable[..., str]:
    """Return what says why one answer is not scored, from facts about it; `SCORED` where it is.

    The first reason that holds counts. Reasons of what is not known do not hold.
    """

    @cache
    def why_excluded(**facts: Any) -> str:
        holding = (r.name for r in reasons if r.of in facts and r.holds(facts[r.of]))
        return next(holding, SCORED)

    return why_excluded


def reasons_of(table: pd.DataFrame, reasons: Sequence[Reason], **facts: Any) -> pd.Series:
    """Give each row why it is not scored; `SCORED` where it is.

    What the table says in its column excluded comes first; then the first reason that holds.

    ``facts``: what is known of each row that its columns do not say, or say otherwise. Gives
    categories: `SCORED`, the reasons, and those that only the table knows.
    """
    import pandas as pd

    names = [SCORED, *(reason.name for reason in reasons)]
    codes = np.zeros(len(table), dtype=np.int64)
    for code, reason in reversed([*enumerate(reasons, start=1)]):
        if (cells := facts.get(reason.of, table.get(reason.of))) is not None:
            kind_of_row, kinds = pd.factorize(cells)
            codes[np.array([reason.holds(kind) for kind in kinds], dtype=bool)[kind_of_row]] = code
    if (cells := facts.get("excluded", table.get("excluded"))) is not None:
        kind_of_row, kinds = pd.factorize(cells)
        names += sorted(set(map(str, kinds)) - set(names))
        said = np.array([names.index(str(kind)) for kind in kinds], dtype=np.int64)[kind_of_row]
        codes = np.where(said > 0, said, codes)
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(names)), table.index)


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Answers that are not scored.

    ``reason``: the name of one, or what the column excluded of a table from elsewhere says.
    ``meaning``: how a sentence says it. ``evaluators``: how many evaluators they are of; None if
    these are not known.
    """

    reason: str
    meaning: str
    evaluators: int | None
    answers: int


def count_by_reason(
    table: pd.DataFrame,
    why: pd.Series,
    reasons: Iterable[Reason],
    number: Callable[[BoolArray], int] = lambda rows: int(rows.sum()),
) -> tuple[LeftOut, ...]:
    """Count the answers that are not scored by their reasons, in the order of these.

    ``why``: as `reasons_of` gives it. ``number`` counts the answers of some rows, where an answer
    has several.
    """
    said = {reason.name: reason.said for reason in reasons}
    return tuple(
        LeftOut(
            reason=name,
            meaning=said.get(name, name),
            evaluators=table["evaluator"][rows].nunique() if "evaluator" in table else None,
            answers=number(rows),
        )
        for name in map(str, why.cat.categories[1:])
        if (rows := why.eq(name).to_numpy()).any()
    )


def note_left_out(rows: Mapping[str, int]) -> list[str]:
    """State how many rows of a table were left out, and why; empty if there are none."""
    number = sum(rows.values())
    whys = [why if n == number else f"{why} ({n:,})" for why, n in rows.items() if n]
    said = "1 row was" if number == 1 else f"{number:,} rows were"
    return [f"{said} left out: {'; '.join(whys)}."] if whys else []


class Weight(IntEnum):
    """What a note is about, the gravest first."""

    DATA = 0  # answers may not be what they seem: copied, careless, swapped
    SCOPE = 1  # the people and images that the figures are about
    REACH = 2  # a figure says less than it seems to: at a bound, not settled
    LEFT_OUT = 3  # what is not in the figures
    DETAIL = 4  # all else


class Note(str):
    """A sentence that must be read with a score."""

    __slots__ = ("weight",)
    weight: Weight

    def __new__(cls, text: str, weight: Weight = Weight.DETAIL) -> Note:
        note = super().__new__(cls, text)
        note.weight = weight
        return note


def weigh(weight: Weight, notes: Iterable[str]) -> Iterator[Note]:
    """Return notes their weight."""
    return (Note(note, weight) for note in notes)


def sort_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Put notes in the order of their weight, each once; those of one weight stay as they come."""
    once = dict.fromkeys(notes)
    return tuple(sorted(once, key=lambda note: getattr(note, "weight", Weight.DETAIL)))
