"""What the plan of a session of any protocol has, and what the work is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hype.session.loop import Answered
from hype.session.steps import PictureRequest, TrialName


class AnyPlan(Protocol):
    """The plan of a session of whatever protocol."""

    @property
    def evaluator(self) -> str:
        """Whose it is."""

    def checksum(self) -> str:
        """SHA-256 (hex) over all that decides which trials there are: equal plans, equal sums."""

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        """Yield what the trials that are still to be answered will need, in order."""


def unanswered(
    planned: Iterable[tuple[TrialName, Iterable[PictureRequest]]], answered: Sequence[Answered]
) -> Iterator[PictureRequest]:
    """Yield what planned trials need, but for those that were answered."""
    done = {past.name for past in answered}
    for name, pictures in planned:
        if name not in done:
            yield from pictures


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What is owed to one evaluator: each part in whole cents, so that they add up as printed."""

    base: float = 0.0
    bonus: float = 0.0

    @property
    def pay(self) -> float:
        return round(self.base + self.bonus, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pay:
    """What the work is worth: ``base``, and ``per_correct`` for each correct scored answer."""

    base: float
    per_correct: float
    currency: str

    def due(self, correct: int) -> float:
        """Pay for a session with ``correct`` correct scored answers, in ``currency``."""
        return round(self.base + self.per_correct * correct, 2)

    def parts(self, correct: int) -> Due:
        """Part what is due: the base is rounded first, and the bonus is the rest."""
        base = round(self.base, 2)
        return Due(base=base, bonus=round(self.due(correct) - base, 2))
