"""The reasons why answers are not scored, and the order of notes on scores."""

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
"""Statuses of people whose answers never count: they declined, or the study leaves them out."""
SCORED: Final = ""
"""The cell of ``excluded`` for scored answers; other answers have the name of a reason."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an answer is not scored."""

    name: str  # the reason's name in the column excluded
    _: KW_ONLY
    # The reason applies if ``holds`` returns true for the fact named ``of``, usually the cell of a
    # column. ``holds`` cannot be a lambda, since `hype power` sends reasons to other processes
    of: str
    holds: Callable[[Any], bool] = bool
    meaning: str = ""  # the reason's meaning in a data dictionary
    said: str  # the words for such answers in a sentence, such as "in practice"
    # Whether an export can give this reason; if not, it only appears in scores
    is_recorded: bool = True


def reason_for(of: str, value: str, *, meaning: str, said: str) -> Reason:
    """Make a reason called ``value``, which applies if the fact ``of`` equals ``value``."""
    return Reason(value, of=of, holds=partial(eq, value), meaning=meaning, said=said)


OF_PEOPLE: Final = (
    reason_for(
        "status",
        DECLINED,
        meaning="the evaluator did not consent",
        said="by people who declined",
    ),
    reason_for(
        "status",
        LEFT_OUT,
        meaning="the study file leaves the evaluator out, and gives the reason",
        said="by people that the study file leaves out",
    ),
    reason_for(
        "status",
        Ending.UNQUALIFIED.value,
        meaning="the evaluator did not pass the qualification",
        said="by people who did not pass the qualification",
    ),
    Reason(
        "unfinished",
        of="status",
        holds=partial(ne, COMPLETE),
        meaning="the evaluator has started but not finished",
        said="by people who have not finished",
    ),
    Reason(
        CARELESS,
        of="is_careless",
        meaning="the evaluator's answers break a rule of exclusion of the study",
        said="by people who break the study's rules of exclusion",
    ),
)
"""The reasons, shared by all protocols, for excluding all answers of an evaluator."""


TOO_LATE: Final = Reason(
    "no-answer",
    of="answer",
    holds=partial(eq, NO_ANSWER),
    meaning="the time limit passed",
    said="not answered before the time limit",
)
PRACTICE: Final = reason_for(
    "task", "practice", meaning="practice is never scored", said="in practice"
)
TEST: Final = reason_for("task", "test", meaning="the test is never scored", said="in the test")


def rule_of(reasons: Sequence[Reason]) -> Callable[..., str]:
    """Make a function that returns why an answer is not scored, from facts about it.

    The function returns `SCORED` if the answer is scored. The first reason that applies counts; a
    reason about an unknown fact does not apply.
    """

    @cache
    def why_excluded(**facts: Any) -> str:
        holding = (r.name for r in reasons if r.of in facts and r.holds(facts[r.of]))
        return next(holding, SCORED)

    return why_excluded


def reasons_of(table: pd.DataFrame, reasons: Sequence[Reason], **facts: Any) -> pd.Series:
    """Return the reason why each row is not scored, or `SCORED`.

    If the column ``excluded`` gives a reason, that one counts; if not, the first that applies.
    ``facts``: further columns; they replace columns of the table with the same name. Returns
    categories: `SCORED`, the reasons, and any other reasons that the table gives.
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
    """How many answers are not scored for one reason, and how many evaluators gave them.

    ``reason``: the reason's name, or the text in the column excluded. ``meaning``: the words for
    the reason in a sentence. ``evaluators``: None if unknown.
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
    """Count the excluded answers by reason, in the order of the reasons.

    ``why``: from `reasons_of`. ``number``: counts the answers in marked rows; by default 1 per row.
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
    """Write how many rows of a table were left out, and why; return an empty list if none were."""
    number = sum(rows.values())
    whys = [why if n == number else f"{why} ({n:,})" for why, n in rows.items() if n]
    said = "1 row was" if number == 1 else f"{number:,} rows were"
    return [f"{said} left out: {'; '.join(whys)}."] if whys else []


class Weight(IntEnum):
    """How serious a note is, which depends on its topic; the most serious comes first."""

    DATA = 0  # answers may be wrong: copied, careless, swapped
    SCOPE = 1  # the people and images behind the results
    REACH = 2  # a result is less certain than it looks, such as an estimate at a bound
    LEFT_OUT = 3  # answers that are not in the results
    DETAIL = 4  # everything else


class Note(str):
    """A note on a score: a sentence with a weight."""

    __slots__ = ("weight",)
    weight: Weight

    def __new__(cls, text: str, weight: Weight = Weight.DETAIL) -> Note:
        note = super().__new__(cls, text)
        note.weight = weight
        return note


def weigh(weight: Weight, notes: Iterable[str]) -> Iterator[Note]:
    return (Note(note, weight) for note in notes)


def sort_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Sort notes by weight, without repeats; notes of equal weight keep their order."""
    once = dict.fromkeys(notes)
    return tuple(sorted(once, key=lambda note: getattr(note, "weight", Weight.DETAIL)))
