"""Why rows of a table are not scored, each for one reason; and the order of notes on scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hype.session.steps import LEFT_OUT, Ending

if TYPE_CHECKING:
    import pandas as pd

    BoolArray = npt.NDArray[np.bool_]

COMPLETE: Final = Ending.COMPLETE.value
DECLINED: Final = Ending.DECLINED.value
UNFINISHED: Final = "unfinished"
WITHDRAWN: Final = (DECLINED, LEFT_OUT)
"""Statuses of people nothing of whom counts, by their own wish or the experimenter's."""
WHY_LEFT_OUT: Final = "the study file leaves the evaluator out, and says why"
OF_PEOPLE: Final = {
    UNFINISHED: "the evaluator has begun and not finished",
    DECLINED: "the evaluator did not consent",
    LEFT_OUT: WHY_LEFT_OUT,
}
"""What a data dictionary says of reasons that all protocols have."""
BY_PEOPLE: Final = {
    DECLINED: "by somebody who declined",
    LEFT_OUT: "by somebody whom the study file leaves out",
    UNFINISHED: "by somebody who has not finished",
}
"""How a sentence says them, in the order in which they are reported."""
SCORED: Final = ""
"""Stands where there is no reason."""


def reason_of_status(status: str) -> str:
    """Say why nothing of an evaluator is scored, by how far they came; "" where it may be."""
    if status == COMPLETE:
        return SCORED
    return status if status in WITHDRAWN else UNFINISHED


def reason_of_row(*, status: str = COMPLETE, excluded: str = "") -> str:
    """Say why a row is not scored: by what its table says of it, else by its evaluator's status."""
    return excluded or reason_of_status(status)


def sum_of(rows: BoolArray) -> int:
    return int(rows.sum())


def by_rule(
    rule: Callable[..., str], facts: Mapping[str, Any], known: Sequence[str], index: pd.Index
) -> pd.Series:
    """Give each row why it is not scored by a rule; `SCORED` where it is.

    ``facts``: what the rule takes, by its name: a cell for each row. ``known``: reasons that are
    always among the categories. The rule is asked once for each combination that occurs.
    """
    import numpy as np
    import pandas as pd

    number = np.zeros(len(index), dtype=np.int64)
    for cells in facts.values():
        codes, kinds = pd.factorize(cells)
        number = number * len(kinds) + codes
    which, _ = pd.factorize(number)
    firsts = np.unique(which, return_index=True)[1]
    of_each = {n: pd.Series(c).iloc[firsts].astype(object).tolist() for n, c in facts.items()}
    alike = pd.DataFrame(of_each, dtype=object).to_dict("records")
    reasons = [rule(**{str(name): fact for name, fact in row.items()}) for row in alike]
    names = list(dict.fromkeys([SCORED, *known, *sorted(reasons)]))
    codes = np.array([names.index(reason) for reason in reasons], dtype=np.int64)[which]
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(names)), index)


def facts_in(table: pd.DataFrame, *names: str) -> dict[str, Any]:
    """Give those columns that are there, as facts for a rule."""
    return {name: table[name] for name in names if name in table}


def counted_by_reason(
    table: pd.DataFrame,
    reasons: pd.Series,
    known: Sequence[str],
    number: Callable[[BoolArray], int] = sum_of,
) -> Iterator[tuple[str, int | None, int]]:
    """Give each reason that holds of any row, whom it leaves out, and how many answers.

    Known ones come first, in their order. How many evaluators is None where they are not known;
    ``number`` counts the answers of some rows, which are their number where it is left out.
    """
    order = {reason: place for place, reason in enumerate(known)}
    names = map(str, reasons.cat.categories)
    for reason in sorted(names, key=lambda name: (order.get(name, len(order)), name)):
        rows = reasons.eq(reason).to_numpy()
        if reason != SCORED and rows.any():
            people = table["evaluator"][rows].nunique() if "evaluator" in table else None
            yield reason, people, number(rows)


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Answers that are not scored.

    ``reason``: a key of the rule's meanings, or what the column excluded of a table from elsewhere
    says. ``meaning``: how a sentence says it. ``evaluators``: how many evaluators they are of; None
    where these are not known.
    """

    reason: str
    meaning: str
    evaluators: int | None
    answers: int


def left_out(
    table: pd.DataFrame,
    reasons: pd.Series,
    meanings: Mapping[str, str],
    number: Callable[[BoolArray], int] = sum_of,
) -> tuple[LeftOut, ...]:
    """Count the answers that are not scored, as `counted_by_reason` does."""
    return tuple(
        LeftOut(
            reason=reason, meaning=meanings.get(reason, reason), evaluators=people, answers=answers
        )
        for reason, people, answers in counted_by_reason(table, reasons, [*meanings], number)
    )


class Weight(IntEnum):
    """What a note is about, the gravest first."""

    DATA = 0  # answers may not be what they seem: copied, careless, swapped
    SCOPE = 1  # of which people and images the figures speak
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


def weighed(weight: Weight, notes: Iterable[str]) -> Iterator[Note]:
    """Give notes their weight."""
    return (Note(note, weight) for note in notes)


def in_order(notes: Iterable[str]) -> tuple[str, ...]:
    """Put notes in the order of their weight, each once; those of one weight stay as they come."""
    once = dict.fromkeys(notes)
    return tuple(sorted(once, key=lambda note: getattr(note, "weight", Weight.DETAIL)))
